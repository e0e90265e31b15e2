"""What every system under test must do, asked of each kind that is shipped, here, and of a machine
that is not here: with another root, other folders, another name and processes of its own."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.host.facts import this_host
from iogate.host.locks.host_lock import HeldError, Patience, host_lock
from iogate.host.locks.measuring import is_measuring
from iogate.host.settings.journals import new_journal, own_journals
from iogate.host.targets.scratch import is_scratch_left, scratch_directory, sweep
from iogate.sut import ADDRESSED, SUTS, open_sut
from iogate.sut.base import Process, Sut
from iogate.sut.local import LocalSut
from iogate.sut.state_folder import HOST_LOCK
from iogate.sut.together import later, together
from support.devices import needs_root
from support.elsewhere import DISK, elsewhere
from support.guests import describe
from support.rebootable import rebootable
from support.ssh_host import ssh_host

PLAIN = tuple(kind for kind in SUTS if kind not in ADDRESSED)
KINDS = (*PLAIN, *(pytest.param(kind, marks=needs_root) for kind in (*ADDRESSED, "elsewhere")))
CLOSES_ITS_PIPE = """
import os, sys, time
os.write(int(sys.argv[1]), b"one\\n")
os.close(int(sys.argv[1]))
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
"""


@pytest.fixture(scope="module", params=KINDS)
def sut(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sut]:
    if request.param in PLAIN:
        with closing(open_sut(request.param)) as here:
            yield here
        return
    folder = tmp_path_factory.mktemp("machine")
    if request.param == "ssh":
        with ssh_host(folder) as host, closing(open_sut(host.machine)) as far:
            yield far
        return
    if request.param == "host":
        with rebootable(folder) as there, closing(open_sut(there.describe())) as far:
            yield far
        return
    if request.param == "vm":
        tools = "kernel: '6.12'\nprograms: [id, getconf, nproc, ldd, touch, ln, kill]"
        guest = describe(folder, more=tools, disk="size: 64m")
        with closing(open_sut(f"vm:{guest}")) as far:
            far.make_dir(DISK)
            yield far
        return
    with elsewhere(folder) as machine:
        yield machine


def test_several_calls_go_together_and_are_done_in_their_order(sut: Sut, place: str) -> None:
    folder, file = f"{place}/made", f"{place}/made/file"
    later(partial(sut.make_dir, folder))
    later(partial(sut.write_text, file, "text"))
    said, names, times = together(
        partial(sut.read_text, file), partial(sut.list_dir, folder), partial(sut.clocks)
    )
    assert (said, names) == ("text", ("file",))
    assert times < sut.clocks()
    later(partial(sut.remove_tree, folder))
    assert sut.stat(folder) is None
    assert together() == ()


def test_what_is_asked_after_what_goes_wrong_is_not_done(sut: Sut, place: str) -> None:
    wrong = partial(sut.write_text, f"{place}/none/file", "text")
    with pytest.raises(RunError, match=r"cannot write .*/none/file"):
        together(partial(sut.clocks), wrong, partial(sut.make_dir, f"{place}/after"))
    assert sut.stat(f"{place}/after") is None
    with pytest.raises(RunError, match=r"cannot write .*/none/file"):
        _later_and_now(sut, wrong, f"{place}/after")
    assert sut.stat(f"{place}/after") is None


def _later_and_now(sut: Sut, wrong: partial[None], folder: str) -> None:
    later(wrong)
    sut.make_dir(folder)


def test_what_waits_is_done_before_a_file_is_fetched(sut: Sut, place: str, tmp_path: Path) -> None:
    later(partial(sut.write_text, f"{place}/late", "text"))
    assert sut.get(f"{place}/late", str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_text() == "text"


def test_each_kind_is_asked() -> None:
    assert {str(getattr(kind, "values", (kind,))[0]) for kind in KINDS} == {*SUTS, "elsewhere"}


@pytest.fixture
def place(sut: Sut, tmp_path: Path) -> Iterator[str]:
    """A folder on the machine, for one test."""
    folder = str(tmp_path) if sut.is_here else f"{DISK}/{tmp_path.name}"
    sut.make_dir(folder)
    yield folder
    sut.remove_tree(folder)


def started(sut: Sut, place: str, script: str, plan: str = "") -> Process:
    out = f"{place}/out"
    return sut.start(["sh", "-c", script], cwd=place, stdout=out, stderr=out, plan=plan)


def ended(process: Process) -> int:
    for _ in range(2000):
        if (status := process.poll()) is not None:
            return status
        time.sleep(0.01)
    raise AssertionError("it does not end")


def test_it_says_what_it_is_and_who_works_there(sut: Sut) -> None:
    machine = sut.about()
    asked = ("uname -n", "uname -m", "nproc --all", "getconf PAGE_SIZE", "id -u")
    said = [sut.run(words.split()).stdout.strip() for words in asked]
    about = (machine.host_name, machine.architecture, machine.cpus, machine.page_bytes)
    assert said == [*map(str, about), str(machine.user)]
    assert machine.boot == (sut.read_text("/proc/sys/kernel/random/boot_id") or "").strip()
    own = sut.read_text(f"/proc/{machine.pid}/comm")
    assert own
    assert sut.real_path(f"/proc/{machine.pid}/ns/pid").endswith(machine.namespace)
    assert sut.can_write(machine.temporary)
    assert set(machine.variables) >= {"HOME"}
    assert sut.run([machine.python, "-c", "print(1)"]).stdout == "1\n"


def test_two_machines_have_two_names(sut: Sut) -> None:
    here = LocalSut()
    assert (this_host(sut) == this_host(here)) is sut.is_here
    places = [(each.about().boot, each.about().namespace) for each in (sut, here)]
    assert (places[0] == places[1]) is sut.is_here


def test_commands(sut: Sut) -> None:
    done = sut.run(["sh", "-c", "cat; echo $X >&2; exit 3"], stdin="in", env={"X": "err"})
    assert (done.status, done.stdout, done.stderr) == (3, "in", "err\n")
    assert sut.run(["sh", "-c", "kill -9 $$"]).status == -signal.SIGKILL
    with pytest.raises(RunError, match="cannot run"):
        sut.run(["/no/such/program"])
    with pytest.raises(RunError, match="did not end"):
        sut.run(["sleep", "60"], timeout_s=0.05)
    assert (sut.which("sh") or "").endswith("/sh")
    assert sut.which("no-such-program") is None


def test_files_are_put_whole_and_read(sut: Sut, place: str) -> None:
    path = f"{place}/new/folder/file"
    sut.put(path, b"\xff\0one", mode=0o755)
    sut.put(path, b"two")
    found = sut.stat(path)
    assert found is not None
    assert (found.is_file, found.size_bytes, found.links, found.mode) == (True, 3, 1, 0o600)
    assert found.owner == sut.about().user
    assert sut.list_dir(f"{place}/new/folder") == ("file",)  # nothing that was meanwhile
    assert sut.read_text(path) == "two"
    assert sut.read_own(path) == "two"
    sut.write_text(path, "three")
    sut.append_durably(path, " four\n")
    assert sut.read_text(path) == "three four\n"
    sut.run(["chmod", "666", path])
    assert sut.read_own(path) is None
    sut.remove_file(path)
    sut.remove_file(path)
    assert (sut.read_text(path), sut.stat(path)) == (None, None)
    with pytest.raises(RunError, match="cannot write"):
        sut.put(f"{place}/new/folder", b"")
    sut.remove_tree(f"{place}/new")
    sut.remove_tree(f"{place}/new")
    assert sut.list_dir(f"{place}/new") == ()


def test_files_come_to_the_controller(sut: Sut, place: str, tmp_path: Path) -> None:
    data = bytes(range(256)) * 1024
    sut.put(f"{place}/there", data)
    sut.run(["ln", "-s", "there", f"{place}/link"])
    into = tmp_path / "here"
    assert sut.get(f"{place}/there", str(into))
    assert into.read_bytes() == data
    assert not sut.get(f"{place}/missing", str(tmp_path / "none"))
    assert not sut.get(place, str(tmp_path / "none"))
    assert not sut.get(f"{place}/link", str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    with pytest.raises(RunError, match="cannot copy"):
        sut.get(f"{place}/there", str(into))  # nothing is overwritten
    with pytest.raises(RunError, match="has 262,144 bytes, and there is room for 1,000"):
        sut.get(f"{place}/there", str(tmp_path / "none"), most=1000)
    assert not (tmp_path / "none").exists()
    assert sut.read_text(f"{place}/there") is not None  # the line goes on


def test_many_paths_are_read_at_once(sut: Sut, place: str) -> None:
    sut.put(f"{place}/a/x", b"1\n")
    sut.put(f"{place}/b/x", b"2")
    sut.run(["ln", "-s", "a", f"{place}/link"])
    found = sut.read_many(
        [f"{place}/*/x", place, f"{place}/link", f"{place}/none", "/proc/self/stat", "/dev/null"]
    )
    assert [found[f"{place}/{name}/x"].data for name in ("a", "b", "link")] == [
        b"1\n",
        b"2",
        b"1\n",
    ]
    assert found[place].names == ("a", "b", "link")
    assert found[f"{place}/link"].is_link
    looked = sut.read_many((), [f"{place}/a/x", place, f"{place}/none"])
    assert looked.keys() == {f"{place}/a/x", place}  # and nothing is read of what is measured
    assert (looked[f"{place}/a/x"].data, looked[place].names) == (None, ())
    assert looked[f"{place}/a/x"].real_path == sut.real_path(f"{place}/a/x")
    assert found[f"{place}/link"].real_path == sut.real_path(f"{place}/a")
    assert found[f"{place}/a/x"].stat == sut.stat(f"{place}/a/x")
    assert f"{place}/none" not in found
    assert found["/proc/self/stat"].data
    assert found["/dev/null"].data is None


def test_the_beginning_of_a_file_is_read(sut: Sut, place: str) -> None:
    data = bytes(range(256)) * 32
    sut.put(f"{place}/file", data)
    sut.run(["ln", "-s", "file", f"{place}/link"])
    assert sut.read_head(f"{place}/file") == data[:4096]
    for path in (f"{place}/none", f"{place}/link", place, "/dev/zero", "a\0b"):
        assert sut.read_head(path) == b""


def test_places(sut: Sut, place: str) -> None:
    sut.run(["ln", "-s", "/proc/self", f"{place}/link"])
    assert sut.real_path(f"{place}/none/../x") == f"{sut.real_path(place)}/x"
    assert sut.way(f"{place}/none/../x") == (f"{sut.real_path(place)}/x", "")
    space = sut.space(place)
    assert space is not None
    assert 0 < space.free_bytes <= space.total_bytes
    assert sut.space(f"{place}/none") is None
    assert sut.can_read(place)
    assert not sut.can_read(f"{place}/none")
    assert sut.open_exclusive(f"{place}/none")
    assert sut.loop_status(place) is None


def test_blocks_that_hold_nothing_are_counted(sut: Sut, place: str) -> None:
    sut.put(f"{place}/file", b"x" * 4096 + bytes(8192))
    assert sut.blank_blocks(f"{place}/file", [0, 4096, 8192], 4096) in (2, 0)  # 0: in memory
    assert sut.blank_blocks(f"{place}/none", [0], 4096) is None


def test_the_clock_goes(sut: Sut) -> None:
    first, second = sut.clocks(), sut.clocks()
    assert first[1] < second[1]
    assert abs(first[0] - time.time_ns()) < 60e9


def test_a_process_tells_and_ends(sut: Sut, place: str) -> None:
    script = "cat /proc/self/fd/{plan_fd} > /proc/self/fd/{status_fd}; pwd; echo err >&2; exit 5"
    process = started(sut, place, script, plan="said {status_fd}\n")
    assert process.pid > 1
    lines: list[str] = []
    while (more := process.status_lines(1.0)) is not None:
        lines += more
    assert lines[0].startswith("said ")
    assert ended(process) == 5
    process.kill_group()
    assert sut.read_text(f"{place}/out") == f"{sut.real_path(place)}\nerr\n"
    with pytest.raises(RunError, match="cannot start"):
        sut.start(["/no/such"], cwd=place, stdout=f"{place}/out", stderr=f"{place}/out")


def test_a_process_is_looked_at_in_one_go(sut: Sut, place: str) -> None:
    script = f"exec python3 -c '{CLOSES_ITS_PIPE}' {{status_fd}} {place}/go"
    process = started(sut, place, script)
    lines: list[str] = []
    while not lines:
        more, status = process.look(5.0)
        lines += more
        assert status is None
    assert lines == ["one"]
    assert process.look(0.05) == ([], None)  # its pipe is closed, and it runs
    sut.put(f"{place}/go", b"")
    while (ended := process.look(5.0))[1] is None:
        pass
    assert ended == ([], 0)
    process.kill_group()


def test_a_process_is_signalled_and_leaves_nothing(sut: Sut, place: str) -> None:
    told = started(sut, place, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done")
    while "ready" not in (sut.read_text(f"{place}/out") or ""):
        time.sleep(0.02)
    told.signal(signal.SIGTERM)
    assert ended(told) == 7
    told.kill_group()
    killed = started(sut, place, f"setsid sleep 1000 & echo $! > {place}/pid; sleep 1000")
    while not (pid := (sut.read_text(f"{place}/pid") or "").strip()):
        time.sleep(0.02)
    killed.kill_group()
    assert ended(killed) == -signal.SIGKILL
    state = (sut.read_text(f"/proc/{pid}/stat") or "x) Z").rpartition(") ")[2][0]
    assert state == "Z"  # or gone
    assert sut.orphans() == ()


def test_a_lock_is_held_by_one_or_shared(sut: Sut, place: str) -> None:
    sut.put(f"{place}/file", b"")
    first, second = (sut.lock_node(f"{place}/file") for _ in range(2))
    with closing(first), closing(second):
        assert first.take(shared=True)
        assert second.take(shared=True)
        assert not first.take(shared=False)
        second.release()
        assert first.take(shared=False)
        assert not second.take(shared=True)
        assert first.stat() == sut.stat(f"{place}/file")
        assert first.stands_at(f"{place}/file")
        sut.remove_file(f"{place}/file")
        assert not first.stands_at(f"{place}/file")
    with pytest.raises(RunError, match="to lock it"):
        sut.lock_node(f"{place}/file")


def test_a_lock_file_is_made_written_and_never_a_link(sut: Sut, place: str) -> None:
    path = f"{place}/lock"
    with pytest.raises(RefusedError, match="cannot open the host lock"):
        sut.lock_file(path, make=False)
    with closing(sut.lock_file(path, make=True)) as lock:
        lock.write("a longer text")
        lock.write("mine")
        assert lock.read() == "mine"
    sut.run(["mv", path, f"{place}/other"])
    sut.run(["ln", "-s", "other", path])
    with pytest.raises(RefusedError, match="cannot open the host lock"):
        sut.lock_file(path, make=False)


def test_who_has_a_file_open_is_told(sut: Sut, place: str) -> None:
    real = sut.real_path(place)
    process = started(sut, place, f"exec 3>{real}/open; echo > {real}/ready; sleep 1000")
    try:
        while not sut.stat(f"{place}/ready"):
            time.sleep(0.02)
        assert process.pid in sut.openers(f"{real}/open")
        assert sut.openers(f"{real}/none") == ()
    finally:
        process.kill_group()


def test_the_host_is_held_where_it_is(sut: Sut) -> None:
    with host_lock(sut, "mine"):
        assert is_measuring(sut, "mine")
        assert is_measuring(LocalSut(), "mine") is sut.is_here
        with (
            pytest.raises(HeldError, match=f"process {sut.about().pid}.*, run mine"),
            host_lock(sut, "second", Patience(give_up=lambda: True)),
        ):
            pass
    assert not is_measuring(sut, "mine")
    assert (sut.read_text(HOST_LOCK) or "") == ""


def test_what_a_run_leaves_behind_is_noted_where_it_is(sut: Sut, place: str) -> None:
    with scratch_directory(sut, place, "token") as path:
        assert sut.stat(path)
        assert not is_scratch_left(sut)  # its process is there
        assert sweep(sut) == ()
    assert sut.stat(path) is None
    journal = new_journal(sut)
    sut.append_durably(journal, "{}\n")
    assert own_journals(sut) == (journal,)
    assert (own_journals(LocalSut()) == (journal,)) is sut.is_here
    sut.remove_file(journal)
