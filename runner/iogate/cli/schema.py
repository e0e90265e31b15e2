"""``iogate schema``: the JSON Schema of specs and results, for editors and other programs."""

from __future__ import annotations

from importlib import resources

import click

from iogate.cli.say import say_exactly

_END = ".schema.json"
_FOLDER = resources.files("iogate").joinpath("schemas")
NAMES = tuple(
    sorted(
        (file.name.removesuffix(_END) for file in _FOLDER.iterdir() if file.name.endswith(_END)),
        key=lambda name: (name != "spec", name),
    )
)
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
    say_exactly(text(name), nl=False)


def text(name: str) -> str:
    """The schema as it is packaged."""
    return _FOLDER.joinpath(f"{name}{_END}").read_text("utf-8")
