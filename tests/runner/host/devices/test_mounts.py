from __future__ import annotations

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
