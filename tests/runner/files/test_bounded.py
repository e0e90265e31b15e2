"""One reader for what comes from elsewhere."""

from __future__ import annotations

import io
import json
import os
import zlib
from pathlib import Path

import pytest

from iogate.files import bounded, bounds

ROOT = Path(__file__).parents[3]


def test_what_is_read_is_what_stands_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert bounded.read_bytes(path, 5) == b"12345"
    assert bounded.read_text(str(path), 100) == "12345"


def test_the_beginning_is_read_of_a_file_of_any_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    assert [bounded.read_head(tmp_path / "a", most) for most in (2, 100)] == [b"12", b"12345"]
    for path in (tmp_path / "link", tmp_path, tmp_path / "none", "a\0b"):
        with pytest.raises(OSError, match=r"link|directory|path|No such"):
            bounded.read_head(path, 1)


@pytest.mark.parametrize("most", [0, 1, 4])
def test_no_more_than_the_bound(tmp_path: Path, most: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    with pytest.raises(OSError, match=f"more than {most} bytes"):
        bounded.read_bytes(path, most)


def test_a_file_that_grows_meanwhile_is_read_up_to_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    handle = bounded.open_file(path)
    with path.open("ab") as more:
        more.write(b"6" * 100)
    with pytest.raises(OSError, match="more than 50 bytes"):
        bounded.read_fd(handle, 50)


def test_pipes_devices_folders_and_links_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/hostname")
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match=r"link|regular|directory") as caught:
            bounded.read_bytes(path, 100)
        assert caught.value.filename == str(path)


def test_a_file_of_proc_is_not_waited_for() -> None:
    assert bounded.read_bytes("/proc/self/environ", 1 << 20) == b""


@pytest.mark.parametrize("path", ["a\0b", "\ud800", ""])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(OSError, match=r"path|No such"):
        bounded.read_bytes(path, 1)


def test_a_stream_is_read_up_to_the_bound() -> None:
    assert bounded.read_stream(io.BytesIO(b"123"), 3) == b"123"
    with pytest.raises(OSError, match="more than 2 bytes"):
        bounded.read_stream(io.BytesIO(b"123"), 2)


def test_nothing_on_the_way_below_a_folder_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to("in")
    assert bounded.read_fd(bounded.open_below(str(tmp_path), ["in", "a"]), 1) == b"x"
    with pytest.raises(OSError, match="link"):
        bounded.open_below(str(tmp_path), ["link", "a"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 5000,
        "[" + "1" * 301 + "]",
        "NaN",
        "[1, Infinity]",
        '{"a": -Infinity}',
    ],
)
def test_json_that_is_none_or_too_much(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        bounded.parse_json(text)
    with pytest.raises(ValueError, match=r"\w"):
        bounded.parse_json(text.encode())


def test_json_of_too_many_values() -> None:
    with pytest.raises(ValueError, match="more than 10 values"):
        bounded.parse_json(json.dumps([0] * 20), values=10)


def test_json_says_what_json_says() -> None:
    value = {"a": [10**299, -(2**63), 0.1234567890123456789, 1e308], "b": "1" * 40, "ü": None}
    assert bounded.parse_json(json.dumps(value)) == value
    assert bounded.parse_json(json.dumps(value, ensure_ascii=False).encode()) == value


def test_what_is_packed_is_unpacked_up_to_the_bound() -> None:
    bomb = zlib.compress(b"0" * 1_000_000)
    assert bounded.inflate(bomb, 1_000_000) == b"0" * 1_000_000
    for wrong in (bomb[:-1], b"", b"no"):
        with pytest.raises((ValueError, zlib.error)):
            bounded.inflate(wrong, 1_000_000)
    with pytest.raises(ValueError, match="more than 999,999 bytes"):
        bounded.inflate(bomb, 999_999)


def test_the_page_of_bounds_is_that_of_the_table() -> None:
    page = (ROOT / "docs" / "bounds.md").read_text("utf-8")
    assert page == bounds.markdown()
    for what, _, _ in bounds.TABLE:
        assert what in page
