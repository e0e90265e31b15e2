"""fio's numbers: by its documentation, by what fio says that it read, and by iogate-engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.jobs import numbers
from iogate.jobs.numbers import BadNumberError, Size
from iogate.jobs.options import OPTIONS
from iogate.jobs.plain_values import plain_value
from support.engine_runs import built_engine

BYTES = ["0", "7", "4096", "4k", "4K", "4kb", "4kB", "64m", "1g", "2t", "1p", "0x1000", "0XfF"]
ODD_BYTES = ["4KiB", "4Ki", "1.5k", "64 k", "1.5 MiB", "4.0", "0.3k", "1b"]
TIMES = ["2", "2s", "2S", "300ms", "300msec", "7us", "7usec", "3m", "2h", "1d"]
ODD_TIMES = ["2hours", "1.5s", "2sec", "1min", "90 s", "2 minutes", "1hr", "0.5h", "2days"]


def fio_reads(key: str, text: str) -> int:
    """What fio understood, in its own unit: bytes, or microseconds."""
    if not shutil.which("fio"):
        pytest.skip("fio is not here")
    done = subprocess.run(
        ["fio", "--debug=parse", "--name=x", "--ioengine=null", f"--{key}={text}", "--parse-only"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    said = done.stdout.partition(f" handle_option={key},")[2]
    match = re.search(r"out=(-?\d+)", said)
    assert match, done.stdout + done.stderr
    return int(match[1])


def engine_moves(text: str, folder: Path) -> int:
    """Bytes of one I/O whose block size is a text."""
    job = folder / "j.fio"
    job.write_text(f"[j]\nioengine=null\nrw=write\nsize={text}\nbs={text}\nnumber_ios=1\n")
    done = subprocess.run(
        [str(built_engine()), "--output-format=json", str(job)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    moved: int = json.loads(done.stdout)["jobs"][0]["write"]["io_bytes"]
    return moved


@pytest.mark.parametrize("text", BYTES)
def test_fio_reads_the_same_bytes(text: str) -> None:
    assert fio_reads("size", text) == numbers.number(text)
    assert plain_value("size", text) == text


@pytest.mark.parametrize(("text", "number"), [("4k", 4000), ("1mB", 10**6), ("4KiB", 4096)])
def test_the_base_of_a_job(text: str, number: int) -> None:
    assert numbers.number(text, kb_base=1000) == number
    assert numbers.number(plain_value("bs", text, kb_base=1000), kb_base=1000) == number


@pytest.mark.parametrize("key", ["runtime", "ramp_time", "startdelay", "thinktime_iotime"])
@pytest.mark.parametrize("text", TIMES)
def test_fio_reads_the_same_seconds(key: str, text: str) -> None:
    assert fio_reads(key, text) * 1000 == numbers.nanoseconds(text)


@pytest.mark.parametrize("text", TIMES)
def test_fio_reads_the_same_pause(text: str) -> None:
    assert fio_reads("thinktime", text) * 1000 == numbers.nanoseconds(text, numbers.NS_PER_US)


@pytest.mark.parametrize("text", ODD_BYTES)
def test_what_fio_reads_as_something_else_is_in_plain_bytes(text: str) -> None:
    assert fio_reads("size", plain_value("size", text)) == numbers.number(text)


@pytest.mark.parametrize("text", ODD_TIMES)
def test_what_fio_reads_as_something_else_is_in_plain_time(text: str) -> None:
    plain = plain_value("runtime", text)
    assert fio_reads("runtime", plain) * 1000 == numbers.nanoseconds(text)
    assert numbers.nanoseconds(plain) == numbers.nanoseconds(text)


@pytest.mark.parametrize(
    "text", ["7", "4096", "4k", "4kB", "0x1000", *ODD_BYTES[:4], "4.0", "0.3k"]
)
def test_the_engine_reads_the_same_bytes(text: str, tmp_path: Path) -> None:
    assert engine_moves(text, tmp_path) == numbers.number(text)


@pytest.mark.parametrize("text", [*TIMES, *ODD_TIMES])
def test_the_engine_takes_a_duration_that_is_read_here(text: str, tmp_path: Path) -> None:
    job = tmp_path / "j.fio"
    job.write_text(f"[j]\nioengine=null\nsize=1m\nruntime={text}\n")
    done = subprocess.run(
        [str(built_engine()), "--parse-only", str(job)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text", ["", "k", "4x", "4kk", "1.5", "010", "0x", "1_000", "1e3", "٣", "4k-8k"]
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(BadNumberError) as caught:
        numbers.number(text)
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["", "1:30", "2x", "-1s", "01s", "2 3", "1s1ms"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(BadNumberError) as caught:
        numbers.nanoseconds(text)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(4k*2)", 8192),
        ("(1k + 1024)", 2048),
        ("2*(4k-512)", 7168),
        ("(2+3)k", 5120),
        ("(2^3^2)", 512),
        ("(10 % 4)", 2),
        ("(0x10 / 2)", 8),
        ("-(-4096)", 4096),
        ("(1.5k)", 1536),
    ],
)
def test_sums_are_worked_out_as_the_engine_does(text: str, value: int, tmp_path: Path) -> None:
    assert numbers.number(text) == value
    assert engine_moves(text, tmp_path) == value


@pytest.mark.parametrize(
    "text", ["(", "()", "(4k", "(4k*)", "(1/0)", "(1.5)", "(4x)", "(9^9^9^9)", "(" * 99, "(1)(2)"]
)
def test_sums_that_cannot_be(text: str) -> None:
    with pytest.raises(BadNumberError):
        numbers.number(text)


def test_the_parts_of_a_value() -> None:
    assert numbers.size("12.5%") == Size(percent=Decimal("12.5"))
    assert numbers.size("12.5%").of(1000) == 125
    assert numbers.size("3z") == Size(zones=3)
    assert numbers.size("3z").of(1000) is None
    assert numbers.each("4k,,8k") == ("4k", "", "8k")
    assert numbers.span("64k-4k", numbers.number) == (4096, 65536)
    assert numbers.span("4k:64k", numbers.number) == (4096, 65536)
    assert numbers.span("5s", numbers.nanoseconds) == (5 * 10**9, 5 * 10**9)


@pytest.mark.parametrize(
    ("key", "text", "plain"),
    [
        ("bs", "4KiB,1.5k", "4096,1536"),
        ("bs", "4k, 8k", "4k,8k"),
        ("bsrange", "1.5k-4KiB", "1536-4096"),
        ("bssplit", "4KiB/60:64k/40", "4096/60:64k/40"),
        ("startdelay", "1sec-2min", "1000000us-120000000us"),
        ("thinktime", "2msec", "2000us"),
        ("thinktime_iotime", "1.5", "1500000us"),
        ("hipri", "true", "1"),
        ("randseed", "0x89", "0x89"),
        ("verify_offset", "-1", "-1"),
        ("filename", "1.5k", "1.5k"),
        ("size", "(4k*2)", "8192"),
        ("bs", "(1k+1024),(2^13)", "2048,8192"),
        ("runtime", "(3*100ms)", "300000us"),
        ("runtime", "(3*100)", "300000000us"),
        ("size", "(4k", "(4k"),
        ("cpuchunks", "50ms", "50ms"),
        ("max_latency", "2sec", "2000000us"),
    ],
)
def test_a_plain_value(key: str, text: str, plain: str) -> None:
    assert plain_value(key, text) == plain


NUMERALS = st.one_of(
    st.integers(0, 10**12).map(str),
    st.decimals(0, 10**6, places=3).map(lambda value: f"{value:f}"),
    st.integers(0, 2**64 - 1).map(hex),
)


@given(NUMERALS, st.sampled_from(["", "k", "K", "m", "g", "ki", "KiB", "mb", "b", " k"]))
def test_plain_bytes_are_the_same_bytes(digits: str, unit: str) -> None:
    with suppress(BadNumberError):
        value = numbers.number(digits + unit)
        plain = numbers.plain_size(digits + unit)
        assert numbers.number(plain) == value
        assert numbers.plain_size(plain) == plain
        assert re.fullmatch(r"\d+([kmgtpKMGTP][bB]?)?|0x[0-9a-f]+", plain)


@given(NUMERALS, st.sampled_from(sorted(numbers._NANOSECONDS)), st.sampled_from([1000, 10**9]))
def test_a_plain_duration_is_the_same_duration(digits: str, unit: str, unit_ns: int) -> None:
    with suppress(BadNumberError):
        value = numbers.nanoseconds(digits + unit, unit_ns)
        assert numbers.nanoseconds(numbers.plain_duration(digits + unit, unit_ns), unit_ns) == value


@given(st.text(max_size=30), st.sampled_from(sorted(OPTIONS)))
def test_any_text_is_a_number_or_none(text: str, key: str) -> None:
    for read in (numbers.number, numbers.size, numbers.nanoseconds, numbers.each):
        with suppress(BadNumberError):
            read(text)
    once = plain_value(key, text)
    assert plain_value(key, once) == once
