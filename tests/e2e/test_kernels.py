"""Two kernels of Debian's, each booted for its run in a block, on disks that QEMU bounds."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from support.guests import NEW, OLD, build_module, describe

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
SLOW = "  slow: { device: /dev/disk/by-id/slow, destroy: { serial: slow } }\n"
WHOLE = os.environ.get("IOGATE_WHOLE_KERNELS")
ARMS = ("--base", f"kernel={OLD}", "--seed", "7")
FILES = """\
version: 1
name: files
targets:
  a: { device: /dev/disk/by-id/a, destroy: { serial: a } }
  b: { device: /dev/disk/by-id/b, destroy: { serial: b } }
  c: { device: /dev/disk/by-id/c, destroy: { serial: c } }
  fs:
    filesystem: { on: a, log: b, realtime: c, type: xfs, mkfs: [-d, rtinherit=1, -r, extsize=64k] }
  parity: { array: { on: [a, b, c], level: raid5, chunk: 64k } }
  striped: { array: { on: [b, a], level: raid0 } }
  files: { filesystem: { on: striped, type: ext4, journal: c } }
workloads:
  w:
    fio: { rw: write, bs: 64k, size: 1m }
    strategy: { matrix: { target: [fs, parity, files] } }
    repetitions: 1
    thresholds: { write.iops: "> 1" }
"""


MORE = f'kernel: "{OLD}"\nmodules: [raid0, raid456]'


def test_two_kernels_killed_and_resumed(iogate: Iogate, tmp_path: Path) -> None:
    """Whole, to its verdict, by ``make kernels``; else one block before the kill, and one after."""
    guest = f"vm:{describe(tmp_path, name=f'e2e-{os.getpid()}', scratch='size: 16m, iops: 400')}"
    first, rest = tmp_path / "first", tmp_path / "rest"
    base = f"kernel={OLD};module={build_module(tmp_path / 'module', value=7)} pace=9"
    arms = ("--base", base, "--seed", "7", "--per-boot", "2")
    begun = iogate.start("--machine", guest, "ab", iogate.spec(SPEC), *arms, "--output", first)
    wait_for(lambda: len(list(first.glob("consoles/block-*"))) == 2, timeout_s=900)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    words = ["ab", "--resume", first, "--output", rest, *(() if WHOLE else ("--budget", "1s"))]
    done = iogate("--machine", guest, *words)
    assert done.code == 0, done.text
    run, before = (json.loads((each / "run.json").read_text()) for each in (rest, first))
    measured = sorted((m["block"], m["arm"]) for m in run["measurements"])
    both = sorted((base, "new"))
    blocks = range(1, len(measured) // 4 + 1)
    assert measured == [(block, arm) for block in blocks for arm in both for _ in range(2)]
    (limit,) = run["verdict"]["thresholds"]
    assert [len(each) for each in limit["repetitions"]] == [2 for _ in blocks], (
        "a boot is one value"
    )
    assert [part["run"] for part in run["plan"]["comparison"]["parts"]] == [before["id"]]
    assert run["verdict"]["outcome"] == ("pass" if WHOLE else "warn")
    facts = run["environment"]
    assert facts["kernel.release"].startswith(OLD)
    assert facts["candidate.kernel.release"].startswith(NEW)
    assert facts["candidate.kernel.build_id"] != facts["kernel.build_id"]
    assert facts["host.product"] == "virtual machine (tcg)"
    loaded = {name.rpartition(".")[2]: facts[name] for name in facts if ".module." in name}
    assert (loaded["name"], loaded["version"], loaded["parameters"]) == ("probe", "7", "pace=9")
    assert loaded["srcversion"]
    assert loaded["build_id"]
    consoles = {path.name: path.read_text(errors="replace") for path in rest.glob("consoles/*")}
    assert f"Linux version {OLD}." in consoles["begin.log"]
    assert f"Linux version {NEW}." in consoles["block-2-candidate.log"]


@pytest.mark.skipif(not WHOLE, reason="a dozen boots: make kernels")
def test_a_candidate_whose_disk_is_a_tenth_slower_fails(iogate: Iogate, tmp_path: Path) -> None:
    disks = {"scratch": "size: 16m, iops: 400", "slow": "size: 16m, iops: 360"}
    guest = f"vm:{describe(tmp_path, name=f'slow-{os.getpid()}', **disks)}"
    spec = SPEC.replace("workloads:", SLOW + "workloads:").replace("-20%", "-5%")
    spec = spec.replace('kernel: "6.12"', 'kernel: "6.12", targets: { disk: slow }')
    spec = spec.replace("number_ios: 300", "number_ios: 1200")
    run = tmp_path / "run"
    done = iogate("--machine", guest, "ab", iogate.spec(spec), *ARMS, "--output", run)
    assert done.code == 1, done.text
    document = json.loads((run / "run.json").read_text())
    assert document["verdict"]["outcome"] == "fail"
    facts = document["environment"]
    assert facts["candidate.kernel.build_id"] != facts["kernel.build_id"]
    assert len(list(run.glob("consoles/block-*"))) == len(document["measurements"])


def test_kernels_need_a_machine_that_boots_them(iogate: Iogate) -> None:
    done = iogate("ab", iogate.spec(SPEC), *ARMS)
    assert done.code == 3
    assert "this machine boots none" in done.err
    assert "--machine vm:FILE" in done.err


def test_filesystems_and_arrays_over_several_devices_take_turns(
    iogate: Iogate, tmp_path: Path
) -> None:
    """In a machine, as few kernels that the tests run on have realtime devices, or md. In the end
    all of it is put back: what is not fails the run."""
    disks = {"a": "size: 320m", "b": "size: 320m", "c": "size: 336m"}
    guest = describe(tmp_path, name=f"e2e-rt-{os.getpid()}", more=MORE, **disks)
    kept = tmp_path / "kept"
    argv = ("run", iogate.spec(FILES), "--trust", "--output", kept)
    done = iogate("--machine", f"vm:{guest}", *argv)
    assert done.code == 0, done.text
    facts = json.loads((kept / "run.json").read_text())["environment"]
    assert (facts["target.fs.device"], facts["target.fs.realtime.device"]) == ("vda", "vdc")
    assert "rtextents=5376" in facts["target.fs.mkfs"]
    assert "logdev,rtdev" in facts["target.fs.mount_options"]
    parity = {key: facts[f"target.parity.array.{key}"] for key in ("level", "members", "bitmap")}
    assert parity == {"level": "raid5", "members": 3, "bitmap": "none"}
    assert facts["target.parity.array.chunk_bytes"] == 64 << 10
    assert facts["target.parity.array.mdadm"].startswith("v")
    assert facts["target.parity.member3.device"] == "vdc"
    assert facts["target.files.array.chunk_bytes"] == 512 << 10
    assert facts["target.files.journal.device"] == "vdc"
    assert "stripe=256" in facts["target.files.mount_options"]
