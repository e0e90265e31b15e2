"""What every system under test must do, tried on this machine."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import RunError, UsageError
from iogate.sut import ADDRESSED, SUTS, local, local_command, open_sut
from iogate.sut.base import Completed, Process, Sut
from support.devices import KERNEL_LOG, loop_over, needs_kernel_log, needs_root

ORPHAN = """
import sys
from iogate.sut.local import LocalSut
started = LocalSut().start(["sleep", "600"], cwd="/", stdout=sys.argv[1], stderr=sys.argv[1])
print(started.pid, flush=True)
import time
time.sleep(600)
"""


@pytest.fixture(params=[kind for kind in SUTS if kind not in ADDRESSED])
def sut(request: pytest.FixtureRequest) -> Sut:
    return open_sut(request.param)


def start(sut: Sut, tmp_path: Path, script: str) -> Process:
    out = str(tmp_path / "out")
    return sut.start(["sh", "-c", script], cwd=str(tmp_path), stdout=out, stderr=out)


def ended(process: Process) -> int:
    for _ in range(1000):
        if (status := process.poll()) is not None:
            return status
        time.sleep(0.01)
    raise AssertionError("it does not end")


def gone(pid: int) -> bool:
    """Not running; a zombie that nobody has reaped yet counts as gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while not gone(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return gone(pid)


def test_an_unknown_kind() -> None:
    with pytest.raises(UsageError, match="there is no machine"):
        open_sut("carrier-pigeon")


def test_a_command_that_ends(sut: Sut) -> None:
    done = sut.run(["sh", "-c", "cat; echo err >&2; exit 3"], stdin="in", env={"X": "1"})
    assert (done.status, done.stdout, done.stderr) == (3, "in", "err\n")


def test_a_command_that_is_not_there(sut: Sut) -> None:
    with pytest.raises(RunError, match="cannot run"):
        sut.run(["/no/such/program"])


def test_a_command_that_takes_too_long(sut: Sut) -> None:
    with pytest.raises(RunError, match="did not end"):
        sut.run(["sleep", "60"], timeout_s=0.05)


def test_files_and_directories(sut: Sut, tmp_path: Path) -> None:
    folder = f"{tmp_path}/a/b"
    sut.make_dir(folder)
    sut.write_text(f"{folder}/f", "text")
    assert sut.read_text(f"{folder}/f") == "text"
    assert sut.list_dir(folder) == ("f",)
    found = sut.stat(f"{folder}/f")
    assert found is not None
    assert (found.is_file, found.size_bytes) == (True, 4)
    assert sut.can_write(folder)
    sut.remove_file(f"{folder}/f")
    sut.remove_file(f"{folder}/f")
    assert sut.stat(f"{folder}/f") is None
    sut.remove_tree(f"{tmp_path}/a")
    assert sut.list_dir(folder) == ()
    with pytest.raises(RunError, match="cannot write"):
        sut.write_text(f"{folder}/f", "text")


def test_a_line_that_has_no_room_is_an_error_and_leaves_no_part(sut: Sut, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    sut.append_durably(str(path), "first\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))  # a write beyond gives a part of it
    try:
        with pytest.raises(RunError, match=r"journal: No space left"):
            sut.append_durably(str(path), "second\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "first\n"
    sut.append_durably(str(path), "third\n")
    assert path.read_text() == "first\nthird\n"


def test_a_tree_of_very_many_files_is_given_time(
    sut: Sut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def run(argv: list[str], *, timeout_s: float, **_: object) -> Completed:
        given.append(timeout_s)
        return Completed(tuple(argv), 0, "", "")

    monkeypatch.setattr(local, "run_command", run)
    sut.remove_tree(str(tmp_path / "many"))
    assert given == [3600]


def test_what_a_command_says_is_bounded(sut: Sut, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that is only asked for its version may be what is under test."""
    monkeypatch.setattr(local_command, "TOLD_BYTES", 1 << 20)
    for to in ("1", "2"):
        with pytest.raises(RunError, match="sh says more than 1 MiB"):
            sut.run(["sh", "-c", f"exec yes >&{to}"])
    done = sut.run(["sh", "-c", "echo out; echo error >&2; exit 3"])
    assert (done.status, done.stdout, done.stderr) == (3, "out\n", "error\n")


def test_what_is_absent_is_none(sut: Sut) -> None:
    assert sut.read_text("/no/such/file") is None
    assert sut.stat("/no/such\0file") is None
    assert sut.space("/no/such/file") is None
    assert sut.which("no-such-program") is None
    assert sut.open_exclusive("/no/such/device") == "No such file or directory"


def test_room_on_a_filesystem(sut: Sut, tmp_path: Path) -> None:
    space = sut.space(str(tmp_path))
    assert space is not None
    assert 0 < space.free_bytes <= space.total_bytes


def test_status_lines_come_as_they_are_written(sut: Sut, tmp_path: Path) -> None:
    script = "printf 'one\\ntw' >&$0; sleep 0.1; printf 'o\\n' >&$0; exit 5"
    out = str(tmp_path / "out")
    process = sut.start(
        ["bash", "-c", script, "{status_fd}"], cwd=str(tmp_path), stdout=out, stderr=out
    )
    lines: list[str] = []
    while (more := process.status_lines(1.0)) is not None:
        lines += more
    assert lines == ["one", "two"]
    assert ended(process) == 5
    process.kill_group()


def test_output_goes_to_the_file(sut: Sut, tmp_path: Path) -> None:
    process = start(sut, tmp_path, "echo out; echo err >&2")
    assert ended(process) == 0
    process.kill_group()
    assert (tmp_path / "out").read_text() == "out\nerr\n"


def test_the_signal_that_killed_it_is_told(sut: Sut, tmp_path: Path) -> None:
    process = start(sut, tmp_path, "kill -9 $$")
    assert ended(process) == -signal.SIGKILL
    process.kill_group()
    process.signal(signal.SIGINT)  # nothing, now that it is gone


def test_it_hears_the_signal_that_iogate_was_started_without(sut: Sut, tmp_path: Path) -> None:
    """As from a shell's background: a shell cannot even trap what it was started to ignore."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start(sut, tmp_path, "kill -INT $$; exit 7")
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended(process) == -signal.SIGINT
    process.kill_group()


def test_a_program_that_is_not_there_cannot_start(sut: Sut, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot start"):
        sut.start(["/no/such/program"], cwd="/", stdout=f"{tmp_path}/o", stderr=f"{tmp_path}/o")


def test_its_children_are_killed_with_it(sut: Sut, tmp_path: Path) -> None:
    process = start(sut, tmp_path, "sleep 600 & echo $! > child; exit 0")
    assert ended(process) == 0
    child = int((tmp_path / "child").read_text())
    assert not gone(child)
    process.kill_group()
    assert wait_gone(child)


def test_children_in_sessions_of_their_own_are_killed_too(sut: Sut, tmp_path: Path) -> None:
    process = start(sut, tmp_path, "setsid sh -c 'echo $$ > child; exec sleep 600' & wait")
    while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text():
        time.sleep(0.02)
    process.kill_group()
    assert wait_gone(int((tmp_path / "child").read_text()))


def test_a_terminals_interrupt_does_not_reach_it(sut: Sut, tmp_path: Path) -> None:
    process = start(sut, tmp_path, "sleep 600")
    assert os.getpgid(process.pid) != os.getpgid(0)
    assert os.getsid(process.pid) == process.pid
    process.kill_group()


def test_it_dies_when_iogate_is_killed(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN, str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert parent.stdout is not None
    with parent:
        pid = int(parent.stdout.readline())
        assert not gone(pid)
        parent.kill()
    assert wait_gone(pid)


@needs_kernel_log
def test_the_kernels_log_is_read_from_the_last_look_on(sut: Sut) -> None:
    name = f"test {os.urandom(6).hex()}"
    KERNEL_LOG.write_text(f"<6>{name} before\n")
    log = sut.kernel_log()
    assert log is not None
    with closing(log):
        assert name not in str(log.records())
        KERNEL_LOG.write_text(f"<6>{name} in time\n")
        (found,) = [one for one in log.records() or () if name in one]
        assert found.endswith(f";{name} in time\n")
        assert name not in str(log.records())
    assert log.records() is None, "it was let go"


@needs_root
def test_what_a_loop_device_stands_on(sut: Sut, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(1 << 20))
    with loop_over(image, "--offset", "4096", "--sizelimit", "65536") as path:
        image.rename(tmp_path / "renamed")
        found = sut.loop_status(path)
        assert found is not None
        there = sut.stat(str(tmp_path / "renamed"))
        assert there is not None
        assert (found.device, found.inode, found.rdev) == (there.device, there.inode, "")
        assert (found.offset_bytes, found.limit_bytes) == (4096, 65536)
        with loop_over(path) as upper:
            above = sut.loop_status(upper)
            below = sut.stat(path)
            assert above is not None
            assert below is not None
            assert above.rdev == below.rdev
    assert sut.loop_status("/dev/null") is None
    assert sut.loop_status(str(tmp_path / "gone")) is None


def test_the_log_of_an_engine_is_no_link(sut: Sut, tmp_path: Path) -> None:
    """An engine may write into the folder of its run, and make a link there for the next."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "out").symlink_to(victim)
    with pytest.raises(RunError):
        start(sut, tmp_path, "echo more")
    assert victim.read_text() == "mine"
    (tmp_path / "out").unlink()
    os.mkfifo(tmp_path / "out")
    with pytest.raises(RunError):
        start(sut, tmp_path, "echo more")


def test_only_regular_files_are_read(sut: Sut, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path), "a\0b"):
        assert sut.read_text(path) is None
    assert "Linux" in (sut.read_text("/proc/version") or ""), "though it says that it is empty"


def test_a_file_of_ones_own_is_bounded(sut: Sut, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with path.open("wb") as sparse:
        sparse.truncate(1 << 40)
    path.chmod(0o600)
    with pytest.raises(RunError, match="more than"):
        sut.read_own(str(path))
    with path.open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert sut.read_text(str(path)) is None


def test_what_an_iogate_that_is_gone_has_started_is_an_orphan(tmp_path: Path) -> None:
    """And what a living one has started is not."""
    stubborn = ["/bin/sh", "-c", "trap '' TERM HUP; echo here; while :; do sleep 1; done"]
    code = (
        "import os, sys; from iogate.sut.local import LocalSut\n"
        f"print(LocalSut().start({stubborn!r}, cwd='/', stdout='{tmp_path}/out', "
        f"stderr='{tmp_path}/err').pid, flush=True)\n"
        "sys.stdin.readline(); os._exit(1)"
    )
    sut = open_sut()
    owner = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    while not (tmp_path / "out").exists() or not (tmp_path / "out").read_text():
        time.sleep(0.02)
    assert pid not in sut.orphans()
    owner.communicate("end")
    try:
        assert pid in sut.orphans()
    finally:
        sut.kill(pid)
    while pid in sut.orphans():
        time.sleep(0.02)


def test_nothing_is_written_through_a_link(sut: Sut, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "link").symlink_to("victim")
    with pytest.raises(RunError, match="cannot write"):
        sut.write_text(str(tmp_path / "link"), "x")
    assert (tmp_path / "victim").read_text() == "precious"


def test_only_stars_mean_anything_in_names_that_are_looked_for(tmp_path: Path) -> None:
    folder = tmp_path / "x[1]?"
    folder.mkdir()
    (folder / "a.json").write_text("1")
    found = open_sut("local").read_many([f"{folder}/*.json"])
    assert [each.data for each in found.values()] == [b"1"]


INTERRUPTED = """
import signal, sys
from iogate.sut.local import LocalSut
if sys.argv[1] == "goes on":
    signal.signal(signal.SIGINT, lambda *_: None)
done = LocalSut().run(["sh", "-c", sys.argv[2]])
print(done.status, done.stdout)
"""


def interrupted(tmp_path: Path, how: str, script: str) -> tuple[int, str, int]:
    """The status and stdout of a caller whose terminal sends a SIGINT to all of its group once
    the command wrote the file ``pid``; and what is in there."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    file = tmp_path / "pid"
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, how, script],
        cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    ) as caller:  # fmt: skip
        while not (file.exists() and file.read_text().endswith("\n")):
            assert caller.poll() is None
            time.sleep(0.02)
        os.killpg(caller.pid, signal.SIGINT)
        out, _ = caller.communicate(timeout=60)
    return caller.returncode, out, int(file.read_text())


def test_a_ctrl_c_does_not_reach_what_makes_or_takes_away_a_filesystem(tmp_path: Path) -> None:
    script = "echo $$ > pid; sleep 0.5; echo done"
    assert interrupted(tmp_path, "goes on", script)[:2] == (0, "0 done\n\n")


def test_what_a_command_has_started_ends_with_it(tmp_path: Path) -> None:
    status, _, child = interrupted(tmp_path, "ends", "sleep 600 & echo $! > pid; wait")
    assert status != 0
    assert wait_gone(child)
