"""Whatever names say, no terminal and no CI log obeys what a command prints."""

from __future__ import annotations

import ast
import json
import unicodedata
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.cli import COMMANDS
from iogate.cli.entry import run_command
from iogate.cli.say import harmless_json
from iogate.gate.judge import judge
from iogate.model.run import CaseFailure, Host, Revision, Run, RunStatus
from iogate.store import open_store
from support import samples as s

CLI = Path(__file__).resolve().parents[3] / "runner" / "iogate" / "cli"
EVIL = "##[error]x\n::error::y\r##[add-mask]\x1b[31mz\x9b\u202e\u2066"
PRINTERS = ("echo", "secho", "echo_via_pager", "print", "write", "writelines")
# What prints otherwise, and why it may.
OTHERS = {
    "__init__.py": "the version and the help, before anything is imported",
    "init.py": "writes files",
    "progress.py": "tamed as well; the live display is a terminal's alone",
    "run.py": "a constant, within a handler of a signal",
    "history/export.py": "a table for programs, in the form that was asked for",
    "say.py": "the one place",
    "history/shown.py": "a table of a terminal alone, of printable cells",
    "actions.py": "writes the summary of a job",
    "trend.py": "lists of whole numbers",
}


def hostile(id: str, started_ns: int) -> Run:
    limits = (s.threshold(value=50.0), s.threshold(value=1e9))
    plan = s.plan(s.case(*limits, name=EVIL), spec_name=EVIL)
    plan = replace(plan, spec_file=EVIL, spec_text="")
    measured = s.repetitions([100, 110, 120])
    measured = (replace(measured[0], warnings=(EVIL,)), *measured[1:])
    found = s.run(
        id,
        started_ns=started_ns,
        the_plan=plan,
        measurements=measured,
        status=RunStatus.INTERRUPTED,
    )
    verdict = judge(plan, measured, (), ())
    told = tuple(replace(each, reason=EVIL) for each in verdict.thresholds)
    return replace(
        found,
        host=Host(EVIL, "m" * 32),
        revision=Revision("a" * 40, EVIL, EVIL, False, EVIL),
        environment={"kernel.release": EVIL, EVIL: EVIL},
        failures=(CaseFailure(s.CASE_ID, 1, EVIL),),
        folder=EVIL,
        verdict=replace(verdict, thresholds=told, sentence=EVIL, cautions=(EVIL,)),
    )


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = str(tmp_path / "history.sqlite")
    with closing(open_store(path)) as opened:
        opened.begin_run(hostile("aaaa1111", 10**18))
        opened.begin_run(hostile("bbbb2222", 10**18 + 86_400 * 10**9))
        for n in range(2, 30):
            night = hostile(f"cccc{n:04}", 10**18 + n * 86_400 * 10**9)
            measured = s.repetitions([100 * (2 if n > 15 else 1)] * 3)
            opened.begin_run(replace(night, status=RunStatus.COMPLETE, measurements=measured))
    return path


def is_harmless(printed: str) -> bool:
    """Whether nothing in it steers a terminal or a CI log."""
    obeyed = [line for line in printed.split("\n") if line.lstrip().startswith("::")]
    steers = [c for c in printed if unicodedata.category(c)[0] == "C" and c != "\n"]
    return not obeyed and not steers and "##[" not in printed


WORDS = (
    "history --store {store}",
    "history list --store {store} --json",
    "history list --store {store} --spec {evil}x",
    "history list --store {store} --host {evil}",
    "history show aaaa1111 --store {store}",
    "history show aaaa1111 --store {store} --json",
    "history show {evil} --store {store}",
    "history compare aaaa1111 bbbb2222 --store {store}",
    "history compare aaaa1111 bbbb2222 --store {store} --json",
    "history remove --store {store} --before 2100-01-01",
    "history prune --store {store} --dry-run",
    "history verify --store {store}",
    "history import {evil} --store {store}",
    "history import fio {evil} --store {store}",
    "trend {evil} --store {store}",
    "trend {evil} --store {store} --json",
    "trend {evil}x --store {store}",
    "trend {evil} --store {store} --gate --metric {evil}",
    "fleet {evil} --store {store}",
    "fleet {evil} --store {store} --json",
    "plan {spec} --store {store}",
    "site {folder}/##[error]site --store {store}",
    "notify --settings {settings} --store {store} --dry-run",
    "report {run}",
    "report {evil} --store {store}",
    "validate {evil}.yaml",
    "validate {spec}",
    "validate {spec} --set {evil}=1",
    "compile {spec}",
    "compile {spec} --json",
    "compile {spec} --output {folder}/{evil}",
    "compile {spec} --case {evil}",
    "run {spec} --dry-run",
    "run {spec} --dry-run --engine {evil}",
    "ack {evil} {evil} --store {store}",
    "init {folder}/##[error]init.yaml",
    "init {evil}/x.yaml",
    "doctor --target {evil}",
    "--machine {evil} doctor",
    "{evil}",
    "schema {evil}",
    "bisect {spec} --good {evil} --bad {evil}",
)


@pytest.mark.parametrize("words", WORDS)
def test_no_command_prints_what_a_name_says_to_a_ci_system(
    words: str,
    store: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "##[error]q.yaml"
    name = json.dumps("##[error]::error::q")
    spec.write_text(
        f"version: 1\nname: {name}\ntargets: {{ d: {{ directory: auto }} }}\nworkloads:\n"
        f"  w: {{ fio: {{ rw: read, size: 1m }}, description: {name} }}\n"
    )
    settings = tmp_path / "notify.yaml"
    settings.write_text("version: 1\nchannels:\n  x: { webhook: 'http://127.0.0.1:9/##[error]' }\n")
    run = tmp_path / "##[error]run"
    run.mkdir()
    (run / "run.json").write_text(json.dumps({"schema": EVIL}))
    known = {
        "store": store, "evil": EVIL, "spec": str(spec), "settings": str(settings),
        "folder": str(tmp_path), "run": str(run),
    }  # fmt: skip
    run_command([word.format(**known) for word in words.split()])
    out, err = capsys.readouterr()
    assert is_harmless(out), out
    assert is_harmless(err), err
    assert out or err


@given(st.text(st.sampled_from('#["\\\n\x1b\x7f\x9b\u202e\U000e0001\ud800ü ')))
def test_harmless_json_is_the_same_document(text: str) -> None:
    for plain in (True, False):
        for indent in (None, 1):
            whole = json.dumps({text: [text]}, ensure_ascii=plain, indent=indent)
            made = harmless_json(whole)
            assert json.loads(made) == {text: [text]}
            assert is_harmless(made)


def test_json_that_is_harmless_is_as_it_was() -> None:
    assert harmless_json('{"a": "ü # [x] ::"}') == '{"a": "ü # [x] ::"}'


@pytest.mark.parametrize("file", sorted(CLI.rglob("*.py")), ids=lambda file: file.stem)
def test_commands_print_through_one_door(file: Path) -> None:
    """So that no new one forgets what names may say."""
    if str(file.relative_to(CLI)) in OTHERS:
        return
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            assert name not in PRINTERS, f"{file}:{node.lineno}: print it with say"


def test_what_prints_otherwise_is_there() -> None:
    assert all((CLI / name).is_file() for name in OTHERS)
    assert COMMANDS
