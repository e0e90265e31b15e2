"""Workloads that are a program: what may be said of one, and what makes it another case."""

from __future__ import annotations

import json

import pytest

from iogate.errors import RefusedError, SpecError, UsageError
from iogate.files import limited
from iogate.jobs.job_file import render
from iogate.metrics import metric
from iogate.model.document import plan_from_document, to_document
from iogate.model.units import Better, Unit
from iogate.spec import needs_trust, require_trust
from iogate.spec.build import patterns
from support.specs import load, place, plan_of, problem, problems

DBENCH = 'command: [dbench, -D, "{target}", -t, 30, "4"]'
THROUGHPUT = "throughput: { pattern: 'Throughput ([0-9.]+) MB/sec', unit: MB/s, better: high }"


def text(
    command: str = DBENCH, metrics: str = THROUGHPUT, more: str = "", target: str = "directory: /d"
) -> str:
    """A spec of one command; it is in line 6, its metrics in line 8 and what is ``more`` in 9."""
    return (
        f"version: 1\nname: n\ntargets: {{ t: {{ {target} }} }}\nworkloads:\n  w:\n"
        f"    {command}\n    metrics:\n      {metrics}\n    {more}\n"
    )


def case_id(**parts: str) -> str:
    return plan_of(text(**parts)).cases[0].id


def test_a_command_is_a_case_with_metrics_of_its_own() -> None:
    limits = (
        'thresholds: { command.throughput: ["> 100MB/s", "vs baseline > -5%"], runtime: "< 1s" }'
    )
    plan = plan_of(text(more=limits))
    case = plan.cases[0]
    assert case.command
    assert case.command.argv == ("dbench", "-D", "{target}", "-t", "30", "4")
    assert [each.metric for each in case.thresholds] == [
        "command.throughput", "command.throughput", "runtime",
    ]  # fmt: skip
    assert case.thresholds[0].limit.value == 100e6
    own = metric("command.throughput", plan.metrics)
    assert (own.unit, own.better) == (Unit.BYTES_PER_SECOND, Better.HIGH)
    assert plan_from_document(to_document(plan)) == plan


def test_its_job_file_is_no_job_and_says_what_runs() -> None:
    case = plan_of(text(more='prepare: [[tar, -cf, "{target}/a b", /usr/share/doc]]')).cases[0]
    lines = render(case, location="/d").splitlines()
    assert all(line.startswith(";") for line in lines)
    assert "; prepare: tar -cf '{target}/a b' /usr/share/doc" in lines
    assert "; command: dbench -D '{target}' -t 30 4" in lines


def test_programs_and_arguments_make_a_case_and_patterns_do_not() -> None:
    first = case_id()
    assert case_id(metrics=THROUGHPUT.replace("Throughput ", "")) == first
    others = {
        case_id(command=DBENCH.replace('"4"', '"8"')),
        case_id(more='prepare: [[mkdir, "{target}/x"]]'),
        case_id(target="directory: /e"),
    }
    assert len(others | {first}) == 4


def test_another_pattern_is_another_metric_to_a_history() -> None:
    def kept(metrics: str) -> str:
        return metric("command.throughput", plan_of(text(metrics=metrics)).metrics).kept_as

    assert kept(THROUGHPUT) == kept(THROUGHPUT.replace("better: high", "better: low"))
    assert kept(THROUGHPUT) != kept(THROUGHPUT.replace("[0-9.]+", "[0-9]+"))
    assert kept(THROUGHPUT) != kept(THROUGHPUT.replace("MB/s", "MiB/s"))


def test_it_needs_trust() -> None:
    plan = plan_of(text(more='prepare: [[mkdir, "{target}/x"]]'))
    assert needs_trust(plan) == ("workloads.w.command",)
    require_trust(plan, trusted=True)
    with pytest.raises(
        RefusedError, match=r"runs mkdir, dbench on this host: workloads\.w\.command"
    ):
        require_trust(plan, trusted=False)


