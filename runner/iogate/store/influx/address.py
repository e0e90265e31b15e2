"""Store URLs of InfluxDB servers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from iogate.errors import UsageError

_OPTIONS = ("ca", "timeout")
TIMEOUT_S = 10.0
PORT = 8086


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is. ``path`` is what the URL names there (organization and bucket, or a
    database); ``ca`` a file of certificates to trust instead of the system's; ``timeout_s``
    how long to wait for an answer."""

    kind: str
    secure: bool
    host: str
    port: int
    path: tuple[str, ...]
    user: str = ""
    password: str = ""
    ca: str = ""
    timeout_s: float = TIMEOUT_S

    @property
    def base_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def __str__(self) -> str:
        """The URL without secrets and options: fit for messages, the same for the same place."""
        scheme = f"{self.kind}+https" if self.secure else self.kind
        path = "/".join(quote(part, safe="") for part in self.path)
        return f"{scheme}://{self.base_url.partition('://')[2]}/{path}"


def parse_address(url: str, form: str) -> Address:
    """``form`` is what such a URL looks like (``influxdb://HOST[:PORT]/ORG/BUCKET``). Raises
    UsageError for one that does not."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORT
    except ValueError:
        raise _wrong(form, "has no valid host and port") from None
    kind, _, transport = parts.scheme.partition("+")
    path = tuple(unquote(part) for part in parts.path.strip("/").split("/"))
    if transport not in ("", "http", "https") or not parts.hostname:
        raise _wrong(form, "names no server")
    if not all(path) or len(path) != form.partition("://")[2].count("/"):
        raise _wrong(form, "does not name a place on the server")
    options = _options(parts.query, form)
    return Address(
        kind=kind,
        secure=transport == "https",
        host=parts.hostname,
        port=port,
        path=path,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        ca=options.get("ca", ""),
        timeout_s=_seconds(options.get("timeout"), form),
    )


def _options(query: str, form: str) -> Mapping[str, str]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name in options:
        if name not in _OPTIONS:
            raise _wrong(form, f"has the unknown option {name!r}")
    return options


def _seconds(text: str | None, form: str) -> float:
    try:
        seconds = TIMEOUT_S if text is None else float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise _wrong(form, "has a timeout that is not a number of seconds")
    return seconds


def _wrong(form: str, why: str) -> UsageError:
    # The URL itself is not repeated: it may hold a password.
    return UsageError(
        f"the --store URL {why}",
        remedy=f"write {form}, with +https after the scheme for TLS, and as options"
        " ?ca=FILE and timeout=SECONDS",
    )
