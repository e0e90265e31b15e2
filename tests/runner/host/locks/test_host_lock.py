from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.host.locks.host_lock import Patience, host_lock, shared_host_lock
from iogate.host.locks.measuring import is_measuring
from iogate.sut.local import LocalSut
from iogate.sut.state_folder import HOST_LOCK
from support.devices import needs_root
from support.own_locks import NOBODY, as_nobody

HOLD = (
    "import time\nfrom iogate.host.locks.host_lock import host_lock\n"
    "from iogate.sut.local import LocalSut\nwith host_lock(LocalSut(), 'other'):\n"
)
SHARE = (
    "import time\nfrom iogate.host.locks.host_lock import Patience, shared_host_lock\n"
    "from iogate.sut.local import LocalSut\n"
    "with shared_host_lock(LocalSut(), 'other', Patience(), lambda: None):\n"
)
SUT = LocalSut()
LOCK = Path(HOST_LOCK)


def holder(body: str, hold: str = HOLD, **env: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", f"{hold}    print('held', flush=True)\n    {body}\n"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


@contextmanager
def locked_by_a_stranger(text: bytes) -> Iterator[None]:
    """The lock held by something that is not iogate, with a text of its choice."""
    LOCK.write_bytes(text)
    with LOCK.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def said(**changed: object) -> bytes:
    """What a holder writes, of this process."""
    with host_lock(SUT, "run"):
        found = json.loads(LOCK.read_text())
    return json.dumps(found | changed).encode()


def refusal() -> RefusedError:
    with pytest.raises(RefusedError) as caught, host_lock(SUT, "mine"):
        pass
    return caught.value


def test_the_second_run_is_refused_and_told_who_holds_the_host() -> None:
    with holder("time.sleep(60)") as child:
        error = refusal()
        assert f"process {child.pid}" in error.what
        assert "run other (-c)" in error.what
        assert str(LOCK) in error.remedy
        child.kill()
    with host_lock(SUT, "mine"):  # a holder that was killed holds nothing
        pass


@pytest.mark.parametrize("name", ["IOGATE_LOCK", "TMPDIR", "XDG_RUNTIME_DIR", "HOME"])
def test_no_variable_gives_a_run_a_lock_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with holder("time.sleep(60)", **{name: str(tmp_path)}) as child:
        monkeypatch.setenv(name, str(tmp_path / "lock"))
        assert "run other" in refusal().what
        child.kill()


def test_waiting_gets_the_host_when_it_is_free() -> None:
    told: list[str] = []
    with holder("time.sleep(60)") as child:

        def free(text: str) -> None:
            told.append(text)
            child.kill()

        with host_lock(SUT, "mine", Patience(60, free)):
            assert len(told) == 1
            assert "run other" in told[0]
            assert child.wait(10)


def test_waiting_can_be_given_up() -> None:
    with holder("time.sleep(60)") as child:
        with (
            pytest.raises(RefusedError, match="another run"),
            host_lock(SUT, "mine", Patience(3600, give_up=lambda: True)),
        ):
            pass
        child.kill()


def test_who_shares_the_host_keeps_all_others_from_it() -> None:
    tidied: list[str] = []
    with holder("time.sleep(60)", SHARE) as child:
        with shared_host_lock(SUT, "mine", Patience(), lambda: tidied.append("alone")):
            what = refusal().what
            assert is_measuring(SUT, "other"), "the file names the one that came last"
        child.kill()
        child.wait()
    assert "and 1 more that share the host" in what
    assert "run mine" in what
    assert tidied == [], "it may have been theirs"
    with host_lock(SUT, "mine"):
        pass


def test_who_comes_first_looks_after_the_host_alone() -> None:
    seen: list[str] = []

    def look() -> None:
        seen.append(refused_beside())

    with shared_host_lock(SUT, "mine", Patience(), look), holder("pass", SHARE) as other:
        assert other.wait(20) == 0, "it waits for nobody who shares"
    assert seen == ["refused"]


def refused_beside() -> str:
    """What becomes of another process that would share the host now, and does not wait."""
    code = (
        "import fcntl\n"
        f"with open({str(LOCK)!r}) as file:\n"
        "    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return "refused" if "BlockingIOError" in done.stderr else done.stderr or "shared"


def test_who_would_share_waits_a_moment_for_one_that_looks_after_the_host() -> None:
    with (
        holder("time.sleep(2)") as child,
        shared_host_lock(SUT, "mine", Patience(), lambda: None),
    ):
        assert child.wait(10) == 0


def test_the_lock_is_not_passed_on_to_what_is_started() -> None:
    with host_lock(SUT, "mine"):
        child = subprocess.Popen(["sleep", "60"])
    try:
        time.sleep(0.1)
        with host_lock(SUT, "mine"):
            pass
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize(
    "text",
    [
        b"\x1b]0;owned\x07\x1b[2J",
        b'{"pid": 1, "run": "\\u001b[31mred", "command": "\\u001b[2J"}',
        b"[" * 4000,
        b"\xff\xfe\0" * 2000,
        b'{"pid": 1e999, "run": [], "command": {}}',
    ],
)
def test_text_of_another_form_is_not_told_on(text: bytes) -> None:
    with locked_by_a_stranger(text):
        what = refusal().what
        assert what.isprintable()
        assert "which is no run" in what
        assert f"process {os.getpid()}" in what  # the kernel's word
    with locked_by_a_stranger(said(command="\x1b[2J\n::error::" + "x" * 5000)):
        what = refusal().what
        assert what.isprintable()
        assert len(what) < 400


@pytest.mark.parametrize(
    "lie",
    [
        {"boot": "0" * 36},
        {"start": 1},  # another process had this number
        {"pid": 2**22 - 1},
        {"run": "../../etc"},
        {"run": "a" * 65},
        {"pid": -1},
    ],
)
def test_a_holder_that_is_gone_is_not_believed(lie: dict[str, object]) -> None:
    assert is_measuring(SUT, "run") is False
    with locked_by_a_stranger(said(**lie)):
        assert "which is no run" in refusal().what
        assert not is_measuring(SUT, "run")
    with locked_by_a_stranger(said()):
        assert is_measuring(SUT, "run")
    LOCK.write_bytes(said())
    assert not is_measuring(SUT, "run")  # nobody holds it


def _fifo(path: Path, _victim: Path) -> None:
    os.mkfifo(path)


def _hard_link(path: Path, victim: Path) -> None:
    path.hardlink_to(victim)


def _symlink(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def _folder(path: Path, _victim: Path) -> None:
    path.mkdir()


@needs_root
@pytest.mark.parametrize("place", [_fifo, _hard_link, _symlink, _folder])
def test_what_another_has_put_in_its_place_is_neither_followed_nor_written(
    place: Callable[[Path, Path], None],
) -> None:
    victim = LOCK.parent / "victim"
    victim.write_text("precious")
    place(LOCK, victim)
    done = as_nobody(HOLD + "    pass")
    assert "cannot open the host lock" in done.stderr
    with host_lock(SUT, "root"):  # who may remove it does
        assert LOCK.is_file()
        assert not LOCK.is_symlink()
        assert LOCK.stat().st_nlink == 1
    assert victim.read_text() == "precious"


@needs_root
def test_a_second_name_that_another_user_makes_frees_no_lock() -> None:
    with host_lock(SUT, "first"):
        second = Path(f"/tmp/iogate-second-name-{os.getpid()}")
        as_nobody(f"import os; os.link({str(LOCK)!r}, {str(second)!r})")
        if not second.exists():
            os.link(LOCK, second := LOCK.with_name("second"))
        try:
            with pytest.raises(RefusedError, match="first"), host_lock(SUT, "second"):
                pass
            assert LOCK.stat().st_nlink == 2
        finally:
            second.unlink()
    with host_lock(SUT, "third"):
        pass


@needs_root
def test_a_folder_with_something_in_it_is_put_aside_by_root() -> None:
    (LOCK / "x").mkdir(parents=True)
    done = as_nobody(HOLD + "    pass")
    assert "cannot open the host lock" in done.stderr
    assert f"rm -rf {LOCK}" in done.stderr
    with host_lock(SUT, "root"):
        assert LOCK.is_file()
    (aside,) = LOCK.parent.glob(f"{LOCK.name}.*")
    assert (aside / "x").is_dir()


@needs_root
def test_users_share_one_lock_whoever_made_it() -> None:
    before = os.umask(0o077)
    try:
        check_sharing()
    finally:
        os.umask(before)


def check_sharing() -> None:
    assert as_nobody(HOLD + "    print('held')").stdout == "held\n"
    assert LOCK.stat().st_uid == NOBODY
    with host_lock(SUT, "root"):
        assert LOCK.stat().st_uid == 0  # its maker could have removed it, and locked another
        assert oct(LOCK.stat().st_mode)[-3:] == "666"
        done = as_nobody(HOLD + "    pass")
        assert f"process {os.getpid()} of root, run root" in done.stderr
    assert as_nobody(HOLD + "    print('held')").stdout == "held\n"


def test_a_file_that_was_replaced_while_it_was_waited_for_locks_nothing() -> None:
    with holder("time.sleep(60)") as child:

        def replace_it(_holder: str) -> None:
            LOCK.unlink()
            LOCK.touch()
            child.kill()

        with host_lock(SUT, "mine", Patience(60, replace_it)):
            assert "run mine" in refusal().what
