"""What is kept of virtual machines from one iogate to the next, and beside another one."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.vm.cache import cached
from iogate.vm.own_files import new_console


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_file_that_another_iogate_removes_meanwhile_is_no_error() -> None:
    """A link to nowhere is listed, too, and then not there."""
    console, kept = new_console("guest"), cached("userland-1", lambda: b"1")
    for folder in (console.parent, kept.parent):
        (folder / "gone.log").symlink_to("nowhere")
    assert new_console("guest").read_bytes() == b""
    assert cached("userland-2", lambda: b"2").read_bytes() == b"2"


def test_no_room_for_the_guests_files_is_told_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = cached("userland-1", lambda: b"1").parent

    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as out:
            out.write(data[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RefusedError, match="userland-2: No space left on device") as told:
        cached("userland-2", lambda: b"22")
    assert "XDG_CACHE_HOME" in told.value.remedy
    assert [each.name for each in folder.iterdir()] == ["userland-1"]
