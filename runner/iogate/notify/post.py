"""JSON to an address by HTTP, without following it elsewhere."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import iogate
from iogate.deadline import Deadline, Timed, TimedTls
from iogate.errors import RunError, SpecError
from iogate.notify.base import not_taken
from iogate.spec.text.scalars import to_json
from iogate.spec.text.tree import Node

_SECONDS = 20.0
_SCHEMES = ("https", "http")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """What is posted is for that address alone; a redirect would also make it a GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(Timed, req)


class _Tls(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(TimedTls, req)


def address(node: Node) -> str:
    """The address that stands there; SpecError where it is none to post to."""
    text = to_json(node)
    try:
        parts = urlsplit(text) if isinstance(text, str) else None
        fits = parts is not None and parts.scheme in _SCHEMES and bool(parts.hostname)
    except ValueError:
        fits = False
    if not fits:
        raise SpecError(
            "this is no address to post to",
            remedy="write one that begins with https://, in quotes",
            where=node.where,
        )
    return str(text)


def post(url: str, document: Mapping[str, Any]) -> None:
    """Hand a document over; RunError for any answer but 2xx. The message names the server and not
    the rest of the address, which is often a secret."""
    request = urllib.request.Request(  # noqa: S310  (http and https alone: see address)
        url,
        data=json.dumps(document, ensure_ascii=False, allow_nan=False).encode(),
        headers={
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": f"iogate/{iogate.__version__}",
        },
    )
    opener = urllib.request.build_opener(_NoRedirect, _Plain, _Tls)
    with Deadline(_SECONDS) as deadline:
        try:
            with opener.open(request, timeout=_SECONDS):
                if not deadline.over:  # headers that are cut off look whole
                    return
            why = ""
        except urllib.error.HTTPError as error:
            with error:
                why = f"it answered {error.code} {error.reason}"
        except urllib.error.URLError as error:
            why = str(error.reason)
        except (OSError, HTTPException) as error:
            why = str(error) or type(error).__name__
        late = deadline.over
    raise _failed(url, f"it did not answer within {_SECONDS:g} s" if late else why)


def _failed(url: str, why: str) -> RunError:
    return not_taken(str(urlsplit(url).hostname), why)
