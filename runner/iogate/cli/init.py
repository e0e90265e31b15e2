"""``iogate init``: a commented spec to start from, and its schema for editors."""

from __future__ import annotations

import json
import os
import re
from importlib import resources
from pathlib import Path

import click

from iogate.cli import schema
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.errors import UsageError
from iogate.files import bounded
from iogate.files.whole_file import write_whole, writing

_TEMPLATE = "specs/quick.yaml"
_GATE = "specs/gate.yaml"
_DEFAULT = Path("iogate.yaml")
_WORKFLOW_SPEC = "spec: iogate.yaml"
_BASELINE = Path(".github", "workflows", "storage-baseline.yml")
_CHECK = Path(".github", "workflows", "storage-gate.yml")
_WORKFLOWS = {_BASELINE: "specs/gate.workflow.yml", _CHECK: "specs/gate.check.yml"}
_SYSTEMS = {
    "gitlab": ("specs/ci/gitlab.yml", Path(".gitlab", "iogate.yml")),
    "jenkins": ("specs/ci/jenkins.groovy", Path("Jenkinsfile")),
    "buildkite": ("specs/ci/buildkite.yml", Path(".buildkite", "pipeline.yml")),
}
"""What another CI system than GitHub's is told, and where it looks for that."""
_RUN_SPEC = "iogate run iogate.yaml"
_PLAIN = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*")
_MODELINE = "# yaml-language-server: $schema="


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=_DEFAULT)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--gate",
    is_flag=True,
    help="A spec that blocks what it cannot judge, and two workflows of GitHub Actions:"
    f" {_BASELINE} measures its baseline, and {_CHECK} gates pull requests.",
)
@click.option(
    "--ci",
    "system",
    type=click.Choice(list(_SYSTEMS)),
    help="And what this CI system is told to run it: "
    + ", ".join(f"{place} ({name})" for name, (_, place) in _SYSTEMS.items())
    + ".",
)
def command(path: Path, force: bool, gate: bool, system: str | None) -> None:
    """Write a commented spec to PATH (iogate.yaml), ready to run and to change.

    Beside it stands iogate.schema.json, with which editors complete and explain its keys.
    """
    named = path != _DEFAULT and not path.is_dir()
    if path.is_dir():
        path /= _DEFAULT
    job = _job(system, path) if system else None
    beside = [job[0]] if job else [*_WORKFLOWS] if gate else []
    _require_no_link_above(*beside)
    if not force:
        _require_free(path, *beside)
    text = _with_schema_beside(_template(_GATE if gate else _TEMPLATE))
    _write(path, text, force=force, named=named)
    _write_schema(path.parent / schema.BESIDE_SPEC)
    if job:
        _write(*job, force=force)
        say(f"wrote {job[0]}: put in it which runner is on the host that is measured")
    for place, name in _WORKFLOWS.items() if gate and not job else ():
        text = _template(name).replace(_WORKFLOW_SPEC, f"spec: {json.dumps(str(path))}")
        _write(place, text, force=force)
    say(printable(f"wrote {path}; check it with: iogate validate {path}"))
    say(printable(f"and measure with: iogate run {path}"))
    if gate and job:
        say(
            "run the job on the default branch some twenty times first: until then there is no"
            " baseline,\nand it ends with exit code 5, as what cannot be judged does"
        )
    if gate and not job:
        say(
            f"wrote {_BASELINE}, which measures the baseline: start it by hand\n"
            f"wrote {_CHECK}, which gates pull requests: require its check 'storage gate'\n"
            "put the repository of iogate in place of OWNER/iogate in both"
        )


def _job(system: str, path: Path) -> tuple[Path, str]:
    """The file of a CI system, and its text for this spec. UsageError for a path that would mean
    something else in it."""
    if not _PLAIN.fullmatch(str(path)):
        raise UsageError(
            f"{path} cannot be written into what {system} runs",
            remedy="name a file of plain letters, numbers, '.', '_', '-' and '/'",
        )
    name, place = _SYSTEMS[system]
    return place, _template(name).replace(_RUN_SPEC, f"iogate run {path}")


def _template(name: str) -> str:
    return resources.files("iogate").joinpath(name).read_text("utf-8")


def _write(path: Path, text: str, *, force: bool, named: bool = False) -> None:
    """UsageError where it is there already, RefusedError where it cannot be written. ``named`` as
    for ``write_whole``."""
    with writing(path):
        if path in (*_WORKFLOWS, *(place for _, place in _SYSTEMS.values())):
            path.parent.mkdir(parents=True, exist_ok=True)
        if not force:
            _require_free(path)
        write_whole(path, text, named=named)


def _require_no_link_above(*places: Path) -> None:
    """UsageError where a folder that the user did not name is a link: a checkout may bring one."""
    for folder in (above for place in places for above in place.parents):
        if folder.is_symlink():
            raise UsageError(
                f"{folder} is a link, and init writes what belongs there through none",
                remedy="nothing was written; remove the link, or make a folder of it",
            )


def _require_free(*places: Path) -> None:
    """All of them, before any is written."""
    for place in places:
        if os.path.lexists(place):
            raise UsageError(
                f"{place} already exists",
                remedy="nothing was written; name another file, or overwrite it with --force",
            )


def _with_schema_beside(text: str) -> str:
    """The first line points an editor to the schema: here it stands beside the spec."""
    _, _, rest = text.partition("\n")
    return f"{_MODELINE}{schema.BESIDE_SPEC}\n{rest}"


def _write_schema(path: Path) -> None:
    """That of this version; a file of that name which is none of iogate's stays."""
    with writing(path):
        if not os.path.lexists(path) or _is_ours(path):
            write_whole(path, schema.text("spec"), named=False)


def _is_ours(path: Path) -> bool:
    try:
        held = bounded.read_json(path)
    except (OSError, ValueError):
        return False
    return isinstance(held, dict) and str(held.get("$id", "")).startswith("urn:iogate:schema:spec")
