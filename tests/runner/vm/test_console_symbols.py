"""File and line from the symbols of a kernel that somebody else has built."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from iogate.vm import console
from iogate.vm.console import last_words
from support.devices import needs_root

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


@pytest.mark.parametrize("does", ["exec yes 00ff T hostile", "kill -SEGV $$", "exec sleep 600"])
def test_a_kernel_that_takes_its_reader_over_costs_the_line_alone(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_MOST_NAMES", 1 << 20)
    monkeypatch.setattr(console, "_TIMEOUT_S", 2.0)
    (tmp_path / "nm").write_text(f"#!/bin/sh\n{does}\n")
    (tmp_path / "nm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "console").write_bytes(CONSOLE)
    told = last_words(tmp_path / "console", tmp_path / "vmlinux")
    assert told == "BUG: kernel NULL pointer; at hostile+0x1"


@needs_root
@pytest.mark.parametrize(
    "does", ["cat {secret} >&2", "echo x > {made}", "cat </dev/tcp/127.0.0.1/{port}"]
)
def test_its_reader_reaches_nothing_of_this_machine(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attack says a line where it works."""
    (tmp_path / "secret").write_text("of this machine")
    with socket.create_server(("127.0.0.1", 0)) as server:
        attack = does.format(
            secret=tmp_path / "secret", made=tmp_path / "made", port=server.getsockname()[1]
        )
        for name, output in (("nm", "00ff T hostile"), ("addr2line", "fs/x.c:1")):
            text = f"#!/bin/bash\nif {attack}; then echo '{output}'; else echo no; fi\n"
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        (tmp_path / "console").write_bytes(CONSOLE)
        told = last_words(tmp_path / "console", tmp_path / "vmlinux")
    assert told == "BUG: kernel NULL pointer; at hostile+0x1"
    assert not (tmp_path / "made").exists()
