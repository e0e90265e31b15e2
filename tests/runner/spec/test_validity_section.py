"""The section ``validity``: limits with units, checks by name, and messages for what is none."""

from __future__ import annotations

import pytest

from iogate.errors import SpecError
from iogate.model.spec import Repetitions
from iogate.model.validity import AGAIN, Validity
from support.specs import plan_of

SPEC = (
    "version: 1\ntargets: { d: { directory: /tmp } }\n"
    "workloads: { w: { fio: { rw: randread, size: 1m } } }\n"
)


def validity(section: str) -> Validity:
    return plan_of(SPEC + section).validity


def test_without_the_section_everything_is_as_usual() -> None:
    assert validity("") == Validity(AGAIN, {}, ())


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("cpu: 10%", "cpu", 0.10),
        ("io: 2.5 %", "io", 0.025),
        ("clock: 50ms", "clock", 0.05),
        ("clock: 2s", "clock", 2.0),
        ("temperature: 70C", "temperature", 70.0),
        ("throttling: 0", "throttling", 0.0),
        ("pressure-io: 90%", "pressure-io", 0.9),
    ],
)
def test_a_limit_has_the_unit_of_its_check(text: str, name: str, value: float) -> None:
    assert validity(f"validity: {{ {text} }}").limits == {name: pytest.approx(value)}


def test_how_often_it_is_measured_again_and_what_does_not_look() -> None:
    assert validity("validity: { again: 0 }").again == 0
    assert validity("validity: { off: all }").off == ("all",)
    assert validity("validity: { off: [cpu, steal] }").off == ("cpu", "steal")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cpu: 10", "cpu cannot be '10'"),
        ("clock: 5%", "clock cannot be '5%'"),
        ("temperature: hot", "temperature cannot be 'hot'"),
        ("off: [cpus]", "there is no check 'cpus'"),
        ("saturation: 90%", "unknown key 'saturation'"),
        ("again: -1", "again"),
    ],
)
def test_what_is_no_limit_is_told_with_its_place(text: str, what: str) -> None:
    with pytest.raises(SpecError) as caught:
        validity(f"validity: {{ {text} }}")
    assert what in str(caught.value)
    assert ":4:" in str(caught.value)


def test_it_makes_no_other_case() -> None:
    plain, strict = (plan_of(SPEC + more).cases[0] for more in ("", "validity: { cpu: 1% }"))
    assert plain.id == strict.id
    assert plain.repetitions == Repetitions()
