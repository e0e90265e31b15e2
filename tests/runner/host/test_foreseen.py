"""A look that is taken again reads ahead what the last one read, and knows nothing else of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from iogate.host.foreseen import foreseen, looked_at
from iogate.host.read_ahead import ReadAhead
from iogate.sut.base import Found, Sut
from iogate.sut.local import LocalSut


class Far(LocalSut):
    """This machine as if it were not; counts its round trips."""

    is_here = False

    def __init__(self) -> None:
        self.trips = 0

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        self.trips += 1
        return super().read_many(paths, looks)


def taken(sut: Sut, folder: Path) -> tuple[object, ...]:
    names = sut.list_dir(str(folder))
    texts = tuple(sut.read_text(f"{folder}/{name}") for name in names)
    return names, texts, sut.stat(f"{folder}/none"), sut.real_path(f"{folder}/link")


def test_a_second_look_is_one_round_trip_and_sees_what_has_changed(tmp_path: Path) -> None:
    folder, machine = tmp_path / "folder", Far()
    folder.mkdir()
    (folder / "a").write_text("1")
    (folder / "link").symlink_to("a")
    for text in ("1", "2"):
        (folder / "a").write_text(text)
        before, sut = machine.trips, foreseen(machine, "look")
        assert taken(sut, folder) == taken(LocalSut(), folder)
        assert taken(sut, folder)[1] == (text, text)
    assert machine.trips == before + 1
    (folder / "b").write_text("3")
    (folder / "link").unlink()
    assert taken(foreseen(machine, "look"), folder) == taken(LocalSut(), folder)


def test_what_every_look_reads_is_read_with_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    machine = Far()
    for _ in range(2):
        before, sut = machine.trips, foreseen(machine, "look", [f"{tmp_path}/*"], [str(tmp_path)])
        assert sut.read_text(f"{tmp_path}/a") == "1"
        assert sut.read_text(f"{tmp_path}/none") is None
        assert sut.stat(str(tmp_path))
        assert machine.trips == before + 1


def test_a_look_within_a_look_goes_on(tmp_path: Path) -> None:
    machine = Far()
    ahead = ReadAhead(machine).read([str(tmp_path)])
    assert looked_at(ahead, "look") is ahead
    assert foreseen(ahead, "look") is not ahead


def test_this_machine_is_asked_as_it_is() -> None:
    machine = LocalSut()
    assert foreseen(machine, "look") is machine
    assert looked_at(machine, "look") is machine
