"""``iogate bisect --kernel``: each revision is built, and booted in an emulated computer."""

from __future__ import annotations

import json
import os
from pathlib import Path

from support.guests import OLD, describe
from support.kernel_trees import LEFT, MODULE, build_script, kernel_tree

from .conftest import Done, Iogate

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
CHANGES, CULPRIT, NO_BOOT = 16, 9, 11


def bisect(iogate: Iogate, folder: Path, commits: list[str]) -> Done:
    """The search between the first and the last commit."""
    guest = describe(
        folder,
        name=f"bisect-{os.getpid()}",
        more=f'kernel: "{OLD}"\nmodules: [{MODULE}]',
        scratch="size: 16m, iops: 500",
    )
    return iogate(
        "--machine", f"vm:{guest}", "bisect", iogate.spec(SPEC), "--repository", "tree",
        "--good", commits[0], "--bad", commits[-1], "--kernel", LEFT, "--json",
        "--output", "found", "--", str(build_script(folder)),
    )  # fmt: skip


def whole_search(iogate: Iogate, tmp_path: Path) -> None:
    """``make kernels`` does it: some 22 boots."""
    commits = kernel_tree(
        iogate.folder / "tree", CHANGES, CULPRIT, no_build="3 12", no_boot=str(NO_BOOT)
    )
    done = bisect(iogate, tmp_path, commits)
    assert done.code == 0, done.text
    found = json.loads(done.out)
    assert found["first_bad"] == [commits[CULPRIT]]
    assert found["step_error"] < 1 / 700
    why = {step["build"]: step["why"] for step in found["steps"] if step["side"] == "cannot tell"}
    broken = dict.fromkeys((commits[3], commits[12]), "build command ended with")
    broken[commits[NO_BOOT]] = "change that does not boot"
    # git chooses between the two in the middle by their hashes, which differ each time: one of them
    # is met.
    met = why.keys() & {commits[NO_BOOT], commits[12]}
    assert met
    assert all(broken[each] in why[each] for each in why)


if os.environ.get("IOGATE_WHOLE_KERNELS"):
    test_the_kernel_that_made_it_slower = whole_search


def test_an_end_that_does_not_boot_ends_the_search(iogate: Iogate, tmp_path: Path) -> None:
    commits = kernel_tree(iogate.folder / "tree", 2, 1, no_boot="0")
    done = bisect(iogate, tmp_path, commits)
    assert done.code == 4, done.text
    assert "change that does not boot" in done.err
    console = iogate.folder / "found" / "boot-001.log"
    assert "Linux version 6.1." in console.read_text(errors="replace")
    assert (iogate.folder / "found" / "build-001.log").exists()


def test_a_machine_that_boots_no_kernels_is_told(iogate: Iogate) -> None:
    commits = kernel_tree(iogate.folder / "tree", 2, 1)
    done = iogate(
        "bisect", iogate.spec(SPEC), "--repository", "tree", "--good", commits[0], "--bad",
        commits[1], "--kernel", ".", "--", "true",
    )  # fmt: skip
    assert done.code == 3, done.text
    assert "this machine boots none" in done.err
    assert "--machine vm:FILE" in done.err
