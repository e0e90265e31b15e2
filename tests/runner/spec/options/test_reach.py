"""Every option and every ioengine was looked at: what it reaches stands in one table."""

from __future__ import annotations

import pytest

from iogate.jobs.job_file import format_names, names_out
from iogate.jobs.options import CHOICES, OPTIONS
from iogate.spec.options.check import _CHECKS, PLACES
from iogate.spec.options.reach import CHECKED, ENGINES_HARMLESS, ENGINES_REFUSED, HARMLESS, REFUSED
from support.specs import fio, option, place, problem


def test_each_option_is_in_exactly_one_table() -> None:
    assert set(REFUSED) | CHECKED | HARMLESS == set(OPTIONS)
    assert len(REFUSED) + len(CHECKED) + len(HARMLESS) == len(OPTIONS)


def test_each_ioengine_is_in_exactly_one_table() -> None:
    assert set(ENGINES_REFUSED) | ENGINES_HARMLESS == set(CHOICES["ioengine"])
    assert not ENGINES_HARMLESS.intersection(ENGINES_REFUSED)


def test_what_is_checked_has_a_check() -> None:
    assert {*_CHECKS, *PLACES} == CHECKED


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_a_refused_option_is_an_error_where_it_stands(key: str) -> None:
    error = problem(fio(f"size: 1m, {key}: 1"))
    assert place(error) == (4, 25)
    assert error.remedy == REFUSED[key]


@pytest.mark.parametrize("name", sorted(ENGINES_REFUSED))
def test_a_refused_ioengine_is_an_error_where_it_stands(name: str) -> None:
    error = problem(fio(f"size: 1m, ioengine: {name}"))
    assert place(error) == (4, 35)
    assert error.remedy == ENGINES_REFUSED[name]


@pytest.mark.parametrize(
    "name",
    [
        "/x", "../x", "a/../x", "a:/x", "a:../x", "a\\\\:/x", "\\x", "a\\/x", "", "-", "a:", "a:-",
        "..", ".", "a:..:b", "/dev/fd/3", "/proc/self/fd/1",
    ],
)  # fmt: skip
def test_names_that_lead_out(name: str) -> None:
    assert names_out(name)


@pytest.mark.parametrize("name", ["a", "a.0", "a:b", "sub/a", "a\\:b", "..a", "a..b/...", "~"])
def test_names_that_stay(name: str) -> None:
    assert not names_out(name)


@pytest.mark.parametrize(
    ("pattern", "job", "name"),
    [
        ("f.$jobnum.$filenum", "j", "f.0.0"),
        ("$jobname", "..", ".."),
        ("d/$jobname/$filenum", "j", "d/j/0"),
        ("$clientuid", "j", ""),
        ("a:b", "j", ""),
        ("$jobname", "$x", ""),
    ],
)
def test_the_name_that_a_format_gives(pattern: str, job: str, name: str) -> None:
    assert format_names(pattern, job) == name


def test_a_format_of_file_names_is_taken_as_it_is() -> None:
    text = "size: 1m, filename_format: 'd/$jobname.$jobnum.$filenum'"
    assert option(text, "filename_format") == "d/$jobname.$jobnum.$filenum"
