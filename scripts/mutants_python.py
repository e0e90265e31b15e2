#!/usr/bin/env python3
"""Make small changes to the runner, one at a time, and see whether a test of its room fails.

usage: scripts/mutants_python.py [--sample N] [--seed N] [--whole] [ROOM…]
       scripts/mutants_python.py --again 'FILE:LINE: `WAS` became `BECOMES`'

Of each room (all of them unless named) --sample places are changed in one way each, chosen by
--seed; with --whole every place in every way that cosmic-ray knows. --again tries one change, as
it was printed. The tests run in a copy of the checkout: the checkout itself is never changed. As
root they run in namespaces of their own, so that what a changed runner mounts or starts goes with
them.

Exit status: 0 when at least 90 % of the mutants of each room are noticed, 1 when fewer are, 2 when
the tests fail without a change, or the call is wrong. Run by scripts/mutants, which makes the
environment with cosmic-ray; --again needs none.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory

from mutants_report import ROOT, Change, Outcome, RoomReport, known_equivalents, parsed

VENV = Path(os.environ.get("IOGATE_VENV", ROOT / ".venv"))
# A mutant may make a test wait for ever: this many times what the tests take by themselves, and
# this much for a machine that is busy.
PATIENCE, GRACE_S = 3, 30
TO_CLEAN_UP_S = 10
NO_TESTS = 5  # pytest's exit status when it found none


@dataclass(frozen=True, slots=True)
class Room:
    """Sources below runner/iogate, and the tests that are theirs below tests."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


# What every store of the registry keeps to. That a year can be kept, and served, is the whole's.
STORE_CONTRACT = tuple(
    f"contract/test_store{name}.py" for name in ("", "_semantics", "_trend", "_upkeep")
)
ROOMS: Mapping[str, Room] = {
    "gate": Room(("gate",), ("runner/gate",)),
    "stats": Room(("stats",), ("runner/stats",)),
    "baseline": Room(("history/baseline.py",), ("runner/history/test_baseline.py",)),
    "host": Room(("host",), ("runner/host",)),
    "metrics": Room(("metrics",), ("runner/metrics",)),
    "store": Room(("store",), ("runner/store", *STORE_CONTRACT)),
    "spec": Room(("spec",), ("runner/spec",)),
}


class Stopped(Exception):  # noqa: N818
    """Why nothing can be said of any mutant."""


def python_files(folder: Path, names: Sequence[str], pattern: str) -> list[str]:
    """The files that the names stand for, relative to the checkout's copy, sorted."""
    paths = [folder / name for name in names]
    files = {path for path in paths if path.is_file()}
    files |= {file for path in paths for file in path.rglob(pattern)}
    return sorted(str(file.relative_to(folder)) for file in files)


def room_of(file: str) -> str:
    """Whose sources the file is among. Stopped when it is nobody's."""
    for name, room in ROOMS.items():
        for source in room.sources:
            where = f"runner/iogate/{source}"
            if file == where or file.startswith(f"{where}/"):
                return name
    raise Stopped(f"{file} is in none of the rooms {', '.join(ROOMS)}")


@contextmanager
def copied_checkout() -> Iterator[Path]:
    """A folder with the checkout's files in `tree`; it goes at the end."""
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = {name for name in listed.stdout.split("\0") if name}
    names.add("native/build/iogate-engine")
    with TemporaryDirectory(prefix="iogate-mutants-") as work:
        Path(work).chmod(0o711)  # tests become another user, too
        for name in sorted(names):
            source, copy = ROOT / name, Path(work) / "tree" / name
            if source.is_file() or source.is_symlink():
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy2(source, copy, follow_symlinks=False)
        yield Path(work)


def confined(command: Sequence[str]) -> list[str]:
    """The command in namespaces of its own that end with this program, where we may make them."""
    if os.geteuid() != 0:
        return list(command)
    # The shell is there to reap what others leave: the first process of a namespace has to.
    return [
        *("setpriv", "--pdeathsig", "KILL"),
        *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
        *("sh", "-c", '"$@"; exit $?', "sh", *command),
    ]


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests of a room in a copy of the checkout."""

    work: Path
    files: tuple[str, ...]
    timeout_s: float
    seconds: Mapping[str, float]  # of each file, without a change

    def run(self, file: str, *options: str) -> int | None:
        """Exit status of pytest, or None when it did not end; those that mirror `file` first."""
        return pytest(self.work, sorted(self.files, key=self.order(file)), self.timeout_s, *options)

    def order(self, file: str) -> Callable[[str], tuple[bool, bool, float]]:
        """What sorts the files of tests: mirrors of the source, its folder's, then the quickest."""
        source = Path(file).relative_to("runner/iogate")
        mirror = Path("tests/runner") / source.parent

        def key(test: str) -> tuple[bool, bool, float]:
            named = Path(test).stem.startswith(f"test_{source.stem}")
            return not named, Path(test).parent != mirror, self.seconds.get(test, 0.0)

        return key


