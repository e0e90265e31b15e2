"""What is right in a spec, and yet may not be what its author means: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.gate.absolute import can_decide
from iogate.gate.beside import LEAST_REPETITIONS
from iogate.gate.history import RUNS_NEEDED
from iogate.jobs.estimate import most_ios
from iogate.jobs.options import DEFAULT_ENGINE
from iogate.metrics import table_paths
from iogate.metrics.thin_quantiles import least_ios
from iogate.model.plan import Case, Plan
from iogate.model.spec import Level
from iogate.spec.arms import Sides
from iogate.spec.cached import reads_cached
from iogate.spec.depths import idle_depth
from iogate.spec.differing import idle_difference
from iogate.spec.ordering import waiting_workloads
from iogate.spec.sync_costs import SYNCS_AMONG_WRITES, counts_syncs, is_latency_of_writes
from iogate.stats.boundary import blocks_against_states, failed_by_states

_FEW_FAIL = 0.005


def warn_of(cases: Iterable[Case], spec: Path) -> None:
    """Say on stderr what the readers of a spec's results should know of its cases."""
    for name in waiting_workloads(cases):
        _warn(
            f"{spec}: jobs of workload {name!r} wait for each other (stonewall,"
            " wait_for), and their rates are summed all the same: make each a workload of its own,"
            " or limit single jobs (jobs.NAME.METRIC)"
        )


def warn_of_depths(cases: Iterable[Case], spec: Path) -> None:
    """Say which jobs have an iodepth that their ioengine does nothing with. In a run the engine
    says so itself."""
    sentences = dict.fromkeys(
        f"{spec}: workload {case.workload!r} has iodepth={depth}, but ioengine"
        f" {job.options.get('ioengine', DEFAULT_ENGINE)} is synchronous: one I/O is in flight at a"
        " time: choose another ioengine, such as io_uring, or set numjobs"
        for case in cases
        for job in case.jobs
        if (depth := idle_depth(job))
    )
    for text in sentences:
        _warn(text)


def warn_of_cached(cases: Iterable[Case], spec: Path) -> None:
    """Say which jobs read what may be in memory, where the spec does not say that it is meant."""
    names = dict.fromkeys(c.workload for c in cases if any(map(reads_cached, c.jobs)))
    for name in names:
        _warn(
            f"{spec}: workload {name!r} reads through the page cache, so that what it reads again"
            " comes from memory: set direct: 1, or direct: 0 where this is meant"
        )


def warn_of_idle_arms(sides: Sides, spec: Path) -> None:
    """Say that the arms of a comparison differ in nothing that an ioengine does."""
    rule = sides.plan.comparison
    change = idle_difference(sides, *rule.arms) if rule else ""
    if change:
        _warn(
            f"{spec}: the arms differ in {change} alone, which a synchronous ioengine does nothing"
            " with: both do the same"
        )


def warn_of_syncs(plan: Plan, spec: Path) -> None:
    """Say which limits on latencies of writes leave out what the job waits for: the sync behind
    them, which counts apart, and no other limit looks at it."""
    sentences = set()
    for case in plan.cases:
        options = [f"{key}={job.options[key]}" for job in case.jobs for key in SYNCS_AMONG_WRITES
                   if job.options.get(key, "0") != "0"]  # fmt: skip
        paths = {p for t in case.thresholds for p in table_paths(t.metric, plan.metrics)}
        limited = sorted(p for p in paths if is_latency_of_writes(p))
        if options and limited and not any(counts_syncs(path) for path in paths):
            sentences.add(
                f"{spec}: workload {case.workload!r} has {options[0]}, and {limited[0]} does not"
                " count these syncs, which may take far longer than the writes: limit sync.lat"
                " (such as sync.lat.p99), too, or write.iops"
            )
    for text in sorted(sentences):
        _warn(text)


