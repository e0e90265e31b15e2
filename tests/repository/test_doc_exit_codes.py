"""What docs say of the exit code of several hosts is what it is."""

from __future__ import annotations

import re
from itertools import combinations

from iogate import exits
from repository.tree import ROOT

PAGE = ROOT / "docs/how-to/measure-on-several-hosts.md"


def test_of_two_hosts_the_code_further_down_decides() -> None:
    codes = [int(code) for code in re.findall(r"^\| ([0-9]) \|", PAGE.read_text(), re.MULTILINE)]
    assert sorted(codes) == [0, 1, 2, 3, 4, 5]
    for upper, lower in combinations(codes, 2):
        assert exits.of_hosts([upper, lower]) == lower
