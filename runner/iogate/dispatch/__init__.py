"""Runs of one spec on other hosts, side by side, into one history and one verdict. The registry of
what brings cases to hosts is this table."""

from __future__ import annotations

import importlib

from iogate.dispatch.base import Carrier, Errand
from iogate.errors import UsageError

CARRIERS = {
    "ssh": "iogate.dispatch.ssh",
    "slurm": "iogate.dispatch.slurm",
}
"""By the word before the colon of ``--to``: a module with ``open_carrier(address, errand)``."""


def open_carrier(to: str, errand: Errand) -> Carrier:
    """The carrier that ``--to`` names. UsageError for what is none, or has a wrong address."""
    kind, colon, address = to.partition(":")
    if kind not in CARRIERS:
        raise UsageError(
            f"--to {to!r} leads nowhere",
            remedy="write --to ssh:HOST,HOST, or slurm, or slurm:PARTITION",
        )
    carrier: Carrier = importlib.import_module(CARRIERS[kind]).open_carrier(
        address if colon else "", errand
    )
    return carrier
