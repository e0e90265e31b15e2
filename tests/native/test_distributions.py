"""random_distribution: the shares of blocks are those of fio, which draws other numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.engine_runs import run

BLOCKS = 1024
JOB = f"""[j]
ioengine=null
rw=randrw
size={BLOCKS * 4}k
io_size=1g
number_ios=20000
write_lat_log=l
log_offset=1
"""


def _counts(program: str | Path, folder: Path, text: str) -> dict[str, list[int]]:
    """How often each block was read and written."""
    ran = run(program, ["-"], folder, JOB + text)
    assert ran.status == 0, ran.err
    rows = [line.split(", ") for line in (folder / "l_lat.1.log").read_text().splitlines()]
    counts = {way: Counter(int(row[4]) // 4096 for row in rows if row[2] == way) for way in "01"}
    return {way: [of[block] for block in range(BLOCKS)] for way, of in counts.items()}


def _shares(counts: list[int], *, ranked: bool) -> list[float]:
    """The share of each sixteenth of the blocks: in their order, or the most drawn ones first."""
    order = sorted(counts, reverse=True) if ranked else counts
    step = BLOCKS // 16
    return [sum(order[at : at + step]) / sum(order) for at in range(0, BLOCKS, step)]


@pytest.mark.parametrize(
    ("how", "ranked"),
    [
        ("zipf", True),
        ("zipf:0.8", True),
        ("zipf:1.2:0.25", True),
        ("pareto", True),
        ("pareto:0.3", True),
        ("pareto:0.3:0.5", True),
        ("zoned:60/10:30/20:10/70", False),
        ("zoned:50/25:50/", False),
        ("zoned_abs:70/1m:30/2m", False),
    ],
)
def test_blocks_are_preferred_as_fio_does(
    engine: Path, fio: str, tmp_path: Path, how: str, ranked: bool
) -> None:
    text = f"random_distribution={how}\n"
    expected = _counts(fio, tmp_path / "fio", text)
    got = _counts(engine, tmp_path / "ours", text)
    for way in "01":
        shares = [_shares(of[way], ranked=ranked) for of in (expected, got)]
        assert shares[1] == pytest.approx(shares[0], abs=0.04)


def test_reads_and_writes_have_zones_of_their_own(engine: Path, tmp_path: Path) -> None:
    counts = _counts(engine, tmp_path, "random_distribution=zoned:90/10:10/90,10/50:90/50\n")
    assert _tenth(counts["0"]) == pytest.approx(0.9, abs=0.03)
    assert sum(counts["1"][: BLOCKS // 2]) / sum(counts["1"]) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize("how", ["zipf:1.2:0.25", "pareto:0.2:0.25"])
def test_the_preferred_blocks_begin_at_the_centre(engine: Path, tmp_path: Path, how: str) -> None:
    counts = _counts(engine, tmp_path, f"random_distribution={how}\n")["0"]
    assert max(range(BLOCKS), key=counts.__getitem__) in range(255, 258)
    after = sum(counts[BLOCKS // 4 - 1 : BLOCKS // 2])
    assert after / sum(counts) > 0.7


@pytest.mark.parametrize(("how", "centre", "deviation"), [
    ("normal", 0.5, 0.1), ("normal:20", 0.5, 0.2), ("normal:5:0.25", 0.25, 0.05),
    ("gauss:10", 0.5, 0.1),
])  # fmt: skip
def test_a_bell_stands_at_its_centre(
    engine: Path, tmp_path: Path, how: str, centre: float, deviation: float
) -> None:
    counts = _counts(engine, tmp_path, f"random_distribution={how}\n")["0"]
    near = range(int((centre - deviation) * BLOCKS), int((centre + deviation) * BLOCKS))
    within = 0.683 / (0.988 if deviation == 0.2 else 1)  # what is outside is drawn again
    assert sum(counts[i] for i in near) / sum(counts) == pytest.approx(within, abs=0.03)


def _tenth(counts: list[int]) -> float:
    return sum(counts[: BLOCKS // 10]) / sum(counts)


def test_distribution_of_zipf_itself(engine: Path, tmp_path: Path) -> None:
    """Theta 1: the shares of the ranks are 1, 1/2, 1/3 …"""
    counts = sorted(_counts(engine, tmp_path, "random_distribution=zipf:1\n")["0"], reverse=True)
    expected = 1 / sum(1 / rank for rank in range(1, BLOCKS + 1))
    assert counts[0] / sum(counts) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("flat", "'flat' is not one of random, zipf, pareto, normal, zoned:, zoned_abs:"),
        ("zipf:x", "'x' is no number"),
        ("zipf:1.2:2", "'2' is no place from 0 to 1"),
        ("zipf:11", "zipf:11 is not from 0 to 10"),
        ("pareto:1", "pareto:1 is not above 0 and below 1"),
        ("normal:100", "normal:100 is not from 0 to below 100"),
        ("zoned:60/10", "the zones have 60 % of I/Os together, not 100"),
        ("zoned:60/10:40/100", "the zones are 110 % of the file together"),
        ("zoned:60", "'60' is no zone: percent of I/Os/percent of the file"),
        ("zoned_abs:60/64q:40/1m", "no unit 'q'"),
        ("sequence:", "'' is no list of numbers of blocks, as in sequence:2,0,1"),
        ("sequence:2,x", "'x' is no list of numbers"),
        ("sequence:2,", "'' is no list of numbers"),
        ("sequence:1k", "'1k' is no list of numbers"),
        ("sequence:" + "9" * 19, "is no list of numbers"),
        ("sequence:" + ",".join(["1"] * 4097), "a sequence has at most 4096 blocks"),
        ("zoned:" + ":".join(["1/1"] * 300), "there are more than 256 zones"),
    ],
)
def test_a_wrong_distribution_is_told(engine: Path, tmp_path: Path, how: str, says: str) -> None:
    ran = run(engine, ["-"], tmp_path, f"[j]\nrw=randread\nsize=1m\nrandom_distribution={how}\n")
    assert ran.status == 2
    assert "stdin:4:21: random_distribution: " in ran.err
    assert says in ran.err


def _order(engine: Path, folder: Path, options: str) -> list[int]:
    words = f"filename=f rw=randread write_lat_log=l log_offset=1 {options}".split()
    ran = run(engine, ["-"], folder, "\n".join(["[j]", *words, ""]))
    assert ran.status == 0, ran.err
    rows = (folder / "l_lat.1.log").read_text().splitlines()
    return [int(row.split(", ")[4]) // 4096 for row in rows]


@pytest.mark.parametrize(
    ("options", "order"),
    [
        ("sequence:2,0,1 size=28k", [2, 0, 1, 2, 0, 1, 2]),
        ("sequence:5 size=24k number_ios=3", [5, 5, 5]),
        (
            "sequence:2,0,1 random_sequence_stride=1 size=40k",
            [2, 0, 1, 5, 3, 4, 8, 6, 7, 9],  # 11 and 10 are past the end
        ),
        ("sequence:2,0,1 random_sequence_stride=1 size=12k loops=2", [2, 0, 1] * 2),
        ("sequence:2,0 random_sequence_stride=1 size=24k", [2, 0, 5, 3, 2, 0]),
        ("sequence:1,0 random_sequence_stride=1 size=16k filename=f:g", [1, 1, 0, 0]),
        ("sequence:1,0 bs=8k size=32k", [2, 0, 2, 0]),
    ],
)
def test_blocks_come_as_listed(
    engine: Path, tmp_path: Path, options: str, order: list[int]
) -> None:
    assert _order(engine, tmp_path, f"random_distribution={options}") == order


def test_a_listed_block_past_the_end_is_refused(engine: Path, tmp_path: Path) -> None:
    text = "[j]\nrw=randread\nsize=100k\nrandom_distribution=sequence:2,25\n"
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 1
    assert "j: random_distribution: the sequence has a block 25, and file 0 has 25 of" in ran.err
