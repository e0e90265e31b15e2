"""JSON to an address by HTTP, without following it elsewhere."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import iogate
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
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=_SECONDS):
            return
    except urllib.error.HTTPError as error:
        with error:
            raise _failed(url, f"it answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise _failed(url, str(error.reason)) from None
    except (OSError, HTTPException) as error:
        raise _failed(url, str(error) or type(error).__name__) from None


def _failed(url: str, why: str) -> RunError:
    return not_taken(str(urlsplit(url).hostname), why)
