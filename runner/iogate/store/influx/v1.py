"""InfluxDB 1.6 and later: ``influxdb1://HOST[:PORT]/DATABASE``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from iogate.store.influx.address import Address, parse_address
from iogate.store.influx.answer import cause_of, rows_of, status_error, tls_error, unreachable
from iogate.store.influx.line import named, where
from iogate.store.influx.store import InfluxStore
from iogate.store.server import Row, SetupError

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
        from influxdb import InfluxDBClient

        self._address = address
        (self._database,) = address.path
        self._client = InfluxDBClient(
            host=address.host,
            port=address.port,
            username=address.user or os.environ.get("INFLUX_USERNAME"),
            password=address.password or os.environ.get("INFLUX_PASSWORD"),
            ssl=address.secure,
            verify_ssl=address.ca or True,
            timeout=address.timeout_s,
            retries=1,
        )

    def write(self, lines: bytes) -> None:
        params = {"db": self._database, "precision": "ns"}
        with self._mapped():
            self._client.request("write", "POST", params, lines, expected_response_code=204)

    def query(self, text: str) -> Iterator[Row]:
        with self._mapped():
            answer: Any = self._client.request(
                "query",
                "POST",
                {"db": self._database, "epoch": "ns", "chunked": "true"},
                urlencode({"q": text}),
                headers={
                    "Accept": "application/json",
                    "Content-Type": "application/x-www-form-urlencoded",
                },
            )
        return rows_of(answer.content, str(self._address), self._missing())

    def delete(self, name: str, tags: Mapping[str, str], first_ns: int, last_ns: int) -> None:
        conditions = where(tags, first_ns, last_ns)
        list(self.query(f"DELETE FROM {named(name)}{conditions}"))  # noqa: S608

    def close(self) -> None:
        self._client.close()

    def _missing(self) -> str:
        return f"make it with: influx -execute 'CREATE DATABASE \"{self._database}\"'"

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        from influxdb.exceptions import InfluxDBClientError, InfluxDBServerError
        from requests import exceptions

        place = str(self._address)
        try:
            yield
        except InfluxDBClientError as error:
            remedies = {401: _LOGIN, 403: _LOGIN, 404: self._missing()}
            raise status_error(place, error.code, error.content, remedies) from None
        except InfluxDBServerError as error:
            raise unreachable(place, f"it said: {error}") from None
        except exceptions.SSLError as error:
            raise tls_error(place, cause_of(error)) from None
        except exceptions.RequestException as error:
            raise unreachable(place, cause_of(error)) from None
        except OSError as error:  # the file of certificates
            raise SetupError(f"cannot use {place}: {error}", remedy="see its ?ca=FILE") from None
