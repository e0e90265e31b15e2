"""Hosts by ssh of which one has a slower disk: the fleet, as they were dispatched to, names it."""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack
from pathlib import Path

from support.devices import loop_device, mounted, needs_root, sh
from support.elsewhere import DISK
from support.ssh_host import ssh_hosts
from support.throttle import throttle

from .conftest import Iogate

SPEC = f"""\
version: 1
name: fleet
targets:
  file: {{ file: {DISK}/file }}
workloads:
  reads:
    fio: {{ rw: randread, size: 4m, direct: 1, ioengine: libaio, iodepth: 4, number_ios: 100 }}
    repetitions: 1
    thresholds: {{ read.iops: "vs baseline > -50%" }}
validity: {{ off: all }}
"""
# So slow that a busy disk below is never what holds a host back, and so far apart that its noise
# does not hide it. How little stands out is tested with made series.
IOPS = (150, 150, 75, 150)
SLOW = 2


@needs_root
def test_the_host_with_a_slower_disk_stands_out(iogate: Iogate, tmp_path: Path) -> None:
    spec = iogate.spec(SPEC)
    with ExitStack() as stack:
        disk = stack.enter_context(loop_device(tmp_path, 512))
        folder = stack.enter_context(mounted(disk, tmp_path / "hosts"))
        held = [stack.enter_context(throttle(disk)) for _ in IOPS]
        hosts = stack.enter_context(ssh_hosts(folder, len(IOPS)))
        for host, group, iops in zip(hosts, held, IOPS, strict=True):
            sh("sh", "-c", group.setting(iops))
            host.hold(group.group)
        to = "--to=ssh:" + ",".join(host.address for host in hosts)
        for _night in range(3):
            done = iogate("dispatch", spec, to, "--json", IOGATE_SSH=os.environ["IOGATE_SSH"])
            assert done.code == 0, done.text
    slow = json.loads(done.out)["parts"][SLOW]
    name = json.loads((Path(slow["folder"]) / "run.json").read_text())["host"]["name"]
    said = iogate("fleet", spec)
    assert f"{name} stands out in" in said.out, said.text
    site = tmp_path / "site"
    assert iogate("site", site).code == 0
    (page,) = site.rglob("fleet.html")
    rows = re.findall(r"<tr.*?</tr>", page.read_text(), re.DOTALL)
    assert {name in row for row in rows if "stands out" in row} == {True}
