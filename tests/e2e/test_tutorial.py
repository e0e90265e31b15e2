"""docs/tutorial.md is followed from its first command to the last, on a disk that does as many
I/Os a second as it says; only the measurements are shorter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import needs_root
from support.pages import Reader
from support.throttle import throttle
from support.tutorial import NOTE, PAGE, shorter, take_away

INSTALL = "python3 -m venv .venv && . .venv/bin/activate && pip install iogate"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """In a folder, a group and a file under /run of their own. What they install is what is tested:
    scripts/test-install follows the page in a bare system, with a wheel."""
    note = tmp_path / "tutorial.device"
    with throttle("/dev/null") as group:
        instead = {INSTALL: "true", NOTE: str(note), **shorter(group.group)}
        made = Reader(tmp_path / "reader", instead)
        try:
            yield made
        finally:
            take_away(made.folder / "mnt", note)


@needs_root
def test_the_tutorial_from_red_to_green(reader: Reader) -> None:
    typed = reader.follow(PAGE)
    assert len(typed) > 20
    assert not (reader.folder / "mnt").is_mount()


def test_the_reader_notices_what_a_page_shows_and_a_command_does_not_print(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "reader")
    assert reader.follow("```console\n$ echo 17 runs\n12 runs\n```\n") == ["echo 17 runs"]
    for page in ("$ echo 17 runs\n17 nights\n", "$ false\n", "$ false\n$ echo $?\n0\n"):
        with pytest.raises(AssertionError):
            reader.follow(f"```console\n{page}```\n")
