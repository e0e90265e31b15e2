"""Commands as pages show them, run as a reader would: one after the other, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from support.quiet import never_disturbed

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(
    r"(?:^`(?P<path>[^`\s]+)`:\n\n)?^(?P<indent> *)```(?P<kind>\w*)\n"
    r"(?P<text>.*?)^(?P=indent)```",
    re.MULTILINE | re.DOTALL,
)
_SHELL = {"console", "bash", "sh"}
_COMMAND = re.compile(r"^[#$] (.*<<'END'\n(?:.*\n)*?END|.*(?:\\\n.*)*)$", re.MULTILINE)
_NOT_OURS = ("GITHUB_", "IOGATE_", "INFLUX_")
CODE = "echo $?"


@dataclass(frozen=True, slots=True)
class Command:
    """What a reader types, and the lines that the page shows below it."""

    text: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class File:
    """What a reader is told to put into a file."""

    path: str
    text: str


def steps(page: str) -> Iterator[Command | File]:
    """What a page has its reader do, in its order."""
    for block in _BLOCK.finditer(page):
        if block["path"]:
            yield File(block["path"], block["text"])
        elif block["kind"] in _SHELL:
            yield from _commands(block["text"], block["kind"])


def commands(page: str) -> list[Command]:
    """The commands of a page alone."""
    return [step for step in steps(page) if isinstance(step, Command)]


def _commands(text: str, kind: str) -> Iterator[Command]:
    if kind != "console":
        yield from (Command(line) for line in text.splitlines() if line and line[0] != "#")
        return
    found = list(_COMMAND.finditer(text))
    for match, after in zip(found, [*(each.start() for each in found[1:]), None], strict=True):
        shown = text[match.end() : after].splitlines()
        yield Command(re.sub(r"\s+# .*", "", match[1]), tuple(line for line in shown if line))


@dataclass
class Reader:
    """Somebody who does what a page says, in a folder, with small sizes."""

    folder: Path
    instead: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    said: str = ""

    def __post_init__(self) -> None:
        bin_folder = self.folder / ".bin"
        bin_folder.mkdir(parents=True)
        for program, words in (("iogate", "-m iogate"), ("python3", "")):
            file = bin_folder / program
            file.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
            file.chmod(0o755)
        engine = ROOT / "native/build/iogate-engine"
        (bin_folder / "iogate-engine").symlink_to(engine)
        self.env = {
            **{key: value for key, value in os.environ.items() if not key.startswith(_NOT_OURS)},
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT / 'runner'}:{ROOT / 'reports'}",
            "IOGATE_ENGINE": str(engine),
            "IOGATE_SCRATCH": str(self.folder),
            "XDG_DATA_HOME": str(self.folder / ".data"),
            "XDG_STATE_HOME": str(never_disturbed(self.folder / ".state")),
            **{f"GIT_{who}_NAME": "A reader" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "reader@example.org" for who in ("AUTHOR", "COMMITTER")},
        }

    def smaller(self, text: str) -> str:
        for word, other in self.instead.items():
            text = text.replace(word, other)
        return text

    def put(self, file: File) -> None:
        path = self.folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.smaller(file.text))
        if file.text.startswith("#!"):
            path.chmod(0o755)

    def shell(self, command: str) -> list[str]:
        """What runs a command as the reader types it."""
        return ["bash", "-c", command]

    def type(self, command: str) -> None:
        done = subprocess.run(
            self.shell(self.smaller(command)),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        self.code, self.said = done.returncode, done.stdout + done.stderr
        assert "Traceback" not in self.said, self.said

    def follow(self, page: str) -> list[str]:
        """Do all of it. A command has to end with 0, or with what `echo $?` shows after it, and
        to print the lines that are shown, whatever their numbers. The commands that were run."""
        done = list(steps(page))
        for step, after in zip(done, [*done[1:], None], strict=True):
            if isinstance(step, File):
                self.put(step)
            elif step.text == CODE:
                assert (str(self.code),) == step.shown, self.said
            else:
                self.type(step.text)
                told = isinstance(after, Command) and after.text == CODE
                assert told or self.code == 0, f"$ {step.text}\n{self.said}"
                missing = [line for line in step.shown if not like(line).search(self.said)]
                assert not missing, f"$ {step.text}\n{missing}\n{self.said}"
        return [step.text for step in done if isinstance(step, Command)]


def like(line: str) -> re.Pattern[str]:
    """A line with any numbers, ids, bars and widths in the place of those that are shown."""
    parts = re.split(r"(…|\b[0-9a-f]{8,12}\b|[-+−]?[\d.,]+|[▁-█]+|\s+)", line.strip())
    return re.compile("".join(_anything(part) for part in parts))


def _anything(part: str) -> str:
    if part.isspace():
        return r"\s+"
    if part == "…":
        return ".*"
    if re.fullmatch(r"[0-9a-f]{8,12}", part):
        return r"\w+"
    if re.fullmatch(r"[-+−]?[\d.,]*\d[\d.,]*", part):
        return r"[-+−]?[\d.,]+"
    return r"[▁-█]+" if re.fullmatch("[▁-█]+", part) else re.escape(part)
