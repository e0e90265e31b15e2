"""Values as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.model.units import Better, Unit, format_change, format_value, two_digits


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1_234_567, Unit.NANOSECONDS, "1.23 ms"),
        (180_000, Unit.PER_SECOND, "180 k/s"),
        (512 * 2**20, Unit.BYTES_PER_SECOND, "512 MiB/s"),
        (12.34, Unit.PERCENT, "12.3 %"),
        (3, Unit.COUNT, "3"),
        (0, Unit.NANOSECONDS, "0 ns"),
        (-2e6, Unit.NANOSECONDS, "-2 ms"),
        (None, Unit.COUNT, "–"),
        (math.nan, Unit.COUNT, "–"),
        (math.inf, Unit.COUNT, "∞"),
    ],
)
def test_a_value_has_three_digits_and_its_unit(value: float | None, unit: Unit, text: str) -> None:
    assert format_value(value, unit) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (0.103, "+10.3 %"),
        (-0.03, "-3.0 %"),
        (0.0, "+0.0 %"),
        (0.9994, "+99.9 %"),
        (0.9996, "+100 %"),
        (2.994, "+299 %"),
        (3.0, "4.0×"),
        (21.423, "22×"),
        (1170.13, "1,171×"),
        (1e300, "over 1,000,000×"),
        (-1.2345, "-123 %"),
        (math.inf, "+∞ %"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_a_change_has_its_sign_or_is_a_factor(change: float | None, text: str) -> None:
    assert format_change(change) == text


@given(st.none() | st.floats(), st.sampled_from(Unit))
def test_any_value_has_a_text(value: float | None, unit: Unit) -> None:
    assert format_value(value, unit)
    assert format_change(value)


def test_what_is_worse_has_one_sign() -> None:
    assert Better.LOW.worse == 1
    assert Better.HIGH.worse == -1
    assert Better.LOW.worsening(0.25) == 0.25
    assert Better.HIGH.worsening(0.25) == pytest.approx(-0.2)


@pytest.mark.parametrize(
    ("value", "text"), [(5.73, "5.7"), (573.0, "570"), (12_345.0, "12000"), (0.00001, "0.00001")]
)
def test_two_digits_have_no_exponent(value: float, text: str) -> None:
    assert two_digits(value) == text
