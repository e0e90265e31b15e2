"""Files that no spec writes, and those that only one that somebody has read does."""

from __future__ import annotations

import dataclasses
import os
from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.files.sqlite_head import JOURNAL_MAGIC, WAL_MAGICS
from iogate.host.targets.check import Use, check_targets
from iogate.model.spec import Destroy, Target, TargetKind
from iogate.store import open_store
from iogate.store.spool import Spool
from iogate.sut.base import Machine
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_over, needs_root
from support.own_locks import LOCKS
from support.run_folders import make_run_folder

HOSTS = "may be a part of this host"
OWN = "is iogate's own"


class At(LocalSut):
    """A machine whose list of users has another home for this one."""

    def __init__(self, home: Path | str) -> None:
        self._home = str(home)

    def about(self) -> Machine:
        return dataclasses.replace(super().about(), home=self._home)


def file_use(path: Path | str) -> Use:
    target = Target("t", TargetKind.FILE, str(path), overwrite=True)
    return Use(target, writes=True, bytes_needed=4096)


def check(sut: LocalSut, path: Path | str, *, trusted: bool = False, kept: Path | str = "") -> str:
    """Why it is refused; empty where it may be written."""
    try:
        kept_ones = (str(kept),) if kept else ()
        check_targets(sut, [file_use(path)], trusted=trusted, kept=kept_ones)
    except RefusedError as error:
        return error.what
    return ""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout, with iogate called in a folder of it."""
    folder = tmp_path / "checkout"
    for name in (".git/hooks", ".github", "bench/data", "bare/objects", "bare/refs", "bare/hooks"):
        (folder / name).mkdir(parents=True)
    (folder / "bare/HEAD").touch()
    monkeypatch.chdir(folder / "bench")
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "../.git/hooks/post-checkout",
        "../.git/config",
        "data/../../.git/config",
        "../.github/w.yml",
        "../.envrc",
        ".envrc",
        "../bare/hooks/post-update",
        "../bare/config",
    ],
)
def test_what_programs_take_from_a_checkout_is_not_written_unread(
    sut: LocalSut, checkout: Path, name: str
) -> None:
    assert HOSTS in check(sut, name)
    assert HOSTS in check(sut, os.path.normpath(checkout / "bench" / name))
    assert not check(sut, name, trusted=True)


def test_the_rest_of_a_checkout_may_be_written(sut: LocalSut, checkout: Path) -> None:
    for name in ("data/x", "x", "../x", str(checkout / "other")):
        assert not check(sut, name)


def test_a_link_to_hidden_files_does_not_hide_them(sut: LocalSut, checkout: Path) -> None:
    (checkout / "bench/way").symlink_to("../.git/hooks")
    assert HOSTS in check(sut, "way/post-checkout")


def test_a_hidden_folder_that_iogate_is_called_in_may_be_written(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".work").mkdir()
    monkeypatch.chdir(tmp_path / ".work")
    assert not check(sut, "x")
    assert HOSTS in check(sut, "../.other")


@pytest.mark.parametrize("name", [".ssh/authorized_keys", "bin/tool", "a"])
def test_the_users_home_is_the_hosts_wherever_it_is(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home = tmp_path / "runner"
    for folder in (".ssh", "bin", "work"):
        (home / folder).mkdir(parents=True)
    at_home = At(home)
    assert HOSTS in check(at_home, home / name)
    assert not check(at_home, home / name, trusted=True)
    monkeypatch.setenv("HOME", str(home))
    assert HOSTS in check(sut, home / name)
    monkeypatch.chdir(home / "work")
    assert HOSTS in check(sut, f"../{name}")
    assert not check(sut, "x"), "this is where the user works"


@pytest.mark.parametrize(
    "variable",
    [
        "XDG_BIN_HOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
    ],
)
def test_what_stands_for_a_part_of_the_home_is_the_hosts(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    (tmp_path / "part").mkdir()
    monkeypatch.chdir(tmp_path)
    assert not check(sut, "part/x")
    monkeypatch.setenv(variable, str(tmp_path / "part"))
    assert HOSTS in check(sut, "part/x")


def test_a_user_without_a_home_may_write_elsewhere(tmp_path: Path) -> None:
    for home in ("", "/", "/nonexistent"):
        assert not check(At(home), tmp_path / "x")


def test_what_is_iogates_own_is_not_written_even_with_trust(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "state/iogate/scratch"
    notes.mkdir(parents=True)
    own_state = tmp_path / ".local/state/iogate"
    own_state.mkdir(parents=True)
    at_home = At(tmp_path)
    booted = "/var/lib/iogate-booted.json"
    for path in (
        booted,
        LOCKS / "iogate.lock",
        LOCKS / "iogate-journal.0.0123456789ab",
        notes / "x.json",
    ):
        assert OWN in check(sut, path, trusted=True)
    assert OWN in check(at_home, own_state / "iogate-journal.0.0123456789ab", trusted=True)
    assert not check(sut, LOCKS / "x", trusted=True)


def test_what_a_run_keeps_is_not_written_under_any_name(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    history, folder = tmp_path / "h.sqlite", tmp_path / "runs"
    history.write_text("x")
    folder.mkdir()
    (tmp_path / "link").symlink_to(history)
    assert OWN in check(sut, "h.sqlite", kept="h.sqlite")
    assert OWN in check(sut, "link", kept=history)
    assert OWN in check(sut, history, kept="link")
    assert OWN in check(sut, "runs/a", kept="runs")
    assert not check(sut, "runs-2", kept="runs")


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal", ".lock"])
@pytest.mark.parametrize("trusted", [False, True])
def test_a_history_is_known_wherever_it_is(
    sut: LocalSut, tmp_path: Path, end: str, *, trusted: bool
) -> None:
    history = tmp_path / "any.name"
    with closing(open_store(str(history))):
        pass
    assert "belongs to a SQLite database" in check(sut, f"{history}{end}", trusted=trusted)
    (tmp_path / "link").symlink_to(f"{history}{end}")
    assert "belongs to a SQLite database" in check(sut, tmp_path / "link", trusted=trusted)
    assert not check(sut, f"{history}-other")


def device_use(device: str, kind: TargetKind) -> Use:
    destroy = Destroy(backing=image_of(device), holds=("anything",))
    if kind is TargetKind.DEVICE:
        return Use(Target("t", kind, device, destroy), writes=True)
    target = Target("t", kind, on="raw", fs_type="ext4", device=device, destroy=destroy)
    return Use(target, writes=False)


def refused(sut: LocalSut, use: Use, kept: Path | str = "") -> str:
    try:
        check_targets(sut, [use], kept=(str(kept),) if kept else ())
    except RefusedError as error:
        return error.what
    return ""


@needs_root
@pytest.mark.parametrize("kind", [TargetKind.DEVICE, TargetKind.FILESYSTEM])
@pytest.mark.parametrize("what", ["history", "run folder", "kept", "another"])
def test_an_image_is_no_way_to_what_iogate_keeps(
    sut: LocalSut, tmp_path: Path, what: str, kind: TargetKind
) -> None:
    says = {
        "history": "belongs to a SQLite database",
        "run folder": f"is in the run folder {tmp_path / 'named'}",
        "kept": OWN,
    }
    image = tmp_path / "image"
    if what == "history":
        with closing(open_store(str(image))):
            pass
    if what == "run folder":
        image = make_run_folder(tmp_path / "named") / "image"
    with image.open("ab") as made:
        made.truncate(512 << 20)
    kept = image if what == "kept" else ""
    with loop_over(image) as inner, loop_over(inner) as device:
        said = refused(sut, device_use(device, kind), kept)
    if what == "another":
        assert not said
    else:
        assert said.startswith(f"target t: {image} ")
        assert said.endswith(f", and {device} stands on it")
        assert says[what] in said


def test_what_is_left_of_a_history_is_known(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "a-wal").write_bytes(WAL_MAGICS[0] + bytes(28))
    (tmp_path / "b").write_bytes(JOURNAL_MAGIC + bytes(20))
    for name in ("a", "a-wal", "a-shm", "b"):
        assert "belongs to a SQLite database" in check(sut, tmp_path / name)


def test_what_waits_for_a_server_is_known(sut: LocalSut, tmp_path: Path) -> None:
    with closing(Spool(tmp_path / "waiting")):
        pass
    for name in ("waiting", "waiting-wal", "waiting.lock"):
        assert "belongs to a SQLite database" in check(sut, tmp_path / name)


@pytest.mark.parametrize("left", ["plan.json", "environment.json", "run.json", "verdict.json"])
@pytest.mark.parametrize("name", ["report.html", "run.json", "raw/x-1.json", "new", "a/b"])
def test_a_run_folder_is_known_by_any_of_its_documents(
    sut: LocalSut, tmp_path: Path, left: str, name: str
) -> None:
    folder = make_run_folder(tmp_path / "named")
    (folder / "a").mkdir()
    for each in {"plan.json", "environment.json", "run.json", "verdict.json"} - {left}:
        (folder / each).unlink()
    cut_off = (folder / left).read_bytes()[:100]
    (folder / left).write_bytes(cut_off)
    for trusted in (False, True):
        assert f"is in the run folder {folder}" in check(sut, folder / name, trusted=trusted)
    assert not check(sut, f"{folder}-2")


def test_the_folder_of_a_dispatch_is_known(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "dispatch.json").write_text('{\n "schema": "dispatch/1",\n "parts"')
    for name in ("dispatch.json", "host-a/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        assert f"is in the run folder {tmp_path}" in check(sut, tmp_path / name)


def test_documents_of_others_make_no_run_folder(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"format_version": "1.2", "schema": "other/1"}')
    (tmp_path / "run.json").mkdir()
    assert not check(sut, tmp_path / "x")
