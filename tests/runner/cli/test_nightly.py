"""``iogate nightly``: units that systemd reads, and that do what they say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from iogate.host import nightly

SPEC = """\
version: 1
name: "NAME"
targets: { here: { directory: . } }
workloads:
  reads:
    fio: { ioengine: psync, rw: randread, bs: 4k, size: 1m, time_based: true, runtime: 100ms }
    repetitions: 1
"""


@pytest.fixture
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of units, which is not the system's."""
    monkeypatch.setattr(nightly, "SYSTEM_FOLDER", tmp_path / "system")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / ("system" if os.geteuid() == 0 else "config/systemd/user")


def spec_in(folder: Path, name: str = "oltp") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "a.yaml").write_text(SPEC.replace("NAME", name))
    return folder / "a.yaml"


def settings_of(unit: Path) -> dict[str, list[str]]:
    settings: dict[str, list[str]] = {}
    for line in unit.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            settings.setdefault(key, []).append(value)
    return settings


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
@pytest.mark.parametrize("folder", ["plain", "with space", '50 % $HOME "quoted" it\'s'])
def test_systemd_takes_the_units(units: Path, tmp_path: Path, folder: str) -> None:
    spec = spec_in(tmp_path / folder, name="OLTP 100%")
    words = ["--folder", str(tmp_path / folder), "--site", str(tmp_path / folder / "site")]
    assert run_command(["nightly", "install", str(spec), "--notify", *words]) == ExitCode.PASS
    names = sorted(path.name for path in units.iterdir())
    assert names == ["iogate-nightly-oltp-100.service", "iogate-nightly-oltp-100.timer"]
    said = subprocess.run(
        ["systemd-analyze", "verify", *(str(units / name) for name in names)],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in said.stderr.splitlines() if "iogate" in line]
    assert ours == []
    assert run_command(["nightly", "uninstall", "OLTP 100%"]) == ExitCode.PASS
    assert list(units.iterdir()) == []


