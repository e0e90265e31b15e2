"""The machine that a command works on: opened once, and closed when the command ends."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

from iogate.errors import UsageError
from iogate.host.lent_devices import check_lent
from iogate.sut import open_sut
from iogate.sut.base import Sut
from iogate.sut.lending import lending

_ENDING = (signal.SIGTERM, signal.SIGHUP)


def machine() -> Sut:
    """The one that ``--machine`` names; else this machine, with its helper where there is one."""
    context = click.get_current_context().find_root()
    if context.obj is None:
        context.with_resource(ended_in_order())
        context.obj = opened = open_sut(context.params.get("machine") or "")
        context.call_on_close(opened.close)
        if lender := lending(opened):
            lender.lend(check_lent)
    sut: Sut = context.obj
    return sut


@contextmanager
def ended_in_order() -> Iterator[None]:
    """SIGTERM and SIGHUP end a command as Ctrl-C does, so that it lets its machine go. Where they
    are ignored, as after nohup, they stay so."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    usual = [each for each in _ENDING if signal.getsignal(each) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


def named_machine() -> str:
    """What ``--machine`` says; empty without it. Nothing is opened."""
    named: str | None = click.get_current_context().find_root().params.get("machine")
    return named or ""


def check_own() -> None:
    """UsageError where another machine is named than the one that iogate runs on."""
    if named := named_machine():
        raise UsageError(
            f"this works on the machine where it is called, not on {named}",
            remedy="call it there, without --machine",
        )


def own_machine() -> Sut:
    """The one that iogate runs on, for what changes files of root's. UsageError where another is
    named."""
    check_own()
    return machine()
