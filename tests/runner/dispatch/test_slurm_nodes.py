"""Nodes as sinfo prints them, whose reasons are whatever an administrator wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.dispatch.slurm import programs


def test_a_reason_of_two_lines_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sinfo = tmp_path / "sinfo"
    sinfo.write_text(
        "#!/bin/sh\n"
        "echo 'n1|drained|nvme|disk'; echo 'see the ticket|storage*'\n"
        "echo 'n2|idle|nvme|none|storage*'\n"
    )
    sinfo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert [(node.name, node.is_up) for node in programs.nodes("")] == [("n2", True)]
