"""A SQLite history on a filesystem that several hosts share."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.store import open_store
from support.slow_disk import needs_fuse, slow_image


@needs_fuse
def test_it_is_refused_with_the_ways_out(tmp_path: Path) -> None:
    point = tmp_path / "shared"
    point.mkdir()
    with (
        slow_image(tmp_path, point, "subtype=sshfs"),
        pytest.raises(RefusedError, match=r"a network filesystem \(fuse\.sshfs\)") as caught,
    ):
        open_store(str(point / "history.sqlite"))
    assert "iogate dispatch" in caught.value.remedy
    assert "influxdb://" in caught.value.remedy
