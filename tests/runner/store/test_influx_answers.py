"""What a server answers that is no history, or does not end: told, and never more than a bound."""

from __future__ import annotations

import itertools
import json
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import StoreError
from iogate.store import open_store
from iogate.store.influx import pools
from iogate.store.server import UnreachableError
from support import samples as s
from support.dripping_server import BODY, ENDLESS, HEADERS, certificate, dripping, tls_of
from support.odd_server import answering

FORMS = ("influxdb1://127.0.0.1:%d/db", "influxdb://:t@127.0.0.1:%d/org/bucket")
MIB = 1 << 20
EMPTY = b'{"results":[]}'
FAULTS = (200, 500)


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


class _Pieces:
    """The same piece for as long as somebody takes it; ``sent`` counts bytes."""

    def __init__(self, piece: bytes, pause_s: float = 0, most: int = 2000) -> None:
        self.sent = 0
        self._most = most
        self._piece = piece
        self._pause_s = pause_s

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self._most):
            self.sent += len(self._piece)
            yield self._piece
            time.sleep(self._pause_s)


def told(form: str, pieces: Iterable[bytes], **more: object) -> str:
    """What reading the history of such a server says."""
    with answering(pieces, **more) as port, closing(open_store(form % port)) as store:  # type: ignore[arg-type]
        with pytest.raises(StoreError) as raised:
            store.runs()
        return str(raised.value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", FAULTS)
def test_an_answer_without_an_end_is_read_up_to_the_bound(
    form: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "HISTORY_ANSWER_BYTES", 8 * MIB)
    pieces = _Pieces(EMPTY + b"\n" + b" " * MIB)
    assert "its answer has more than 8 MiB" in told(form, pieces, status=status)
    assert pieces.sent < 100 * MIB


@pytest.mark.parametrize("form", FORMS)
def test_a_packed_answer_is_unpacked_up_to_the_bound(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "HISTORY_ANSWER_BYTES", 8 * MIB)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(b" " * 200 * MIB) + packer.flush()
    headers = (("Content-Encoding", "gzip"), ("Content-Length", str(len(packed))))
    assert "its answer has more than 8 MiB" in told(form, [packed], headers=headers)


@pytest.mark.parametrize("form", FORMS)
def test_a_packed_answer_is_read(form: str) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(EMPTY) + packer.flush()
    headers = (("Content-Encoding", "gzip"), ("Content-Length", str(len(packed))))
    with answering([packed], headers=headers) as port, closing(open_store(form % port)) as store:
        assert store.runs() == []


SLOW = [(HEADERS, "does not answer within"), (BODY, "does not end"), (ENDLESS, "does not end")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize(("head", "said"), SLOW)
def test_an_answer_that_drips_has_a_deadline(
    form: str, *, tls: bool, head: bytes, said: str, tmp_path: Path
) -> None:
    made, key = certificate(tmp_path)
    more = f"?timeout=0.4&ca={made}" if tls else "?timeout=0.4"
    form = form.replace("://", "+https://") if tls else form
    server = dripping(head, tls_of(made, key) if tls else None)
    with server as port, closing(open_store(form % port + more)) as store:
        store.begin_run(s.run())  # it waits on the disk
        with pytest.raises(UnreachableError, match=f"it {said}|its answer {said}"):
            store.runs()


@pytest.mark.parametrize("form", FORMS)
def test_a_large_answer_may_take_longer_than_its_beginning(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_LEAST_RATE", 1 << 10)
    pieces = _Pieces(b" " * 1024, pause_s=0.05, most=20)
    server = answering(itertools.chain(pieces, [EMPTY]))
    with server as port, closing(open_store(f"{form % port}?timeout=0.5")) as store:
        assert store.runs() == []


@pytest.mark.parametrize("form", FORMS)
def test_what_flows_has_an_end_as_well(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_ANSWER_S", 0.5)
    pieces = _Pieces(b" " * (64 << 10), pause_s=0.02)
    assert "its answer does not end within 0.5 s" in told(f"{form}?timeout=0.3", pieces)


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_to_points_is_bounded_as_well(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "HISTORY_ANSWER_BYTES", 8 * MIB)
    pieces = _Pieces(b" " * MIB)
    with answering(pieces) as port, closing(open_store(form % port)) as store:
        store.begin_run(s.run())
    assert pieces.sent < 100 * MIB


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "answer",
    [
        "[]", "5", "null", '"x"', '{"results": 5}', '{"results": [5]}', '{"results": {"a": 1}}',
        '{"results": [{"series": 5}]}', '{"results": [{"series": [5]}]}',
        '{"results": [{"series": [{"columns": 5, "values": [[1]]}]}]}',
        '{"results": [{"series": [{"columns": [["a"]], "values": [[1]]}]}]}',
        '{"results": [{"series": [{"columns": ["a"], "values": 5}]}]}',
        '{"results": [{"series": [{"columns": ["a"], "values": [5]}]}]}',
        '{"results": [{"series": [{"columns": ["a"], "values": [[1, 2]]}]}]}',
        '{"results": [{"series": [{"columns": ["a"], "tags": [1], "values": [[1]]}]}]}',
    ],
)  # fmt: skip
def test_json_that_is_no_answer_is_told(form: str, answer: str) -> None:
    assert "its answer is JSON, but none of InfluxDB" in told(form, [answer.encode()])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "row",
    [
        {"run": "r"},
        {"run": 5, "time": [], "started_ns": None},
        {"run": [], "schema": {}},
        {"run": 5, "time": 1, "started_ns": 1, "spec": 1, "host": 1, "machine": 1},
        {"run": "r", "time": 1e999, "started_ns": 1, "spec": 1, "host": 1, "machine": 1},
    ],
)
def test_rows_that_are_none_of_a_history_are_told(form: str, row: dict[str, object]) -> None:
    """Whatever is in the cells: an error of the history, and no fault of ours."""
    series = {"columns": list(row), "values": [list(row.values())]}
    answer = json.dumps({"results": [{"series": [series]}]}).replace("Infinity", "1e999")
    with answering([answer.encode()]) as port, closing(open_store(form % port)) as store:
        with pytest.raises(StoreError, match="unreadable"):
            store.run("r")
        with pytest.raises(StoreError):
            store.runs()
