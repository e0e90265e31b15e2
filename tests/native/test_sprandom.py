"""sprandom: one pass leaves flash as random writes without end would."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.engine_runs import run

BLOCKS = 16384
PARTS = 10


def written(engine: Path, folder: Path, options: str) -> list[int]:
    """The blocks that a job writes, in its order."""
    size = "" if " size=" in f" {options}" else f" size={BLOCKS * 4}k"
    words = f"ioengine=null rw=randwrite sprandom=1 write_iolog=log {options}{size}".split()
    ran = run(engine, ["-"], folder, "\n".join(["[j]", *words, ""]))
    assert ran.status == 0, ran.err
    rows = [row.split() for row in (folder / "log").read_text().splitlines()]
    return [int(row[3]) // 4096 for row in rows if "write" in row]


def valid_parts(order: Sequence[int]) -> list[float]:
    """Of each tenth of the writes, the share that no later one overwrote."""
    last = {block: i for i, block in enumerate(order)}
    counts = [0] * PARTS
    for i in last.values():
        counts[i * PARTS // len(order)] += 1
    return [count * PARTS / len(order) for count in counts]


def left_by_random_writes(over_provisioning: float) -> list[float]:
    """The same after endless random overwriting: exp(-k x) a share x of all flash before the end,
    with k from the mean, 1 / (1 + over_provisioning), found by halving."""
    low, high = 1e-9, 64.0
    for _ in range(100):
        k = (low + high) / 2
        low, high = (k, high) if -math.expm1(-k) / k > 1 / (1 + over_provisioning) else (low, k)
    return [math.exp(-low * (1 - (part + 0.5) / PARTS)) for part in range(PARTS)]


@pytest.mark.parametrize("over_provisioning", [0.07, 0.15, 0.28, 1])
def test_flash_is_left_as_random_writes_leave_it(
    engine: Path, tmp_path: Path, over_provisioning: float
) -> None:
    order = written(engine, tmp_path, f"spr_op={over_provisioning}")
    assert set(order) == set(range(BLOCKS))
    assert len(order) == pytest.approx(BLOCKS * (1 + over_provisioning), rel=0.005)
    assert valid_parts(order) == pytest.approx(left_by_random_writes(over_provisioning), abs=0.03)


def test_the_default_is_fios(engine: Path, tmp_path: Path) -> None:
    given = written(engine, tmp_path, "spr_op=0.15 spr_num_regions=100")
    assert written(engine, tmp_path, "") == given


@pytest.mark.parametrize(
    "options", ["spr_op=0", "spr_num_regions=1", "size=40k", "size=4k", "spr_num_regions=1000000"]
)
def test_every_block_comes(engine: Path, tmp_path: Path, options: str) -> None:
    order = written(engine, tmp_path, options)
    assert len(order) == len(set(order))
    assert set(order) == set(range(len(order)))


def test_a_loop_is_a_pass(engine: Path, tmp_path: Path) -> None:
    order = written(engine, tmp_path, "loops=2")
    half = len(order) // 2
    assert len(order) == 2 * half
    assert set(order[:half]) == set(order[half:]) == set(range(BLOCKS))


def test_what_is_asked_for_ends_it(engine: Path, tmp_path: Path) -> None:
    assert len(written(engine, tmp_path, "io_size=400k")) == 100
    assert len(written(engine, tmp_path, "number_ios=7")) == 7


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("rw=randread", "sprandom is for rw=randwrite"),
        ("rw=randwrite:8", "sprandom is for rw=randwrite"),
        ("percentage_random=50", "drop percentage_random"),
        ("bssplit=4k/50:8k/50", "sprandom needs blocks of one size"),
        ("bsrange=4k-8k", "sprandom needs blocks of one size"),
        ("blockalign=8k", "sprandom needs blocks of one size"),
        ("random_distribution=zipf", "drop random_distribution"),
        ("zonesize=1m", "drop zonemode and zonesize"),
        ("nrfiles=2", "sprandom is for one file"),
        ("verify=crc32c", "which verify does not follow"),
        ("spr_op=1.5", "is no number from 0 to 1"),
        ("spr_num_regions=0", "spr_num_regions"),
    ],
)
def test_what_cannot_be_is_refused(engine: Path, tmp_path: Path, options: str, says: str) -> None:
    rw = "" if options.startswith("rw=") else "rw=randwrite\n"
    text = f"[j]\n{rw}ioengine=null\nsize=1m\nsprandom=1\n{options}\n"
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 2
    assert says in ran.err


def test_several_files_are_refused(engine: Path, tmp_path: Path) -> None:
    text = "[j]\nrw=randwrite\nsize=1m\nsprandom=1\nfilename=a:b\n"
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 1
    assert "sprandom is for one file" in ran.err
