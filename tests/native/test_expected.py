"""What the engine is told about its targets: it opens nothing else, and nothing else is
replaced in its job files. Every refusal ends with status 3 and leaves each byte as it was."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.devices import loop_device, mounted, needs_root, own_loop_device, reattach, sh
from support.engine_runs import Ran, run

WRITE = ("--name=j", "--rw=write", "--size=64k", "--ioengine=psync")
REFUSED = 3


def numbers(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"


def expect(kind: str, path: Path, *, at: Path | None = None) -> str:
    """What stands at ``at`` now, as the engine is told that it must stand at the path."""
    found = (at or path).stat()
    rest = "0:0 0 0"
    if kind == "block":
        name = Path(os.path.realpath(at or path)).name
        sectors = int(Path(f"/sys/block/{name}/size").read_text())
        diskseq = Path(f"/sys/block/{name}/diskseq").read_text().strip()
        rest = f"{numbers(found.st_rdev)} {diskseq} {512 * sectors}"
    return f"--expect={kind} {numbers(found.st_dev)} {found.st_ino} {rest} {path}"


def new(path: Path) -> str:
    return expect("new", path, at=path.parent)


def write(engine: Path, folder: Path, expected: str, *more: str) -> Ran:
    return run(engine, ["--literal", expected, *WRITE, *more], folder)


def digest(*paths: Path | str) -> list[str]:
    return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "f"
    made.write_bytes(b"a" * (64 << 10))
    return made


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "victim"
    made.write_bytes(b"v" * (64 << 10))
    before = digest(made)
    yield made
    assert digest(made) == before


def test_what_is_expected_is_opened(engine: Path, tmp_path: Path, file: Path) -> None:
    assert write(engine, tmp_path, expect("file", file), f"--filename={file}").status == 0
    assert write(engine, tmp_path, new(tmp_path / "n"), f"--filename={tmp_path / 'n'}").status == 0
    done = write(engine, tmp_path, expect("directory", tmp_path), f"--directory={tmp_path}")
    assert done.status == 0
    assert (tmp_path / "j.0.0").stat().st_size == 64 << 10


Change = Callable[[Path, Path], None]


def as_another(file: Path, victim: Path) -> None:
    victim.with_name("other").write_bytes(victim.read_bytes())
    victim.with_name("other").rename(file)


def as_link(file: Path, victim: Path) -> None:
    file.unlink()
    file.symlink_to(victim)


def as_nothing(file: Path, victim: Path) -> None:
    del victim
    file.unlink()


def with_second_name(file: Path, victim: Path) -> None:
    del victim
    (file.parent / "second").hardlink_to(file)


def as_directory(file: Path, victim: Path) -> None:
    del victim
    file.unlink()
    file.mkdir()


def as_pipe(file: Path, victim: Path) -> None:
    del victim
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize(
    "change", [as_another, as_link, as_nothing, with_second_name, as_directory, as_pipe]
)
def test_another_file_is_not_written(
    engine: Path, tmp_path: Path, file: Path, victim: Path, change: Change
) -> None:
    expected = expect("file", file)
    change(file, victim)
    ran = write(engine, tmp_path, expected, f"--filename={file}")
    assert ran.status == REFUSED
    assert "is not what this run looked up" in ran.out + ran.err


@pytest.mark.parametrize("how", ["link", "full", "second name", "folder"])
def test_a_new_file_is_made_and_nothing_else_is_taken_for_it(
    engine: Path, tmp_path: Path, victim: Path, how: str
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    path = folder / "n"
    expected = new(path)
    if how == "link":
        path.symlink_to(victim)
    elif how == "full":
        path.write_text("somebody's")
    elif how == "second name":
        path.touch()
        (folder / "m").hardlink_to(path)
    else:
        folder.rename(tmp_path / "e")
        folder.mkdir()
    ran = write(engine, tmp_path, expected, f"--filename={path}")
    assert ran.status == REFUSED
    assert how != "folder" or not path.exists()


@pytest.mark.parametrize("name", ["../victim", "link", "sub/victim", "sub"])
def test_nothing_leads_out_of_a_directory(
    engine: Path, tmp_path: Path, victim: Path, name: str
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "link").symlink_to(victim)
    (own / "sub").symlink_to(tmp_path)
    expected = expect("directory", own)
    ran = write(engine, tmp_path, expected, f"--directory={own}", f"--filename={name}")
    assert ran.status in (REFUSED, 1)
    assert ran.status == REFUSED or name == "../victim"
    assert victim.stat().st_size == 64 << 10


def test_another_path_is_no_target(engine: Path, tmp_path: Path, file: Path, victim: Path) -> None:
    ran = write(engine, tmp_path, expect("file", file), f"--filename={file}:{victim}")
    assert ran.status == REFUSED
    assert "is no target of this run" in ran.err
    ran = write(engine, tmp_path, expect("file", file), f"--filename={tmp_path / 'none'}")
    assert ran.status == REFUSED
    assert not (tmp_path / "none").exists()


def test_unlink_takes_away_what_is_expected_alone(engine: Path, tmp_path: Path, file: Path) -> None:
    assert (
        write(engine, tmp_path, expect("file", file), f"--filename={file}", "--unlink=1").status
        == 0
    )
    assert not file.exists()


@needs_root
def test_another_device_is_not_written(engine: Path, tmp_path: Path) -> None:
    with loop_device(tmp_path, 8) as one, loop_device(tmp_path, 8) as other:
        before = digest(one, other)
        wrong = expect("block", Path(one), at=Path(other))
        ran = write(engine, tmp_path, wrong, f"--filename={one}")
        assert ran.status == REFUSED
        assert "it is device 7:" in ran.err
        link = tmp_path / "link"
        link.symlink_to(one)
        ran = write(engine, tmp_path, expect("block", link, at=Path(one)), f"--filename={link}")
        assert ran.status == REFUSED
        assert digest(one, other) == before
        ran = write(engine, tmp_path, expect("block", Path(one)), f"--filename={one}")
        assert ran.status == 0
        assert digest(other) == before[1:]
        assert digest(one) != before[:1]


@needs_root
@pytest.mark.parametrize("rw", ["trim", "randtrim", "trimwrite", "randtrimwrite"])
def test_another_device_is_not_trimmed(engine: Path, tmp_path: Path, rw: str) -> None:
    with loop_device(tmp_path, 8) as wanted, loop_device(tmp_path, 8) as other:
        for device in (wanted, other):
            Path(device).write_bytes(b"x" * (8 << 20))
        before = digest(wanted, other)
        words = (f"--filename={wanted}", f"--rw={rw}")
        ran = write(engine, tmp_path, expect("block", Path(wanted), at=Path(other)), *words)
        assert ran.status == REFUSED
        assert digest(wanted, other) == before
        assert write(engine, tmp_path, expect("block", Path(wanted)), *words).status == 0
        assert digest(wanted) != before[:1]
        assert digest(other) == before[1:]


@needs_root
@pytest.mark.parametrize("how", ["attached again", "larger"])
def test_another_disk_behind_a_device_is_not_written(
    engine: Path, tmp_path: Path, how: str
) -> None:
    with own_loop_device(tmp_path, 8) as device:
        image = next(tmp_path.glob("image-*"))
        expected = expect("block", Path(device))
        if how == "larger":
            os.truncate(image, 16 << 20)
            sh("losetup", "-c", device)
        else:
            reattach(device, image)
        before = digest(device)
        ran = write(engine, tmp_path, expected, f"--filename={device}")
        assert ran.status == REFUSED
        assert digest(device) == before


@needs_root
def test_a_device_in_use_is_refused_with_the_status_of_a_refusal(
    engine: Path, tmp_path: Path
) -> None:
    with loop_device(tmp_path, 32) as device, mounted(device, tmp_path / "mnt") as point:
        sh("mount", "-o", "remount,ro", str(point))  # the kernel itself writes no more
        before = digest(device)
        ran = write(engine, tmp_path, expect("block", Path(device)), f"--filename={device}")
        assert ran.status == REFUSED
        assert digest(device) == before


@needs_root
def test_a_device_that_is_claimed_is_refused_with_the_status_of_a_refusal(
    engine: Path, tmp_path: Path
) -> None:
    with loop_device(tmp_path, 8) as device:
        before = digest(device)
        claimed = os.open(device, os.O_RDONLY | os.O_EXCL)
        try:
            ran = write(engine, tmp_path, expect("block", Path(device)), f"--filename={device}")
        finally:
            os.close(claimed)
        assert ran.status == REFUSED
        assert "cannot claim" in ran.err
        assert digest(device) == before


@pytest.mark.parametrize(
    "text", ["", "file", "file 1:2 3 0:0 0 0 relative", "fifo 1:2 3 0:0 0 0 /x", "file 1 2 /x"]
)
def test_what_is_no_expectation_is_an_error(engine: Path, tmp_path: Path, text: str) -> None:
    ran = run(engine, [f"--expect={text}", *WRITE], tmp_path)
    assert ran.status == 2
    assert "--expect" in ran.err


@pytest.mark.parametrize(
    "line",
    [
        "description=${HOME}",
        "size=$ncpus",
        "filename=a$x",
        "include other.fio",
        "directory=${X:-/etc}",
        "comm=$(id)",
        "filename_format=${HOME}",
    ],
)
def test_a_literal_job_file_holds_nothing_to_replace(
    engine: Path, tmp_path: Path, line: str
) -> None:
    (tmp_path / "other.fio").write_text("bs=8k\n")
    text = f"[j]\nrw=write\nsize=4k\n{line}\n"
    ran = run(engine, ["--literal", "-"], tmp_path, text)
    assert ran.status == 2
    assert "stdin:4:" in ran.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other.fio"]


def test_folders_of_made_names_are_below_the_target(engine: Path, tmp_path: Path) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    names = [f"--directory={folder}", "--filename_format=a/$jobname/$filenum"]
    ran = write(engine, tmp_path, expect("directory", folder), *names)
    assert ran.status == 0, ran.err
    assert [str(path.relative_to(folder)) for path in folder.rglob("*")] == ["a", "a/j", "a/j/0"]


@pytest.mark.parametrize("name", ["../out/$filenum", "link/in/$filenum"])
def test_no_folder_is_made_elsewhere(engine: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    (tmp_path / "other").mkdir()
    (folder / "link").symlink_to(tmp_path / "other")
    names = [f"--directory={folder}", f"--filename_format={name}"]
    assert write(engine, tmp_path, expect("directory", folder), *names).status != 0
    assert not (tmp_path / "out").exists()
    assert not list((tmp_path / "other").iterdir())
