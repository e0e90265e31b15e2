"""A run and its history → the whole verdict. What comes after it shows it, and computes nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from iogate.errors import StoreError
from iogate.gate.judge import judge
from iogate.history.baseline import Baseline, find_baseline
from iogate.history.noise import noise_around
from iogate.history.tries import parts_words, tries_words
from iogate.model.run import Run
from iogate.model.verdict import HostNoise, RunVerdict
from iogate.store.base import Store
from iogate.store.server import SetupError, UnreachableError


def baseline_for(run: Run, store: Store) -> tuple[Baseline, tuple[str, ...]]:
    """What a run is judged against, and what people should know of that. A server that is away
    does not fail a run: its limits against a baseline say that there is none."""
    try:
        return find_baseline(run, store), ()
    except (UnreachableError, SetupError) as error:
        return Baseline(), (f"judged without a baseline: {error.what}",)


def judge_run(run: Run, store: Store, baseline: Baseline) -> RunVerdict:
    """The verdict on a run, with what it was compared with, and what is known of the host's
    noise and of earlier comparisons of the same arms."""
    verdict = judge(
        run.plan,
        run.measurements,
        run.failures,
        baseline.runs,
        segments=baseline.segments,
        why_fewer=baseline.why_fewer,
    )
    verdict = replace(verdict, baseline=baseline.use, noise=_noise(run, store, baseline))
    words, reason = (parts_words(run), _tries(run, store)), verdict.sentence_parts
    return verdict.because(reason.and_remark(*words)) if any(words) and reason else verdict


def _tries(run: Run, store: Store) -> str:
    with suppress(StoreError):  # judged it is, whatever is known of earlier ones
        return tries_words(run, store)
    return ""


def _noise(run: Run, store: Store, baseline: Baseline) -> tuple[HostNoise, ...]:
    with suppress(StoreError):  # judged it is, whatever is known of the noise
        return noise_around(run, store, baseline.runs)
    return ()
