"""Modules of one's own: what a file says of itself, and where it comes among a kernel's modules."""

from __future__ import annotations

import contextlib
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.errors import RefusedError
from iogate.vm.added_module import AddedModule, read_module
from iogate.vm.modules import modules_archive
from support.guests import OLD, PARTS, build_module

(MODULES,) = (PARTS / OLD / "lib/modules").iterdir()
RELEASE = MODULES.name


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_module(tmp_path_factory.mktemp("module"), value=3)


def modinfo(path: Path, field: str) -> str:
    argv = ["modinfo", "-F", field, str(path)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def test_it_says_who_it_is(built: Path) -> None:
    module = read_module(built, ("pace=5", "other=a,b"), RELEASE)
    assert (module.name, module.parameters) == ("probe", "pace=5 other=a,b")
    assert module.source == modinfo(built, "srcversion") != ""
    notes = subprocess.run(
        ["readelf", "-n", str(built)], capture_output=True, text=True, check=True
    )
    assert f"Build ID: {module.build_id}" in notes.stdout
    assert module.data == built.read_bytes()


def refused(path: Path, *parameters: str, release: str = RELEASE) -> str:
    with pytest.raises(RefusedError) as caught:
        read_module(path, parameters, release)
    assert caught.value.remedy
    return caught.value.what


def test_what_is_no_module_of_the_kernel_is_refused(built: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.ko"
    text.write_text("\0name=probe\0vermagic=6.1 \0")
    assert "is no module" in refused(text)
    assert "is no module" in refused(Path("/bin/true").resolve())
    assert "cannot read the module" in refused(tmp_path / "nowhere.ko")
    assert "cannot read the module" in refused(Path("/dev/zero"))
    assert f"was built for kernel {RELEASE}, and this arm boots 6.9" in refused(
        built, release="6.9"
    )
    for wrong in ("pace", "pace=1 2", "pace=1\n", 'pace="1"', "=1"):
        assert "is no parameter" in refused(built, wrong)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_is_a_module_or_refused(built: Path, data: st.DataObject) -> None:
    """Its bytes are hostile: the header and the table of sections may say anything."""
    whole = bytearray(built.read_bytes())
    (table,) = struct.unpack_from("<Q", whole, 0x28)
    places = st.one_of(st.integers(0, 63), st.integers(table, len(whole) - 1))
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(places)] = data.draw(st.integers(0, 255))
    path = built.with_suffix(".damaged")
    path.write_bytes(whole)
    with contextlib.suppress(RefusedError):
        read_module(path, (), RELEASE)


def unpacked(archive: bytes, folder: Path) -> dict[str, tuple[bytes, str]]:
    """Each module of an archive: its bytes and its parameters."""
    folder.mkdir()
    argv = ["cpio", "-idm", "--quiet", "--no-absolute-filenames"]
    subprocess.run(argv, cwd=folder, input=archive, check=True)
    places = sorted(folder.glob("iogate-modules/*.ko"))
    return {
        place.stem.partition("-")[2]: (place.read_bytes(), place.with_suffix(".txt").read_text())
        for place in places
    }


def test_it_comes_after_what_it_needs_or_in_the_place_of_the_kernels_own(tmp_path: Path) -> None:
    needy = b"\0depends=libcrc32c\0"
    found = unpacked(
        modules_archive(MODULES, (), AddedModule("probe", needy, "pace=5")), tmp_path / "one"
    )
    assert found["probe"] == (needy, "pace=5")
    assert list(found).index("libcrc32c") < list(found).index("probe")
    own = unpacked(modules_archive(MODULES, (), AddedModule("loop", b"mine")), tmp_path / "two")
    assert own["loop"] == (b"mine", "")
    alone = unpacked(modules_archive(None, (), AddedModule("probe", b"mine")), tmp_path / "three")
    assert alone == {"probe": (b"mine", "")}
