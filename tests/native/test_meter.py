"""``iogate-engine --meter``: a program timed, bounded, and gone when it has ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from support.confining import LAYERS, confined, needs_user_namespaces, place, plan_of
from support.devices import needs_root

SHELL = "/bin/sh"
MIB = 1 << 20
NOBODY = 65534


def meter(engine: Path, *command: str) -> tuple[str, dict[str, Any]]:
    """What a program said, and what is told of it."""
    argv = [str(engine), "--meter", "--", *command]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
    return told(done.stdout)


def told(output: str) -> tuple[str, dict[str, Any]]:
    said, _, last = output.rstrip("\n").rpartition("\n")
    return said, json.loads(last)


def test_time_and_cost_of_a_program_and_what_it_waited_for(engine: Path) -> None:
    busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    said, told = meter(engine, SHELL, "-c", f"echo out; echo err >&2; ({busy}); sleep 0.2")
    assert said == "out\nerr\n"
    assert told["schema"] == "meter/1"
    assert told["wall_ns"] > 200_000_000
    assert 0 < told["user_ns"] < told["wall_ns"]
    assert (told["status"], told["signal"], told["errno"]) == (0, 0, 0)
    assert told["context_switches"] > 0
    assert told["minor_faults"] > 0


def test_how_it_ended(engine: Path) -> None:
    assert meter(engine, SHELL, "-c", "exit 3")[1]["status"] == 3
    assert meter(engine, SHELL, "-c", "kill -9 $$")[1]["signal"] == signal.SIGKILL
    assert meter(engine, "/no/such/program")[1]["errno"] == 2


def test_a_program_that_says_too_much_is_ended(engine: Path) -> None:
    said, told = meter(engine, "/usr/bin/yes")
    assert told["said_too_much"]
    assert len(said) == MIB


def test_what_fits_is_kept_to_the_last_byte(engine: Path) -> None:
    said, told = meter(engine, SHELL, "-c", f"head -c {MIB - 3} /dev/zero | tr '\\0' x; printf end")
    assert not told["said_too_much"]
    assert said == "x" * (MIB - 3) + "end"


def test_what_it_left_in_its_group_ends_with_it(engine: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    meter(engine, SHELL, "-c", f"sleep 60 & echo $! > {pid}")
    wait_until(lambda: not is_alive(int(pid.read_text())))


def test_a_stop_ends_the_program(engine: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    argv = [str(engine), "--meter", "--", SHELL, "-c", f"echo $$ > {pid}; exec sleep 60"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: pid.exists() and pid.read_text().strip() != "")
        process.send_signal(signal.SIGINT)
        assert "it was stopped" in process.communicate(timeout=30)[1]
    assert process.returncode == 1
    wait_until(lambda: not is_alive(int(pid.read_text())))


@pytest.mark.parametrize("arguments", [(), ("--",), ("/bin/true",)])
def test_a_wrong_call(engine: Path, arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [engine, "--meter", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "use: --meter -- PROGRAM [ARGUMENT...]" in done.stderr


@needs_root
@pytest.mark.parametrize("user", [None, pytest.param(NOBODY, marks=needs_user_namespaces)])
def test_what_hides_in_a_session_of_its_own_ends_with_it(engine: Path, user: int | None) -> None:
    """No group, no session and no variable leads to it: only the namespace does."""
    hide = "env -i setsid sh -c 'sleep 300; true' > /dev/null 2>&1 & echo gone"
    plan = plan_of(layers=(*LAYERS, "processes", "calls"))
    command = [str(engine), "--meter", "--", SHELL, "-c", hide]
    before = sleepers()
    said, ended = told(confined(engine, plan, *command, user=user).stdout)
    assert (said, ended["status"]) == ("gone\n", 0)
    assert sleepers() <= before


@needs_root
def test_the_line_cannot_be_written_by_the_program(engine: Path, tmp_path: Path) -> None:
    """Its keeper and the meter have the file of it open, and nobody may look into them."""
    keepers = "$PPID $(cut -d' ' -f4 /proc/$PPID/stat)"
    look = f"for p in {keepers}; do (echo forged > /proc/$p/fd/1) 2>&1; done"
    plan = plan_of(place(tmp_path))
    command = [str(engine), "--meter", "--", SHELL, "-c", look]
    said, _ = told(confined(engine, plan, *command).stdout)
    assert said.count("Permission denied") == 2, said


def sleepers() -> set[int]:
    """Processes that sleep as long as the hidden one."""
    found = subprocess.run(["pgrep", "-f", "^sleep 300$"], capture_output=True, check=False)
    return {int(pid) for pid in found.stdout.split()}


def is_alive(pid: int) -> bool:
    """Also one that nobody has waited for yet is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds: Any) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, os.getpid()
        time.sleep(0.01)
