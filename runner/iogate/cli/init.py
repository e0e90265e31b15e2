"""``iogate init``: a commented spec to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from iogate.cli.table import printable
from iogate.errors import RunError, UsageError

_TEMPLATE = "specs/quick.yaml"


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=Path("iogate.yaml"))
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(path: Path, force: bool) -> None:
    """Write a commented spec to PATH (iogate.yaml), ready to run and to change."""
    if path.is_dir():
        path /= "iogate.yaml"
    text = resources.files("iogate").joinpath(_TEMPLATE).read_text("utf-8")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(_without_schema(text))
    except FileExistsError:
        raise UsageError(
            f"{path} is there already", remedy="name another file, or overwrite it with --force"
        ) from None
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror}", remedy="name a file that can be written"
        ) from error
    click.echo(printable(f"wrote {path}; check it with: iogate validate {path}"))
    click.echo(printable(f"and measure with: iogate run {path}"))


def _without_schema(text: str) -> str:
    """The line that points an editor to the schema holds for the original's place only."""
    return "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith("# yaml-language-server:")
    )
