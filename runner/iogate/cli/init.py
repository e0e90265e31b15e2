"""``iogate init``: a commented spec to start from, and its schema for editors."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import click

from iogate.cli import schema
from iogate.cli.table import printable
from iogate.errors import RunError, UsageError

_TEMPLATE = "specs/quick.yaml"
_GATE, _SEED = "specs/gate.yaml", "specs/gate.workflow.yml"
_SEED_SPEC = "spec: iogate.yaml"
_WORKFLOW = Path(".github", "workflows", "storage-baseline.yml")
_MODELINE = "# yaml-language-server: $schema="


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=Path("iogate.yaml"))
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--gate",
    is_flag=True,
    help="A spec that blocks what it cannot judge, and a workflow of GitHub Actions,"
    f" {_WORKFLOW}, that measures its baseline.",
)
def command(path: Path, force: bool, gate: bool) -> None:
    """Write a commented spec to PATH (iogate.yaml), ready to run and to change.

    Beside it stands iogate.schema.json, with which editors complete and explain its keys.
    """
    if path.is_dir():
        path /= "iogate.yaml"
    _write(path, _with_schema_beside(_template(_GATE if gate else _TEMPLATE)), force=force)
    _write_schema(path.parent / schema.BESIDE_SPEC)
    if gate:
        text = _template(_SEED).replace(_SEED_SPEC, f"spec: {json.dumps(str(path))}")
        _write(_WORKFLOW, text, force=force)
    click.echo(printable(f"wrote {path}; check it with: iogate validate {path}"))
    click.echo(printable(f"and measure with: iogate run {path}"))
    if gate:
        click.echo(
            f"wrote {_WORKFLOW}; put in it where iogate is, and start it: it makes the baseline"
        )


def _template(name: str) -> str:
    return resources.files("iogate").joinpath(name).read_text("utf-8")


def _write(path: Path, text: str, *, force: bool) -> None:
    """UsageError where it is there already, RunError where it cannot be written."""
    try:
        if path == _WORKFLOW:
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{path} already exists", remedy="name another file, or overwrite it with --force"
        ) from None
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(
        f"cannot write {path}: {error.strerror}", remedy="name a file that can be written"
    )


def _with_schema_beside(text: str) -> str:
    """The first line points an editor to the schema: here it stands beside the spec."""
    _, _, rest = text.partition("\n")
    return f"{_MODELINE}{schema.BESIDE_SPEC}\n{rest}"


def _write_schema(path: Path) -> None:
    """That of this version; a file of that name which is none of iogate's stays."""
    try:
        if not path.exists() or _is_ours(path):
            path.write_text(schema.text("spec"), encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error) from error


def _is_ours(path: Path) -> bool:
    try:
        held = json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(held, dict) and str(held.get("$id", "")).startswith("urn:iogate:schema:spec")
