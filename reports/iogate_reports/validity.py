"""Whether a run's numbers can be trusted: what was watched while it measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from iogate.model.confinement import in_words, layers_of
from iogate.model.measurement import KernelTrouble, Measurement, Whose
from iogate.model.plan import Case
from iogate.model.run import CaseFailure, Run
from iogate_reports.charts.lanes import directions
from iogate_reports.charts.rates import Rate, quarters, rates
from iogate_reports.text import plural, short

DRIFT = 0.15
"""From the first to the last quarter of a repetition; a steady one differs by less."""
LEAST_S = 10
"""Over less time a drift is mostly noise."""
BUSY_PERCENT = 95.0
"""Of a CPU; a job that takes more may measure the processor, not the storage."""
CROWDED = 0.5
"""Load average a CPU, before anything was measured."""
CLOCK_PPM = 100.0
UNWRITTEN = 0.1
"""Of the blocks that a case reads; a device that was filled once has next to none."""
MOST_KINDS, MOST_LINES = 6, 12
"""Of what the kernel told, so much is shown."""
_QUARTERS = 4
_Told = tuple[Measurement | CaseFailure, KernelTrouble]


@dataclass(frozen=True, slots=True)
class Check:
    """``key`` is ``pass``, ``warn`` where a look is due, or ``missing``: not watched.
    ``lines`` are what it was told from, to be unfolded."""

    label: str
    key: str
    text: str
    lines: tuple[str, ...] = ()


def checks(run: Run) -> list[Check]:
    """All of them, in a fixed order; none for a run that measured nothing."""
    looked = [check(run) for check in _CHECKS] if run.measurements else []
    return [check for check in looked if check]


def _steady(run: Run) -> Check:
    series = [
        (rates(measurement, direction), measurement)
        for measurement in run.measurements
        for direction in directions([measurement])
    ]
    series = [(seen, measurement) for seen, measurement in series if len(seen) > 1]
    if not series:
        return Check("steady state", "missing", "no time series")
    drifts = [
        (drift, measurement)
        for seen, measurement in series
        if round(seen[-1].end_s) >= LEAST_S and (drift := _drift(seen)) is not None
    ]
    if not drifts:
        return Check("steady state", "missing", f"too short to tell: no {LEAST_S} s of I/O")
    drift, worst = max(drifts, key=lambda pair: abs(pair[0]))
    text = f"drift within a repetition {_percent(drift)} at most"
    if abs(drift) < DRIFT:
        return Check("steady state", "pass", text)
    return Check("steady state", "warn", f"{text}, in {_case(run, worst)}")


def _drift(seen: Sequence[Rate]) -> float | None:
    """From the mean of the first quarter to that of the last; None for too short a series."""
    first, last = quarters(seen, [rate.iops for rate in seen])
    return last / first - 1 if len(seen) >= _QUARTERS and first else None


def _percent(share: float) -> str:
    return f"{abs(share) * 100:.0f} % {'up' if share > 0 else 'down'}"


def _case(run: Run, where: Measurement | CaseFailure) -> str:
    cases: dict[str, Case] = {case.id: case for case in run.plan.cases}
    return short(cases[where.case_id].name if where.case_id in cases else where.case_id, 60)


def _disturbed(run: Run) -> Check:
    watched = [m for m in run.measurements if m.surroundings]
    spoiled = [m for m in run.measurements if m.disturbed]
    told = [m for m in run.measurements if m.disturbances]
    lines = (*_cautions(run), *_told_lines(run, told))
    of = plural(len(run.measurements), "repetition")
    if spoiled:
        text = f"{len(spoiled)} of {of} disturbed, and not judged"
        return Check("other work", "warn", text, lines)
    if not watched:
        return Check("other work", "missing", "not watched")
    share = max((m.surroundings.get("cpu", 0.0) for m in watched), default=0.0)
    used = f"others used {share * 100:.1f} % of the CPUs at most"
    key, quiet = _quiet(run, of)
    return Check("other work", key, f"{quiet}; {used}", lines)


def _quiet(run: Run, of: str) -> tuple[str, str]:
    """What it means that nothing disturbed a run: little where the checks were off."""
    off = run.plan.validity.off
    if not off:
        return "pass", f"none of {of} disturbed"
    if "all" in off:
        return "missing", "not judged: the spec turns all checks off"
    text = f"the spec turns off {short(', '.join(off), 120)}; by the other checks none of {of}"
    return "missing" if "cpu" in off else "pass", f"{text} disturbed"


def disturbed_text(run: Run) -> str:
    """``1 of 12 repetitions, not judged: other processes …``; empty where none was."""
    spoiled = [m for m in run.measurements if m.disturbed]
    if not spoiled:
        return ""
    reasons = (disturbance for m in spoiled for disturbance in m.disturbances if disturbance.counts)
    worst = max(reasons, key=lambda disturbance: disturbance.value).text
    of = plural(len(run.measurements), "repetition")
    return "; ".join((f"{len(spoiled)} of {of}, not judged: {short(worst)}", *_cautions(run)))


def _cautions(run: Run) -> Sequence[str]:
    """What disturbed repetitions may hide, in the verdict's words."""
    cautions = run.verdict.cautions if run.verdict else ()
    return [short(text, 300) for text in cautions[:MOST_LINES]]


