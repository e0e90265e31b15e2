"""A guest's console in a file: all of it, or its beginning and its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iogate.vm import kept_console
from iogate.vm.console import last_words
from iogate.vm.kept_console import KeptConsole, left_out
from iogate.vm.own_files import new_console


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(kept_console, "CONSOLE_BEGIN_BYTES", 10)
    monkeypatch.setattr(kept_console, "CONSOLE_END_BYTES", 8)
    return new_console("guest")


def said(place: Path, *parts: bytes) -> str:
    """What is kept of these, each written by itself."""
    kept = KeptConsole(place)
    with kept.writing() as end:
        for part in parts:
            os.write(end, part)
    kept.ended()
    return place.read_text()


def test_what_fits_is_kept_as_it_is(place: Path) -> None:
    assert said(place, b"abcdef", b"ghijkl", b"mnopqr") == "abcdefghijklmnopqr"
    assert not left_out(place.read_text())


def test_of_more_the_beginning_and_the_end_are_kept_and_how_much_is_left_out_is_said(
    place: Path,
) -> None:
    text = said(place, b"0123456789", *[b"flood\n"] * 1000, b"panic!!\n")
    begin, told, end = text.splitlines()
    assert (begin, end) == ("0123456789", "panic!!")
    assert left_out(text) == "6,000"
    assert told == "[... 6,000 bytes of the console are left out ...]"
    assert last_words(place) == "panic!!"


def test_a_console_that_cannot_be_kept_holds_nobody_up(place: Path) -> None:
    place.unlink()
    kept = KeptConsole(place)
    with kept.writing() as end:
        os.write(end, b"nobody reads it")
    kept.ended()
    assert not place.exists()
