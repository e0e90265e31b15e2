"""``iogate openmetrics``: what the history says, as Prometheus reads it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from iogate.cli import options
from iogate.cli.asked_specs import SPECS, asked_specs
from iogate.cli.say import say_exactly
from iogate.files.whole_file import write_whole, writing

_LAST = 300


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@SPECS
@options.question(_LAST)
def command(
    file: Path | None, *, specs: tuple[str, ...], store: str | None, **asked: object
) -> None:
    """Write levels, alerts and newest nights as OpenMetrics text to FILE, or print them.

    FILE is replaced as a whole, as the textfile collector of a node_exporter needs it: name one
    that ends with .prom in the folder that it reads.
    """
    from iogate.history.trends import Question
    from iogate.model.newest import newest_nights
    from iogate.store import open_kept
    from iogate_reports.openmetrics import render_openmetrics

    with closing(open_kept(store)) as opened:
        question = Question(**asked)  # type: ignore[arg-type]
        found = list(asked_specs(opened, specs, question))
    trends = [each.trend for each in found if each.trend]
    newest = [run for each in found for run in newest_nights(each.runs)]
    text = render_openmetrics(trends, newest)
    if file is None:
        say_exactly(text, nl=False)
    else:
        _replace(file, text)


def _replace(file: Path, text: str) -> None:
    """A reader sees the old text or the new one. The new file's name before ends otherwise."""
    with writing(file):
        write_whole(file, text, mode=0o644)
