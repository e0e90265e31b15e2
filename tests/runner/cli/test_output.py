"""What is printed: tables, progress, annotations, and what hostile names do to them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.cli import actions
from iogate.cli.outcome import closing_sentence, conclude, explanations, show, verdict_table
from iogate.cli.progress import PlainDisplay, open_display, rates_text, summary_text
from iogate.cli.table import defused, duration, printable, size, table
from iogate.engine.base import Progress, Rates
from iogate.errors import Location
from iogate.files.run_folder import RunFolder
from iogate.gate.judge import judge
from iogate.model.comparison import Arm, Comparison
from iogate.model.document import to_document
from iogate.model.measurement import Disturbance
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Level, Threshold
from iogate.model.verdict import Outcome
from iogate.run.finishing import Finished
from iogate.store import open_store
from support import samples as s

HOSTILE = "::error::x\r\n::add-mask::y,%0A:z\x1b[31m"


@given(st.text())
def test_printed_names_hold_no_control_characters(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert shown.isprintable() or any(c.isspace() for c in shown)
    assert not any(ord(c) < 32 or ord(c) == 127 for c in shown)


@given(st.text(alphabet=":#[] \nax"))
def test_no_line_is_a_command_of_a_ci_system(text: str) -> None:
    for line in defused(text).split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def test_columns_are_as_wide_as_they_must_be() -> None:
    made = table(("a", "bb"), [("ccc", "d"), ("e", "ffff")], right=(1,))
    assert made == "a      bb\nccc     d\ne    ffff"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.25, "0.2 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")],
)
def test_times(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_sizes() -> None:
    assert [size(n) for n in (0, 1024, 64 << 20, 20 << 30)] == ["0 B", "1 KiB", "64 MiB", "20 GiB"]


def judged(*thresholds: Threshold, name: str = "oltp/bs=4k") -> Run:
    plan = s.plan(s.case(*thresholds, name=name))
    measurements = s.repetitions([100, 100, 100])
    run = s.run(the_plan=plan, measurements=measurements)
    return replace(run, verdict=judge(plan, measurements, (), ()))


WHERE = Location("specs/x.yaml", 31, 9)
PASSES = s.threshold("write.iops", value=1.0)
WARNS = replace(s.threshold("write.clat.mean", value=1e12), level=Level.WARN, where=WHERE)
FAILS = replace(s.threshold("write.clat.mean", value=1e12), where=WHERE)


def test_failures_come_first_in_the_table() -> None:
    rows = verdict_table(judged(PASSES, FAILS)).splitlines()
    assert rows[0].split() == ["case", "metric", "value", "limit", "change", "verdict"]
    assert rows[1].endswith("fail")
    assert "write.clat.mean" in rows[1]
    assert rows[2].endswith("pass")


def test_a_comparison_shows_both_arms_and_what_a_pass_rules_out() -> None:
    limit = s.threshold("write.iops", Compare.GREATER, -0.02, relative=True)
    rule = Comparison(Arm("old"), Arm("new"), seed=1)
    plan = replace(s.plan(s.case(limit)), comparison=rule)
    values = [1000.0, 1020.0, 990.0, 1010.0]
    measurements = [
        replace(one, arm=arm, block=block)
        for arm in ("old", "new")
        for block, one in enumerate(s.repetitions(values), start=1)
    ]
    verdict = judge(plan, measurements, (), ())
    head, row = verdict_table(replace(s.run(the_plan=plan), verdict=verdict)).splitlines()
    assert head.split()[2:6] == ["base", "candidate", "change", "interval"]
    assert row.count("1.00 k/s") == 2
    assert "+0.0 %  -3.7 % … +3.8 %  vs" in row
    assert row.split()[-4] == "4"
    assert row.split()[-3].startswith("-"), "what they see is a fall of the rate"
    assert row.endswith("inconclusive")


def test_a_failure_names_the_line_of_its_threshold() -> None:
    (line,) = explanations(judged(PASSES, FAILS))
    assert line.startswith("specs/x.yaml:31:9: write.clat.mean")


def test_what_failed_is_explained_before_what_warns() -> None:
    """As in the table above it, whatever the order of the spec."""
    above = replace(WARNS, where=Location("specs/x.yaml", 12, 9))
    first, second = explanations(judged(above, FAILS))
    assert first.startswith("specs/x.yaml:31:9")
    assert second.startswith("specs/x.yaml:12:9")


def test_the_last_line_does_not_repeat_what_was_explained_above_it() -> None:
    assert closing_sentence(judged(FAILS, PASSES), tuple(Outcome)) == ("fail: 1 of 2 limits failed")
    assert closing_sentence(judged(WARNS, PASSES), tuple(Outcome)) == (
        "warn: 1 of 2 limits did not pass"
    )
    assert closing_sentence(judged(PASSES), tuple(Outcome)) == (
        "pass: the only limit holds, by a point estimate"
    )
    missing = judged(s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True))
    assert "to compare with" in closing_sentence(missing, (Outcome.FAIL, Outcome.WARN))
    assert "to compare with" not in closing_sentence(missing, tuple(Outcome))
    assert "write.clat.mean" in closing_sentence(judged(FAILS), ())


def test_an_annotation_stands_on_the_thresholds_line() -> None:
    (line,) = actions.annotation_lines(judged(PASSES, FAILS))
    assert line.startswith("::error file=specs/x.yaml,line=31,col=9,title=oltp/bs=4k%3A write.")


@given(st.text(), st.text())
def test_an_annotation_is_one_line_with_its_own_properties_whatever_the_names(
    name: str, file: str
) -> None:
    threshold = replace(FAILS, where=Location(file, 1, 1))
    (line,) = actions.annotation_lines(judged(threshold, name=name))
    assert "\n" not in line
    assert "\r" not in line
    properties = line.removeprefix("::error ").partition("::")[0]
    assert [part.partition("=")[0] for part in properties.split(",")] == [
        "file", "line", "col", "title",
    ]  # fmt: skip


def test_an_annotation_can_be_printed_though_a_path_is_no_utf_8() -> None:
    odd = replace(FAILS, where=Location("caf\udce9.yaml", 1, 1))
    (line,) = actions.annotation_lines(judged(odd, name="caf\udce9/bs=4k"))
    assert "file=caf�.yaml,line=1," in line
    assert line.encode("utf-8")


def test_json_is_all_of_stdout_in_a_workflow_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    finished = Finished(judged(FAILS), (), RunFolder(tmp_path))
    show(finished, finished.folder, as_json=True, quiet=False)
    said = capsys.readouterr()
    assert json.loads(said.out)["verdict"]["outcome"] == "fail"
    assert said.err.startswith("::error file=specs/x.yaml,line=31,")
    show(finished, finished.folder, as_json=False, quiet=False)
    assert "\n::error file=specs/x.yaml,line=31," in capsys.readouterr().out


def test_at_most_ten_annotations_of_a_type() -> None:
    lines = actions.annotation_lines(judged(WARNS, *[FAILS] * 12))
    assert [line.split()[0] for line in lines] == ["::error"] * 10 + ["::warning"]


def test_a_run_that_failed_leaves_room_for_its_message() -> None:
    broken = replace(judged(*[FAILS] * 12), status=RunStatus.FAILED)
    assert len(actions.annotation_lines(broken)) == 9


def test_the_file_of_an_annotation_is_seen_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repository" / "lab").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository" / "lab")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repository"))
    (line,) = actions.annotation_lines(judged(FAILS))
    assert line.startswith("::error file=lab/specs/x.yaml,line=31,")
    outside = replace(FAILS, where=Location("../../x.yaml", 1, 1))
    (line,) = actions.annotation_lines(judged(outside))
    assert line.startswith("::error file=../../x.yaml,line=1,")


CAUTION = (
    "write.iops of x: 2 disturbed repetitions were 46 % slower\r\n::error::y; they are not judged"
)


def cautious(*thresholds: Threshold) -> Run:
    run = judged(*thresholds)
    assert run.verdict
    return replace(run, verdict=replace(run.verdict, cautions=(CAUTION,)))


def test_what_disturbed_repetitions_may_hide_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished = Finished(cautious(PASSES), (), RunFolder(tmp_path))
    show(finished, finished.folder, as_json=False, quiet=False)
    assert (
        "\nwarning: write.iops of x: 2 disturbed repetitions were 46 %" in capsys.readouterr().out
    )
    show(finished, finished.folder, as_json=False, quiet=True)
    assert "warning:" not in capsys.readouterr().out
    *_, last = actions.annotation_lines(cautious(FAILS))
    assert last.startswith("::warning ::write.iops of x: 2 disturbed repetitions")
    assert len(last.splitlines()) == 1


def test_the_last_sentence_keeps_what_is_said_of_disturbed_repetitions() -> None:
    for limits, told in (
        ([FAILS], "1 of 1 limit failed; 2 rep"),
        ([FAILS] * 2, "s failed; 2 "),
    ):
        run = judged(*limits)
        assert run.verdict
        assert run.verdict.sentence_parts
        reason = run.verdict.sentence_parts.and_remark("2 repetitions were disturbed (x)")
        run = replace(run, verdict=run.verdict.because(reason))
        assert told in closing_sentence(run, tuple(Outcome))


def test_a_run_that_vouches_for_nothing_says_so_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for quiet in (False, True):
        show(
            Finished(judged(), (), RunFolder(tmp_path)),
            RunFolder(tmp_path),
            as_json=False,
            quiet=quiet,
        )
        assert capsys.readouterr().out.startswith(f"{actions.VOUCHES_FOR_NOTHING}\n")
    (first,) = actions.annotation_lines(judged())
    assert first.startswith("::warning title=")
    assert "%3A vouches for nothing::not judged: 1 case measured" in first
    for limit in (FAILS, PASSES):
        show(
            Finished(judged(limit), (), RunFolder(tmp_path)),
            RunFolder(tmp_path),
            as_json=False,
            quiet=True,
        )
        assert actions.VOUCHES_FOR_NOTHING not in capsys.readouterr().out
        assert not any("for nothing" in line for line in actions.annotation_lines(judged(limit)))


@pytest.mark.parametrize(
    ("limits", "word"), [([FAILS], "fail"), ([PASSES], "pass"), ([], "not judged")]
)
@pytest.mark.parametrize("quiet", [False, True])
def test_the_closing_lines_say_in_how_many_repetitions_the_disk_failed(
    limits: list[Threshold],
    word: str,
    quiet: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = judged(*limits)
    failures = [CaseFailure(s.CASE_ID, n, "EIO", {"io": {"EIO": 1}}, again=True) for n in (4, 5)]
    run = replace(run, verdict=judge(run.plan, run.measurements, failures, ()))
    show(Finished(run, (), RunFolder(tmp_path)), RunFolder(tmp_path), as_json=False, quiet=quiet)
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith(word)]
    assert line.endswith("; the disk failed in 2 repetitions, of which only the errors count")


def test_the_last_sentence_does_not_say_again_why_they_were_disturbed() -> None:
    spoiled = [replace(m, disturbances=(HOGS,)) for m in s.repetitions([100] * 3)]
    run = s.run(the_plan=s.plan(s.case(PASSES)), measurements=tuple(spoiled))
    run = replace(run, verdict=judge(run.plan, run.measurements, (), ()))
    assert HOGS.text in explanations(run)[0]
    assert closing_sentence(run, tuple(Outcome)) == (
        "warn: 1 of 1 limit did not pass; every repetition was disturbed, so none counts"
    )
    assert closing_sentence(run, ()).count(HOGS.text) == 1


def test_a_title_is_as_long_as_is_shown() -> None:
    (line,) = actions.annotation_lines(judged(FAILS, name="n" * 4000))
    assert len(line.partition("title=")[2].partition("::")[0]) < 256


def test_the_summary_is_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    actions.append_summary("one")
    actions.append_summary("two")
    assert summary.read_text() == "one\ntwo\n"
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    actions.append_summary("three")


PROGRESS = Progress(
    "running", 1500, 50.0, {"read": Rates(12_100, 49_561_600, 1_200_000, 3_400_000)}
)


def test_rates_for_people() -> None:
    assert rates_text(PROGRESS) == "read 12.1 k/s 47.3 MiB/s mean 1.20 ms p99 3.40 ms"


def test_a_repetition_for_people() -> None:
    assert summary_text(s.measurement()) == "write 1 k/s 3.91 MiB/s  (2.0 s)"


def drive(display: PlainDisplay) -> None:
    case = s.case(name=HOSTILE)
    display.repetition_started(case, 1)
    display.progressed(PROGRESS)
    display.repetition_ended(case, s.measurement())
    display.repetition_started(case, 2)
    display.repetition_failed(case, CaseFailure(case.id, 2, "the disk is gone"), "get another")
    display.close()
    display.close()


def test_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    display = open_display(3, quiet=False)
    assert isinstance(display, PlainDisplay)
    drive(display)
    first, second, third = out.getvalue().splitlines()
    assert first.startswith("[1/3] ::error::x")  # not at the start of the line: no command
    assert first.endswith("write 1 k/s 3.91 MiB/s  (2.0 s)")
    assert second.endswith("FAILED: the disk is gone")
    assert second.startswith("· ::error")
    assert third == "  get another"


HOGS = Disturbance("cpu", 0.61, 0.1, "%", "other processes used 61 % of the engine's CPUs")


def counted(*disturbed: bool, again: int, blocks: bool = False, per_boot: int = 1) -> list[str]:
    """What is said at the ends of repetitions, of which these were disturbed; in a comparison the
    arms of a block one after the other, until one of them is."""
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        display = open_display(
            len(disturbed), quiet=False, again=again, at_most=blocks, per_boot=per_boot
        )
        for number, one in enumerate(disturbed, 1):
            measured = replace(
                s.measurement(repetition=number),
                disturbances=(HOGS,) if one else (),
                block=(number - 1) // (2 * per_boot) + 1 if blocks else 0,
            )
            display.repetition_started(s.case(), number)
            display.repetition_ended(s.case(), measured)
    return [line.split()[0] for line in out.getvalue().splitlines()]


def test_a_disturbed_repetition_is_measured_again_as_often_as_the_spec_says() -> None:
    assert counted(False, True, False, again=3) == ["[1/3]", "[2/4]", "[3/4]"]
    assert counted(True, True, True, again=2) == ["[1/4]", "[2/5]", "[3/5]"]
    assert counted(True, True, again=0) == ["[1/2]", "[2/2]"]


def test_a_disturbed_block_is_measured_again_with_both_arms() -> None:
    first = counted(True, again=1, blocks=True)  # its other arm is not measured
    assert first == ["[1/≤2]"]
    second = counted(False, True, False, False, again=1, blocks=True)
    assert second == ["[1/≤4]", "[2/≤6]", "[3/≤6]", "[4/≤6]"]
    assert counted(False, True, False, True, again=1, blocks=True)[-1] == "[4/≤6]"


def test_a_block_of_boots_is_measured_again_with_all_of_their_repetitions() -> None:
    four = (False, False, True, False)
    assert counted(*four, again=1, blocks=True, per_boot=2)[2] == "[3/≤7]", "3 done, 4 of a new one"
    assert counted(*four, again=0, blocks=True, per_boot=2)[2] == "[3/≤3]", "its fourth is left out"
    assert counted(True, *four[1:], again=1, blocks=True, per_boot=2)[0] == "[1/≤5]"


def test_a_disk_that_failed_in_a_boot_has_the_whole_block_measured_again() -> None:
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        display = open_display(12, quiet=False, again=3, at_most=True, per_boot=3)
        display.repetition_ended(s.case(), replace(s.measurement(repetition=7), block=2))
        display.repetition_failed(s.case(), CaseFailure(s.CASE_ID, 8, "EIO", again=True), "")
        display.repetition_ended(s.case(), replace(s.measurement(repetition=13), block=3))
    assert out.getvalue().splitlines()[-1].startswith("[3/≤14]"), "2 of block 2, and 12 others"


def test_what_is_skipped_after_a_failure_knows_of_what_was_measured_again() -> None:
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        display = open_display(6, quiet=False, again=3)
        case = s.case()
        other = s.case(id="ff" * 8, name="other")
        display.repetition_ended(case, replace(s.measurement(), disturbances=(HOGS,)))
        display.repetition_ended(other, s.measurement(case_id=other.id))
        display.repetition_failed(case, CaseFailure(case.id, 2, "gone"), "")
        display.repetition_ended(other, s.measurement(case_id=other.id, repetition=2))
        display.repetition_ended(other, s.measurement(case_id=other.id, repetition=3))
    assert [line.split()[0] for line in out.getvalue().splitlines()][-1] == "[5/5]"


def test_quiet_says_nothing_of_what_the_report_tells(capsys: pytest.CaptureFixture[str]) -> None:
    display = open_display(3, quiet=True)
    display.waiting("another run")
    display.noted("/dev/nvme0n1 is preconditioned now: no earlier one is remembered")
    display.repetition_started(s.case(), 1)
    spoiled = replace(s.measurement(), disturbances=(HOGS,), warnings=("the file has holes",))
    display.repetition_ended(s.case(), spoiled)
    display.announce("block 1 of 3")
    display.close()
    assert capsys.readouterr().err == ""
    display.told("the engine is not confined")
    assert capsys.readouterr().err == "the engine is not confined\n"


def test_quiet_says_only_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    drive(open_display(3, quiet=True))  # type: ignore[arg-type]
    assert len(out.getvalue().splitlines()) == 2


def everything_on(master: int) -> str:
    """What a terminal got, to its end: one read gives what has arrived, and no more."""
    parts = []
    with contextlib.suppress(OSError):  # EIO: the other side is closed and all is read
        while part := os.read(master, 65536):
            parts.append(part)
    os.close(master)
    return b"".join(parts).decode()


def test_a_terminal_shows_the_live_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        drive(open_display(3, quiet=False))  # type: ignore[arg-type]
    shown = everything_on(master)
    assert "p99 3.40 ms" in shown
    assert "✓" in shown
    assert "FAILED: the disk is gone" in shown
    assert "\x1b[31m" not in shown.replace("\x1b[38", "")


def test_a_failure_of_the_disk_is_one_more_repetition_to_come() -> None:
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        display = open_display(2, quiet=False, again=3)
        display.repetition_failed(s.case(), CaseFailure(s.CASE_ID, 1, "EIO", again=True), "")
        display.repetition_ended(s.case(), s.measurement(repetition=2))
    assert "[2/3]" in out.getvalue()


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The summary of a workflow step."""
    path = tmp_path / "step.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    return path


