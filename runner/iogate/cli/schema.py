"""``iogate schema``: the JSON Schema of specs and results, for editors and other programs."""

from __future__ import annotations

from importlib import resources

import click

NAMES = ("spec", "plan", "measurement", "run", "verdict", "trend", "notice", "vm", "host")
# What ``init`` writes beside a spec, and the spec's first line names.
BESIDE_SPEC = "iogate.schema.json"


@click.command()
@click.argument("name", type=click.Choice(NAMES), default="spec")
def command(name: str) -> None:
    """Print the JSON Schema of a spec, or of what iogate writes.

    Editors that read it (yaml-language-server and what is built on it) complete and explain each
    key of a spec: save it as iogate.schema.json beside the spec, whose first line is
    "# yaml-language-server: $schema=iogate.schema.json". 'iogate init' writes both.
    """
    click.echo(text(name), nl=False)


def text(name: str) -> str:
    """The schema as it is packaged."""
    return resources.files("iogate").joinpath(f"schemas/{name}.schema.json").read_text("utf-8")
