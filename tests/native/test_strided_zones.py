"""zonemode=strided: where each I/O goes, beside fio's."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from support.engine_runs import run

KIB = 1024


def _visited(program: str | Path, folder: Path, options: str) -> list[tuple[str, int, int]]:
    """Direction, offset and length of each I/O, in KiB."""
    words = f"--name=j --filename=f --size=64k --zonemode=strided --write_iolog=log {options}"
    ran = run(program, words.split(), folder)
    assert ran.status == 0, ran.err
    rows = [line.split()[-3:] for line in (folder / "log").read_text().splitlines()]
    return [
        (row[0], int(row[1]) // KIB, int(row[2]) // KIB)
        for row in rows
        if row[0] in {"read", "write"}
    ]


SAME = {
    "blocks reach past a zone": "--rw=read --zonesize=10k",
    "and past a gap": "--rw=read --zonesize=10k --zoneskip=6k",
    "a gap and a longer range": "--rw=read --zonesize=10k --zonerange=14k --zoneskip=2k",
    "a small zone comes again": "--rw=read --zonesize=12k --zonerange=8k",
    "a gap of part of a block": "--rw=read --zonesize=8k --zoneskip=6k",
    "less than size": "--rw=read --zonesize=10k --io_size=32k",
    "more than size": "--rw=read --zonesize=10k --zoneskip=6k --io_size=96k",
    "behind an offset": "--rw=write --zonesize=10k --offset=4k",
    "one block a zone": "--rw=read --bs=8k --zonesize=8k --zonerange=12k --zoneskip=1k",
    "verified": "--rw=write --bs=8k --zonesize=20k --verify=crc32c",
    "again": "--rw=read --zonesize=8k --zoneskip=8k --loops=2",
}


@pytest.mark.parametrize("options", SAME.values(), ids=SAME.keys())
def test_zones_are_visited_as_fio_visits_them(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    expected = _visited(fio, tmp_path / "fio", options)
    assert len(expected) >= 8
    assert _visited(engine, tmp_path / "ours", options) == expected


@pytest.mark.parametrize("sizes", ["--bsrange=4k-12k", "--bssplit=4k/50:8k/50"])
def test_blocks_of_several_sizes_follow_each_other_in_a_zone(
    engine: Path, tmp_path: Path, sizes: str
) -> None:
    options = f"--rw=read --zonesize=16k --zoneskip=16k {sizes} --io_size=256k"
    visited = _visited(engine, tmp_path, options)
    for (_, before, length), (_, offset, _) in pairwise(visited):
        follows = offset == before + length and before % 32 + length < 16
        begins = offset == (before // 32 + 1) * 32 % 64 and before % 32 + length >= 16
        assert follows or begins
    assert len({length for _, _, length in visited}) > 1


def test_a_zone_whose_blocks_were_all_read_is_followed_by_the_next(
    engine: Path, tmp_path: Path
) -> None:
    """More is to be moved in each than its two blocks."""
    visited = [at for _, at, _ in _visited(engine, tmp_path, "--rw=randread --zonesize=10k")]
    zones = [at // 10 * 10 for at in visited]
    twice = [at for at in range(0, 60, 10) for _ in range(2)]
    assert zones == [*twice, 60, 0, 0, 10]


def test_a_zone_has_a_map_of_its_own(engine: Path, tmp_path: Path) -> None:
    options = "--rw=randread --zonesize=16k --bsrange=4k-12k --size=60k --io_size=240k"
    turns = _visited(engine, tmp_path, options)
    zones = [[turns[0]]]
    for one in turns[1:]:
        if one[1] // 16 != zones[-1][-1][1] // 16:
            zones.append([])
        zones[-1].append(one)
    for zone in zones[:-1]:
        covered = [at for _, offset, length in zone for at in range(offset, offset + length, 4)]
        start = covered[0] // 16 * 16
        assert sorted(covered) == list(range(start, min(start + 16, 60), 4))
    assert len(zones) >= 16


def test_a_preferred_block_is_one_of_its_zone(engine: Path, tmp_path: Path) -> None:
    options = "--rw=randread --zonesize=16k --random_distribution=zipf:2 --io_size=4m"
    visited = [at for _, at, _ in _visited(engine, tmp_path, options)]
    assert {at // 16 for at in visited} == {0, 1, 2, 3}
    inside = [at % 16 for at in visited]
    assert max(inside.count(at) for at in (0, 4, 8, 12)) > len(visited) * 0.5