def stands_in_the_way(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "held").touch()  # so that the document cannot be written


@pytest.mark.parametrize("name", ["report.html", "junit.xml"])
@pytest.mark.parametrize("limit", [PASSES, FAILS])
def test_all_say_that_a_report_could_not_be_written(
    name: str, limit: Threshold, tmp_path: Path, capsys: pytest.CaptureFixture[str], step: Path
) -> None:
    """Results that could not be kept come before what the limits came to."""
    stands_in_the_way(tmp_path, name)
    run, url = judged(limit), str(tmp_path / "history.sqlite")
    outcome = "pass" if limit is PASSES else "fail"
    with closing(open_store(url)) as store:
        store.add_runs([run])
    finished = Finished(run, (), RunFolder(tmp_path))
    assert conclude(finished, url, as_json=True, quiet=False) == 4
    told = json.loads(capsys.readouterr().out)
    with closing(open_store(url)) as store:
        kept = to_document(store.run(run.id))["verdict"]
    written = json.loads((tmp_path / "verdict.json").read_text())
    shown = json.loads((tmp_path / "run.json").read_text())["verdict"]
    fault = f"cannot write {tmp_path / name}: Is a directory"
    assert told["exit_code"] == 4
    for verdict in (told["verdict"], kept, written, shown):
        assert (verdict["exit_code"], verdict["fault"]) == (4, fault)
        assert verdict["outcome"] == outcome
        assert verdict["sentence"].startswith(f"run failed: {fault}; {outcome}: ")
    for document in {"summary.md", "comment.md", "report.html"} - {name}:
        assert "Is a directory" in (tmp_path / document).read_text("utf-8")
    assert step.read_text().count("# ") == 1, "it is there once"
    assert "Is a directory" in step.read_text()


