"""Many findings of which a share may be false: for what informs and does not block."""

from __future__ import annotations

from collections.abc import Sequence

FALSE_SHARE = 0.04
"""Of findings. 5 % are promised; of noise with two states up to an eighth more are false than asked
for, in 20,000 simulated comparisons."""


def benjamini_hochberg(probabilities: Sequence[float], share: float) -> list[bool]:
    """Which of these are findings, so that on average at most ``share`` of the findings are
    false (Benjamini and Hochberg 1995), for independent or positively dependent tests.
    ``probabilities`` are of each value or a more extreme one, were there nothing to find."""
    order = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    enough = 0
    for rank, place in enumerate(order, start=1):
        if probabilities[place] <= share * rank / len(order):
            enough = rank
    significant = [False] * len(order)
    for place in order[:enough]:
        significant[place] = True
    return significant
