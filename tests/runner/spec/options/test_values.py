from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.jobs.options import ALIASES, OPTIONS, Kind
from iogate.spec.options.values import BadValueError, canonical_value, read_value
from support.specs import fio, load, option, place, problem, problems


@pytest.mark.parametrize("word", ["on", "On", "true", "TRUE", "yes", "1", "'1'", "'yes'"])
def test_every_way_to_say_yes(word: str) -> None:
    assert option(f"size: 1m, direct: {word}", "direct") == "1"


@pytest.mark.parametrize("word", ["off", "false", "no", "0", "'no'"])
def test_every_way_to_say_no(word: str) -> None:
    assert option(f"size: 1m, direct: {word}", "direct") == "0"


def test_a_flag_without_a_value_is_set() -> None:
    assert option("size: 1m, time_based: ", "time_based") == "1"


def test_text_keeps_the_words_that_yaml_would_change() -> None:
    assert option("size: 1m, filename: off", "filename") == "off"
    assert option("size: 1m, description: 2024-01-01", "description") == "2024-01-01"
    assert option("size: 1m, comm: no", "comm") == "no"


def test_aliases_become_the_first_name() -> None:
    assert option("size: 1m, blocksize: 8k", "bs") == "8k"
    assert option("size: 1m, readwrite: randread", "rw") == "randread"


def test_two_names_of_one_option_are_one_too_many() -> None:
    error = problem(fio("size: 1m, bs: 4k, blocksize: 8k"))
    assert "twice" in error.what
    assert place(error) == (4, 33)


@pytest.mark.parametrize(
    ("options", "column", "says"),
    [
        ("size: 1m, runtime: 1:30", 34, "duration"),
        ("size: 1m, runtime: 010", 34, "0"),
        ("size: 1m, runtime: 2024-01-01", 34, "duration"),
        ("size: 1m, iodepth: 010", 34, "octal"),
        ("size: 1m, iodepth: 1_000", 34, "number"),
        ("size: 1m, iodepth: 1.5", 34, "whole"),
        ("size: 1m, iodepth: true", 34, "number"),
        ("size: 1m, numjobs: 999999999", 34, "at most 4096"),
        ("size: 1m, direct: 2", 33, "true or false"),
        ("size: 1m, direct: ", 25, "no value"),
        ("size: 1m, rw: randred", 29, "randred"),
        ("size: 1m, ioengine: iouring", 35, "iouring"),
        ("size: 1x, rw: read", 21, "number"),
        ("size: -1m, rw: read", 21, "is a size"),
        ("size: 1m, bs: '4k,4k,4k,4k'", 29, "parts"),
        ("size: 101%, rw: read", 21, "at most 100%"),
        ("size: 99999999p, rw: read", 21, "less than 2^64"),
        ("size: 1m, startdelay: 1s-5s-7s", 37, "is a range"),
        ("size: 1m, time_based: , runtime: 0hr", 39, "its runtime is 0"),
        ("size: 1m, comm: 'a;b'", 31, "';'"),
        ("size: 1m, comm: 'a # b'", 31, "'#'"),
        ('size: 1m, comm: "a\\nb"', 31, "'\\n'"),
        ("size: 1m, exec_prerun: id", 25, "cannot be set"),
        ("size: 1m, filename_format: ../x", 25, "not in target"),
        ("size: 1m, ioengine: exec", 35, "runs a program"),
        ("size: 1m, ioengine: 'external:/tmp/x.so'", 35, "runs a program"),
        ("size: 1m, program: /bin/sh", 25, "cannot be set"),
        ("size: 1m, mem: 'mmapshared:/etc/x'", 30, "leads out of the target"),
        ("size: 1m, mem: cudamalloc", 30, "leads out of the target"),
        ("size: 1m, ioengine: net", 35, "leads out of the target"),
        ("size: 1m, ioengine: e4defrag", 35, "leads out of the target"),
        ("size: 1m, donorname: ../../x", 25, "cannot be set"),
        ("size: 1m, hostname: example.org", 25, "cannot be set"),
        ("size: 1m, uri: 'nbd://h/x'", 25, "cannot be set"),
        ("size: 1m, conf: /etc/ceph/ceph.conf", 25, "cannot be set"),
        ("size: 1m, dp_scheme: /etc/shadow", 25, "cannot be set"),
        ("size: 1m, cgroup_weight: 10", 25, "cannot be set"),
        ("size: 1m, write_iolog: verdict.json", 38, "the run folder keeps"),
        ("size: 1m, write_bw_log: 'a b'", 39, "leads out of the run folder"),
        ('''size: 1m, buffer_pattern: "'/etc/shadow'"''', 41, "reads a file"),
        ('''size: 1m, verify_pattern: "0xff'x'"''', 41, "reads a file"),
        ("size: 1m, comm: '${INFLUX_TOKEN}'", 31, "may be a secret"),
        ("size: 1m, comm: '${my_password:-x}'", 31, "may be a secret"),
        ("size: 1m, write_iolog: /etc/x", 38, "leads out of the run folder"),
        ("size: 1m, write_lat_log: ../x", 40, "leads out of the run folder"),
        ("size: 1m, name: x", 25, "cannot be set"),
        ("size: 1m, filename: /dev/sda", 25, "not in target"),
        ("size: 1m, filename: ../x", 25, "not in target"),
        ("size: 1m, filename: 'a:/b'", 25, "not in target"),
        ("size: 1m, filename: 'a\\\\:/dev/loop0'", 25, "not in target"),
        ("size: 1m, filename: 'a\\b'", 25, "not in target"),
        ("size: 1m, filename: '-'", 25, "not in target"),
        ("size: 1m, filename_format: 'a:/dev/loop0'", 25, "not in target"),
        ("size: 1m, filename_format: 'a/..\\/x'", 25, "not in target"),
        ("size: 1m, filename_format: '.$jobnum/../../x'", 25, "not in target"),
        ("size: 1m, filename_format: '$clientuid'", 42, "holds $"),
        ("size: 1m, filename_format: '$jobname$HOME'", 42, "holds $"),
        ("size: 1m, directory: /other", 25, "not in target"),
        ("size: 1m, rw: [read, write]", 29, "one value"),
    ],
)
def test_a_value_that_is_none_is_an_error_where_it_stands(
    options: str, column: int, says: str
) -> None:
    error = problem(fio(options))
    assert place(error) == (4, column)
    assert says in error.what
    assert error.remedy


