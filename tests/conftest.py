"""Lets every test import the packages from the checkout and ``support`` from here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from support.schedule import LongestFirst

_TESTS = Path(__file__).resolve().parent
for _folder in (_TESTS, _TESTS.parent / "runner", _TESTS.parent / "reports"):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

# A busy machine is no failure: no example has to be done by a time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

from support.ci_variables import leave_ci  # noqa: E402
from support.own_locks import clear_own_locks, open_the_way, take_own_locks  # noqa: E402
from support.quiet import take_quiet_state  # noqa: E402

leave_ci()
take_own_locks()
open_the_way(_TESTS)
take_quiet_state()


@pytest.fixture(autouse=True)
def _own_locks() -> Iterator[None]:
    yield
    clear_own_locks()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongestFirst | None:
    """Of pytest-xdist, when it is asked for several processes."""
    from support.schedule import LongestFirst

    return LongestFirst(config, log) if config.getvalue("dist") == "loadfile" else None
