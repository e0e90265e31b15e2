"""``iogate bisect --kernel``: each revision is built, and booted in an emulated computer."""

from __future__ import annotations

import json
import os
from pathlib import Path

from support.guests import OLD, describe
from support.kernel_trees import LEFT, MODULE, build_script, kernel_tree

from .conftest import Iogate

SPEC = """\
version: 1
name: kernels
targets:
  disk: { device: /dev/disk/by-id/scratch, destroy: { serial: scratch } }
workloads:
  reads:
    target: disk
    fio: { rw: randread, bs: 4k, direct: 1, ioengine: libaio, number_ios: 60 }
    thresholds: { read.iops: "> 1" }
"""
SMALL = (4, 2, {"no_boot": "1"})
WHOLE = (16, 9, {"no_build": "3 12", "no_boot": "11"})


def test_the_kernel_that_made_it_slower(iogate: Iogate, tmp_path: Path) -> None:
    """Sixteen kernels by ``make kernels``; else four, of which the one before the culprit does not
    boot, so that two are left."""
    whole = bool(os.environ.get("IOGATE_WHOLE_KERNELS"))
    changes, culprit, broken = WHOLE if whole else SMALL
    commits = kernel_tree(iogate.folder / "tree", changes, culprit, **broken)
    guest = describe(
        tmp_path,
        name=f"bisect-{os.getpid()}",
        more=f'kernel: "{OLD}"\nmodules: [{MODULE}]',
        scratch="size: 16m, iops: 500",
    )
    done = iogate(
        "--machine", f"vm:{guest}", "bisect", iogate.spec(SPEC), "--repository", "tree",
        "--good", commits[0], "--bad", commits[-1], "--kernel", LEFT, "--json",
        "--output", "found", "--", str(build_script(tmp_path)),
    )  # fmt: skip
    assert done.code == (0 if whole else 5), done.text
    found = json.loads(done.out)
    assert set(found["first_bad"]) == {commits[n] for n in ((culprit,) if whole else (1, 2))}
    assert found["step_error"] < 1 / 700
    why = {step["build"]: step["why"] for step in found["steps"] if step["side"] == "cannot tell"}
    for number in map(int, broken["no_boot"].split()):
        if commits[number] in why:
            assert "change that does not boot" in why[commits[number]]
    assert commits[1] in why or whole
    consoles = list((iogate.folder / "found").glob("boot-*.log"))
    assert all("Linux version 6.1." in each.read_text(errors="replace") for each in consoles)


def test_a_machine_that_boots_no_kernels_is_told(iogate: Iogate) -> None:
    commits = kernel_tree(iogate.folder / "tree", 2, 1)
    done = iogate(
        "bisect", iogate.spec(SPEC), "--repository", "tree", "--good", commits[0], "--bad",
        commits[1], "--kernel", ".", "--", "true",
    )  # fmt: skip
    assert done.code == 3, done.text
    assert "this machine boots none" in done.err
    assert "--machine vm:FILE" in done.err
