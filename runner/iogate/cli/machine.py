"""The machine that a command works on: opened once, and closed when the command ends."""

from __future__ import annotations

import click

from iogate.sut import open_sut
from iogate.sut.base import Sut


def machine() -> Sut:
    """This machine, with its helper where there is one."""
    context = click.get_current_context().find_root()
    if context.obj is None:
        context.obj = opened = open_sut()
        context.call_on_close(opened.close)
    sut: Sut = context.obj
    return sut