@pytest.mark.parametrize(
    ("parts", "where", "says"),
    [
        ({"more": "fio: { rw: read, size: 1m }"}, (9, 5), "has command and fio"),
        ({"more": "jobs: { a: { rw: read, size: 1m } }"}, (9, 5), "has command and jobs"),
        ({"more": "chart: { x: a, y: b }"}, (9, 5), "has command and chart"),
        ({"command": "fio: { rw: read, size: 1m }"}, (7, 5), "has metrics and no command"),
        ({"command": 'command: [./x, "{target}"]'}, (6, 15), "'./x' is no name of a program"),
        ({"command": 'command: [-x, "{target}"]'}, (6, 15), "'-x' is no name of a program"),
        ({"command": "command: [dbench]"}, (6, 14), "does not name its target"),
        ({"command": "command: dbench"}, (6, 14), "command is a list"),
        ({"target": "file: /d/f"}, (5, 3), "is a file"),
        ({"metrics": THROUGHPUT.replace("(", "").replace(")", "")}, (8, 30), "has no groups"),
        ({"metrics": THROUGHPUT.replace("Thr", "(Th)r")}, (8, 30), "has 2 groups"),
        ({"metrics": THROUGHPUT.replace("+)", "+")}, (8, 30), "is no regular expression"),
        ({"metrics": THROUGHPUT.replace("Thr", "(?a)(?u)")}, (8, 30), "is no regular expression"),
        ({"metrics": THROUGHPUT.replace("Thr", "x" * 200)}, (8, 30), "more than 200 characters"),
        ({"metrics": THROUGHPUT.replace("MB/s,", "MBps,")}, (8, 67), "'MBps' is no unit"),
        ({"more": 'thresholds: { command.put: "> 1" }'}, (9, 19), "'command.put'"),
        ({"more": 'thresholds: { read.iops: "> 1" }'}, (9, 30), "a command has runtime, cpu.usr"),
        ({"more": "strategy: { matrix: { bs: [4k, 8k] } }"}, (9, 15), "bs is an axis of workload"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(
    parts: dict[str, str], where: tuple[int, int], says: str
) -> None:
    error = problems(text(**parts))[0]
    assert says in str(error)
    assert place(error) == where
    assert error.remedy or "is a list" in says


COSTLY = "(?i)(0000" + r"[\u0100-\ufffd]" * 10 + ")"


def costly(count: int) -> str:
    """Metrics whose patterns take a second or so to make."""
    each = (f"m{n}: {{ pattern: '{COSTLY}{n}', unit: s, better: low }}" for n in range(count))
    return "\n      ".join(each)


def test_all_patterns_of_a_spec_have_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "PATTERNS_SECONDS", 1)
    (error,) = problems(text(metrics=costly(32)))
    assert "take more than 1 s of CPU time to read" in error.what
    assert error.where
    assert 8 <= error.where.line < 8 + 32
    assert "without (?i)" in error.remedy


def test_all_patterns_of_a_spec_are_made_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(program: str, text: str, seconds: int) -> limited.Worked:
        asked.append(json.loads(text))
        return limited.work(program, text, seconds)

    monkeypatch.setattr(patterns, "work", counted)
    second = text().replace("  w:", "  v:").partition("workloads:\n")[2]
    load(text() + second.replace("throughput: { pattern: 'Th", "other: { pattern: 'Th"))
    assert asked == [["Throughput ([0-9.]+) MB/sec"]]
    load(text(command="fio: { rw: read, size: 1m }").partition("    metrics:")[0])
    assert len(asked) == 1


def test_each_place_of_a_wrong_pattern_is_named() -> None:
    two = "a: { pattern: x, unit: s, better: low }\n      b: { pattern: x, unit: s, better: low }"
    assert [place(each) for each in problems(text(metrics=two))] == [(8, 21), (9, 21)]


def test_a_name_means_one_thing_in_a_spec() -> None:
    another = (
        '  v:\n    command: [bonnie++, -d, "{target}"]\n'
        "    metrics: { throughput: { pattern: '(.)', unit: MB/s, better: high } }\n"
    )
    found = problem(text() + another)
    assert "command.throughput of workload 'v' is not the one at t.yaml:8:7" in str(found)
    same = another.replace("'(.)'", "'Throughput ([0-9.]+) MB/sec'")
    assert len(load(text() + same).metrics) == 1


def test_only_its_own_workload_has_the_metric() -> None:
    other = '  v: { fio: { rw: read, size: 1m }, thresholds: { command.throughput: "> 1B/s" } }\n'
    assert "no metric is named 'command.throughput'" in str(problem(text() + other))


def test_options_of_fio_are_not_set_and_repetitions_are() -> None:
    assert plan_of(text(), overrides=["repetitions=7"]).cases[0].repetitions.max == 7
    with pytest.raises(UsageError, match="w is a command, and has no options of fio"):
        plan_of(text(), overrides=["bs=4k"])
    both = text() + "  v: { fio: { rw: read, size: 1m } }\n"
    cases = plan_of(both, overrides=["bs=4k"]).cases
    assert cases[0].id == case_id()
    assert cases[1].jobs[0].options["bs"] == "4k"


def test_a_metric_of_the_table_and_a_commands_stand_side_by_side() -> None:
    own = "metrics: { share: { value: write.bw / all.bw, unit: ratio, better: high } }\n"
    assert [each.name for each in load(own + text()).metrics] == ["share", "command.throughput"]


def test_targets_and_settings_of_the_host_may_be_its_axes() -> None:
    more = (
        "strategy: { matrix: { target: [t, u], environment.drop_caches: [before-case, never] } }\n"
        '    thresholds: { command.throughput: "vs case target=t > -5%" }'
    )
    plan = plan_of(text(more=more, target="directory: /d }, u: { directory: /e"))
    assert len({case.id for case in plan.cases}) == 4
    limited = [case for case in plan.cases if case.thresholds]
    assert [case.target.name for case in limited] == ["u", "u"]


def test_too_many_programs_are_a_wrong_spec() -> None:
    with pytest.raises(SpecError, match="prepare"):
        load(text(more="prepare: [" + ", ".join(['[mkdir, "{target}"]'] * 17) + "]"))
