"""Noise of runs in time order, in log units: what the verdict's error rates are measured on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Source = Callable[[np.random.Generator, int, int, float], Floats]


def independent(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """Normal and independent."""
    return rng.normal(0, sd, (rows, runs))


def heavy(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """Student's t with three degrees of freedom."""
    return np.asarray(rng.standard_t(3, (rows, runs)) * sd / np.sqrt(3))


def outlier(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """One run in twenty is slower, by 20 % on average."""
    hit = rng.random((rows, runs)) < 0.05
    return np.asarray(rng.normal(0, sd * 0.7, (rows, runs)) + hit * rng.exponential(0.2, hit.shape))


def bimodal(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """Three runs in ten are in a mode that is 6 % slower."""
    slow = rng.random((rows, runs)) < 0.3
    return np.asarray(rng.normal(0, sd * 0.5, (rows, runs)) + slow * 0.06)


def autoregressive(
    rng: np.random.Generator, rows: int, runs: int, sd: float, phi: float = 0.7
) -> Floats:
    """AR(1): each run takes ``phi`` of the deviation of the one before."""
    noise = rng.normal(0, sd * np.sqrt(1 - phi**2), (rows, runs))
    noise[:, 0] = rng.normal(0, sd, rows)
    for run in range(1, runs):
        noise[:, run] += phi * noise[:, run - 1]
    return noise


def alternating(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """AR(1) with the other sign: a fast run is followed by a slow one."""
    return autoregressive(rng, rows, runs, sd, phi=-0.5)


def drift(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """6 % from the first run to the last."""
    return np.asarray(rng.normal(0, sd, (rows, runs)) + np.linspace(0, 0.06, runs))


def mixture(rng: np.random.Generator, rows: int, runs: int, sd: float) -> Floats:
    """Heavy tails, autocorrelation and drift at once; outliers in three sessions of ten."""
    parts = sum(source(rng, rows, runs, sd / 1.5) for source in (heavy, autoregressive, drift))
    wild = outlier(rng, rows, runs, sd / 2) * (rng.random((rows, 1)) < 0.3)
    return np.asarray(parts + wild)


def order(share: float, inside: float) -> Source:
    """Every second run, which is the second of its block, is slower by ``share``."""

    def runs_in_order(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
        noise = rng.normal(0, inside, (rows, runs))
        noise[:, 1::2] += share
        return np.asarray(noise)

    return runs_in_order


def two_states(stay: float | None, inside: float = 0.003) -> Source:
    """Two states 6 % apart, each with the noise ``inside``, and stays of ``stay`` runs on
    average; None: drawn anew for each run."""

    def states(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
        moves = rng.random((rows, runs)) < (0.5 if stay is None else 1 / stay)
        moves[:, 0] = rng.random(rows) < 0.5
        return np.asarray(rng.normal(0, inside, (rows, runs)) + moves.cumsum(axis=1) % 2 * 0.06)

    return states


STAYS = (1, 1.25, 2, 5, 20)
MODELS: dict[str, Source] = {
    "independent": independent,
    "heavy tail": heavy,
    "outlier runs": outlier,
    "bimodal": bimodal,
    "AR(1) 0.7": autoregressive,
    "drift 6 %": drift,
    "mixture": mixture,
}
AUDIT: dict[str, Source] = {
    "alternating, AR(1) -0.5": alternating,
    "second run 3 % slower, sd 0.5 %": order(0.03, 0.005),
    "second run 5 % slower, sd 2 %": order(0.05, 0.02),
    "two states, stays of 1.25 runs": two_states(1.25),
    "two states, stays of 2 runs": two_states(2.0),
    "two states, stays of 5 runs": two_states(5.0),
    "two states, stays of 20 runs": two_states(20.0),
    "two states drawn anew each run": two_states(None),
    "two loose states drawn anew each run": two_states(None, 0.012),
}
"""What an audit found to break the promise of an earlier design."""


def recorded(session: str) -> Source:
    """Pieces of a recorded session of real runs, each of one metric, beginning anywhere; their
    noise is their own, whatever ``sd`` says."""
    document = json.loads(Path(__file__).with_name("sessions.json").read_text("utf-8"))
    logs = np.log(np.array(document["sessions"][session]))

    def pieces(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
        first = rng.integers(0, len(logs) - runs + 1, rows)
        column = rng.integers(0, logs.shape[1], rows)
        return np.asarray(logs[first[:, None] + np.arange(runs), column[:, None]])

    return pieces


RECORDED = ("throttled loop device", "loop device")
