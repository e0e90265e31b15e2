"""Programs as workloads, by iogate as people call it, on filesystems that it makes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, needs_root

from .conftest import Iogate

pytestmark = needs_root
SPEC = """\
version: 1
name: programs
targets:
  raw: { device: %(device)s, destroy: { backing: %(image)s } }
  ext4: { filesystem: { on: raw, type: ext4 } }
  xfs: { filesystem: { on: raw, type: xfs } }
workloads:
  dbench:
    target: ext4
    command: [dbench, -D, "{target}", -t, 2, 2]
    metrics:
      throughput: { pattern: 'Throughput ([0-9.]+) MB/sec', unit: MB/s, better: high }
      p-max: { pattern: 'max_latency=([0-9.]+) ms', unit: ms, better: low }
    repetitions: 2
    thresholds: { command.throughput: "> 1B/s", command.p-max: "< 100s" }
  untar:
    target: ext4
    prepare:
      - [mkdir, "{target}/t"]
      - [sh, -c, 'seq 9000 | split -a 3 -l 100 - "$0/f" && ln -s faaa "$0/l"', "{target}/t"]
      - [tar, -cf, "{target}/t.tar", -C, "{target}", t]
    command: [tar, -xf, "{target}/t.tar", -C, "{target}"]
    repetitions: 2
    thresholds: { runtime: "< 100s", %(more)s }
  reads:
    target: ext4
    fio: { ioengine: psync, rw: read, bs: 4k, size: 1m }
    repetitions: 1
    thresholds: { read.iops: "> 1" }
compare:
  blocks: 6
  arms: { xfs: { targets: { ext4: xfs } } }
"""
SPEC_OF_ONE = """\
version: 1
name: one
targets: { d: { directory: %(folder)s } }
workloads: { w: { command: %(command)s, repetitions: 1, thresholds: { runtime: "< 60s" } } }
"""


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 320) as made:
        yield made


def spec(iogate: Iogate, device: str, more: str = "errors: '< 1'") -> Path:
    return iogate.spec(SPEC % {"device": device, "image": image_of(device), "more": more})


def test_programs_are_measured_beside_fios_jobs(iogate: Iogate, device: str) -> None:
    path = spec(iogate, device)
    refused = iogate("run", path)
    assert refused.code == 3
    assert (
        f"{path.name} changes this host and runs dbench, mkdir, sh, tar on this host" in refused.err
    )
    done = iogate("run", path, "--trust")
    assert done.code == 0, done.text
    assert "took " in done.err
    for metric in ("command.throughput", "command.p-max", "runtime"):
        assert metric in done.out
    measured = iogate.run_document()["measurements"]
    names = [m["engine"]["name"] for m in measured]
    assert sorted(names) == ["command"] * 4 + ["iogate-engine"], names
    assert iogate.left_behind() == []

    report = (iogate.latest / "report.html").read_text()
    assert "command.throughput" in report
    assert "; command: dbench -D" in report
    assert "MiB/s" in report

    trend = iogate("trend", path, "--json")
    assert trend.code == 0, trend.text
    series = {s["metric"]: s for s in json.loads(trend.out)["series"]}
    assert series["command.p-max"]["unit"] == "ns"
    assert series["runtime"]["unit"] == "ns"


def test_what_fails_and_what_is_not_there(iogate: Iogate, device: str) -> None:
    path = spec(iogate, device)
    path.write_text(path.read_text().replace('-xf, "{target}/t.tar"', '-xf, "{target}/gone"'))
    done = iogate("run", path, "--trust", "--case", "untar")
    assert done.code == 4, done.text
    assert "tar -xf {target}/gone -C {target} ended with status 2" in done.err
    assert "gone: Cannot open" in done.err

    loud = """[sh, -c, 'printf "\\033[31mred"; exit 7', "{target}"]"""
    path.write_text(SPEC_OF_ONE % {"folder": iogate.folder, "command": loud})
    done = iogate("run", path, "--trust")
    assert "ended with status 7: �[31mred" in done.err
    assert "\033" not in done.text

    path = spec(iogate, device)
    path.write_text(path.read_text().replace("[dbench,", "[dbenchmark,"))
    done = iogate("run", path, "--trust", "--case", "dbench")
    assert done.code == 3, done.text
    assert "dbenchmark is not installed" in done.err


def test_a_number_that_is_nowhere_leaves_its_limit_undecided(iogate: Iogate) -> None:
    metrics = "metrics: { n: { pattern: 'n=([0-9])', unit: count, better: high } }"
    command = f'[echo, "{{target}}"], {metrics}'
    text = SPEC_OF_ONE % {"folder": iogate.folder, "command": command}
    path = iogate.spec(text.replace("thresholds: {", 'thresholds: { command.n: "> 1",'))
    done = iogate("run", path, "--trust")
    assert done.code == 0, done.text
    assert re.search(r"command\.n +– +> 1 +inconclusive", done.out)
    report = (iogate.latest / "report.html").read_text()
    assert "command.n has no value: no line that echo printed matches" in report


def test_arms_are_filesystems(iogate: Iogate, device: str) -> None:
    path = spec(iogate, device, 'cpu.sys: "vs baseline < +90000%"')
    done = iogate("ab", path, "--trust", "--candidate", "xfs", "--case", "untar", "--blocks", "6")
    assert done.code in (0, 1, 5), done.text
    arms = {m["arm"] for m in iogate.run_document()["measurements"]}
    assert arms == {"spec", "xfs"}
