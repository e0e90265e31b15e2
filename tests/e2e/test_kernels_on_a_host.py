"""A host that is booted into another kernel by kexec, for real: an emulated computer with sshd."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from iogate.engine.base import Stop
from iogate.errors import RunError
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.sut.booted_host import HostSut
from iogate.sut.built_kernel import PLACE
from support.devices import needs_root
from support.guests import NEW, OLD, PARTS
from support.kernel_trees import LEFT, build_script, kernel_tree
from support.kexec_host import KexecHost, kexec_host

from .conftest import Iogate, wait_for

pytestmark = needs_root
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
"""
ARMS = ("--base", "spec", "--candidate", "kernel=new", "--seed", "7")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KexecHost]:
    with kexec_host(tmp_path_factory.mktemp("host")) as up:
        yield up


def test_a_kernel_is_booted_measured_and_left(
    host: KexecHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was built here, after one that panics at its start."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC)
    with closing(HostSut(host.describe().removeprefix("host:"))) as sut:
        home = sut.running()
        assert home.release.startswith(f"{OLD}.")
        with pytest.raises(RunError, match=r"panics \(6\.12\..* did not come up: lab is back"):
            sut.boot(sut.kernel("panics"))
        kernel = sut.kernel(f"{PARTS}/{NEW}")
        sut.boot(kernel)
        assert sut.running().cmdline.startswith(home.cmdline)
        own = f"/lib/modules/{kernel.release}/virtio_net.ko"
        assert sut.run(["modprobe", "--show-depends", "virtio_net"]).stdout.count(own) == 1
        request = Request(spec, sut, no_store=True, output=tmp_path / "run", repetitions=1)
        run = execute(request, make_request_plan(request), Mock(), Stop()).run
        sut.settle()
        assert sut.running().is_same(home)
        assert sut.stat(PLACE) is None
    assert run.failures == ()
    assert run.measurements
    facts = run.environment
    assert str(facts["kernel.release"]).startswith(f"{NEW}.")
    assert facts["kernel.build_id"] == kernel.build_id != home.build_id
    assert "Kernel panic" in host.console.read_text(errors="replace")


def whole_comparison(iogate: Iogate, host: KexecHost) -> None:
    """``make kernels`` does it: killed in its second block, and resumed."""
    machine, spec = host.describe(), iogate.spec(SPEC)
    other = iogate("--machine", machine, "ab", spec, "--candidate", "kernel=other")
    assert other.code == 4, other.text
    assert "the wrong kernel came up on lab: build id" in other.err
    hangs = iogate(
        "--machine", host.describe(boot_seconds=90), "ab", spec, "--candidate", "kernel=hangs"
    )
    assert hangs.code == 4, hangs.text
    assert "did not come up on lab within 90 s" in hangs.err
    assert f"brought it back, under {OLD}." in hangs.err
    host.describe()
    none = iogate("--machine", machine, "ab", spec, "--candidate", "kernel=none")
    assert none.code == 2, none.text
    assert "host lab has no kernel 'none'" in none.err
    first, rest = iogate.folder / "first", iogate.folder / "rest"
    begun = iogate.start("--machine", machine, "ab", spec, *ARMS, "--output", first)
    wait_for(lambda: len(list(first.glob("raw/*.json"))) > 2, timeout_s=900)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    done = iogate.end(
        iogate.start("--machine", machine, "ab", "--resume", first, "--output", rest), 3000
    )
    assert done.code == 0, done.text
    run = json.loads((rest / "run.json").read_text())
    assert run["verdict"]["outcome"] == "pass"
    facts = run["environment"]
    assert facts["kernel.release"].startswith(OLD)
    assert facts["candidate.kernel.release"].startswith(NEW)


def whole_search(iogate: Iogate, host: KexecHost) -> None:
    """``make kernels`` does it: some 14 boots of kernels that are built here."""
    commits = kernel_tree(iogate.folder / "tree", 4, 2, no_boot="1")
    spec = iogate.spec(SPEC.replace("vs baseline > -20%", "> 1"))
    begun = iogate.start(
        "--machine", host.describe(), "bisect", spec, "--repository", "tree",
        "--good", commits[0], "--bad", commits[-1], "--kernel", LEFT, "--json",
        "--output", "found", "--", str(build_script(iogate.folder)),
    )  # fmt: skip
    done = iogate.end(begun, 3000)
    assert done.code == 5, done.text
    found = json.loads(done.out)
    assert sorted(found["first_bad"]) == sorted(commits[1:3])
    (step,) = (step for step in found["steps"] if step["side"] == "cannot tell")
    assert step["build"] == commits[1]
    assert "did not come up: lab is back" in step["why"]
    with closing(HostSut(host.describe().removeprefix("host:"))) as sut:
        assert sut.running().release.startswith(f"{OLD}.")
        assert "iogate.kernel" not in sut.running().cmdline
        assert sut.stat(PLACE) is None


if os.environ.get("IOGATE_WHOLE_KERNELS"):
    test_two_kernels_on_a_host = whole_comparison
    test_a_culprit_on_a_host = whole_search
