"""Whether what came up is what was asked for, and the note of what ran before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.boot.description import HostKernel
from iogate.boot.standing import Note, Running, differences, parse_banner, parse_note

RUNNING = Running("6.12.0", "#1 SMP", "root=/dev/vda iogate.kernel=new quiet", "abcdef01", "b-1")
ASKED = HostKernel("new", release="6.12.0", version="#1 SMP", build_id="abcdef01")


def test_the_right_one() -> None:
    assert differences(ASKED, "quiet root=/dev/vda", RUNNING) == ()
    assert differences(HostKernel("new"), "", RUNNING) == ()


@pytest.mark.parametrize(
    ("asked", "words", "told"),
    [
        (replace(ASKED, release="6.1.0"), "", "release 6.12.0, not 6.1.0"),
        (replace(ASKED, version="#2 SMP"), "", "version #1 SMP, not #2 SMP"),
        (replace(ASKED, build_id="00"), "", "build id abcdef01, not 00"),
        (ASKED, "quiet iogate.kernel=old x", "its command line lacks iogate.kernel=old x"),
    ],
)
def test_another_one(asked: HostKernel, words: str, told: str) -> None:
    assert differences(asked, words, RUNNING) == (told,)


def test_the_same_kernel_in_another_boot() -> None:
    assert RUNNING.is_same(replace(RUNNING, boot="b-2"))
    for changed in ("release", "version", "cmdline", "build_id"):
        assert not RUNNING.is_same(replace(RUNNING, **{changed: "other"}))


def test_a_note_is_read_as_it_was_written() -> None:
    note = Note("here 12", "new", 17.5, RUNNING)
    assert parse_note(note.to_text()) == note


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "no", '{"schema": "boot/1", "home": []}', "[" * 100000,
     Note("a", "b", 1, RUNNING).to_text().replace("boot/1", "boot/2"),
     Note("a", "b", 1, RUNNING).to_text().replace('"release"', '"unknown"'),
     Note("", "b", 1, RUNNING).to_text(), Note(" ", "b", 1, RUNNING).to_text(),
     Note("a", "b", float("nan"), RUNNING).to_text(),
     Note("a", "b", float("inf"), RUNNING).to_text(),
     Note("a", "b", 17, RUNNING).to_text().replace("17", "1" + "0" * 400)],
)  # fmt: skip
def test_what_is_no_note(text: str) -> None:
    assert parse_note(text) is None


def test_what_an_image_says_it_is() -> None:
    said = "6.12.9-cloud (who@where.org) #1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1 (2026-07-05)\n"
    version = "#1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1 (2026-07-05)"
    assert parse_banner(said) == ("6.12.9-cloud", version)
    assert parse_banner("6.12.9 (me) #1 Tue Jan  6") == ("6.12.9", "#1 Tue Jan 6")
    assert parse_banner("6.12.9") == ("6.12.9", "")
    assert parse_banner("") == ("", "")
