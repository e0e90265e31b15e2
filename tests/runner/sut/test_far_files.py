"""Files of a machine elsewhere, which may be anybody's by now."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from iogate.errors import IogateError, RefusedError, RunError
from iogate.sut import open_sut, ssh, transfer
from iogate.sut.far import FarMachine, Line
from iogate.sut.wire import send, send_bytes

MIB = 1 << 20


class Endless(io.RawIOBase):
    """Says ``first``, and then the same frame for ever."""

    def __init__(self, first: bytes) -> None:
        stream = io.BytesIO()
        send_bytes(stream, bytes(MIB // 4))
        self._said, self._frame = first, stream.getvalue()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        self._said = self._said or self._frame
        part, self._said = self._said[: len(buffer)], self._said[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def machine(said: io.RawIOBase | io.BytesIO) -> FarMachine:
    def lost(why: str) -> IogateError:
        return RunError(f"the line is lost: {why}")

    into = said if isinstance(said, io.BytesIO) else io.BufferedReader(said)
    return FarMachine(Line(io.BytesIO(), into, lost), "", "there")


def yes() -> bytes:
    stream = io.BytesIO()
    send(stream, {"value": True})
    return stream.getvalue()


def test_one_that_sends_more_than_it_was_asked_for_is_left(tmp_path: Path) -> None:
    there = machine(Endless(yes()))
    with pytest.raises(RunError, match="sends more of a file than it was asked for"):
        there.get("/result", str(tmp_path / "result"), most=MIB)
    assert (tmp_path / "result").stat().st_size <= MIB
    with pytest.raises(RunError, match="sends more"):
        there.stat("/")


def test_what_cannot_be_kept_is_not_read_for_ever(tmp_path: Path) -> None:
    (tmp_path / "result").touch()
    with pytest.raises(RunError, match="sends more of a file"):
        machine(Endless(yes())).get("/result", str(tmp_path / "result"), most=MIB)


def test_a_file_leaves_room_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status = os.statvfs(tmp_path)
    monkeypatch.setattr(transfer, "ROOM_BYTES", 2 * status.f_blocks * status.f_frsize)
    with pytest.raises(RunError, match="is free there") as told:
        machine(Endless(yes())).get("/result", str(tmp_path / "result"))
    assert "--output" in told.value.remedy
    assert not (tmp_path / "result").exists()


def test_what_is_said_there_without_end_fills_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "ssh"
    marks = r"\\0iogate: the line is open\\n"
    client.write_text(f"#!/bin/sh\nprintf '{marks}{marks}'\nexec yes >&2\n")
    client.chmod(0o755)
    monkeypatch.setenv("IOGATE_SSH", str(client))
    monkeypatch.setattr(ssh, "_MOST_SAID", MIB)
    with pytest.raises((RefusedError, RunError), match="there"):
        open_sut("ssh:there")


def test_what_goes_wrong_there_is_told_in_one_line() -> None:
    stream = io.BytesIO()
    send(stream, {"error": ["RunError", "one\niogate: two", "three\u2028four"]})
    stream.seek(0)
    with pytest.raises(RunError, match=r"^one iogate: two\n  three four$"):
        machine(stream).stat("/")
