"""What goes over a line to a machine is read as what was agreed, and as nothing else."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.sut.base import Completed, FileStat, Found, Machine
from iogate.sut.wire import WireError, plain, receive, receive_bytes, send, send_bytes, typed

KINDS = (Completed, FileStat, Found, Machine)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(st.data())
def test_what_is_sent_is_what_comes(kind: type, data: st.DataObject) -> None:
    sent = data.draw(st.from_type(kind))
    stream = io.BytesIO()
    send(stream, {"value": plain(sent)})
    stream.seek(0)
    assert typed(receive(stream)["value"], kind) == sent


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, str),
        ("1", int),
        (True, int),
        (None, str),
        ({}, FileStat),
        ([1, 2, 3], tuple[int, int]),
        ({"a": 1}, Mapping[str, str]),
        ("no base64!", bytes),
        ("abc", Sequence[str]),
        ([1], list[str] | None),
        (1.5, int),
        (10**400, float),
        (float("nan"), float),
        (float("inf"), float),
        (float("-inf"), float | None),
    ],
)
def test_another_type_is_refused(value: Any, hint: Any) -> None:
    with pytest.raises(WireError, match="the line carries"):
        typed(value, hint)


def test_more_fields_than_known_are_left_out() -> None:
    known = Completed(("true",), 0, "", "")
    assert typed(plain(known) | {"newer": 1}, Completed) == known


@given(st.binary(max_size=200))
def test_whatever_comes_is_a_message_or_an_error(data: bytes) -> None:
    stream = io.BytesIO()
    send_bytes(stream, data)
    for text in (stream.getvalue(), data):
        with suppress(WireError, EOFError):
            assert isinstance(receive(io.BytesIO(text)), dict)


def test_what_is_nested_too_deep_is_refused() -> None:
    stream = io.BytesIO()
    send_bytes(stream, b"[" * 200_000)
    stream.seek(0)
    with pytest.raises(WireError, match="no message"):
        receive(stream)


@pytest.mark.parametrize("text", [b'{"value": 1' + b"0" * 5000 + b"}", b'{"value": 1', b"\xff"])
def test_what_no_machine_says_is_no_message(text: bytes) -> None:
    stream = io.BytesIO()
    send_bytes(stream, text)
    stream.seek(0)
    with pytest.raises(WireError, match="no message"):
        receive(stream)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_comes_as_none(number: str) -> None:
    stream = io.BytesIO()
    send_bytes(stream, f'{{"value": {number}}}'.encode())
    stream.seek(0)
    with pytest.raises(WireError, match="the line carries"):
        typed(receive(stream)["value"], float)


def test_a_frame_without_end_is_refused_before_it_is_read() -> None:
    with pytest.raises(WireError, match="is more than"):
        receive_bytes(io.BytesIO(struct.pack("<I", 0xFFFFFFFF)))