def pytest(work: Path, files: Sequence[str], timeout_s: float, *options: str) -> int | None:
    """Run it in the copy; its output is kept in `work`. None when it did not end in time."""
    tree = work / "tree"
    command = [
        *(str(VENV / "bin" / "python"), "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"),
        *("--hypothesis-seed=0", f"--basetemp={work / 'temporary'}", *options, *files),
    ]
    environment = {
        **os.environ,
        "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
        # What tests start as commands is the copy, too, not the checkout that .venv leads to.
        "PYTHONPATH": f"{tree / 'runner'}:{tree / 'reports'}",
        # A change within the second would go by a compiled file that looks new enough.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with (work / "output").open("wb") as output:
        process = subprocess.Popen(
            confined(command),
            cwd=tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end(process)
            detach_loops(work)


def end(process: subprocess.Popen[bytes]) -> None:
    """End what still runs: asked first, so that tests remove the devices that they made."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sign)
        try:
            process.wait(TO_CLEAN_UP_S)
        except subprocess.TimeoutExpired:
            continue


def detach_loops(work: Path) -> None:
    """Detach the loop devices on files below this folder, which tests had no time to."""
    if os.geteuid() != 0:
        return
    command = ["losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        device, _, backing = line.partition(" ")
        if backing.startswith(f"{work}/"):
            subprocess.run(["losetup", "--detach", device], check=False)


def tests_of(work: Path, name: str) -> Tests:
    """The tests of a room, with what each file takes. Stopped when they fail without a change."""
    tests = [f"tests/{each}" for each in ROOMS[name].tests]
    files = python_files(work / "tree", tests, "test_*.py")
    report = work / "report.xml"
    started = time.monotonic()
    status = pytest(work, files, 3600, f"--junitxml={report}")
    if status != 0:
        end_of_output = (work / "output").read_text(errors="replace")[-3000:]
        raise Stopped(f"{end_of_output}\nthe tests of {name} fail without a change")
    took = time.monotonic() - started
    seconds: dict[str, float] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314
        file = case.get("classname", "").replace(".", "/") + ".py"
        seconds[file] = seconds.get(file, 0.0) + float(case.get("time", "0"))
    return Tests(work, tuple(files), PATIENCE * took + GRACE_S, seconds)


def changed(text: str, change: Change) -> str:
    """The text with the change. Stopped when its line is another today."""
    lines = text.splitlines(keepends=True)
    line = lines[change.line - 1] if change.line <= len(lines) else ""
    if line.strip() != change.was:
        raise Stopped(f"{change.file}:{change.line} is not `{change.was}` today")
    indentation = line[: len(line) - len(line.lstrip())]
    lines[change.line - 1] = f"{indentation}{change.becomes}\n" if change.becomes else ""
    return "".join(lines)


def outcome_of(tests: Tests, change: Change, code: str) -> Outcome:
    """What the tests say when the file holds this code instead."""
    path = tests.work / "tree" / change.file
    original = path.read_text(encoding="utf-8")
    path.write_text(code, encoding="utf-8")
    try:
        status = tests.run(change.file)
    finally:
        path.write_text(original, encoding="utf-8")
    if status == NO_TESTS:
        raise Stopped(f"no test of {room_of(change.file)} was found")
    return "timed out" if status is None else "noticed" if status else "survived"


def report_on(work: Path, name: str, mutants: Sequence[tuple[Change, str]]) -> RoomReport:
    """Try each mutant of a room, saying so on standard error."""
    known = known_equivalents()
    tests = tests_of(work, name)
    outcomes: list[tuple[Change, Outcome]] = []
    for number, (change, code) in enumerate(mutants, 1):
        started = time.monotonic()
        listed = any(entry.covers(change) for entry in known)
        outcome = "equivalent" if listed else outcome_of(tests, change, code)
        outcomes.append((change, outcome))
        took = time.monotonic() - started
        say(f"[{name} {number}/{len(mutants)}] {outcome} in {took:.1f} s: {change}")
    return RoomReport("python", name, outcomes)


def say(text: str) -> None:
    """What is going on, for somebody who waits."""
    print(text, file=sys.stderr, flush=True)


def mutants_of(tree: Path, name: str, options: argparse.Namespace) -> list[tuple[Change, str]]:
    """The mutants of a room, as the options choose them: each change with the file's new code."""
    # Only here: it is in an environment of its own, and --again does without.
    from mutants_made import all_mutants, sampled_mutants

    sources = [f"runner/iogate/{source}" for source in ROOMS[name].sources]
    files = python_files(tree, sources, "*.py")
    if options.whole:
        return list(all_mutants(tree, files))
    return sampled_mutants(tree, files, options.sample, f"{options.seed} {name}")


def reports(options: argparse.Namespace) -> Iterator[RoomReport]:
    """A report on each room that was asked for."""
    with copied_checkout() as work:
        if options.again:
            change = options.again
            text = (work / "tree" / change.file).read_text(encoding="utf-8")
            mutants = [(change, changed(text, change))]
            yield report_on(work, room_of(change.file), mutants)
            return
        for name in options.rooms or ROOMS:
            yield report_on(work, name, mutants_of(work / "tree", name, options))


def main(arguments: Sequence[str]) -> int:
    """Report on every room; the exit status."""
    # Asked to end, take the copy away first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    enough = True
    try:
        for report in reports(parsed(arguments, of="the runner", whole="days", rooms=ROOMS)):
            print(*report.lines(), sep="\n", flush=True)
            enough = enough and report.enough
    except Stopped as stopped:
        say(str(stopped))
        return 2
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
