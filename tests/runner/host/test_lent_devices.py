"""Devices of this host that a virtual machine may overwrite."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.host.lent_devices import check_lent
from iogate.model.spec import Destroy
from iogate.store import open_store
from support.devices import loop_over, needs_root

ALL = ("anything",)


@needs_root
def test_a_history_is_lent_to_nobody(tmp_path: Path) -> None:
    history = tmp_path / "image"
    with closing(open_store(str(history))):
        pass
    with loop_over(history) as device, pytest.raises(RefusedError) as caught:
        check_lent(device, Destroy(backing=str(history), holds=ALL))
    assert "belongs to a SQLite database, as a history is one" in caught.value.what


@needs_root
def test_a_device_over_a_file_of_its_own_is_lent(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(1 << 20))
    with loop_over(image) as device:
        assert check_lent(device, Destroy(backing=str(image), holds=ALL)).startswith("7:")
