"""Connections to a server of which no answer is read beyond a bound, nor beyond a deadline.

A timeout of urllib3 is for each piece that comes, and what it reads of an answer has no end.
"""

from __future__ import annotations

import io
from functools import partial
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from iogate.deadline import Deadline, Timed, current
from iogate.files.bounds import HISTORY_ANSWER_BYTES, size

_ANSWER_S = 300.0
_LEAST_RATE = 8 << 10  # bytes per second
_STEP = 1 << 20
_AS_SENT = ("content-encoding", "content-length", "transfer-encoding")


class _Connection(Timed, HTTPConnection):
    pass


class _TlsConnection(Timed, HTTPSConnection):
    pass


class _Bounded(HTTPConnectionPool):
    ConnectionCls: type[HTTPConnection] = _Connection

    def __init__(self, *args: Any, timeout_s: float, **more: Any) -> None:
        super().__init__(*args, **more)
        self._timeout_s = timeout_s

    def urlopen(self, *args: Any, **more: Any) -> BaseHTTPResponse:
        """As urllib3's, with all of the answer at hand. HTTPError for one that does not end."""
        if current():  # another try of the same request
            return super().urlopen(*args, **more)
        preload_content = more.pop("preload_content", True)
        with Deadline(self._timeout_s) as deadline:
            answer = self._answer(deadline, *args, **more)
            return _whole(answer, self._timeout_s, deadline, preload_content=preload_content)

    def _answer(self, deadline: Deadline, *args: Any, **more: Any) -> BaseHTTPResponse:
        """Its beginning: all but what it holds."""
        try:
            answer = super().urlopen(*args, **{**more, "preload_content": False})
        except HTTPError:
            if not deadline.over:
                raise
        else:
            if not deadline.over:  # headers that are cut off look whole
                return answer
            answer.close()
        raise HTTPError(f"it does not answer within {self._timeout_s:g} s")


class _BoundedTls(_Bounded, HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


def pools(timeout_s: float) -> dict[str, Any]:
    """For a PoolManager's ``pool_classes_by_scheme``. ``timeout_s`` is how long a request may take
    until its answer begins, tries and headers counted, and the answer then until it ends, and one
    second more for each 8 KiB of it that have come, but no more than 300 s."""
    kinds = {"http": _Bounded, "https": _BoundedTls}
    return {scheme: partial(kind, timeout_s=timeout_s) for scheme, kind in kinds.items()}


def _whole(
    answer: BaseHTTPResponse, timeout_s: float, deadline: Deadline, *, preload_content: bool
) -> HTTPResponse:
    """The same, read."""
    try:
        body = _read(answer, timeout_s, deadline)
    except HTTPError:
        answer.close()
        raise
    return HTTPResponse(
        body=io.BytesIO(body),
        headers={
            name: text for name, text in answer.headers.items() if name.lower() not in _AS_SENT
        },
        status=answer.status,
        version=answer.version,
        reason=answer.reason,
        preload_content=preload_content,
        decode_content=False,
        request_url=answer.geturl(),
    )


def _read(answer: BaseHTTPResponse, timeout_s: float, deadline: Deadline) -> bytes:
    parts: list[bytes] = []
    came, began_s = 0, deadline.passed_s
    while True:
        may_last_s = min(timeout_s + came / _LEAST_RATE, max(_ANSWER_S, timeout_s))
        deadline.move(began_s + may_last_s)
        part = _next(answer, deadline)
        if deadline.over:  # what looks like the end is no end then
            raise HTTPError(f"its answer does not end within {may_last_s:.3g} s")
        if not part:
            return b"".join(parts)
        parts.append(part)
        came += len(part)
        if came > HISTORY_ANSWER_BYTES:
            raise HTTPError(f"its answer has more than {size(HISTORY_ANSWER_BYTES)}")


def _next(answer: BaseHTTPResponse, deadline: Deadline) -> bytes:
    """The next part; nothing at the end, or when the time is over."""
    try:
        return answer.read1(_STEP, decode_content=True)
    except HTTPError:
        if deadline.over:
            return b""
        raise
