from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from iogate.cli import doctor, engines
from iogate.engine import ENGINES
from iogate.errors import ExitCode
from iogate.host.checks import Severity
from iogate.sut.local import LocalSut


def test_engines_for_people_and_machines() -> None:
    text = CliRunner().invoke(engines.command)
    assert text.exit_code == 0
    document = json.loads(CliRunner().invoke(engines.command, ["--json"]).stdout)
    assert [one["name"] for one in document["engines"]] == list(ENGINES)
    for one in document["engines"]:
        assert one["usable"], one
        assert one["path"] in text.stdout
        assert "psync" in one["ioengines"]


def test_an_engine_that_is_missing_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOGATE_ENGINE", "/no/such/engine")
    done = CliRunner().invoke(engines.command)
    assert done.exit_code == 0
    assert "native cannot be used: there is no iogate-engine at $IOGATE_ENGINE" in done.stdout
    finding = doctor.engine_finding(LocalSut())
    assert finding.severity is Severity.WARN
    monkeypatch.setenv("PATH", "/nowhere")
    assert doctor.engine_finding(LocalSut()).severity is Severity.BAD


def test_doctor_names_the_worst_first_and_what_to_do(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    done = CliRunner().invoke(doctor.command, ["--target", missing], standalone_mode=False)
    assert done.return_value == ExitCode.REFUSED
    _head, first, *_ = done.stdout.splitlines()
    assert first.startswith("BAD")
    assert f"mkdir -p {missing}" in done.stdout


def test_doctor_as_json(tmp_path: Path) -> None:
    done = CliRunner().invoke(doctor.command, ["--target", str(tmp_path), "--json"])
    document = json.loads(done.stdout)
    assert document["schema"] == "doctor/1"
    found = {check["id"]: check for check in document["checks"]}
    assert found["target"]["severity"] == "ok"
    assert found["engine"]["severity"] == "ok"
