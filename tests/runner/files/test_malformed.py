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
