"""All that commands print, but for progress: for people, as JSON, or exactly. Names in it come from
specs, engines and machines elsewhere, and the terminal or the CI log must not obey them."""

from __future__ import annotations

import json
from unicodedata import category

import click

from iogate.cli.table import tamed


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text for people, of one line or several: printable, and defused."""
    click.echo(tamed(text), err=err, nl=nl)


def say_json(text: str) -> None:
    """Print a JSON document, or a line of one: the same document, with what a terminal or a CI log
    would obey as JSON's escapes."""
    click.echo(harmless_json(text))


def say_exactly(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print what a program reads, or a command to the CI system that iogate itself gives: whoever
    makes it answers for what is in it."""
    click.echo(text, err=err, nl=nl)


def harmless_json(text: str) -> str:
    """The same document in a spelling that neither a terminal nor a CI log obeys."""
    text = text.replace("##[", "##\\u005b")  # only within a text
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return "".join(json.dumps(c)[1:-1] if category(c)[0] == "C" and c != "\n" else c for c in text)