def test_a_run_that_is_not_in_the_history_stays_out_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stands_in_the_way(tmp_path, "report.html")
    url = str(tmp_path / "history.sqlite")
    finished = Finished(judged(PASSES), (), RunFolder(tmp_path))
    assert conclude(finished, url, as_json=False, quiet=False) == 4
    assert "run failed: cannot write" in capsys.readouterr().out
    with closing(open_store(url)) as store:
        assert list(store.run_ids()) == []


def test_a_refusal_stays_one_where_a_report_is_lacking(tmp_path: Path) -> None:
    stands_in_the_way(tmp_path, "report.html")
    refused = s.run(outcome=replace(s.verdict(), exit_code=3, fault="the target is gone"))
    url = str(tmp_path / "history.sqlite")
    assert conclude(Finished(refused, (), RunFolder(tmp_path)), url, as_json=True, quiet=False) == 3
    fault = json.loads((tmp_path / "verdict.json").read_text())["fault"]
    assert fault.startswith("the target is gone; cannot write")


@pytest.mark.parametrize("limit", [PASSES, FAILS])
def test_a_step_summary_that_cannot_be_written_is_a_fault(
    limit: Threshold, tmp_path: Path, step: Path
) -> None:
    step.mkdir()
    url = str(tmp_path / "history.sqlite")
    finished = Finished(judged(limit), (), RunFolder(tmp_path))
    assert conclude(finished, url, as_json=True, quiet=False) == 4
    fault = json.loads((tmp_path / "verdict.json").read_text())["fault"]
    assert fault == f"{step}: Is a directory"
    assert "Is a directory" in (tmp_path / "summary.md").read_text("utf-8")


def test_what_was_said_of_one_limit_is_not_said_again_of_the_next() -> None:
    spoiled = [replace(m, disturbances=(HOGS,)) for m in s.repetitions([100] * 3)]
    run = s.run(the_plan=s.plan(s.case(PASSES, FAILS)), measurements=tuple(spoiled))
    run = replace(run, verdict=judge(run.plan, run.measurements, (), ()))
    first, second = explanations(run)
    assert HOGS.text in first
    assert second.endswith("write.clat.mean of oltp/bs=4k is not judged: for the same reason")
