"""Files that are seen through an overlay, under another number: who uses them there, and what is
below that is used."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.host.devices.block_devices import find_device
from iogate.host.devices.in_use import file_user, look_at, user_of
from iogate.sut.local import LocalSut
from support.devices import loop_over, mounted, needs_root, overlay, sh

pytestmark = needs_root
MIB = 1 << 20


@pytest.fixture(params=["absolute", "relative", "a,b:c d"])
def over(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """An overlay, with an image in its upper layer and another in its lower one."""
    relative = request.param != "absolute"
    folder = tmp_path / (request.param if " " in request.param else "o")
    for layer in ("u", "l"):
        (folder / layer).mkdir(parents=True)
        with (folder / layer / f"{layer}.img").open("wb") as out:
            out.truncate(8 * MIB)
    with overlay(folder, relative=relative) as made:
        yield made


def why(sut: LocalSut, path: str) -> str:
    device = find_device(sut, path)
    assert device is not None
    found = user_of(look_at(sut, device))
    return found.reason if found else ""


def test_an_image_in_the_upper_layer(sut: LocalSut, over: Path) -> None:
    seen, below = over / "m/u.img", over / "u/u.img"
    assert file_user(sut, str(seen)) is None
    with loop_over(below) as loop:
        assert file_user(sut, str(seen)) == f"backs {loop}"
    with loop_over(seen) as loop:
        assert file_user(sut, str(below)) == f"backs {loop}"
    assert file_user(sut, str(below)) is None


def test_a_loop_over_the_overlay_of_a_mounted_image(
    sut: LocalSut, over: Path, tmp_path: Path
) -> None:
    with (
        loop_over(over / "u/u.img") as below,
        mounted(below, tmp_path / "mnt"),
        loop_over(over / "m/u.img") as above,
    ):
        assert why(sut, above) == f"{above} and {below} hold the same blocks"


def test_a_lower_layer_is_copied_before_it_is_written(sut: LocalSut, over: Path) -> None:
    below, seen = over / "l/l.img", over / "m/l.img"
    with loop_over(below):
        assert file_user(sut, str(seen)) is None
        before = below.stat()
        seen.write_bytes(b"x")
        assert below.stat() == before


def test_a_lower_layer_that_is_read_through_an_overlay(sut: LocalSut, over: Path) -> None:
    with loop_over(over / "m/l.img", "--read-only") as loop:
        assert file_user(sut, str(over / "l/l.img")) == f"backs {loop}"


def test_a_folder_of_an_overlay_that_is_mounted_elsewhere(
    sut: LocalSut, over: Path, tmp_path: Path
) -> None:
    shown = tmp_path / "bound"
    shown.mkdir()
    (over / "m/deep").mkdir()
    shutil.copy(over / "u/u.img", over / "m/deep/img")
    sh("mount", "--bind", str(over / "m/deep"), str(shown))
    try:
        with loop_over(over / "u/deep/img") as loop:
            found = file_user(sut, str(shown / "img"))
    finally:
        sh("umount", str(shown))
    assert found == f"backs {loop}"


def test_an_overlay_whose_upper_layer_is_hidden(sut: LocalSut, over: Path) -> None:
    sh("mount", "-t", "tmpfs", "none", str(over / "u"))
    try:
        found = file_user(sut, str(over / "m/u.img"))
    finally:
        sh("umount", str(over / "u"))
    assert found
    assert "cannot be found" in found
