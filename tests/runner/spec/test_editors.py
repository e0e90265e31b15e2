"""What editors make of the schema of specs: the real yaml-language-server is asked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from iogate.spec.reading.schema import schema
from support.language_server import LanguageServer

VENV = Path(sys.prefix)
SERVER = VENV / "node_modules" / ".bin" / "yaml-language-server"


needs_server = pytest.mark.skipif(
    os.environ.get("IOGATE_SKIP_NODE") == "1", reason="IOGATE_SKIP_NODE=1: there is no server"
)


@pytest.fixture
def server() -> Path:
    assert SERVER.exists(), f"{SERVER} is missing: run scripts/test, which installs it"
    return SERVER


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "new.yaml"
    assert run_command(["init", str(path)]) == ExitCode.PASS
    return path


@needs_server
def test_a_new_spec_has_no_marks_and_its_keys_are_explained(server: Path, spec: Path) -> None:
    with LanguageServer(server, spec) as editor:
        assert editor.problems() == []
        assert "How I/O is issued" in editor.hover("ioengine:")
        assert "io_uring" in editor.hover("ioengine:")
        assert "What is measured, by name" in editor.hover("targets:")
        assert "How many of the last" in editor.hover("window:")


@needs_server
def test_axes_that_are_no_options_are_explained(server: Path, spec: Path) -> None:
    spec.write_text(
        spec.read_text().partition("version:")[0]
        + "version: 1\ntargets: { a: { directory: /a }, b: { directory: /b } }\nworkloads:\n"
        "  w:\n    fio: { rw: read, size: 1m }\n    strategy:\n      matrix:\n"
        "        target: [a, b]\n        mkfs: [default, [-m, crc=1]]\n"
        "        environment.block.scheduler: [none]\n"
        "    thresholds:\n      read.iops: vs case target=a > -5%\n"
    )
    with LanguageServer(server, spec) as editor:
        assert editor.problems() == []
        assert "Names of targets" in editor.hover("target:")
        assert "Arguments of mkfs" in editor.hover("mkfs:")
        assert "laid over" in editor.hover("environment.block.scheduler:")


@needs_server
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("ioengine: io_uring", "ioengine: io_urnig", "Value is not accepted"),
        ("rw: randread", "rw: radnread", "Value is not accepted"),
        ("runtime: 2s", "runtmie: 2s", "Property runtmie is not allowed"),
        ("on_inconclusive: warn", "on_inconclusive: wran", "Value is not accepted"),
    ],
)
def test_a_wrong_word_is_marked(
    server: Path, spec: Path, right: str, wrong: str, says: str
) -> None:
    text = spec.read_text()
    assert right in text
    spec.write_text(text.replace(right, wrong))
    with LanguageServer(server, spec) as editor:
        problems = editor.problems()
    assert len(problems) == 1, problems
    assert says in problems[0]
    marked = spec.read_text().splitlines()[int(problems[0].partition(":")[0]) - 1]
    assert wrong in marked or "runtmie" in marked or "<<" in marked


@needs_server
@pytest.mark.parametrize(
    "value", ["null", '"null"', "randread:8", "write:4k", '"${IOGATE_VAR_RW}"', "$RW"]
)
def test_what_is_right_is_not_marked(server: Path, spec: Path, value: str) -> None:
    right, key = ("ioengine: psync", "ioengine") if "null" in value else ("rw: randread", "rw")
    spec.write_text(spec.read_text().replace(right, f"{key}: {value}"))
    with LanguageServer(server, spec) as editor:
        assert editor.problems() == []


def test_every_option_has_a_text() -> None:
    options = schema()["definitions"]["fio"]["allOf"][0]["properties"]
    assert [name for name, option in options.items() if not option["description"]] == []
