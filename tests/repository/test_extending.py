"""docs/extending.md is followed section by section, in a copy of the sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from repository.tree import ROOT, tracked
from support.quiet import never_disturbed

TEXT = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"(?:^`(?P<path>[^`\n]+)`[^`\n]*:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
SOURCES = ("runner/", "reports/", "native/", "pyproject.toml")
COPIED = {
    *("runner", "reports", "native", "schemas", "specs", "scripts", "share", "docs"),
    *("pyproject.toml", ".gitignore"),
}
# What a section adds to files that are there, where that is not one line in all, beside no new file
# or one; a row of a table is as many lines as its help needs.
MORE = {
    "A store": (1, {"runner/iogate/store/__init__.py": 1, "pyproject.toml": 1}),
    "An option": (
        0,
        {
            "native/src/job/job.h": 1,
            "native/src/jobfile/options_amount.c": 2,
            "native/src/target/target_extent.c": 1,
            "runner/iogate/spec/options/reach.py": 1,
        },
    ),
}
# What the commands of a section make anew.
MADE = {
    "An option": {
        *("runner/iogate/jobs/engine_table.py", "schemas/spec.schema.json", "docs/options.md"),
        "native/fuzz/corpus_jobfile/table-amount-of-i-o.fio",
        "native/fuzz/corpus_options/table-amount-of-i-o",
        *("share/man/man5/iogate-engine-job.5", "share/man/man5/iogate-spec.5"),
    }
}
NOT_OURS = ("GITHUB_", "IOGATE_ENGINE")
INTRODUCTION, *SECTIONS = re.split(r"^## ", TEXT, flags=re.MULTILINE)
NAMES = [section.partition("\n")[0] for section in SECTIONS]


@dataclass(frozen=True)
class Copy:
    """The sources in a folder of their own, and a folder to work in."""

    sources: Path
    work: Path

    def git(self, *words: str) -> str:
        return self.sh("git " + " ".join(words), self.sources)

    def sh(self, command: str, folder: Path | None = None) -> str:
        env = {
            **{key: value for key, value in os.environ.items() if not key.startswith(NOT_OURS)},
            "PATH": f"{self.work}/bin:{self.sources}/native/build:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.sources}/runner:{self.sources}/reports",
            "XDG_DATA_HOME": f"{self.work}/data",
            "XDG_STATE_HOME": str(never_disturbed(self.work / "state")),
            "IOGATE_SCRATCH": str(self.work),
            "SOURCES": str(self.sources),
        }
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder or self.work,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    made = Copy(tmp_path / "sources", tmp_path / "work")
    for path in tracked():
        name = path.relative_to(ROOT)
        if name.parts[0] in COPIED:
            (made.sources / name.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, made.sources / name)
    for folder in ("schemas", "specs"):
        (made.sources / "runner/iogate" / folder).symlink_to(f"../../{folder}")
    (made.work / "bin").mkdir(parents=True)
    for program, words in (("iogate", "-m iogate"), ("python3", "")):
        file = made.work / "bin" / program
        file.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        file.chmod(0o755)
    made.git("init -q . && git add -A && git -c user.name=x -c user.email=x commit -qm before")
    return made


def added(text: str, diff: str) -> str:
    """A text with the lines that a diff adds, where the lines around them are."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines)
    assert text.count(before) == 1, f"these lines stand {text.count(before)} times:\n{before}"
    return text.replace(before, after)


def put(copy: Copy, path: str, kind: str, text: str) -> None:
    """A block of the page into its file."""
    file = (copy.sources if path.startswith(SOURCES) else copy.work) / path
    file.write_text(added(file.read_text(), text) if kind == "diff" else text)


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command with the parts of its output that are shown."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def follow(copy: Copy, text: str) -> None:
    for block in BLOCK.finditer(text):
        if block["kind"] == "console":
            for command, shown in commands(block["text"]):
                said = copy.sh(command)
                assert all(line in said for line in shown), f"$ {command}\n{said}"
        else:
            put(copy, block["path"], block["kind"], block["text"])


@pytest.mark.parametrize("section", SECTIONS, ids=NAMES)
def test_one_file_and_one_line(copy: Copy, section: str) -> None:
    follow(copy, INTRODUCTION)
    follow(copy, section)
    name = section.partition("\n")[0]
    new = copy.git("ls-files --others --exclude-standard").split()
    changed = [line.split("\t") for line in copy.git("diff --numstat").splitlines()]
    added_lines = {path: int(more) for more, _, path in changed if path not in MADE.get(name, ())}
    files, lines = MORE.get(name, (1, None))
    assert len(new) == files, new
    assert [gone for _, gone, path in changed if path in added_lines] == ["0"] * len(added_lines)
    if lines:
        assert added_lines == lines
    else:
        assert list(added_lines.values()) == [1], added_lines
    assert MADE.get(name, set()) <= {path for _, _, path in changed}


def test_a_step_that_does_not_fit_is_noticed(copy: Copy) -> None:
    section = SECTIONS[0].replace('"system",', '"systems",')
    with pytest.raises(AssertionError, match="these lines stand 0 times"):
        follow(copy, section)
