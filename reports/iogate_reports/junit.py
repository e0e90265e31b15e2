"""A run → JUnit XML: a test case for each limit, for the result pages of CI systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from iogate.model.plan import Case
from iogate.model.pool import Pool
from iogate.model.run import Run
from iogate.model.units import format_change, format_value
from iogate.model.verdict import NOT_JUDGED, Outcome, ThresholdVerdict
from iogate_reports.data import Page, sides_of
from iogate_reports.limit_rows import member_lines, with_baseline
from iogate_reports.sections.verdict import damage, headline, revision_text
from iogate_reports.text import clean, moment_iso, short
from iogate_reports.validity import disturbed_text

_Judged = dict[str, Case | Pool]
_SKIPPED = (Outcome.INCONCLUSIVE, Outcome.MISSING_BASELINE)


def render_junit(run: Run, *, broken: Sequence[str] = ()) -> str:
    """A failed limit is a failure; inconclusive and missing-baseline ones are skipped, as is
    a run without limits, for a suite without tests looks like a good one; a
    repetition without a measurement, and a run without a verdict, are errors, as is a run folder
    of which parts are ``broken``: sentences on what could not be read."""
    cases: _Judged = {case.id: case for case in run.plan.cases}
    cases |= {pool.id: pool for pool in run.plan.pools}
    tests = [*_damage(run, broken), *_errors(run, cases), *_limits(run, cases)]
    suite = ET.Element("testsuite", _suite(run, tests))
    suite.append(_properties(run))
    suite.extend(tests)
    totals = {k: v for k, v in suite.attrib.items() if k not in ("timestamp", "hostname")}
    root = ET.Element("testsuites", totals)
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _suite(run: Run, tests: list[ET.Element]) -> dict[str, str]:
    def count(kind: str) -> str:
        return str(sum(test.find(kind) is not None for test in tests))

    took = (run.took_ns or 0) / 1e9
    return {
        "name": short(run.plan.spec_name) or "iogate",
        "tests": str(len(tests)),
        "failures": count("failure"),
        "errors": count("error"),
        "skipped": count("skipped"),
        "time": f"{took:.3f}",
        "timestamp": moment_iso(run.started_ns).rstrip("Z") or "1970-01-01T00:00:00",
        "hostname": short(run.host.name),
    }


def _properties(run: Run) -> ET.Element:
    properties = ET.Element("properties")
    word, sentence = headline(run)
    facts = {
        "run": run.id,
        "revision": revision_text(run.revision),
        "outcome": word.word,
        "verdict": sentence,
        "disturbed": disturbed_text(run),
        "kernel": run.environment.get("kernel.release", ""),
    }
    for name, value in facts.items():
        if value != "":
            ET.SubElement(properties, "property", name=name, value=short(str(value), 1000))
    return properties


def _damage(run: Run, broken: Sequence[str]) -> Iterator[ET.Element]:
    if broken:
        test = ET.Element("testcase", classname=short(run.plan.spec_name), name="the run folder")
        _tell(test, "error", damage(broken), "\n".join(broken))
        yield test


def _errors(run: Run, cases: _Judged) -> Iterator[ET.Element]:
    for failure in run.failures:
        test = _test(
            run, cases.get(failure.case_id), failure.case_id, f"repetition {failure.repetition}"
        )
        _tell(test, "skipped" if failure.again else "error", failure.reason)
        yield test
    if run.verdict is None or run.verdict.fault:
        test = ET.Element("testcase", classname=short(run.plan.spec_name), name="the run")
        _tell(test, "error", headline(run)[1])
        yield test
    elif not run.verdict.thresholds and run.verdict.word == NOT_JUDGED:
        test = ET.Element("testcase", classname=short(run.plan.spec_name), name="the run")
        _tell(test, "skipped", f"{NOT_JUDGED}: {headline(run)[1]}")
        yield test


def _limits(run: Run, cases: _Judged) -> Iterator[ET.Element]:
    data = Page(run).by_id
    for judged in run.verdict.thresholds if run.verdict else ():
        verdict = with_baseline(judged, data.get(judged.case_id))
        threshold = verdict.threshold
        what = f"{threshold.metric} {threshold.limit.text}"
        test = _test(run, cases.get(verdict.case_id), verdict.case_id, what)
        if threshold.where:
            test.set("file", short(threshold.where.file, 500))
            test.set("line", str(threshold.where.line))
        if verdict.outcome is Outcome.FAIL:
            _tell(test, "failure", verdict.reason, _numbers(verdict, run))
        elif verdict.outcome in _SKIPPED:
            _tell(test, "skipped", f"{verdict.outcome}: {verdict.reason}")
        else:
            mark = "warning: " + verdict.reason + "\n" if verdict.outcome is Outcome.WARN else ""
            ET.SubElement(test, "system-out").text = clean(mark + _numbers(verdict, run))
        yield test


def _test(run: Run, case: Case | Pool | None, case_id: str, what: str) -> ET.Element:
    spec = short(run.plan.spec_name)
    group = f"{spec}.{short(case.workload)}" if case else spec
    name = f"{short(case.name if case else case_id)}: {short(what)}"
    return ET.Element("testcase", classname=group, name=name)


def _tell(test: ET.Element, kind: str, message: str, text: str = "") -> None:
    said = ET.SubElement(test, kind, message=short(message, 1000))
    if kind != "skipped":
        said.text = clean(text or message)


def _numbers(verdict: ThresholdVerdict, run: Run) -> str:
    names, sides = run.plan.names, sides_of(run)
    members = member_lines(verdict, lambda name: short(names.get(name, name)), format_change)
    where = f"\n{verdict.threshold.where}" if verdict.threshold.where else ""
    return (
        f"{verdict.reason}\n{sides.value} {format_value(verdict.value, verdict.unit)}, "
        f"{sides.value_before} {format_value(verdict.baseline, verdict.unit)}, "
        f"change {format_change(verdict.change)}, n = {len(verdict.samples)}{where}"
        + "".join(f"\n{line}" for line in members)
    )
