"""Why a kernel ended, by what it said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iogate.vm.console import last_words, panicked

OOPS = """\
[    1.000000] Run /init as init process
[    8.410412] BUG: kernel NULL pointer dereference, address: 0000000000000010
[    8.410412] #PF: supervisor read access in kernel mode
[    8.410412] RIP: 0010:broken_submit+0x{offset:x}/0x30 [driver]
[    8.410412] Call Trace:
[    8.410412]  <TASK>
[    8.410412]  ? page_fault_oops+0x10/0x20
[    8.410412]  blk_mq_submit_bio+0xed/0x4c0
[    8.410412]  do_syscall_64+0x5b/0x320
[    8.410412] Kernel panic - not syncing: Fatal exception
"""
OOPS_TOLD = (
    "BUG: kernel NULL pointer dereference, address: 0000000000000010; "
    "at broken_submit+0x4; at blk_mq_submit_bio+0xed; at do_syscall_64+0x5b"
)


@pytest.mark.parametrize(
    ("said", "words", "panic"),
    [
        ("", "", False),
        ("[    3.1] ok\n[    4.0] all is well\n\n", "all is well", False),
        (OOPS.format(offset=4), OOPS_TOLD, True),
        ("[ 1.0] Kernel panic - not syncing: VFS: Unable to mount root fs\n",
         "Kernel panic - not syncing: VFS: Unable to mount root fs", True),
        ("[ 9.0] INFO: task dd:5 blocked for more than 120 seconds.\n",
         "INFO: task dd:5 blocked for more than 120 seconds.", False),
        ("\x1b[31mred\x07\n", "[31mred", False),
    ],
)  # fmt: skip
def test_the_first_sign_of_trouble_is_quoted(
    said: str, words: str, panic: bool, tmp_path: Path
) -> None:
    console = tmp_path / "console"
    console.write_text(said)
    assert last_words(console) == words
    assert panicked(console) == panic


def test_a_console_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert last_words(tmp_path / "none") == ""


def test_symbols_of_the_kernel_tell_the_line(tmp_path: Path) -> None:
    source = tmp_path / "broken.c"
    source.write_text("int other;\nint broken_submit(int *x)\n{\n\treturn *x;\n}\n")
    vmlinux = tmp_path / "vmlinux"
    subprocess.run(["gcc", "-g", "-O0", "-c", source, "-o", vmlinux], check=True)
    console = tmp_path / "console"
    console.write_text(OOPS.format(offset=8))
    assert f"at broken_submit+0x8 ({source}:4" in last_words(console, vmlinux)
