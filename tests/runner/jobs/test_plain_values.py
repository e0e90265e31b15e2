"""Values in words that every engine reads alike."""

from __future__ import annotations

import pytest

from iogate.jobs.plain_values import plain_value


@pytest.mark.parametrize(
    ("key", "text"),
    [("bssplit", "(8k)/100"), ("filesize", "(4k)-(8k)"), ("bsrange", "(4k)-(64k)")],
)
def test_a_sum_beside_a_separator_stays_for_the_engine(key: str, text: str) -> None:
    """``/`` and ``-`` could be its own: another block size would be measured without a word."""
    assert plain_value(key, text) == text


def test_sums_and_sizes_are_plain_numbers() -> None:
    assert plain_value("bs", "(4k*2),8k") == "8192,8k"
    assert plain_value("bssplit", "4KiB/60:8k/40") == "4096/60:8k/40"
