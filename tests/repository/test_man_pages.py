"""The manual pages and the completions: well-formed, whole, and found where they are installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from iogate.cli import COMMANDS
from iogate.cli.entry import GROUP
from repository.tree import ROOT
from support.engine_runs import built_engine

SHARE = ROOT / "share"
PAGES = sorted((SHARE / "man").glob("man?/*"))
# Without a date the same sources give the same page.
MEANT = "missing date"


@cache
def shown(name: str) -> str:
    """A page as a terminal shows it, without what makes letters bold."""
    (path,) = SHARE.glob(f"man/man?/{name}")
    words = ["groff", "-man", "-Tutf8", "-P-cbou", "-rLL=200n", str(path)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def words(name: str) -> set[str]:
    return set(re.findall(r"[^\s,;]+", shown(name)))


def test_there_is_a_page_for_each_thing() -> None:
    assert [path.name for path in PAGES] == [
        "iogate-engine.1",
        "iogate.1",
        "iogate-engine-job.5",
        "iogate-spec.5",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_groff_and_mandoc_have_nothing_to_say(page: Path) -> None:
    for call in (
        ["groff", "-man", "-ww", "-z", "-Tutf8"],
        ["mandoc", "-T", "lint", "-W", "warning"],
    ):
        done = subprocess.run([*call, str(page)], capture_output=True, text=True, check=False)
        told = (done.stdout + done.stderr).splitlines()
        assert [line for line in told if MEANT not in line] == []


def walk(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from walk(below, f"{path} {name}")


def test_every_command_and_option_is_in_its_page() -> None:
    page, missing = shown("iogate.1"), []
    for name in COMMANDS:
        command = GROUP.get_command(click.Context(GROUP), name)
        assert command is not None
        for path, each in walk(command, f"iogate {name}"):
            start = page.find(f"\n   {path} ")
            assert start > 0, path
            part = page[start : page.find("\n   iogate", start + 1)]
            options = [option for option in each.params if isinstance(option, click.Option)]
            missing += [
                f"{path} {name}"
                for option in options
                if not option.hidden
                for name in option.opts
                if not re.search(rf"{re.escape(name)}\b", part)
            ]
    assert missing == []


def keys(node: Any) -> Iterator[str]:
    """Every key that a schema has properties for, at any depth."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield from node["properties"]
        for below in node.values():
            yield from keys(below)
    elif isinstance(node, list):
        for below in node:
            yield from keys(below)


def test_every_key_of_a_spec_is_in_its_page() -> None:
    schema = json.loads((ROOT / "schemas" / "spec.schema.json").read_text(encoding="utf-8"))
    known = set(keys(schema))
    assert len(known) > 300
    page = words("iogate-spec.5")
    assert sorted(known - {part for word in page for part in word.split(".")}) == []


def test_every_option_and_ioengine_is_in_the_page_of_jobs() -> None:
    table = json.loads(asked("--option-table"))
    rows = [*table["options"], *(row for each in table["ioengines"] for row in each["options"])]
    names = {row[key] for row in rows for key in ("name", "alias") if key in row}
    names |= {each["name"] for each in table["ioengines"]}
    assert len(names) > 200
    assert sorted(names - words("iogate-engine-job.5")) == []


def test_every_word_of_the_engine_is_in_its_page() -> None:
    known = set(re.findall(r"--[a-z-]+", asked("--help")))
    assert len(known) > 30
    page = shown("iogate-engine.1")
    assert [word for word in sorted(known) if word not in page] == []


def asked(word: str) -> str:
    call = [str(built_engine()), word]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout


COMPLETED = {
    "bash": (
        ". {share}/bash-completion/completions/iogate; COMP_WORDS=(iogate vali) COMP_CWORD=1;"
        " _iogate_completion iogate; echo ${{COMPREPLY[@]}}"
    ),
    "fish": (
        "set -p fish_complete_path {share}/fish/vendor_completions.d; complete -C 'iogate vali'"
    ),
    # Not at a prompt zsh has nothing to add its matches to: what it would add is printed.
    "zsh": (
        "fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -d {home}/z;"
        " compadd() {{ :; }}; _describe() {{ print -l ${{(P)3}} }}; words=(iogate vali) CURRENT=2;"
        " $_comps[iogate]"
    ),
}


@pytest.mark.parametrize("shell", COMPLETED)
def test_a_shell_finds_its_completion(shell: str, tmp_path: Path) -> None:
    script = COMPLETED[shell].format(share=SHARE, home=tmp_path)
    program = tmp_path / "iogate"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m iogate "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [shell, "-c", script],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "validate" in done.stdout, done.stderr