def _told_lines(run: Run, told: Sequence[Measurement]) -> Iterator[str]:
    """What disturbed each, and what is only told, the former first."""
    disturbances = [(m, disturbance) for m in told for disturbance in m.disturbances]
    for m, disturbance in sorted(disturbances, key=lambda pair: not pair[1].counts)[:MOST_LINES]:
        only = "" if disturbance.counts else "note only: "
        yield f"{only}{short(disturbance.text)} ({_case(run, m)}, repetition {m.repetition})"


def _errors(run: Run) -> Check:
    counts = [job.errors for m in run.measurements for job in m.jobs]
    counts += [errors for failure in run.failures for errors in failure.errors.values()]
    count = sum(sum(errors.values()) for errors in counts)
    text = plural(count, "I/O error") if count else "none"
    return Check("I/O errors", "warn" if count else "pass", text)


def _again(run: Run) -> Check | None:
    """Told of a run that went on after its own disk had failed."""
    failed = [failure for failure in run.failures if failure.again]
    if not failed:
        return None
    text = f"it failed in {plural(len(failed), 'repetition')}, of which only the errors count"
    lines = [
        f"{short(failure.reason, 300)} ({_case(run, failure)}, repetition {failure.repetition})"
        for failure in failed[:MOST_LINES]
    ]
    return Check("the disk", "warn", text, tuple(lines))


def _kernel(run: Run) -> Check:
    known = [m for m in run.measurements if m.kernel_log is not None]
    every: list[_Told] = [(m, trouble) for m in known for trouble in m.kernel_log or ()]
    every += [
        (failure, trouble) for failure in run.failures for trouble in failure.kernel_log or ()
    ]
    told = [(m, trouble) for m, trouble in every if trouble.whose is not Whose.ELSEWHERE]
    if told:
        return Check("kernel log", "warn", _kinds(run, told), tuple(_lines(run, told)))
    if not known:
        return Check("kernel log", "missing", "not known")
    if len(known) < len(run.measurements):
        of = plural(len(run.measurements), "repetition")
        return Check("kernel log", "missing", f"no errors, but only {len(known)} of {of} known")
    if every:  # of another disk, say: no fault of what is measured, and worth knowing
        text = f"no errors of the target; elsewhere on the host {_kinds(run, every)}"
        return Check("kernel log", "pass", text, tuple(_lines(run, every)))
    return Check("kernel log", "pass", "no errors")


def _kinds(run: Run, told: Sequence[_Told]) -> str:
    """``3 × I/O error, 1 × device reset, in CASE``, most frequent first."""
    counts: Counter[str] = Counter()
    for _, trouble in told:
        counts[trouble.kind] += trouble.count
    kinds = [f"{count:,} × {short(kind, 40)}" for kind, count in counts.most_common(MOST_KINDS)]
    cases = {m.case_id for m, _ in told}
    where = f"in {_case(run, told[0][0])}" if len(cases) == 1 else f"in {len(cases)} cases"
    return f"{', '.join(kinds)}, {where}"


def _lines(run: Run, told: Sequence[_Told]) -> Iterator[str]:
    """The lines, each with where it was seen first; one that is seen again is left out."""
    seen: dict[str, Measurement | CaseFailure] = {}
    for m, trouble in told:
        for line in trouble.lines:
            seen.setdefault(line, m)
    for line, m in list(seen.items())[:MOST_LINES]:
        yield f"{short(line)} ({_case(run, m)}, repetition {m.repetition})"


