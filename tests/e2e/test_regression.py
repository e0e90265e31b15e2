"""A change that makes storage slower fails the build, and only such a change does.

The device is throttled to an exact number of I/Os a second, so that neither this machine's
speed nor its other load decides what is measured.
"""

from __future__ import annotations

import re

from iogate.gate.history import RUNS_NEEDED
from support.devices import loop_device, mounted, needs_root
from support.throttle import throttled

from .conftest import Done, Iogate

SPEC = """\
version: 1
name: gate
targets: { disk: { directory: %s } }
workloads:
  reads:
    target: disk
    fio:
      { rw: randread, bs: 4k, size: 4m, ioengine: libaio, iodepth: 4, direct: true,
        time_based: true, runtime: 500ms }
    repetitions: 3
    thresholds:
      read.iops: ["vs baseline > -15%%"]
baseline: { min_samples: 5 }
"""


@needs_root
def test_a_slowed_candidate_fails_and_an_unchanged_one_passes(iogate: Iogate) -> None:
    with loop_device(iogate.folder) as device, mounted(device, iogate.folder / "mnt") as disk:
        spec = iogate.spec(SPEC % disk)

        def measured_at(iops: int) -> Done:
            with throttled(device, iops) as before:
                return iogate("run", spec, before=before)

        first = measured_at(2000)
        assert first.code == 0, first.text  # no baseline yet: told, and let through
        assert "missing-baseline" in first.out
        for _ in range(RUNS_NEEDED - 1):
            before = measured_at(2000)
            assert before.code == 0, before.text
        slowed = measured_at(500)
        assert slowed.code == 1, slowed.text
        assert re.search(r"-\d+\.\d %  fail", slowed.out), slowed.text
        line = next(n for n, text in enumerate(SPEC.splitlines(), 1) if "read.iops" in text)
        assert f"{spec}:{line}:" in slowed.out
        unchanged = measured_at(2000)
        assert unchanged.code == 0, unchanged.text
        assert not re.search(r"%  fail", unchanged.out), unchanged.text
