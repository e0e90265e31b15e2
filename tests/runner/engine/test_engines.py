"""What every engine of the registry must do, on real files."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.engine import ENGINES, open_engine
from iogate.engine.base import Engine, EngineJob, EngineResult, Progress, Stop
from iogate.engine.fio import last_document
from iogate.engine.native import PROGRAM, parse_status, warnings_of
from iogate.engine.report import require_jobs_ok
from iogate.errors import EngineError, UsageError
from iogate.model.measurement import EngineFacts
from iogate.sut.local import LocalSut
from support import samples as s
from support.devices import loop_device, needs_root, sh

QUICK = "[job]\nrw=randrw\nsize=1m\nbs=4k\nioengine=psync\ndirectory={place}\n"
ENDLESS = QUICK + "time_based\nruntime=600\n"


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return open_engine(request.param, LocalSut())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path


def job(place: Path, text: str, *, timeout_s: float = 60, readonly: bool = False) -> EngineJob:
    (place / "job.fio").write_text(text.format(place=place / "data"))
    return EngineJob(
        job_file=str(place / "job.fio"),
        result_file=str(place / "result.json"),
        log_file=str(place / "log"),
        folder=str(place),
        timeout_s=timeout_s,
        readonly=readonly,
    )


def run(engine: Engine, what: EngineJob, stop: Stop | None = None) -> EngineResult:
    return engine.run(what, on_progress=lambda _: None, stop=stop or Stop())


def test_an_unknown_engine() -> None:
    with pytest.raises(UsageError, match="no engine 'dd'"):
        open_engine("dd", LocalSut())


def test_it_says_what_it_is(engine: Engine) -> None:
    info = engine.info()
    assert info.name == engine.name
    assert Path(info.path).is_file()
    assert info.version[0].isdigit()
    assert {"psync", "libaio", "io_uring", "null"} <= set(info.ioengines)


def test_it_measures(engine: Engine, place: Path) -> None:
    result = run(engine, job(place, QUICK))
    assert not result.interrupted
    directions = result.jobs[0].directions
    assert directions["read"].total_ios + directions["write"].total_ios == 256


def test_our_engines_warnings_are_kept_with_the_result(place: Path) -> None:
    result = run(open_engine("native", LocalSut()), job(place, QUICK + "iodepth=8\n"))
    (warning,) = result.warnings
    assert "iodepth=8" in warning


def test_a_result_that_someone_else_cut_short_is_not_a_measurement(
    engine: Engine, place: Path
) -> None:
    sent: list[int] = []

    def interrupt(progress: Progress) -> None:
        if progress.rates and not sent:
            sent.extend(pid for pid in children(os.getpid()) if is_engine(pid, place))
            os.kill(sent[0], signal.SIGINT)

    with pytest.raises(EngineError, match=r"stopped by a signal|ended with status"):
        engine.run(job(place, ENDLESS), on_progress=interrupt, stop=Stop())


def test_it_shows_progress(engine: Engine, place: Path) -> None:
    seen: list[Progress] = []
    what = job(place, QUICK + "time_based\nruntime=2\n")
    engine.run(what, on_progress=seen.append, stop=Stop())
    running = [one for one in seen if one.rates]
    assert running
    assert running[0].rates["read"].iops > 0
    assert all(0 <= one.percent <= 100 for one in seen)


def test_a_stop_keeps_what_was_measured(engine: Engine, place: Path) -> None:
    stop = Stop()
    threading.Timer(1.0, lambda: setattr(stop, "requested", True)).start()
    with pytest.raises(EngineError, match="interrupted"):
        run(engine, job(place, ENDLESS), stop)
    assert '"total_ios"' in (place / "result.json").read_text()


def test_too_long(engine: Engine, place: Path) -> None:
    with pytest.raises(EngineError, match=r"did not end within 1 s") as caught:
        run(engine, job(place, ENDLESS, timeout_s=0.6))
    assert "--timeout" in caught.value.remedy


def children(of: int) -> Iterator[int]:
    for task in Path(f"/proc/{of}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def test_a_killed_engine_is_told_and_leaves_no_workers(engine: Engine, place: Path) -> None:
    pids: list[int] = []

    def kill(_: Progress) -> None:
        if not pids:
            pids.extend(pid for pid in children(os.getpid()) if is_engine(pid, place))
            pids.extend(child for pid in tuple(pids) for child in children(pid))
            os.kill(pids[0], signal.SIGKILL)

    with pytest.raises(EngineError, match="killed by SIGKILL"):
        engine.run(job(place, ENDLESS), on_progress=kill, stop=Stop())
    assert pids
    for pid in pids:
        assert not Path(f"/proc/{pid}").exists() or not is_engine(pid, place)


def is_engine(pid: int, place: Path) -> bool:
    return str(place).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_job_file_that_is_wrong(engine: Engine, place: Path) -> None:
    with pytest.raises(EngineError) as caught:
        run(engine, job(place, "[job]\nrwx=read\nsize=1m\n"))
    assert "rwx" in str(caught.value)


@needs_root
def test_a_full_disk(engine: Engine, place: Path) -> None:
    with loop_device(place, 16) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        sh("mount", device, str(place / "data"))
        try:
            with pytest.raises(EngineError, match=r"(?i)no space"):
                run(engine, job(place, QUICK.replace("1m", "64m").replace("randrw", "write")))
        finally:
            sh("umount", str(place / "data"))


@needs_root
def test_readonly_keeps_a_device_as_it_was(engine: Engine, place: Path) -> None:
    text = "[job]\nrw={rw}\nsize=1m\nbs=4k\nioengine=psync\nfilename={device}\n"
    with loop_device(place, 8) as device:
        reads = text.replace("{rw}", "read").replace("{device}", device)
        result = run(engine, job(place, reads, readonly=True))
        assert result.jobs[0].directions["read"].total_ios == 256
        Path(place / "result.json").unlink()
        writes = text.replace("{rw}", "write").replace("{device}", device)
        with pytest.raises(EngineError):
            run(engine, job(place, writes, readonly=True))
        assert not any(Path(device).read_bytes())


def test_a_missing_engine_is_told_with_where_it_was_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IOGATE_ENGINE", str(tmp_path / "nothing"))
    with pytest.raises(EngineError, match=r"no iogate-engine at \$IOGATE_ENGINE"):
        open_engine("native", LocalSut()).info()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="fio is not installed") as caught:
        open_engine("fio", LocalSut()).info()
    assert "apt-get install fio" in caught.value.remedy


def test_a_file_that_is_no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "engine").write_text("not a program")
    monkeypatch.setenv("IOGATE_ENGINE", str(tmp_path / "engine"))
    with pytest.raises(EngineError, match="does not start"):
        open_engine("native", LocalSut()).info()


STATUS = (
    '{"schema":"status/1","state":"running","elapsed_ms":1500,"percent":37.5,"eta_ms":2500,'
    '"jobs_running":2,"read":{"ios":10,"bytes":40960,"iops":20.0,"bw_bytes":81920,'
    '"clat_mean_ns":1000.5,"clat_p99_ns":2000},"write":{"ios":0,"bytes":0,"iops":0,"bw_bytes":0,'
    '"clat_mean_ns":0,"clat_p99_ns":0},"trim":{"ios":0,"bytes":0,"iops":0,"bw_bytes":0}}'
)


def test_a_status_line() -> None:
    progress = parse_status(STATUS)
    assert progress is not None
    assert (progress.state, progress.elapsed_ms, progress.percent) == ("running", 1500, 37.5)
    assert set(progress.rates) == {"read"}
    assert progress.rates["read"].clat_p99_ns == 2000


@given(st.text() | st.integers(0, len(STATUS)).map(lambda n: STATUS[:n]))
def test_any_other_line_is_passed_over(line: str) -> None:
    assert line == STATUS or parse_status(line) is None


@pytest.mark.parametrize("value", [None, "text", [], {}, 1e999, math.nan, -1, 10**30, True])
def test_a_status_of_another_form_is_passed_over_or_read(value: object) -> None:
    """An engine may be a pull request's: nothing that it says ends the run with a fault."""
    status = json.loads(STATUS)
    for key in status:
        parse_status(json.dumps({**status, key: value}))
    for key in status["read"]:
        told = parse_status(json.dumps({**status, "read": {**status["read"], key: value}}))
        for rates in told.rates.values() if told else ():
            numbers = (rates.iops, rates.bw, rates.clat_mean_ns, rates.clat_p99_ns)
            assert all(each is None or math.isfinite(each) for each in numbers)


