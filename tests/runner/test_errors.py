"""What is said where a package is missing that an installation may leave out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import iogate.cli
from iogate.cli.entry import run_command
from iogate.errors import ExitCode


@pytest.mark.parametrize(
    "asked",
    [
        ("urllib3", "history --store influxdb1://127.0.0.1:1/x", "influx"),
        (
            "influxdb_client.client.influxdb_client",
            "history --store influxdb://:t@127.0.0.1:1/o/x",
            "influx",
        ),
        ("starlette.applications", "serve --bind 127.0.0.1:0", "serve"),
        ("uvicorn", "serve --bind 127.0.0.1:0", "serve"),
        ("pyarrow", "history export a.parquet", "parquet"),
    ],
)
def test_what_is_missing_is_told_with_what_brings_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    asked: tuple[str, str, str],
) -> None:
    missing, words, extra = asked
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delitem(sys.modules, "iogate.cli.serving", raising=False)
    monkeypatch.delattr(iogate.cli, "serving", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    assert run_command(words.split()) == ExitCode.USAGE
    said = capsys.readouterr().err
    package = missing.partition(".")[0].replace("_", "-")
    assert f"needs the package {package}, which is not installed" in said
    assert f"pip install 'iogate[{extra}]'" in said
    assert "Traceback" not in said