def test_an_unknown_option_comes_with_a_suggestion() -> None:
    error = problem(fio("size: 1m, iodeph: 4"))
    assert place(error) == (4, 25)
    assert error.what == "unknown fio option 'iodeph'"
    assert "'iodepth'" in error.remedy


def test_several_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    found = problems(fio("size: 1q, iodeph: 4, runtime: 1:30, rw: red"))
    assert [place(error)[1] for error in found] == [21, 25, 45, 55]


def test_what_repeats_the_target_is_no_conflict() -> None:
    text = (
        "version: 1\ntargets: {f: {file: '/a:b'}}\n"
        "workloads: {w: {fio: {rw: read, filename: '/a\\:b'}}}\n"
    )
    assert "filename" not in load(text).workloads[0].jobs[0].options


@pytest.mark.parametrize(
    ("key", "spellings"),
    [
        ("bs", ["4k", "4K", "4096", "4ki", "4KiB", "0x1000", "4.0k"]),
        ("size", ["1g", "1024m", "1073741824", "1GiB"]),
        ("bs", ["4k,8k", "4096,8K", "4k, 8k"]),
        ("runtime", ["90", "90s", "90sec", "90000ms", "1.5m"]),
        ("thinktime", ["1000000", "1s", "1000ms"]),
        ("size", ["10%"]),
    ],
)
def test_equal_values_share_one_spelling(key: str, spellings: list[str]) -> None:
    assert len({canonical_value(key, text) for text in spellings}) == 1


def test_different_values_do_not() -> None:
    assert canonical_value("bs", "4k") != canonical_value("bs", "4k,8k")
    assert canonical_value("runtime", "1") != canonical_value("runtime", "1m")
    assert canonical_value("size", "10%") != canonical_value("size", "10")


@given(st.sampled_from(sorted(OPTIONS)), st.text(max_size=30))
def test_any_text_is_a_value_or_a_plain_error(key: str, text: str) -> None:
    value = None
    with suppress(BadValueError):
        value = read_value(key, text)
    if value is not None:
        assert value == value.strip() != ""
        assert not set(value) & set(";#\n\r\0")
        assert canonical_value(key, value) == canonical_value(key, read_value(key, value))


def test_the_table_of_options_is_sound() -> None:
    assert len(OPTIONS) > 240
    assert set(OPTIONS.values()) == set(Kind)
    assert not set(ALIASES) & set(OPTIONS)
    assert set(ALIASES.values()) <= set(OPTIONS)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("numjobs", "(2^31)"),
        ("numjobs", "(1-1)"),
        ("number_ios", "(9^999999)"),
        ("number_ios", "(2^20000)"),
        ("size", "(9^500)"),
        ("bs", "(4k),(2^70)"),
        ("runtime", "(9^500)"),
        ("runtime", "(1-5)"),
        ("thinktime", "(9^999999)"),
    ],
)
def test_a_sum_that_no_option_can_hold_is_refused(key: str, text: str) -> None:
    with pytest.raises(BadValueError):
        read_value(key, text)


def test_sums_that_can_be_held_stay_as_they_are() -> None:
    assert read_value("numjobs", "(2*2)") == "(2*2)"
    assert read_value("size", "(4m*2)") == "(4m*2)"
