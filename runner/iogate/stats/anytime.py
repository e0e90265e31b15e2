"""Evidence that may be read whenever one likes: an e-process on pairs of blocks.

A pair of blocks has both orders of the arms, and a fair coin said which came first. So where the
arms do not differ, the mean difference of a pair is as likely to be worse as to be better by the
same amount, given all pairs before it: whatever the noise, the drift, the states or the effect of
running second are. A bet on its sign at even odds wins nothing on average (Ville 1939; Shafer
2021): for a pair with the mean difference x, where s is the size of those so far, the bet λ
multiplies what is left by exp(λx/s) / cosh(λx/s), whose mean over both signs is 1 (so de la Peña
1999, for symmetric variables). The product over all pairs, averaged over some λ, is the evidence:
it reaches 100 at any time, ever, in one clean comparison of a hundred at most. Where the candidate
is better it falls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_BETS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Small ones find a small change in many pairs, large ones a large change in few."""


def evidence(differences: Floats) -> Floats:
    """To one, against no change for the worse: (limits, pairs) of order-balanced differences,
    positive for worse, to (limits, pairs): after each pair. A difference that is not finite
    counts for nothing."""
    import numpy as np

    known = np.isfinite(differences)
    finite = np.where(known, differences, 0.0)
    size = np.sqrt((finite**2).cumsum(axis=1) / np.maximum(known.cumsum(axis=1), 1))
    x = finite / np.where(size > 0, size, 1.0)
    bets = np.array(_BETS)[:, None, None]
    # log(exp(y) / cosh(y)), without overflow.
    logs = np.log(2.0) - np.logaddexp(0.0, -2 * bets * x)
    return np.asarray(np.exp(logs.cumsum(axis=2)).mean(axis=0))
