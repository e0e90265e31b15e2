"""Connections to a server of which no answer is read beyond a bound, nor beyond a deadline.

A timeout of urllib3 is for each piece that comes, and what it reads of an answer has no end.
"""

from __future__ import annotations

import io
import time
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from iogate.files.bounds import HISTORY_ANSWER_BYTES, size

_ANSWER_S = 300.0
_STEP = 1 << 20
_AS_SENT = ("content-encoding", "content-length", "transfer-encoding")


class _Bounded(HTTPConnectionPool):
    def urlopen(self, *args: Any, **more: Any) -> BaseHTTPResponse:
        """As urllib3's, with all of the answer at hand. HTTPError for one that does not end."""
        preload_content = more.pop("preload_content", True)
        answer = super().urlopen(*args, **{**more, "preload_content": False})
        return _whole(answer, preload_content=preload_content)


class _BoundedTls(_Bounded, HTTPSConnectionPool):
    pass


POOLS: dict[str, Any] = {"http": _Bounded, "https": _BoundedTls}
"""For a PoolManager's ``pool_classes_by_scheme``."""


def _whole(answer: BaseHTTPResponse, *, preload_content: bool) -> HTTPResponse:
    """The same, read."""
    try:
        body = _read(answer)
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


def _read(answer: BaseHTTPResponse) -> bytes:
    parts, left = [], HISTORY_ANSWER_BYTES
    ends_s = time.monotonic() + _ANSWER_S
    while part := answer.read1(_STEP, decode_content=True):
        parts.append(part)
        left -= len(part)
        if left < 0:
            raise HTTPError(f"its answer has more than {size(HISTORY_ANSWER_BYTES)}")
        if time.monotonic() > ends_s:
            raise HTTPError(f"its answer does not end within {_ANSWER_S:g} s")
    return b"".join(parts)
