"""The state that a precondition brought a device to, and how that was seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The rounds of writing until a device was steady. ``rounds`` are the mean rates of all of
    them, each over ``round_s`` seconds, in the unit of ``of``: iops (1/s) or bw (bytes/s). The
    last ``window`` of them were judged by ``rule``, as the spec says it, and ``found`` is how, in
    words. ``mean`` is that of the window, ``band`` the lowest and highest rate that the rule
    allows about it (empty where it says none), and ``line`` the least-squares line through the
    window: its value at the first and at the last round of it."""

    rule: str
    of: str
    round_s: float
    rounds: tuple[float, ...]
    window: int
    found: str
    mean: float
    band: tuple[float, ...] = ()
    line: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class DevicePrecondition:
    """What a run did to bring one device into its state, or why it did nothing: ``text`` says
    it. ``done`` is by this run; else run ``run_id`` did it and it still holds. ``at_ns`` is when
    (Unix time), ``written_bytes`` how much was written."""

    target: str
    device: str
    text: str
    done: bool
    at_ns: int
    run_id: str
    written_bytes: int
    steady: SteadyState | None = None
