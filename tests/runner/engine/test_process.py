"""Supervision, tried on shell scripts that behave and misbehave."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from iogate.engine import process as supervision
from iogate.engine.base import EngineJob, Stop
from iogate.engine.process import Ending, log_tail, log_text, require_orderly_end, supervise
from iogate.errors import EngineError
from iogate.sut.base import Process
from iogate.sut.local import LocalSut

STUBBORN = "trap '' INT TERM; echo ready >&$0; while :; do sleep 0.05; done"
POLITE = "trap 'echo stopped >&$0; exit 7' INT; echo ready >&$0; while :; do sleep 0.05; done"


@pytest.fixture(autouse=True)
def quick_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = ((0.0, signal.SIGINT), (0.2, signal.SIGTERM), (0.4, signal.SIGKILL))
    monkeypatch.setattr(supervision, "_STEPS", steps)


def start(tmp_path: Path, script: str) -> Process:
    log = str(tmp_path / "log")
    words = ["bash", "-c", script, "{status_fd}"]
    return LocalSut().start(words, cwd=str(tmp_path), stdout=log, stderr=log)


def watch(process: Process, *, stop_at: str | None = None, timeout_s: float = 30.0) -> Ending:
    """Supervise; ask for a stop when a status line says ``stop_at``."""
    stop = Stop()

    def on_lines(lines: list[str]) -> None:
        stop.requested = stop.requested or stop_at in lines

    return supervise(process, timeout_s=timeout_s, stop=stop, on_lines=on_lines)


def test_an_end_of_its_own(tmp_path: Path) -> None:
    ending = watch(start(tmp_path, "exit 3"))
    assert ending == Ending(3, stopped=False, timed_out=False)
    assert ending.signal_name is None


def test_a_stop_lets_it_finish_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = ((0.0, signal.SIGINT), (30.0, signal.SIGKILL))  # whatever else runs here
    monkeypatch.setattr(supervision, "_STEPS", patient)
    assert watch(start(tmp_path, POLITE), stop_at="ready").status == 7


def test_a_stop_ends_even_what_ignores_it(tmp_path: Path) -> None:
    ending = watch(start(tmp_path, STUBBORN), stop_at="ready")
    assert ending == Ending(-signal.SIGKILL, stopped=True, timed_out=False)


def test_too_long(tmp_path: Path) -> None:
    ending = watch(start(tmp_path, STUBBORN), timeout_s=0.3)
    assert ending.timed_out
    assert ending.signal_name == "SIGKILL"


def test_a_process_that_closes_its_pipe_is_still_waited_for(tmp_path: Path) -> None:
    script = 'eval "exec $0>&-"; sleep 0.2; exit 4'
    assert watch(start(tmp_path, script)).status == 4


def test_a_status_without_an_end_is_not_kept(tmp_path: Path) -> None:
    """A hostile engine could fill this process's memory with one line."""
    flood = "head -c 3000000 /dev/zero | tr '\\0' x >&$0; echo >&$0; echo ready >&$0; sleep 0.2"
    seen: list[str] = []
    supervise(start(tmp_path, flood), timeout_s=60, stop=Stop(), on_lines=seen.extend)
    assert "ready" in seen
    assert max(map(len, seen)) < 200_000


def test_nothing_is_left_when_the_watcher_fails(tmp_path: Path) -> None:
    process = start(tmp_path, STUBBORN)

    def fail(_lines: list[str]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supervise(process, timeout_s=30, stop=Stop(), on_lines=fail)
    time.sleep(0.05)
    assert not Path(f"/proc/{process.pid}").exists()


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (Ending(-9, stopped=False, timed_out=False), "killed by SIGKILL"),
        (Ending(-64, stopped=False, timed_out=False), "killed by SIGRTMAX"),
        (Ending(0, stopped=True, timed_out=False), "was interrupted"),
        (Ending(0, stopped=False, timed_out=True), "did not end within 5 s"),
    ],
)
def test_a_disorderly_end_is_told_with_what_is_kept(ending: Ending, said: str) -> None:
    job = EngineJob("j", "/raw.json", "/log", "/", timeout_s=5)
    with pytest.raises(EngineError, match=said) as caught:
        require_orderly_end("engine", ending, job)
    assert "/raw.json" in caught.value.remedy


def test_the_last_words_of_an_engine(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("a\n\nb\nc\nd\n")
    job = EngineJob("j", "r", str(log), "/", timeout_s=5)
    assert log_tail(log_text(LocalSut(), job)) == "b; c; d"


def test_last_words_that_are_a_book_are_cut() -> None:
    said = log_tail("x" * 5_000_000 + "\nno space")
    assert len(said) < 2000
    assert said.endswith("…; no space")
