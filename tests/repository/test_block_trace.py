"""The kernel's own times, read from the text of its trace."""

from __future__ import annotations

import pytest

from support.block_trace import Traced, _take

# /dev/null is 1,3: no block device, and so nobody else's.
TEXT = """\
# tracer: nop
   engine-7 [001] ..... 10.000100: block_bio_queue: 1,3 R 800 + 8 [iogate-engine]
   engine-7 [001] ..... 10.000110: block_bio_queue: 1,3 R 808 + 8 [iogate-engine]
   engine-7 [001] ..... 10.000120: block_bio_queue: 1,9 R 800 + 8 [other]
   disk-8   [001] ..... 10.000300: block_rq_complete: 1,9 R () 800 + 8 none,0,0 [0]
   disk-8   [001] ..... 10.000400: block_rq_complete: 1,3 R () 800 + 16 none,0,0 [0]
   disk-8   [001] d.... 10.000403: sched_switch: prev_comm=disk ==> next_comm=iogate-engine
   engine-7 [001] ..... 10.000500: block_bio_queue: 1,3 R 64 + 8 [iogate-engine]
   disk-8   [001] ..... 10.000700: block_rq_complete: 1,3 R () 64 + 8 none,0,0 [0]
"""


def test_each_io_has_its_times_also_where_two_became_one_request() -> None:
    assert [rounded(io) for io in _take(TEXT, "/dev/null")] == [
        Traced(800, 10_000_100, 300, 303),
        Traced(808, 10_000_110, 290, 293),
        Traced(64, 10_000_500, 200, 200),
    ]


def test_stamps_may_be_ticks_of_a_counter() -> None:
    """As of the time stamp counter, here of 2.5 GHz: not cut to microseconds."""
    ticks = TEXT.replace("10.000100:", "25000250000:").replace("10.000400:", "25001001250:")
    first = _take(ticks, "/dev/null", 2.5e9)[0]
    assert (first.sector, rounded(first).queued_us) == (800, 10_000_100)
    assert first.took_us == pytest.approx(300.5)


def rounded(io: Traced) -> Traced:
    return Traced(io.sector, round(io.queued_us), round(io.took_us), round(io.woke_us))