def test_an_engine_that_warns_without_end_keeps_few_of_its_words() -> None:
    line = f"{PROGRAM}: warning: " + "x" * 5000
    kept = warnings_of("\n".join([line] * 5000 + ["that is all"]))
    assert sum(map(len, kept)) < 20_000
    assert "4,980 more" in kept[-1]
    assert warnings_of(f"a\n{PROGRAM}: warning: b\n") == ("b",)


def test_the_last_of_several_documents() -> None:
    assert last_document('fio: a message\n{\n"a": 1\n}\n{\n"a": {\n"b": 2}\n}\nfio: bye') == {
        "a": {"b": 2}
    }
    assert last_document('{"a": 1}') == {"a": 1}
    assert last_document('{\n"a": 1\n}\n{\n"a": ') == {"a": 1}
    assert last_document("fio: failed\n") is None


@pytest.mark.parametrize("text", ['\n{"a":' * 5000, "\n{" + "[" * 5000, "\n5", "[1]"])
def test_what_holds_no_document_ends_no_run(text: str) -> None:
    """An engine that fails leaves anything behind, and what it says is looked for in it."""
    assert last_document(text) is None


def test_a_document_before_many_that_are_torn_is_not_looked_for() -> None:
    """Each of them may be as long as a result can be: one after the other they took minutes."""
    torn = '\n{"a":'
    assert last_document('{"a": 1}' + torn) == {"a": 1}
    assert last_document('{"a": 1}' + torn * 100) is None


def test_of_thousands_of_jobs_that_fail_few_are_named() -> None:
    """The sentence is kept with the run, and stands in its reports and its comment."""
    one = s.job("x" * 1000)
    jobs = tuple(replace(one, name=f"{number}{one.name}", error=5) for number in range(4096))
    result = EngineResult(EngineFacts("e", "1"), jobs)
    with pytest.raises(EngineError) as raised:
        require_jobs_ok("engine", result, 1, "")
    assert raised.value.what.endswith(", and 4,088 more jobs")
    assert len(raised.value.what) < 5000
    few = replace(result, jobs=tuple(replace(one, name=name, error=5) for name in "ab"))
    with pytest.raises(
        EngineError, match=r"^job a: Input/output error, job b: Input/output error$"
    ):
        require_jobs_ok("engine", few, 1, "")
