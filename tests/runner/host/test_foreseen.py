"""A look that is taken again reads ahead what the last one read, and knows nothing else of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from iogate.host.foreseen import answers, foreseen, foreseen_with, looked_at
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


def test_what_a_look_asks_beside_is_asked_ahead_by_the_next_one_and_by_each_anew(
    tmp_path: Path,
) -> None:
    paths, asked = [str(tmp_path / name) for name in "ab"], []

    class Noted(Far):
        def can_write(self, path: str) -> bool:
            asked.append(path)
            return super().can_write(path)

    machine = Noted()
    for number, there in enumerate(((False, False), (True, False), (True, True))):
        for path, is_there in zip(paths, there, strict=True):
            Path(path).touch() if is_there else None
        asked.clear()
        look = foreseen(machine, "look")
        assert asked == (paths if number else [])
        assert answers(ReadAhead(look), "can_write", paths) == there
        assert answers(look, "can_write", paths[1:]) == there[1:]
        assert asked == paths
    foreseen(machine, "look")
    asked.clear()
    foreseen(machine, "look")
    assert not asked  # the one before did not ask


def test_another_call_goes_with_a_look(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    for machine in (Far(), LocalSut()):
        for _ in range(2):
            look, said = foreseen_with(machine, "look", partial(machine.can_read, str(tmp_path)))
            assert said is True
            assert look.read_text(f"{tmp_path}/a") == "1"
            assert answers(look, "can_read", [str(tmp_path)]) == (True,)


def test_this_machine_is_asked_as_it_is() -> None:
    machine = LocalSut()
    assert foreseen(machine, "look") is machine
    assert looked_at(machine, "look") is machine
