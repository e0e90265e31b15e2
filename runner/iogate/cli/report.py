"""``iogate report``: render the report of a run again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from iogate.cli.outcome import show, write_reports
from iogate.errors import UsageError
from iogate.folder import DEFAULT_PARENT, LATEST, RunFolder, read_run_document
from iogate.model.document import run_from_document
from iogate.model.run import Run, RunStatus
from iogate.pipeline import Finished, baseline_of
from iogate.store import Store, open_store


@click.command()
@click.argument("run", default=f"{DEFAULT_PARENT}/{LATEST}")
@click.option("--store", metavar="URL", help="The history; by default in the user's data folder.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to; by default into the run folder.",
)
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON on stdout.")
def command(run: str, store: str | None, output: Path | None, *, as_json: bool) -> int:
    """Render report.html, junit.xml, summary.md and comment.md of RUN again.

    RUN is a run folder, or the id of a run (or the start of one) in the history.
    """
    with closing(open_store(store)) as opened:
        found, folder = _find(run, opened)
        folder = output or folder
        if folder is None:
            raise UsageError(
                f"the folder of run {found.id[:12]} is gone", remedy="say where to: --output DIR"
            )
        folder.mkdir(parents=True, exist_ok=True)
        finished = Finished(found, tuple(baseline_of(found, opened)), RunFolder(folder))
    write_reports(finished)
    show(finished, as_json=as_json, quiet=False)
    return 0


def _find(run: str, store: Store) -> tuple[Run, Path | None]:
    """A run and its folder, None when that is gone. A run that was killed never wrote its
    whole run.json: its measurements are in the history."""
    path = Path(run)
    if (path / "run.json").exists():
        root = path.resolve()
        found = run_from_document(read_run_document(root))
        if found.status is RunStatus.RUNNING:
            found = store.run(found.id)
        return replace(found, folder=str(root)), root
    if path.exists() or "/" in run:
        raise UsageError(
            f"{run} is no run folder: it has no run.json",
            remedy="give a run folder, or an id from 'iogate history'",
        )
    found = store.run(run)
    folder = Path(found.folder)
    return found, folder if found.folder and folder.is_dir() else None
