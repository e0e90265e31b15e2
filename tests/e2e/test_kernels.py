"""Two kernels of Debian's, each booted for its run in a block, on disks that QEMU bounds."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from support.guests import NEW, OLD, describe

from .conftest import Iogate, wait_for

SPEC = """\
version: 1
name: kernels
targets:
  disk: { device: /dev/disk/by-id/scratch, destroy: { serial: scratch } }
workloads:
  writes:
    target: disk
    fio: { rw: randwrite, bs: 4k, direct: 1, ioengine: libaio, iodepth: 4, number_ios: 300 }
    thresholds: { write.iops: "vs baseline > -20%" }
compare:
  arms: { new: { kernel: "6.12" } }
  candidate: new
"""
ARMS = ("--base", f"kernel={OLD}", "--seed", "7")


def test_two_kernels_killed_and_resumed(iogate: Iogate, tmp_path: Path) -> None:
    """Whole, to its verdict, by ``make kernels``; else one block before the kill, and one after."""
    whole = os.environ.get("IOGATE_WHOLE_KERNELS")
    guest = f"vm:{describe(tmp_path, name=f'e2e-{os.getpid()}', scratch='size: 16m, iops: 400')}"
    first, rest = tmp_path / "first", tmp_path / "rest"
    begun = iogate.start("--machine", guest, "ab", iogate.spec(SPEC), *ARMS, "--output", first)
    wait_for(lambda: len(list(first.glob("consoles/block-*"))) == 2, timeout_s=900)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    words = ["ab", "--resume", first, "--output", rest, *(() if whole else ("--budget", "1s"))]
    done = iogate("--machine", guest, *words)
    assert done.code == 0, done.text
    run, before = (json.loads((each / "run.json").read_text()) for each in (rest, first))
    measured = sorted((m["block"], m["arm"]) for m in run["measurements"])
    arms = sorted((f"kernel={OLD}", "new"))
    assert measured == [(block, arm) for block in range(1, len(measured) // 2 + 1) for arm in arms]
    assert [part["run"] for part in run["plan"]["comparison"]["parts"]] == [before["id"]]
    assert run["verdict"]["outcome"] == ("pass" if whole else "warn")
    facts = run["environment"]
    assert facts["kernel.release"].startswith(OLD)
    assert facts["candidate.kernel.release"].startswith(NEW)
    assert facts["candidate.kernel.build_id"] != facts["kernel.build_id"]
    assert facts["host.product"] == "virtual machine (tcg)"
    consoles = {path.name: path.read_text(errors="replace") for path in rest.glob("consoles/*")}
    assert f"Linux version {OLD}." in consoles["begin.log"]
    assert f"Linux version {NEW}." in consoles["block-2-candidate.log"]


def test_kernels_need_a_machine_that_boots_them(iogate: Iogate) -> None:
    done = iogate("ab", iogate.spec(SPEC), *ARMS)
    assert done.code == 3
    assert "this machine boots none" in done.err
    assert "--machine vm:FILE" in done.err
