"""What ends a command that has begun."""

from __future__ import annotations

import os
import signal

import pytest

from iogate.cli.run import stoppable


@pytest.mark.parametrize("ignored", [True, False])
def test_a_terminal_that_goes_ends_no_command_of_nohup(ignored: bool) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        with stoppable() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert stop.requested is not ignored
    finally:
        signal.signal(signal.SIGHUP, before)
