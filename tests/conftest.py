"""Lets every test import the packages from the checkout and ``support`` from here."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

_TESTS = Path(__file__).resolve().parent
for _folder in (_TESTS, _TESTS.parent / "runner", _TESTS.parent / "reports"):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

# A busy machine is no failure: no example has to be done by a time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
