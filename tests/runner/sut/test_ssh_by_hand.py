"""What somebody is told to type to see why a machine cannot be reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.sut import open_sut


@pytest.mark.parametrize(
    ("address", "typed"),
    [
        ("lab3", "ssh lab3"),
        ("u@lab3:2222", "ssh -p 2222 u@lab3"),
        ("[fe80::1]:22", "ssh -p 22 fe80::1"),
    ],
)
def test_it_is_a_command_that_ssh_takes(
    address: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "ssh"
    client.write_text("#!/bin/sh\necho refused >&2\nexit 255\n")
    client.chmod(0o755)
    monkeypatch.setenv("IOGATE_SSH", str(client))
    with pytest.raises(RefusedError, match=r"cannot reach .*: refused") as told:
        open_sut(f"ssh:{address}")
    assert told.value.remedy == f"try '{typed} true'"
