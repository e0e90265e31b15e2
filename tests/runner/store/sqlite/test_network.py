"""A SQLite history on a filesystem that several hosts share."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.store import open_store
from iogate.store.sqlite import network
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


def test_a_filesystem_that_no_mount_has_the_number_of_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of a subvolume of btrfs, or of a user whose root is elsewhere."""
    table = tmp_path / "mountinfo"
    table.write_text("36 35 0:9999 / /mnt2 rw,noatime master:1 - nfs /dev/root rw\n")
    monkeypatch.setattr(network, "_MOUNTS", table)
    open_store(str(tmp_path / "history.sqlite")).close()
