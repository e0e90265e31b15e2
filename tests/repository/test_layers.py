"""The rooms of the runner: a module in none of them fails lint, and an import that goes up."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from repository.tree import ROOT


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources, to be broken."""
    for name in ("runner/iogate", "reports/iogate_reports"):
        ignored = shutil.ignore_patterns("__pycache__", "schemas", "specs", "assets")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(copy: Path) -> subprocess.CompletedProcess[str]:
    """import-linter in the copy, with the copy's own modules."""
    return subprocess.run(
        ["lint-imports", "--no-cache"],
        cwd=copy,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{copy}/runner:{copy}/reports"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_sources_pass(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "module",
    [
        "iogate.loose",
        "iogate.host.loose",
        "iogate.spec.loose",
        "iogate.store.loose",
        "iogate_reports.loose",
    ],
)
def test_a_module_in_no_layer(copy: Path, module: str) -> None:
    side = "reports" if module.startswith("iogate_reports") else "runner"
    (copy / side / f"{module.replace('.', '/')}.py").write_text("")
    done = lint(copy)
    assert done.returncode == 1
    assert module in done.stdout


@pytest.mark.parametrize(
    ("path", "room", "above"),
    [
        ("runner/iogate/gate/judge.py", "iogate.gate", "iogate.run"),
        ("reports/iogate_reports/charts/cdf.py", "iogate_reports.charts", "iogate_reports.render"),
    ],
)
def test_an_import_that_goes_up(copy: Path, path: str, room: str, above: str) -> None:
    with (copy / path).open("a") as file:
        file.write(f"\nimport {above}\n")
    done = lint(copy)
    assert done.returncode == 1
    assert f"{room} is not allowed to import {above}" in done.stdout


def test_one_backend_that_asks_the_other(copy: Path) -> None:
    with (copy / "runner/iogate/store/influx/points.py").open("a") as file:
        file.write("\nimport iogate.store.sqlite.nights\n")
    done = lint(copy)
    assert done.returncode == 1
    assert "iogate.store.influx is not allowed to import iogate.store.sqlite" in done.stdout


def test_a_report_that_asks_the_store(copy: Path) -> None:
    (copy / "reports/iogate_reports/wrong.py").write_text("import iogate.store\n")
    done = lint(copy)
    assert done.returncode == 1
    assert "iogate_reports is not allowed to import iogate.store" in done.stdout
