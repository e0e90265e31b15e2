"""Programs in an engine's place, started for real and confined; and those that mean harm."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.engine.base import EngineJob, EngineResult, Stop
from iogate.engine.command import CommandEngine
from iogate.engine.launcher import find_layers
from iogate.engine.result import parse_result
from iogate.errors import EngineError, RefusedError
from iogate.host.sandbox import Sandbox
from iogate.host.targets.places import place_of
from iogate.metrics import metric
from iogate.model.measurement import EngineFacts, Measurement
from iogate.model.spec import Command, DefinedMetric
from iogate.model.units import Better, Unit
from iogate.sut.local import LocalSut

RATE = DefinedMetric(
    "command.rate", "", Unit.BYTES_PER_SECOND, Better.HIGH, pattern=r"rate ([0-9.]+) MB", scale=1e6
)


@pytest.fixture
def job(tmp_path: Path) -> EngineJob:
    """A job in the folder ``data`` alone, confined as this kernel does."""
    sut = LocalSut()
    for name in ("data", "run"):
        (tmp_path / name).mkdir()
    place = place_of(sut, str(tmp_path / "data"))
    layers = find_layers(sut)
    assert layers is not None
    return EngineJob(
        job_file="",
        result_file=str(tmp_path / "run/result.json"),
        log_file=str(tmp_path / "run/log"),
        folder=place.path,
        timeout_s=60,
        places=(place,),
        confinement=Sandbox(sut, layers).around_program(place),
        command_name="w",
    )


def run(job: EngineJob, *argv: str, prepare: tuple[tuple[str, ...], ...] = ()) -> EngineResult:
    command = Command(argv, prepare, (RATE,))
    engine = CommandEngine(LocalSut())
    asked = replace(job, command=command)
    return engine.run(asked, on_progress=lambda _: None, stop=Stop())


def shell(job: EngineJob, script: str) -> EngineResult:
    """A script of which ``$0`` is the target."""
    return run(job, "sh", "-c", script, "{target}")


def value(result: EngineResult, path: str) -> float | None:
    measurement = Measurement("0" * 16, 1, 0, 0, EngineFacts("command", ""), result.jobs)
    return metric(path, (RATE,)).extract(measurement)


def test_time_cost_and_what_is_printed(job: EngineJob) -> None:
    result = shell(job, "echo rate 1.0 MB; sleep 0.1; echo rate 2.5 MB > $0/f; cat $0/f")
    runtime = value(result, "runtime")
    assert runtime is not None
    assert runtime > 100e6
    assert value(result, "command.rate") == 2.5e6
    assert value(result, "cpu.usr") is not None
    assert value(result, "errors") == 0
    assert value(result, "read.iops") is None
    assert result.engine.name == "command"
    assert not result.warnings


def test_its_result_is_kept_and_read_again(job: EngineJob) -> None:
    result = shell(job, "echo rate 2 MB")
    again = parse_result(json.loads(Path(job.result_file).read_text()))
    assert again.jobs == result.jobs


def test_what_it_prepares_is_there_and_neither_timed_nor_read(job: EngineJob) -> None:
    prepared = []
    waits = ("sh", "-c", "sleep 0.5; echo rate 9 MB; touch $0/made", "{target}")
    job = replace(job, on_prepared=lambda: prepared.append(Path(job.folder, "made").exists()))
    result = run(job, "ls", "{target}/made", prepare=(waits,))
    runtime = value(result, "runtime")
    assert runtime is not None
    assert runtime < 500e6
    assert value(result, "command.rate") is None
    assert prepared == [True]


def test_what_it_does_not_print_is_warned_of(job: EngineJob) -> None:
    assert shell(job, "echo nothing").warnings == (
        r"command.rate has no value: no line that sh printed matches 'rate ([0-9.]+) MB'",
    )


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo first; echo why >&2; exit 3", r"sh -c .* ended with status 3: first; why"),
        ("exit 1", "ended with status 1: it said nothing"),
        ("kill -SEGV $$", "was killed by SIGSEGV"),
        ("echo rate . MB", r"command\.rate: its pattern found '\.', which is no number"),
    ],
)
def test_a_program_that_fails_gives_nothing(job: EngineJob, script: str, says: str) -> None:
    with pytest.raises(EngineError, match=says):
        shell(job, script)


def test_what_fails_to_prepare_is_named(job: EngineJob) -> None:
    with pytest.raises(EngineError, match=r"ls \{target\}/gone ended with status 2: .*gone"):
        run(job, "true", prepare=(("ls", "{target}/gone"),))


def test_a_program_that_is_not_there_is_refused_with_its_package(job: EngineJob) -> None:
    with pytest.raises(RefusedError, match="no-such-program is not installed") as caught:
        run(job, "no-such-program")
    assert "install" in caught.value.remedy


def test_too_long_is_ended(job: EngineJob) -> None:
    with pytest.raises(EngineError, match="sleep 60 did not end within 0 s and was stopped"):
        run(replace(job, timeout_s=0.1), "sleep", "60")


def test_a_tree_with_links_may_be_made(job: EngineJob) -> None:
    shell(job, "mkdir $0/d && echo a > $0/d/f && ln -s d/f $0/s && ln $0/d/f $0/h && mkfifo $0/p")
    assert Path(job.folder, "s").read_text() == "a\n"


# Those that mean harm.


@pytest.mark.parametrize(
    "script",
    [
        "echo x > $0/../victim",
        "echo x > $0/../new",
        "ln -s $0/../victim $0/l && echo x > $0/l",
        "ln $0/../victim $0/h && echo x > $0/h",
        "mv $0/../victim $0/v",
        "rm $0/../victim",
        "chmod 777 $0/../victim",
        "echo x > $0/../run/result.json",
        "echo x > $0/../run/log",
        "mkdir /tmp/iogate-hostile",
    ],
)
def test_nothing_outside_is_changed(job: EngineJob, tmp_path: Path, script: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    mode = victim.stat().st_mode
    with pytest.raises(EngineError, match=r"ended with status [12]"):
        shell(job, script)
    assert victim.read_text() == "untouched"
    assert victim.stat().st_mode == mode
    assert victim.stat().st_nlink == 1
    assert not (tmp_path / "new").exists()
    assert not Path("/tmp/iogate-hostile").exists()
    assert not Path(job.result_file).exists()


def test_nothing_of_a_user_is_read(job: EngineJob, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for path in (tmp_path / "secret", "/etc/shadow", "/root"):
        with pytest.raises(EngineError, match="ermission denied"):
            shell(job, f"ls -d {path}/. > $0/l; cat {path}")


def test_no_secret_is_in_its_environment(job: EngineJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    shell(job, "env > $0/env")
    names = set(re.findall(r"^(\w+)=", Path(job.folder, "env").read_text(), re.MULTILINE))
    assert names == {"PATH", "LC_ALL", "IOGATE_PROCESS", "PWD"}


def test_no_network(job: EngineJob) -> None:
    shell(job, "cat /proc/net/dev > $0/dev; cat /proc/self/net/route > $0/route")
    devices = Path(job.folder, "dev").read_text().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in devices] in ([], ["lo"])


@pytest.mark.parametrize("family", ["AF_UNIX", "AF_INET", "AF_NETLINK", "AF_VSOCK"])
def test_no_socket(job: EngineJob, tmp_path: Path, family: str) -> None:
    """Whoever listens in the filesystem, as systemd and container engines do, obeys root."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        code = f"import socket; socket.socket(socket.{family}).connect('{tmp_path}/socket')"
        with pytest.raises(EngineError, match="PermissionError"):
            run(job, "python3", "-c", code)


