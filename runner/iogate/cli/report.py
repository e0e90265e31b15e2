"""``iogate report``: render the report of a run again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from iogate import exits
from iogate.cli import options
from iogate.cli.named_run import find_named
from iogate.cli.outcome import show, trend_of, write_reports
from iogate.cli.seen import seen
from iogate.cli.table import counted, printable
from iogate.errors import UsageError
from iogate.files.run_folder import DEFAULT_PARENT, LATEST, RunFolder
from iogate.foreign import is_imported
from iogate.history.baseline import baseline_of
from iogate.run.finishing import Finished
from iogate.store import open_to_read


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
    with closing(open_to_read(store)) as opened:
        reported, own, broken = find_named(run, opened)
        (reported,) = seen([reported])
        folder = output or own
        if folder is None:
            why = (
                "was imported, and has no folder" if is_imported(reported) else "has none any more"
            )
            raise UsageError(
                f"a report goes into the folder of its run, and run {reported.id[:12]} {why}",
                remedy="say where to: --output DIR",
            )
        folder.mkdir(parents=True, exist_ok=True)
        finished = Finished(reported, tuple(baseline_of(reported, opened)), RunFolder(folder))
        trend = trend_of(reported, opened)
    write_reports(finished, run_folder=RunFolder(own) if own else None, trend=trend, broken=broken)
    code = exits.of_parts(broken)
    show(finished, code if broken else finished.exit_code, as_json=as_json, quiet=False)
    if broken and not as_json:
        click.echo(
            f"damaged: {counted(len(broken), 'part')} of the run folder, exit code {int(code)}"
        )
    for part in broken:
        click.echo(f"iogate: {folder}: {printable(part)}", err=True)
    return int(code)
