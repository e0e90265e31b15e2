"""What only some hosts have."""

from __future__ import annotations

from iogate.model.fleet import SharedFact
from iogate_reports.site.shared import shared_facts


def test_what_all_of_some_have_and_no_other_is_shared() -> None:
    some = [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "2", "c": "4"}]
    others = [{"a": "1", "b": "9", "c": "5"}, {"a": "1", "b": "8"}]
    assert shared_facts(some, others) == (SharedFact("b", "2", ("8", "9")),)


def test_what_is_not_known_says_nothing() -> None:
    assert shared_facts([{"a": "1"}, {}], [{"a": "2"}]) == ()
    assert shared_facts([{"a": "1"}], [{}]) == ()
    assert shared_facts([], [{"a": "1"}]) == ()
    assert shared_facts([{"a": "1"}], []) == ()
