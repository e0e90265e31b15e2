"""What is begun and not ended is told where it begins, with the place where it is noticed."""

from __future__ import annotations

import pytest

from support.specs import HEAD, place, problem


@pytest.mark.parametrize(
    ("text", "where", "noticed", "remedy"),
    [
        ('name: "a\nversion: 1\n', (1, 7), "3:1", "close it with the same quote"),
        ("name: 'a\n---\n", (1, 7), "2:1", "close it with the same quote"),
        (HEAD + "  w: { fio: { size: 1m }\n  x: {}\n", (4, 6), "5:3", "close it with }"),
        ("a: [4k, 8k\nb: [1]\n", (1, 4), "2:2", "close it with ]"),
        ("version: 1\nname\ntargets: {}\n", (2, 1), "3:1", "write KEY: VALUE"),
    ],
)
def test_what_is_not_closed_is_told_where_it_begins(
    text: str, where: tuple[int, int], noticed: str, remedy: str
) -> None:
    error = problem(text)
    assert place(error) == where
    assert f"t.yaml:{noticed}" in error.what
    assert error.remedy.startswith(remedy)


def test_what_is_wrong_within_a_line_is_told_there_and_where_the_part_begins() -> None:
    error = problem("a: [4k, 8k }\n")
    assert place(error) == (1, 12)
    assert "begins at t.yaml:1:4" in error.what


@pytest.mark.parametrize("around", ["{ directory: %s }", "[ a, %s ]", "{ a: %s, b: 1 }"])
@pytest.mark.parametrize("value", ["${SCRATCH}", "/mnt/${IOGATE_VAR_A:-/tmp}/b"])
def test_a_variable_in_braces_is_to_be_quoted(around: str, value: str) -> None:
    error = problem(f"a: {around % value}\n")
    assert error.remedy == f'quote the value: "{value}"'
    assert place(error) == (1, 4 + around.index("%s"))


WORKLOAD = HEAD + "  w:\n    fio: { rw: read,\n      size: 1m }\n"


@pytest.mark.parametrize(
    ("text", "where", "what", "remedy"),
    [
        (WORKLOAD + "   tags: [a]\n", (7, 4), "3 spaces", "2 or by 4,"),
        (WORKLOAD + "     tags: [a]\n", (7, 6), "5 spaces", "4,"),
        (WORKLOAD + "        tags: [a]\n", (7, 9), "8 spaces", "4,"),
        (WORKLOAD + "    tags:\n      - a\n     - b\n", (9, 6), "5 spaces", "4 or by 6,"),
        (WORKLOAD + "  x:\n    tags: [a]\n   y: 1\n", (9, 4), "3 spaces", "2 or by 4,"),
        ("version: 1\nname: a\n\n  # here\n targets: 1\n", (5, 2), "1 space,", "0,"),
        ('version: 1\nname: "a"\n  targets: 1\n', (3, 3), "2 spaces", "0,"),
    ],
)
def test_a_line_that_is_indented_as_nothing_above_it(
    text: str, where: tuple[int, int], what: str, remedy: str
) -> None:
    error = problem(text)
    assert place(error) == where
    assert error.what.startswith(f"this line is indented by {what}")
    assert error.remedy.startswith(f"indent it by {remedy}")


@pytest.mark.parametrize(
    ("text", "where", "what", "remedy"),
    [
        ("x:\n  - a\n  b: c\n", (3, 3), "a key stands here beside items", "begin it with '- '"),
        ("x:\n  a: 1\n  - b\n", (3, 3), "an item of a list stands here", "leave out the '-'"),
        ("name: a: b # c\n", (1, 8), "': ' ends a key", 'quote the value: "a: b"'),
        ('a: 1\nname: a: "b"\n', (2, 8), "': ' ends a key", "quote the value"),
        ("name: @lab\n", (1, 7), "'@' has a meaning", 'quote the value: "@lab"'),
        ("a: [ %x, 1 ]\n", (1, 6), "'%' has a meaning", 'quote the value: "%x"'),
        ("a: 1\nb: { c: d }}\n", (2, 12), "} stands here outside", "leave it out"),
        ("a: 1\nb: { c: d },\n", (2, 12), ", stands here outside", "leave it out"),
    ],
)
def test_common_mistakes_are_told_in_words(
    text: str, where: tuple[int, int], what: str, remedy: str
) -> None:
    error = problem(text)
    assert place(error) == where
    assert error.what.startswith(what)
    assert error.remedy.startswith(remedy)
