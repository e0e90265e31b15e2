from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.host.devices.mounts import mount_of, mounts, parse_mount, swaps
from iogate.sut.local import LocalSut

LINE = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue"


def test_a_line_of_the_kernels_documentation() -> None:
    mount = parse_mount(LINE)
    assert mount is not None
    assert (mount.number, mount.point, mount.fs_type, mount.source) == (
        "98:0",
        "/mnt2",
        "ext3",
        "/dev/root",
    )
    assert mount.options == "rw,noatime,errors=continue"


def test_blanks_in_names_are_unescaped() -> None:
    mount = parse_mount(LINE.replace("/mnt2", "/my\\040disk\\134x"))
    assert mount is not None
    assert mount.point == "/my disk\\x"


@pytest.mark.parametrize("sign", "\r\x0b\x0c\x1c\x1d\x1e\x85\xa0\u2028\u2029\u3000")
def test_a_sign_that_the_kernel_does_not_escape_ends_no_line_and_no_field(
    sign: str, tmp_path: Path
) -> None:
    """Python takes more for the end of a line, or for a blank, than the kernel does."""

    class Says(LocalSut):
        def read_text(self, path: str) -> str | None:
            table = {"/proc/self/mountinfo": f"{line}\n{LINE}\n", "/proc/swaps": swapped}
            return table.get(path)

    line = LINE.replace("/mnt2", f"/a{sign}b").replace("/dev/root", f"/dev/x{sign}y")
    swapped = f"Filename\t\t\tType\n/swap{sign}file\t\tfile\t100\t0\t-2\n/two   file\t1 0 -3\n"
    first, second = mounts(Says())
    assert (first.point, first.source, first.fs_type) == (f"/a{sign}b", f"/dev/x{sign}y", "ext3")
    assert second.point == "/mnt2"
    assert swaps(Says()) == (f"/swap{sign}file", "/two")


@given(st.text())
def test_any_line_is_a_mount_or_nothing(line: str) -> None:
    mount = parse_mount(line)
    assert mount is None or mount.number


def test_the_root_is_found_from_anywhere() -> None:
    sut = LocalSut()
    assert any(mount.point == "/" for mount in mounts(sut))
    found = mount_of(sut, "/proc/self/status")
    assert found is not None
    assert found.fs_type == "proc"
    assert isinstance(swaps(sut), tuple)
