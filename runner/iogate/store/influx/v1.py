"""InfluxDB 1.6 and later: ``influxdb1://HOST[:PORT]/DATABASE``."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlencode

from iogate.store.influx.address import Address, parse_address
from iogate.store.influx.answer import cause_of, rows_of, status_error, tls_error, unreachable
from iogate.store.influx.line import named, where
from iogate.store.influx.store import InfluxStore
from iogate.store.server import Row, SetupError

_DONE, _WRITTEN = 200, 204
FORM = "influxdb1://HOST[:PORT]/DATABASE"
_LOGIN = "set INFLUX_USERNAME and INFLUX_PASSWORD to a user who may read and write there"


def connect(url: str) -> InfluxStore:
    """A store in a database. User and password are in the URL or, better as others may see
    a command line, in INFLUX_USERNAME and INFLUX_PASSWORD."""
    address = parse_address(url, FORM)
    return InfluxStore(address, Server1(address))


class Server1:
    """See ``store.server.Server``."""

    def __init__(self, address: Address) -> None:
        import urllib3

        from iogate.store.influx.pools import pools

        self._address = address
        (self._database,) = address.path
        self._headers = _login(
            address.user or os.environ.get("INFLUX_USERNAME", ""),
            address.password or os.environ.get("INFLUX_PASSWORD", ""),
        )
        self._pool = urllib3.PoolManager(
            cert_reqs="CERT_REQUIRED",
            ca_certs=address.ca or None,
            timeout=address.timeout_s,
            retries=urllib3.Retry(1, redirect=False, allowed_methods=None, status=0),
        )
        self._pool.pool_classes_by_scheme = pools(address.timeout_s)

    def write(self, lines: bytes) -> None:
        query = urlencode({"db": self._database, "precision": "ns"})
        self._post(f"/write?{query}", lines, "text/plain; charset=utf-8", _WRITTEN)

    def query(self, text: str) -> Iterator[Row]:
        query = urlencode({"db": self._database, "epoch": "ns", "chunked": "true"})
        body = urlencode({"q": text}).encode()
        answer = self._post(f"/query?{query}", body, "application/x-www-form-urlencoded", _DONE)
        return rows_of(answer, str(self._address), self._missing())

    def delete(self, name: str, tags: Mapping[str, str], first_ns: int, last_ns: int) -> None:
        conditions = where(tags, first_ns, last_ns)
        list(self.query(f"DELETE FROM {named(name)}{conditions}"))  # noqa: S608

    def close(self) -> None:
        self._pool.clear()

    def _post(self, path: str, body: bytes, kind: str, wanted: int) -> bytes:
        """The body of the answer, whose status has to be the one that is wanted: another 2xx is
        a proxy's."""
        headers = {**self._headers, "Accept": "application/json", "Content-Type": kind}
        with self._mapped():
            answer = self._pool.request(
                "POST", f"{self._address.base_url}{path}", body=body, headers=headers
            )
        if answer.status != wanted:
            remedies = {401: _LOGIN, 403: _LOGIN, 404: self._missing()}
            raise status_error(str(self._address), answer.status, answer.data, remedies)
        return answer.data

    def _missing(self) -> str:
        return f"make it with: influx -execute 'CREATE DATABASE \"{self._database}\"'"

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        from urllib3 import exceptions

        place = str(self._address)
        try:
            yield
        except exceptions.HTTPError as error:
            if isinstance(getattr(error, "reason", error), exceptions.SSLError):
                raise tls_error(place, cause_of(error)) from None
            raise unreachable(place, cause_of(error)) from None
        except OSError as error:  # the file of certificates
            raise SetupError(f"cannot use {place}: {error}", remedy="see its ?ca=FILE") from None


def _login(user: str, password: str) -> dict[str, str]:
    if not user:
        return {}
    secret = b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {secret}"}