def test_a_night_measures_and_tells(
    units: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands of the unit, run as it says."""
    folder, store = tmp_path / "here", str(tmp_path / "history.sqlite")
    spec = spec_in(folder)
    (tmp_path / "config/iogate").mkdir(parents=True)
    (tmp_path / "config/iogate/notify.yaml").write_text("version: 1\nchannels: {}\n")
    words = ["--folder", str(folder), "--site", str(folder / "site"), "--store", store, "--notify"]
    assert run_command(["nightly", "install", str(spec), "--at", "Mon..Fri 22:00", *words]) == 0
    assert "enable --now iogate-nightly-oltp.timer" in capsys.readouterr().out
    assert settings_of(units / "iogate-nightly-oltp.timer")["OnCalendar"] == ["Mon..Fri 22:00"]
    settings = settings_of(units / "iogate-nightly-oltp.service")
    assert len(settings["ExecStart"]) == 1
    assert len(settings["ExecStopPost"]) == 2
    for command in (*settings["ExecStart"], *settings["ExecStopPost"]):
        done = subprocess.run(
            shlex.split(command),
            cwd=settings["WorkingDirectory"][0],
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == ExitCode.PASS, done.stderr
    assert (folder / "site/index.html").exists()
    assert (folder / "iogate-runs").is_dir()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
@pytest.mark.parametrize(
    ("zone", "eve"),
    [("Europe/Berlin", "2026-03-28 12:00"), ("America/New_York", "2026-03-07 12:00")],
)
def test_no_night_is_left_out_when_clocks_go_forward(
    units: Path, tmp_path: Path, zone: str, eve: str
) -> None:
    """Where 02:30 is no time that night, a timer for it waits for the next one."""
    assert run_command(["nightly", "install", str(spec_in(tmp_path / "here"))]) == ExitCode.PASS
    (when,) = settings_of(units / "iogate-nightly-oltp.timer")["OnCalendar"]
    said = subprocess.run(
        ["systemd-analyze", "calendar", f"--base-time={eve}", "--", when],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    day = int(eve[8:10]) + 1
    assert f"2026-03-{day:02}" in said.stdout


def test_units_of_somebody_else_stay(
    units: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units.mkdir(parents=True)
    theirs = units / "iogate-nightly-oltp.timer"
    theirs.write_text("[Timer]\nOnCalendar=daily\n")
    spec = spec_in(tmp_path / "here")
    assert run_command(["nightly", "install", str(spec)]) == ExitCode.REFUSED
    assert run_command(["nightly", "uninstall", "oltp"]) == ExitCode.REFUSED
    assert "was not made by iogate nightly" in capsys.readouterr().err
    assert [path.name for path in units.iterdir()] == [theirs.name]


@pytest.mark.parametrize("name", ["oltp", "OLTP!"])
def test_units_of_another_spec_stay(
    units: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Specs of one name, and names that are the same to systemd."""
    first = spec_in(tmp_path / "one place")
    assert run_command(["nightly", "install", str(first)]) == ExitCode.PASS
    written = (units / "iogate-nightly-oltp.service").read_text()
    second = spec_in(tmp_path / "other", name)
    assert run_command(["nightly", "install", str(second)]) == ExitCode.REFUSED
    told = capsys.readouterr().err
    assert "iogate-nightly-oltp.service measures another spec" in told
    assert f"iogate nightly uninstall {shlex.quote(name)}" in told
    assert (units / "iogate-nightly-oltp.service").read_text() == written
    assert run_command(["nightly", "install", str(first), "--at", "04:00"]) == ExitCode.PASS
    assert settings_of(units / "iogate-nightly-oltp.timer")["OnCalendar"] == ["04:00"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--at", "25:99"], "is no time to systemd"),
        (["--at", "02:30\nWantedBy=x"], "is no time to systemd"),
        (["--folder", "a\nExecStart=/bin/true"], "in a unit of systemd"),
        (["--wait", "long"], "is not a time"),
    ],
)
def test_what_no_unit_can_say_is_refused(
    units: Path, tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_in(tmp_path / "here")
    assert run_command(["nightly", "install", str(spec), *words]) == ExitCode.USAGE
    assert said in capsys.readouterr().err
    assert not units.exists()


def test_a_wrong_spec_and_an_absent_unit_are_told(
    units: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.yaml").write_text("version: 1\nworkload: {}\n")
    assert run_command(["nightly", "install", str(tmp_path / "b.yaml")]) == ExitCode.USAGE
    assert run_command(["nightly", "uninstall", "none"]) == ExitCode.USAGE
    assert f"there is no iogate-nightly-none.timer in {units}" in capsys.readouterr().err


def test_a_dry_run_prints_and_writes_nothing(
    units: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["nightly", "install", str(spec_in(tmp_path / "x")), "--dry-run"]) == 0
    assert "# iogate-nightly-oltp.timer\n" in capsys.readouterr().out
    assert not units.exists()


def test_a_night_may_be_measured_by_fio(units: Path, tmp_path: Path) -> None:
    spec = str(spec_in(tmp_path / "lab"))
    service = units / "iogate-nightly-oltp.service"
    assert run_command(["nightly", "install", spec, "--engine", "fio"]) == ExitCode.PASS
    assert " --engine fio " in settings_of(service)["ExecStart"][0]
    assert run_command(["nightly", "install", spec]) == ExitCode.PASS
    assert "--engine" not in settings_of(service)["ExecStart"][0]


def test_nights_of_another_machine_are_measured_there(
    units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And beside those of this one: they have units of their own."""
    spec = spec_in(tmp_path / "here")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab.yaml").write_text("version: 1\n")
    words = ["--folder", str(tmp_path / "here"), "--site", str(tmp_path / "site")]
    for there in (["--machine", "ssh:lab3"], ["--machine", "host:lab.yaml"], []):
        assert run_command([*there, "nightly", "install", str(spec), *words]) == ExitCode.PASS
    for name, machine in (
        ("iogate-nightly-oltp-ssh-lab3", ["ssh:lab3"]),
        ("iogate-nightly-oltp", []),
    ):
        settings = settings_of(units / f"{name}.service")
        called = shlex.split(settings["ExecStart"][0])
        assert called[called.index("run") - 2 * len(machine) : called.index("run")] == [
            word for each in machine for word in ("--machine", each)
        ]
        assert "--machine" not in settings["ExecStopPost"][0]
    (whole,) = units.glob("iogate-nightly-oltp-host-*.service")
    assert f"--machine host:{tmp_path}/lab.yaml run" in whole.read_text()
    assert run_command(["--machine", "ssh:lab3", "nightly", "uninstall", "oltp"]) == ExitCode.PASS
    left = {path.name for path in units.iterdir()}
    assert "iogate-nightly-oltp.timer" in left
    assert "iogate-nightly-oltp-ssh-lab3.timer" not in left


def test_nights_that_could_only_fail_are_refused(
    units: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_in(tmp_path / "here")
    words = ["nightly", "install", str(spec), "--dry-run"]
    assert run_command([*words, "--folder", str(tmp_path / "nowhere")]) == ExitCode.USAGE
    assert "there is no folder" in capsys.readouterr().err
    assert run_command(["--machine", "shh:lab3", *words]) == ExitCode.USAGE
    assert "there is no machine 'shh:lab3'" in capsys.readouterr().err
    assert run_command([*words, "--user", "nosuchuser"]) == ExitCode.USAGE
    told = "this host has no user nosuchuser" if os.geteuid() == 0 else "only root"
    assert told in capsys.readouterr().err
    assert not units.exists()


def test_the_helper_of_another_machine_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--machine", "ssh:lab3", "host", "show"]) == ExitCode.USAGE
    assert "not on ssh:lab3" in capsys.readouterr().err
