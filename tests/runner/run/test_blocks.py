"""How a comparison in blocks is told while it goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iogate.gate.blocks import Standing, open_cases, stand
from iogate.model.comparison import Arm, Comparison, repetition_of
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.spec import Comparison as Compare
from iogate.run.blocks import block_text, hopeless
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
THIN = s.threshold("write.clat.p99", Compare.LESS, 0.02, relative=True)
RULE = Comparison(Arm("old"), Arm("new"), seed=1)
NOISY = [1000.0, 1035.0, 990.0, 1020.0, 965.0]


def measured(base: Sequence[float], candidate: Sequence[float]) -> list[Measurement]:
    return [
        replace(one, arm=arm, block=block)
        for arm, values in (("old", base), ("new", candidate))
        for block, one in enumerate(s.repetitions(values), start=1)
    ]


def plan(rule: Comparison) -> Plan:
    return replace(s.plan(s.case(LIMIT, THIN)), comparison=rule)


def told(base: Sequence[float], candidate: Sequence[float], rule: Comparison = RULE) -> str:
    standings = stand(plan(rule), measured(base, candidate))
    still = _open(standings, rule)
    return block_text(len(base), standings, rule, still, each_s=2.0)


def _open(standings: Sequence[Standing], rule: Comparison) -> frozenset[str]:
    return open_cases(standings) if rule.sequential else frozenset({s.CASE_ID})


def test_a_run_is_named_by_its_block_and_arm() -> None:
    places = [RULE.place_of(repetition) for repetition in (1, 2, 3, 4)]
    names = ["block 1, old", "block 1, new", "block 2, old", "block 2, new"]
    assert [*map(str, places)] == names
    assert [repetition_of(place.block, place.index) for place in places] == [1, 2, 3, 4]


def test_what_cannot_be_decided_is_not_counted_as_decided() -> None:
    text = told([1000.0], [1000.0])
    assert text.startswith("block 1 of at most 28: 0 of 2 limits decided, 1 cannot be; ")
    assert text.endswith("; at most 27 more blocks, 54 s")
    (why,) = hopeless(stand(plan(RULE), measured([1000.0], [1000.0])))
    assert "write.clat.p99" in why
    assert "too few I/Os" in why


def test_the_end_is_said_in_blocks_and_time() -> None:
    text = told(NOISY, [value * 0.97 for value in NOISY[::-1]])
    assert text.startswith("block 5 of at most 28: 0 of 2 limits decided")
    assert text.endswith("(at most 23)")
    failed = told([1000.0] * 5, [900.0] * 5)
    assert failed == "block 5 of at most 28: 1 of 2 limits decided, 1 failed, 1 cannot be; done"


def test_an_arm_that_failed_is_not_done() -> None:
    standings = stand(plan(RULE), measured(NOISY[:2], NOISY[:2]))
    text = block_text(3, standings, RULE, frozenset(), each_s=2.0)
    assert text.endswith("0 of 2 limits decided, 1 cannot be; nothing more can be measured")


def test_disturbed_blocks_are_measured_again_and_more_of_them_end_it() -> None:
    rule = replace(RULE, sequential=False, most_blocks=5)
    standings = stand(plan(rule), measured(NOISY, NOISY))
    going = frozenset({s.CASE_ID})
    text = block_text(6, standings, rule, going, 2.0, disturbed=(2, False))
    assert text.startswith("block 6 of 7: ")
    assert text.endswith("; 1 more block, 2 s")
    text = block_text(3, (), rule, frozenset(), 2.0, disturbed=(1, True))
    assert text == "block 3 of 6; too many blocks do not count: nothing more is measured"


def test_a_canary_measures_all_of_its_blocks() -> None:
    rule = replace(RULE, sequential=False, most_blocks=5)
    assert told(NOISY[:4], NOISY[:4], rule).endswith("; 1 more block, 2 s")
    assert told(NOISY[:3], NOISY[:3], rule).startswith("block 3 of 5: ")
    assert told(NOISY[:3], NOISY[:3], rule).endswith("; 2 more blocks, 4 s")
    assert told(NOISY, NOISY, rule).endswith("; done")
