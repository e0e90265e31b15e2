"""Runs that a history holds and that are no baseline: why a limit has none, though there are some.

Those of another environment are told by ``iogate.environments``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from iogate.model.measurement import undisturbed
from iogate.model.night import RunFacts
from iogate.model.run import Run


def left_out_words(
    chosen: Sequence[Run], refused: Sequence[RunFacts], later: int = 0
) -> tuple[str, ...]:
    """What does not count of the runs that were ``chosen`` as a baseline, how the runs ended
    that were ``refused``, and how many are dated ``later``."""
    return (*_disturbed(chosen), *_refused(refused), *_later(later))


def _disturbed(chosen: Sequence[Run]) -> Iterator[str]:
    """``in 1 earlier run every repetition was disturbed``."""
    lost = [(len(run.measurements) - len(undisturbed(run.measurements)), run) for run in chosen]
    whole = sum(0 < count == len(run.measurements) for count, run in lost)
    part = sum(count for count, run in lost if count < len(run.measurements))
    if whole:
        yield f"in {_runs(whole)} every repetition was disturbed"
    if part:
        were = "repetition of earlier runs was" if part == 1 else "repetitions of earlier runs were"
        yield f"{part} {were} disturbed, and {'does' if part == 1 else 'do'} not count"


def _refused(refused: Sequence[RunFacts]) -> Iterator[str]:
    """``3 earlier runs are not accepted: 2 fail, 1 inconclusive``."""
    if refused:
        counts = Counter(facts.ended or "not judged" for facts in refused)
        ended = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        yield f"{_runs(len(refused))} {'is' if len(refused) == 1 else 'are'} not accepted: {ended}"


def _later(count: int) -> Iterator[str]:
    """``9 runs of this host are dated later, and do not count``: a clock may have been set back."""
    if count:
        runs = "1 run of this host is" if count == 1 else f"{count} runs of this host are"
        yield f"{runs} dated later, and {'does' if count == 1 else 'do'} not count"


def _runs(count: int) -> str:
    return "1 earlier run" if count == 1 else f"{count} earlier runs"
