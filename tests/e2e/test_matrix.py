"""One workload on several filesystems of one device, compared within a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, needs_root

from .conftest import Iogate

pytestmark = needs_root
SPEC = """\
version: 1
name: matrix
targets:
  raw: { device: %(device)s, destroy: { backing: %(image)s } }
  ext4: { filesystem: { on: raw, type: ext4 } }
  btrfs: { filesystem: { on: raw, type: btrfs } }
workloads:
  log:
    fio: { ioengine: psync, rw: write, bs: 4k, size: 256k, fsync: 1 }
    strategy: { matrix: { target: [ext4, btrfs] } }
    repetitions: 5
    thresholds: { sync.lat.mean: "vs case target=ext4 < +%(more)s%%" }
"""


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 320) as made:
        yield made


def spec(iogate: Iogate, device: str, more: str) -> Path:
    return iogate.spec(SPEC % {"device": device, "image": image_of(device), "more": more})


def test_filesystems_are_compared_within_one_run(iogate: Iogate, device: str) -> None:
    done = iogate("run", spec(iogate, device, "100000"), "--trust")
    assert done.code == 0, done.text
    document = iogate.run_document()
    assert len(document["measurements"]) == 10
    (limit,) = document["verdict"]["thresholds"]
    names = {case["id"]: case["name"] for case in document["plan"]["cases"]}
    assert names[limit["case_id"]] == "log/target=btrfs"
    assert names[limit["against"]] == "log/target=ext4"
    facts = document["environment"]
    kinds = [facts[f"target.{name}.filesystem"] for name in ("ext4", "btrfs")]
    assert kinds == ["ext4", "btrfs"]
    assert "vs case target=ext4" in done.out


VARIED = """\
version: 1
name: varied
targets:
  raw: { device: %(device)s, destroy: { backing: %(image)s } }
  fs: { filesystem: { on: raw, type: ext4, mount: [noatime] } }
workloads:
  log:
    target: fs
    fio: { ioengine: psync, rw: write, bs: 4k, size: 256k, fsync: 1 }
    strategy:
      matrix:
        mkfs: [default, [-O, ^has_journal]]
        environment.block.scheduler: [none, mq-deadline]
    repetitions: 1
"""


def test_each_case_has_its_filesystem_and_its_settings(iogate: Iogate, device: str) -> None:
    queue = Path("/sys/block") / Path(device).name / "queue/scheduler"
    queue.write_text("none")
    path = iogate.spec(VARIED % {"device": device, "image": image_of(device)})
    assert iogate("run", path).code == 3
    done = iogate("run", path, "--trust")
    assert done.code == 0, done.text
    document = iogate.run_document()
    names = [case["name"] for case in document["plan"]["cases"]]
    assert names == [
        "log/mkfs=default,environment.block.scheduler=none",
        "log/mkfs=default,environment.block.scheduler=mq-deadline",
        "log/mkfs=-O ^has_journal,environment.block.scheduler=none",
        "log/mkfs=-O ^has_journal,environment.block.scheduler=mq-deadline",
    ]
    assert len(document["measurements"]) == 4
    facts = document["environment"]
    features = [facts[name] for name in facts if name.endswith("mkfs")]
    assert ["has_journal" in text for text in features] == [True, False]
    assert "[none]" in queue.read_text()
    assert iogate.left_behind() == []
    other = iogate.spec(path.read_text().replace("mq-deadline", "nosuch"))
    refused = iogate("run", other, "--trust")
    assert refused.code == 3
    assert "block.scheduler" in refused.err
    assert "not nosuch" in refused.err
