"""What is damage, and so may be repaired; all else is left as it is."""

from __future__ import annotations

import pytest

from iogate.errors import StoreError
from iogate.store.sqlite.repair import is_damage


@pytest.mark.parametrize("cause", [None, OSError("gone"), TimeoutError()])
def test_what_is_out_of_reach_is_not_damaged(cause: BaseException | None) -> None:
    error = StoreError("no answer", remedy="wait")
    error.__cause__ = cause
    assert not is_damage(error)
