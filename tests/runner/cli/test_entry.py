from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from iogate.cli import COMMANDS, help_text
from iogate.cli.entry import GROUP, run_command
from iogate.errors import ExitCode, Location, RefusedError, SpecError, StoreError

ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
HEAVY = {"click", "rich", "yaml", "jsonschema", "numpy", "jinja2", "iogate_reports"}


def iogate(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "iogate", *words],
        env={**ENV, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def imported(code: str) -> set[str]:
    """Top-level packages that a piece of code pulls in."""
    asked = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", asked], env=ENV, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("words", [("--help",), ("-h",), ()])
def test_help_lists_every_command(words: tuple[str, ...]) -> None:
    done = iogate(*words)
    assert done.returncode == 0
    for name, text in COMMANDS.items():
        assert f"  {name}" in done.stdout
        assert text in done.stdout


def test_the_quick_help_says_what_the_slow_one_would() -> None:
    slow = click.Context(GROUP, info_name="iogate")
    with slow:
        commands = GROUP.list_commands(slow)
    assert commands == list(COMMANDS)
    assert GROUP.help is not None
    assert GROUP.help in help_text()


def test_help_imports_nothing_heavy() -> None:
    code = "import contextlib, io\nfrom iogate.cli import help_text\nhelp_text()"
    assert not imported(code) & HEAVY


@pytest.mark.parametrize("command", ["run", "doctor", "engines", "report"])
def test_a_command_imports_only_what_it_needs(command: str) -> None:
    found = imported(f"import iogate.cli.{command}")
    allowed = {"run": {"click", "yaml", "numpy"}, "report": {"click", "yaml", "numpy"}}
    assert found & HEAVY <= allowed.get(command, {"click"})


def test_a_command_that_is_none_may_be_one_that_is_near(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_command(["histroy"]) == ExitCode.USAGE
    assert "No such command 'histroy': did you mean 'history'?" in capsys.readouterr().err
    assert run_command(["zzz"]) == ExitCode.USAGE
    assert "No such command 'zzz'." in capsys.readouterr().err


def test_a_list_of_commands_cuts_no_sentence() -> None:
    def lists(group: click.Group, context: click.Context) -> Iterator[str]:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            if group is not GROUP:  # its own list has words of its own
                yield command.get_short_help_str(65)
            if isinstance(command, click.Group):
                yield from lists(command, click.Context(command, info_name=name, parent=context))

    found = list(lists(GROUP, click.Context(GROUP, info_name="iogate")))
    assert "List runs, newest first." in found
    assert [text for text in found if text.endswith("...")] == []


def test_version() -> None:
    assert iogate("--version").stdout == "iogate, version 0.1.0\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    command = importlib.import_module(f"iogate.cli.{name}").command
    assert command.help
    subcommands = getattr(command, "commands", {}).values()
    for one in (command, *subcommands):
        for option in one.params:
            assert isinstance(option, click.Argument) or option.help, (name, option.name)


@pytest.mark.parametrize("words", [("nonsense",), ("run",), ("run", "x", "--nonsense")])
def test_a_wrong_call(words: tuple[str, ...]) -> None:
    done = iogate(*words)
    assert done.returncode == ExitCode.USAGE
    assert "Traceback" not in done.stderr
    assert "Usage: " in done.stderr


def test_interrupted_before_the_command_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    done = iogate("run", "x", PYTHONPATH=str(tmp_path))
    assert done.returncode == ExitCode.RUN_FAILED
    assert done.stderr.endswith("iogate: interrupted; what was measured is kept\n")
    assert "Traceback" not in done.stderr


WHERE = Location("a.yaml", 2, 3)
SECOND = SpecError("second", where=Location("a.yaml", 9, 1))


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (SpecError("first", where=WHERE, others=(SECOND,)), 2, "a.yaml:2:3: first"),
        (RefusedError("no", remedy="do this"), 3, "no\n  do this"),
        (StoreError("broken"), 4, "broken"),
        (KeyboardInterrupt(), 4, "interrupted"),
        (OSError(28, "No space left on device", "/x"), 4, "/x: No space left on device"),
        (ZeroDivisionError("oops"), 4, "internal error: ZeroDivisionError: oops"),
        (click.UsageError("bad"), 2, "bad"),
    ],
)
def test_every_error_is_one_message_and_its_exit_code(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_args: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(GROUP, "main", fail)
    assert run_command([]) == code
    out = capsys.readouterr()
    assert said in out.err
    assert "Traceback" not in out.err
    assert not out.out
    if isinstance(error, SpecError):
        assert "a.yaml:9:1: second" in out.err


@pytest.mark.parametrize("words", [["run", "none.yaml"], ["run", "--no-such-option"]])
def test_an_error_that_nobody_reads_has_its_exit_code(words: list[str]) -> None:
    """As in ``iogate … 2>&1 | head`` of a shell that looks at every status of a pipe."""
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    with os.fdopen(write_fd) as closed:
        command = [sys.executable, "-m", "iogate", *words]
        done = subprocess.run(command, env=ENV, stdout=closed, stderr=closed, check=False)
    assert done.returncode == ExitCode.USAGE


def test_a_pipe_that_closes_early() -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    with os.fdopen(write_fd) as closed:
        done = subprocess.run(
            [sys.executable, "-m", "iogate", "engines"],
            env=ENV,
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    said = done.stderr
    assert done.returncode == ExitCode.RUN_FAILED
    assert "Traceback" not in said
    assert "Exception ignored" not in said


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&-", "0<&- 1>&- 2>&-"])
def test_streams_that_are_closed_change_no_exit_code_and_no_file(
    tmp_path: Path, closed: str
) -> None:
    """The next file that is opened would have their number, and be written by what is printed."""
    spec = (
        "version: 1\nname: closed\nvalidity: { off: all }\ntargets: { d: { directory: . } }\n"
        "workloads: { w: { fio: { ioengine: 'null', rw: read, size: 1m }, repetitions: 1,"
        " thresholds: { read.iops: '> 9000000M' } } }\n"
    )
    (tmp_path / "spec.yaml").write_text(spec)
    calls = (
        ("run spec.yaml --store s.sqlite --wait 300s", ExitCode.FAIL),
        ("history verify --store s.sqlite", ExitCode.PASS),
        ("history list --store s.sqlite", ExitCode.PASS),
        ("history export --store s.sqlite", ExitCode.PASS),
        ("run none.yaml", ExitCode.USAGE),
        ("--help", ExitCode.PASS),
    )
    for words, code in calls:
        line = f"exec {sys.executable} -m iogate {words} {closed}"
        done = subprocess.run(
            ["sh", "-c", line], env=ENV, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (words, done.returncode, done.stderr) == (words, code, done.stderr)
        assert "internal error" not in done.stderr


def test_a_reader_of_the_help_may_leave_early() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "iogate", "--help"],
        env=ENV, stdout=write, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("iogate ", "plain,validate"),
        ("iogate val", "plain,validate"),
        ("iogate run --eng", "plain,--engine"),
        ("iogate run --engine n", "plain,native"),
        ("iogate run qui", "plain,quick"),
        ("iogate host sh", "plain,show"),
    ],
)
def test_a_shell_is_told_how_words_go_on(words: str, offered: str) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = iogate(_IOGATE_COMPLETE="bash_complete", **asked)
    assert done.returncode == 0, done.stderr
    assert offered in done.stdout.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_asks_iogate(shell: str) -> None:
    done = iogate("completion", shell)
    assert done.returncode == 0
    assert f"_IOGATE_COMPLETE={shell}_complete" in done.stdout


def test_bash_completes_with_the_script(tmp_path: Path) -> None:
    script = tmp_path / "iogate.bash"
    script.write_text(iogate("completion", "bash").stdout)
    program = tmp_path / "iogate"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m iogate "$@"\n')
    program.chmod(0o755)
    asks = "COMP_WORDS=(iogate vali); COMP_CWORD=1; _iogate_completion iogate; echo ${COMPREPLY[@]}"
    done = subprocess.run(
        ["bash", "-c", f". {script}; {asks}"],
        env={**ENV, "PATH": f"{tmp_path}:{ENV['PATH']}"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "validate"