def warn_of_undecidable(cases: Iterable[Case], spec: Path) -> None:
    """Say which absolute limits, and which ``vs case``, will be inconclusive, whatever is measured
    in that many repetitions. In a comparison the blocks decide."""
    cases = list(cases)
    limits = [(case, t) for case in cases for t in case.thresholds if not t.limit.relative]
    sentences = {
        f"{spec}: {case.repetitions.max} repetitions of workload {case.workload!r} cannot decide"
        f" {t.metric} {t.limit.text} at a confidence of {t.confidence:g}: raise repetitions"
        for case, t in limits
        if t.confidence is not None and not can_decide(t, case.repetitions)
    }
    sentences |= {
        f"{spec}: {case.repetitions.min} repetitions of workload {case.workload!r} cannot decide"
        f" {t.metric} {t.limit.text}: set repetitions to {LEAST_REPETITIONS} or more"
        for case in cases
        for t in case.thresholds
        if t.limit.case and case.repetitions.min < LEAST_REPETITIONS
    }
    for text in sorted(sentences):
        _warn(text)


def warn_of_thin(plan: Plan, spec: Path) -> None:
    """Say which limits vs baseline on percentiles will be inconclusive, because a run cannot have
    as many I/Os as it takes to tell them, as far as its options say how many it has."""
    sentences = set()
    for case in plan.cases:
        most = most_ios(case)
        for limit in case.thresholds:
            least = least_ios(limit.metric, plan.metrics) if limit.limit.relative else 0
            if most is not None and most < least:
                sentences.add(
                    f"{spec}: a run of {case.name!r} has at most {most:,} I/Os, which cannot tell"
                    f" {limit.metric} ({least:,} are the least, and most limits need many more):"
                    f" {limit.limit.text} will be inconclusive: run longer, or limit a lower"
                    " percentile"
                )
    for text in sorted(sentences):
        _warn(text)


def warn_of_beside(cases: Iterable[Case], spec: Path) -> None:
    """Say that a comparison of arms leaves limits between cases out."""
    texts = dict.fromkeys(t.limit.text for case in cases for t in case.thresholds if t.limit.case)
    if texts:
        _warn(
            f"{spec}: a comparison judges arms, and no case against another:"
            f" {next(iter(texts))} is judged by iogate run"
        )


def warn_of_few_blocks(plan: Plan, spec: Path) -> None:
    """Say that a comparison has too few blocks for its gated limits: noise of two states would
    fail more of clean ones than is promised."""
    rule = plan.comparison
    if rule is None or rule.canary or rule.parts:
        return
    judged = [t for case in plan.cases for t in case.thresholds]
    judged += [pool.threshold for pool in plan.pools]
    limits = sum(t.limit.vs_baseline and t.level is Level.FAIL for t in judged)
    share = failed_by_states(limits, rule.most_blocks)
    if share > _FEW_FAIL:
        _warn(
            f"{spec}: {rule.most_blocks} blocks are few for {limits} limits: where runs are in one"
            f" of two states, up to {share * 100:.1f} % of comparisons of the same with itself"
            f" fail; {blocks_against_states(limits)} keep it below 1 %: raise compare.blocks, or"
            " gate fewer limits"
        )


def warn_of_young(plan: Plan, spec: Path) -> None:
    """Say that the limits vs baseline of a run can never fail, as too few runs count. A
    comparison has no history."""
    window = plan.baseline.window
    has_limit = any(t.limit.vs_baseline for case in plan.cases for t in case.thresholds)
    has_limit = has_limit or bool(plan.pools)
    if plan.comparison is None and has_limit and window < RUNS_NEEDED:
        _warn(
            f"{spec}: limits vs baseline cannot fail with baseline.window: {window}, as a history"
            f" of fewer than {RUNS_NEEDED} runs is a young baseline: raise it, or use iogate ab"
        )


def _warn(text: str) -> None:
    say(printable(f"iogate: warning: {text}"), err=True)
