"""A disk that stalls under a fixed rate, from the spec to the page: both latencies are there,
and the page says that clat hides the stall."""

from __future__ import annotations

import json
from pathlib import Path

from support.devices import needs_root
from support.html_tree import read_html
from support.slow_disk import needs_fuse, slow_disk

from .conftest import Iogate

pytestmark = [needs_root, needs_fuse]
SPEC = """\
version: 1
name: paced
targets:
  disk: {{ device: {device} }}
workloads:
  reads:
    target: disk
    fio: {{ rw: randread, bs: 4k, direct: 1, rate_iops: 300, ioengine: psync,
           time_based: 1, runtime: 6s }}
    repetitions: 1
    thresholds:
      read.clat.p99: "< 250ms"
      read.intended_lat.p99: "< 250ms"
"""


def test_a_stall_that_clat_hides_fails_by_what_was_due(iogate: Iogate, tmp_path: Path) -> None:
    """A whole stall is in the run, whenever it begins: 240 I/Os are due meanwhile, of which
    clat knows the one in flight. 18 of 1,800 lie beyond p99."""
    with slow_disk(tmp_path) as disk:
        disk.become(stall_ms=800, every_ms=5000)
        done = iogate("run", iogate.spec(SPEC.format(device=disk.device)))
    assert done.code == 1, done.text
    verdict = json.loads((iogate.latest / "verdict.json").read_text())
    said = {one["threshold"]["metric"]: one["outcome"] for one in verdict["thresholds"]}
    assert said == {"read.clat.p99": "pass", "read.intended_lat.p99": "fail"}
    page = read_html((iogate.latest / "report.html").read_text("utf-8"))
    (text,) = page.all("p", "hidden-wait")
    assert text.text.startswith("A stall was hidden from clat: p99 of reads is ")
    (figure,) = [
        one
        for one in page.all("figure")
        if one.all("figcaption")[0].text == "Read latency, as due and as issued"
    ]
    assert "from its issue (clat)" in figure.text
    assert "from when it was due" in figure.text