def _unwritten(run: Run) -> Check:
    """What was read of blocks that nothing is in."""
    known = [(m.unwritten, m) for m in run.measurements if m.unwritten is not None]
    known = [(share, m) for share, m in known if math.isfinite(share)]
    if not known:
        return Check("never written", "missing", "not looked: no device or older file is read")
    share, emptiest = max(known, key=lambda pair: pair[0])
    if share <= UNWRITTEN:
        return Check("never written", "pass", "what is read was written before")
    text = (
        f"{min(share, 1) * 100:.0f} % of the blocks that {_case(run, emptiest)} reads hold nothing"
    )
    return Check("never written", "warn", text)


def _processor(run: Run) -> Check:
    shares = [j.usr_cpu_percent + j.sys_cpu_percent for m in run.measurements for j in m.jobs]
    busy = max(filter(math.isfinite, shares), default=None)
    if busy is None:
        return Check("CPU", "missing", "not recorded")
    text = f"{busy:.0f} % of a core at most, by one job"
    return Check("CPU", "warn" if busy >= BUSY_PERCENT else "pass", text)


def _load(run: Run) -> Check:
    load, cpus = (run.environment.get(name) for name in ("load.average_1m", "cpu.count"))
    if not isinstance(load, int | float) or not isinstance(cpus, int | float):
        return Check("other load", "missing", "not recorded")
    if not math.isfinite(load) or cpus < 1:
        return Check("other load", "missing", "not recorded")
    text = f"load average {load:.2f} on {plural(int(cpus), 'CPU')} before the run"
    return Check("other load", "warn" if load / cpus > CROWDED else "pass", text)


def _throttling(run: Run) -> Check:
    told = [text for m in run.measurements for text in _told(m) if "throttl" in text.lower()]
    if told:
        return Check("throttling", "warn", short(told[0], 120))
    counts = [m.surroundings.get("throttling") for m in run.measurements]
    times = sum(count for count in counts if count is not None and math.isfinite(count))
    if times:
        return Check("throttling", "warn", f"CPUs were throttled {times:.0f} times")
    if counts and None not in counts:
        return Check("throttling", "pass", "watched, and none")
    if all(case.environment and case.environment.require.no_throttle for case in run.plan.cases):
        return Check("throttling", "pass", "watched, and none")
    return Check("throttling", "missing", "not watched; the spec may ask for it")


def _told(measurement: Measurement) -> Iterator[str]:
    """What the engine and the kernel said of a repetition."""
    yield from measurement.warnings
    for trouble in measurement.kernel_log or ():
        yield from trouble.lines


def _clock(run: Run) -> Check:
    known = (m.engine.clock_error_ppm for m in run.measurements)
    finite = [ppm for ppm in known if ppm is not None and math.isfinite(ppm)]
    if not finite:
        return Check("clock", "missing", "its error is not recorded")
    worst = max(map(abs, finite))
    text = f"{short(run.measurements[0].engine.clock_source, 20)} ±{worst:.3g} ppm at most"
    return Check("clock", "pass" if worst <= CLOCK_PPM else "warn", text)


def _warnings(run: Run) -> Check:
    count = sum(len(m.warnings) for m in run.measurements)
    text = plural(count, "warning") if count else "none"
    return Check("engine warnings", "warn" if count else "pass", text)


def _confinement(run: Run) -> Check | None:
    """What kept the engine to its targets; nothing of a run that was before it was kept."""
    label, facts = "engine kept to its targets", run.environment
    if why_not := facts.get("confinement.none"):
        return Check(label, "warn", f"not confined: {short(str(why_not), 120)}")
    layers = layers_of(facts)
    if layers is None:
        return None
    return Check(label, "warn" if layers.lacking else "pass", in_words(layers))


def _network(run: Run) -> Check | None:
    """Told of cases that the spec gives the host's network: how far it was open to them."""
    cases = [case for case in run.plan.cases if case.network]
    if not cases:
        return None
    layers = layers_of(run.environment)
    ports = dict.fromkeys(str(each) for case in cases for each in case.network)
    held = f"TCP only to the ports of {short(', '.join(ports), 120)}; UDP is not held"
    text = held if layers and layers.hold_ports else "open: nothing here holds it to its ports"
    return Check("network", "warn", f"of {plural(len(cases), 'case')}: {text}")


def _shared(run: Run) -> Check | None:
    """Told of a run that others may have measured beside."""
    if not run.environment.get("host.shared"):
        return None
    return Check("host", "warn", "other runs may have measured on it meanwhile")


_CHECKS: tuple[Callable[[Run], Check | None], ...] = (
    _steady,
    _errors,
    _again,
    _kernel,
    _unwritten,
    _processor,
    _load,
    _disturbed,
    _throttling,
    _clock,
    _warnings,
    _confinement,
    _network,
    _shared,
)
