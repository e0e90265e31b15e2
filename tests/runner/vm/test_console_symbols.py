"""File and line from the symbols of a kernel that somebody else has built."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.vm.console import last_words

CONSOLE = b"[    1.0] BUG: kernel NULL pointer\n[    1.0] RIP: 0010:hostile+0x1/0x2\n"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (r"fs/x.c:1\n", " (fs/x.c:1)"),
        (r"a\033[2Jb.c:1\nsecond line\n", " (a [2Jb.c:1)"),
        (r"\377.c:1\n", " (�.c:1)"),
        (r"??:0\n", ""),
    ],
)
def test_names_of_its_sources_are_one_line_that_can_be_printed(
    said: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, output in (("nm", r"00ff T hostile\n00fe t \377\n"), ("addr2line", said)):
        (tmp_path / name).write_text(f"#!/bin/sh\nprintf '{output}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "console").write_bytes(CONSOLE)
    words = last_words(tmp_path / "console", tmp_path / "vmlinux")
    assert words == f"BUG: kernel NULL pointer; at hostile+0x1{told}"
