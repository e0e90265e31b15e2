"""What was read ahead is not asked for again, and says the same as the machine."""

from __future__ import annotations

from pathlib import Path

from iogate.host.read_ahead import ReadAhead
from iogate.sut.local import LocalSut


def test_it_says_what_the_machine_says(tmp_path: Path, sut: LocalSut) -> None:
    for name in ("a/x", "b/x", "b/y"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("a")
    known = ReadAhead(sut).read([f"{tmp_path}/*/x", f"{tmp_path}/*", str(tmp_path)])
    for name in (
        "",
        "a",
        "a/x",
        "b/x",
        "b/y",
        "link",
        "link/x",
        "none",
        "none/x",
        "none/x/y",
        "b/z",
    ):
        path = f"{tmp_path}/{name}".rstrip("/")
        assert known.read_text(path) == sut.read_text(path), name
        assert known.stat(path) == sut.stat(path), name
        assert known.list_dir(path) == sut.list_dir(path), name
        assert known.real_path(path) == sut.real_path(path), name


def test_what_was_only_looked_at_is_read_when_it_is_asked_for(
    tmp_path: Path, sut: LocalSut
) -> None:
    (tmp_path / "file").write_text("text")
    known = ReadAhead(sut).read((), [str(tmp_path), f"{tmp_path}/file"])
    for path in (str(tmp_path), f"{tmp_path}/file"):
        assert known.read_text(path) == sut.read_text(path)
        assert known.list_dir(path) == sut.list_dir(path)
        assert known.stat(path) == sut.stat(path)


def test_it_is_the_machine_at_one_moment(tmp_path: Path, sut: LocalSut) -> None:
    known = ReadAhead(sut).read([f"{tmp_path}/file", f"{tmp_path}/*/below"])
    for name in ("file", "other"):
        (tmp_path / name).write_text("new")
    assert known.read_text(f"{tmp_path}/file") is None
    assert known.stat(f"{tmp_path}/any/below") is None
    assert known.read_text(f"{tmp_path}/other") == "new"  # it was not read ahead
    assert known.about() == sut.about()
