"""The tree: what every file keeps to, and what decisions and documents must have."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from iogate.cli import COMMANDS
from iogate.errors import ExitCode
from repository.tree import ROOT, texts, tracked
from support.engine_runs import built_engine

README = (ROOT / "README.md").read_text(encoding="utf-8")
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
# Registry mirrors and machine paths: the project does not depend on where it was written.
FOREIGN = re.compile(
    r"/wor[k]/|\bissue [0-9]+\b|/tmp/b[r]ief|pkg\.d[e]v\b|artifact-?r[e]gistry"
    r"|--(extra-)?index-u[r]l",
    re.IGNORECASE,
)
URL = re.compile(r"https?://([A-Za-z0-9.-]+)")
C_WIDTH = 100


def test_nothing_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        if FOREIGN.search(line.replace("--no-emit-index-url", ""))
    ]
    assert not found


@pytest.mark.parametrize(
    "lock",
    [f"requirements{name}.lock" for name in ("", "-audit", "-dev", "-docs", "-programs")],
)
def test_every_locked_package_has_its_hash_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    packages = re.findall(
        r"^[a-z0-9].*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", text, re.MULTILINE
    )
    names = re.findall(r"^[a-z0-9][^\n]*==", text, re.MULTILINE)
    assert len(packages) == len(names) > 10
    assert not URL.search(text)


def test_the_environment_for_tests_holds_the_one_for_runs() -> None:
    def pins(name: str) -> set[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return set(re.findall(r"^[a-z0-9][^ \n]*==[^ \n]*", text, re.MULTILINE))

    assert pins("requirements.lock") <= pins("requirements-dev.lock")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an sdist holds no links")
@pytest.mark.parametrize("name", ["schemas", "specs"])
def test_the_package_sees_the_top_level_folders(name: str) -> None:
    link = ROOT / "runner" / "iogate" / name
    assert link.is_symlink()
    assert link.resolve() == ROOT / name


def test_c_sources_use_tabs_and_short_lines() -> None:
    found = [
        f"{path}:{number}"
        for path, text in texts(".c", ".h").items()
        for number, line in enumerate(text.splitlines(), 1)
        if line != line.rstrip() or line.startswith("    ") or len(line.expandtabs(8)) > C_WIDTH
    ]
    assert not found


def test_every_source_says_its_licence_or_is_covered_by_the_one_at_the_top() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert '\nlicense = "Apache-2.0 AND ' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def python_functions() -> dict[str, int]:
    """Every Python function of the product and its length in lines."""
    return {
        f"{path}:{node.name}:{node.lineno}": node.end_lineno - node.lineno + 1
        for path, text in texts(".py").items()
        if path.parts[0] in ("runner", "reports")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    }


def test_python_functions_are_short() -> None:
    lengths = python_functions()
    assert [name for name, length in lengths.items() if length > 70] == []
    assert sum(length > 36 for length in lengths.values()) <= len(lengths) // 20


def test_files_are_short() -> None:
    longest = [
        f"{path}: {text.count(chr(10))} lines"
        for path, text in texts(".py", ".c", ".h").items()
        if text.count("\n") > 600
    ]
    assert not longest


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_states_its_criteria_first(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert re.match(r"# \d{4} ", text)
    assert text.startswith(f"# {path.name[:4]} ")
    assert heads[0] == "Criteria"
    assert "Decision" in heads


def test_there_are_decisions() -> None:
    assert len(DECISIONS) >= 5
    numbers = [path.name[:4] for path in DECISIONS]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    reference = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"## iogate {name}\n" in reference


@pytest.mark.parametrize("code", ExitCode)
def test_the_readme_says_every_exit_code(code: ExitCode) -> None:
    assert f"| {int(code)} | {code.meaning} |" in README


def test_what_the_readme_tells_to_run_exists() -> None:
    blocks = "\n".join(re.findall(r"```(?:console|bash|sh)\n(.*?)```", README, re.DOTALL))
    scripts = set(re.findall(r"^\$ (scripts/\w+)", blocks, re.MULTILINE))
    assert {"scripts/demo", "scripts/test"} <= scripts
    assert all(os.access(ROOT / script, os.X_OK) for script in scripts)
    commands = set(re.findall(r"iogate ([a-z]+)", blocks))
    assert commands
    assert commands <= set(COMMANDS)


def test_the_spec_in_the_readme_is_one(tmp_path: Path) -> None:
    (spec,) = re.findall(r"```yaml\n(version: 1\n.*?)```", README, re.DOTALL)
    (tmp_path / "gate.yaml").write_text(spec)
    command = [sys.executable, "-m", "iogate", "validate", "gate.yaml"]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/runner:{ROOT}/reports"}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    line = next(n for n, text in enumerate(spec.splitlines(), 1) if ">= 180k" in text)
    assert f"gate.yaml:{line}:" in README


def test_links_in_documents_lead_somewhere() -> None:
    broken = [
        f"{path}: {link}"
        for path, text in texts(".md").items()
        for link in re.findall(r"\]\(([^)#: ]+)[^):]*\)", text)
        if not (ROOT / path.parent / link).exists()
    ]
    assert not broken


def test_what_is_generated_is_fresh() -> None:
    built_engine()  # whose option table is copied
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_left_to_do() -> None:
    words = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
    found = [
        f"{path}:{number}"
        for path, text in texts(".py", ".c", ".h", ".sh", ".yml", ".j2").items()
        for number, line in enumerate(text.splitlines(), 1)
        if words.search(line)
    ]
    assert not found


def test_no_large_files() -> None:
    assert [path.name for path in tracked() if path.stat().st_size > 500_000] == []


def test_pictures_are_small_and_of_both_schemes() -> None:
    found = {path.name: path for path in (ROOT / "docs" / "images").glob("*.png")}
    assert {f"{name}-{scheme}.png" for name in ("report", "trends", "fleet")
            for scheme in ("light", "dark")} <= set(found)  # fmt: skip
    assert all(path.stat().st_size < 200_000 for path in found.values())
