"""What a confined command starts ends with it, whatever it has become."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from support.confining import LAYERS, confined, layers_of, plan_of, users_have_namespaces
from support.devices import needs_root

NOBODY = 65534
WORKER = "while :; do sleep 0.05; done"

pytestmark = needs_root
everybody = pytest.mark.parametrize(
    "user",
    [
        None,
        pytest.param(
            NOBODY,
            marks=pytest.mark.skipif(
                not users_have_namespaces(), reason="users have no namespaces"
            ),
        ),
    ],
)


def plan(user: int | None = None) -> str:
    return plan_of("set PATH=/usr/bin:/bin", layers=(*layers_of(user), "family"))


@pytest.fixture
def name() -> str:
    """A word that only the test's own processes are called by."""
    return f"iogate-{uuid.uuid4().hex}"


def alive(name: str) -> list[int]:
    """The processes, but for the launcher and who waits for it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if entry.name.isdigit() and name.encode() in words and b"--confine" not in words:
            found.append(int(entry.name))
    return found


def leaves(name: str) -> str:
    """A script that starts what has another session, no environment and no parent, and ends."""
    return f"setsid env -i sh -c '(sh -c \"{WORKER}\" {name} &)' & sleep 0.3; exit 7"


@everybody
def test_what_is_left_behind_ends(engine: Path, name: str, user: int | None) -> None:
    done = confined(engine, plan(user), "/bin/sh", "-c", leaves(name), user=user)
    assert (done.returncode, done.stderr) == (7, "")
    assert alive(name) == []


def test_without_it_something_stays(engine: Path, name: str) -> None:
    """So that the test above shows something."""
    words = ("/bin/sh", "-c", leaves(name).replace("&)", "</dev/null >/dev/null 2>&1 &)"))
    assert confined(engine, plan_of("set PATH=/usr/bin:/bin"), *words).returncode == 7
    end = time.monotonic() + 20
    while not (left := alive(name)) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left


def test_what_forks_faster_than_it_can_be_ended(engine: Path, name: str) -> None:
    code = "import os\nwhile not os.fork(): pass\n"  # each ends once the next has begun
    script = f'(python3 -c "{code}" {name} &) ; sleep 0.3'
    assert confined(engine, plan(), "/bin/sh", "-c", script).returncode == 0
    time.sleep(0.05)
    assert alive(name) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGTERM])
def test_it_ends_as_the_command_does(engine: Path, number: int) -> None:
    done = confined(engine, plan(), "/bin/sh", "-c", f"kill -{int(number)} $$")
    assert done.returncode == -number


@contextmanager
def running(engine: Path, script: str, name: str) -> Iterator[subprocess.Popen[str]]:
    """The launcher, once the command says that it is there."""
    plan_fd = os.memfd_create("plan")
    os.write(plan_fd, plan().encode())
    words = [
        str(engine),
        "--confine",
        f"/proc/self/fd/{plan_fd}",
        "--",
        "/bin/sh",
        "-c",
        script,
        name,
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, pass_fds=(plan_fd,)) as process:
        os.close(plan_fd)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_hands_on_what_asks_the_command_to_end(engine: Path, name: str, number: int) -> None:
    script = f"trap 'exit 9' INT TERM; echo ready; {WORKER}"
    with running(engine, script, name) as process:
        process.send_signal(number)
        assert process.wait(timeout=30) == 9
    assert alive(name) == []


def test_its_own_death_ends_all(engine: Path, name: str) -> None:
    with running(engine, f"trap '' TERM; echo ready; {WORKER}", name) as process:
        assert alive(name)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 10
        while alive(name) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert alive(name) == []


def test_a_launcher_that_is_killed_as_it_begins_leaves_nobody(
    engine: Path, name: str, tmp_path: Path
) -> None:
    """Before the first of its namespace has asked to end with it, too: one in eight was left."""
    own, draw = shutil.copy(engine, tmp_path / name), random.Random(1)
    plan_fd = os.memfd_create("plan")
    os.write(plan_fd, plan().encode())
    words = [str(own), "--confine", f"/proc/self/fd/{plan_fd}", "--", "/bin/sleep", "0.2"]
    for _ in range(60):
        with subprocess.Popen(words, pass_fds=(plan_fd,)) as process:
            time.sleep(draw.uniform(0, 0.012))
            process.kill()
    os.close(plan_fd)
    deadline = time.monotonic() + 10
    while (left := called(str(own))) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def called(program: str) -> list[int]:
    """The processes whose first word is this one."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            found += [int(entry.name)] if words[0] == program.encode() else []
    return found


def test_the_command_names_no_process_outside(engine: Path) -> None:
    """A kernel whose Landlock knows no signals lets root's through."""
    code = (
        "import os,sys\ntry: os.kill(int(sys.argv[1]), 0)\nexcept ProcessLookupError: print('none')"
    )
    layers = [layer for layer in (*LAYERS, "family") if layer != "landlock"]
    words = ("/usr/bin/python3", "-c", code, str(os.getpid()))
    assert confined(engine, plan_of(layers=layers), *words).stdout == "none\n"
