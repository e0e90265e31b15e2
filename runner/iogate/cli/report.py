"""``iogate report``: render the report of a run again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from os.path import lexists
from pathlib import Path

import click

from iogate import exits
from iogate.cli import options
from iogate.cli.named_run import find_named
from iogate.cli.outcome import BESIDE_PAGE, append_summary, show, trend_of, write_reports
from iogate.cli.say import say
from iogate.cli.seen import seen
from iogate.cli.table import counted, printable
from iogate.errors import UsageError
from iogate.files.run_folder import DEFAULT_PARENT, LATEST, RunFolder
from iogate.files.whole_file import make_output
from iogate.foreign import is_imported
from iogate.history.baseline import baseline_of
from iogate.run.finishing import Finished
from iogate.store import open_kept


@click.command()
@click.argument("run", default=f"{DEFAULT_PARENT}/{LATEST}")
@options.STORE
@options.output("Where to write; by default the run folder.")
@options.as_json("Print the verdict as JSON on stdout.")
def command(run: str, store: str | None, output: Path | None, *, as_json: bool) -> int:
    """Render report.html, junit.xml, summary.md and comment.md of RUN again.

    RUN is a run folder, or the id of a run (or the start of one) in the history. Of a folder
    that is damaged, the report says which part, and shows the rest; the exit code is then 4.
    """
    with closing(open_kept(store)) as opened:
        named = find_named(run, opened)
        (reported,), own, broken = seen([named.run]), named.folder, named.broken
        folder = output or own
        if folder is None:
            why = (
                "was imported, and has no folder" if is_imported(reported) else "has none any more"
            )
            raise UsageError(
                f"a report goes into the folder of its run, and run {reported.id[:12]} {why}",
                remedy="say where to: --output DIR",
            )
        make_output(folder, "--output")
        finished = Finished(reported, tuple(baseline_of(reported, opened)), RunFolder(folder))
        trend = trend_of(reported, opened)
    run_folder = RunFolder(own) if own else None
    others = () if named.known else tuple(each for each in BESIDE_PAGE if lexists(folder / each))
    try:
        write_reports(finished, run_folder=run_folder, trend=trend, broken=broken, others=others)
    finally:
        append_summary(reported, broken=broken)
    show(_damaged(finished, broken), run_folder, as_json=as_json, quiet=False)
    code = exits.of_parts(broken)
    if broken and not as_json:
        say(f"damaged: {counted(len(broken), 'part')} of the run folder, exit code {int(code)}")
    for part in broken:
        say(f"iogate: {own}: {printable(part)}", err=True)
    if others:
        told = f"{' and '.join(others)} may be of another run, and stayed as they were"
        say(f"iogate: {folder}: {told}", err=True)
    return int(code)


def _damaged(finished: Finished, broken: Sequence[str]) -> Finished:
    """As it is told to programs: what a damaged folder says of its run counts for nothing."""
    verdict = finished.run.verdict
    if not broken or verdict is None:
        return finished
    fault = "; ".join(filter(None, (verdict.fault, f"its folder is damaged: {broken[0]}")))
    verdict = replace(verdict, exit_code=int(exits.of_parts(broken)), fault=fault)
    return replace(finished, run=replace(finished.run, verdict=verdict))