def test_no_keyring_and_no_ring(job: EngineJob) -> None:
    numbers = {"x86_64": (248, 249, 250, 425), "aarch64": (217, 218, 219, 425)}[os.uname().machine]
    code = (
        "import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)\n"
        f"for number in {numbers}:\n"
        "    print(libc.syscall(number, 0, 0, 0, 0, 0), errno.errorcode[ctypes.get_errno()])"
    )
    run(job, "sh", "-c", 'python3 -c "$1" > $0/said', "{target}", code)
    said = Path(job.folder, "said").read_text().splitlines()
    assert said == ["-1 EACCES"] * 3 + ["-1 ENOSYS"]


def test_what_hides_in_the_background_is_ended(job: EngineJob) -> None:
    """Out of its session, without a variable to be known by, and with its parent gone."""
    shell(job, "(env -i setsid sh -c 'while :; do sleep 0.05; : > $0/alive; done' $0 &) ; sleep 1")
    mark = Path(job.folder, "alive")
    assert mark.exists()
    mark.unlink()
    assert stays(lambda: not mark.exists())


def test_what_never_stops_talking_is_ended(job: EngineJob) -> None:
    with pytest.raises(EngineError, match="yes said more than 1 MiB and was ended"):
        run(job, "yes")
    assert Path(job.log_file).stat().st_size < 2 << 20


def test_a_line_like_the_meters_is_not_taken_for_it(job: EngineJob) -> None:
    forged = {"schema": "meter/1", "wall_ns": 1, "errno": 0, "status": 0, "signal": 0}
    result = shell(job, f"echo '{json.dumps(forged)}'; sleep 0.05")
    runtime = value(result, "runtime")
    assert runtime is not None
    assert runtime > 50e6


def stays(holds: Callable[[], bool]) -> bool:
    """Whether that is still so in half a second: nobody writes any more."""
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        if not holds():
            return False
        time.sleep(0.05)
    return True
