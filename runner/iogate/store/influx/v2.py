"""InfluxDB 2.x: ``influxdb://HOST[:PORT]/ORGANIZATION/BUCKET``.

Written by its own API and read by InfluxQL, which 1.x, 2.x and 3.x all answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from iogate.store.influx.address import Address, parse_address
from iogate.store.influx.answer import cause_of, rows_of, status_error, tls_error, unreachable
from iogate.store.influx.line import tag_text
from iogate.store.influx.store import InfluxStore
from iogate.store.server import Row, SetupError

FORM = "influxdb://HOST[:PORT]/ORGANIZATION/BUCKET"
_WRITTEN = 204
_LOGIN = "set INFLUX_TOKEN to a token that may read and write the bucket"


def connect(url: str) -> InfluxStore:
    """A store in a bucket. The token is in INFLUX_TOKEN, or the URL's password (which others
    may see in a command line)."""
    address = parse_address(url, FORM)
    return InfluxStore(address, Server2(address))


class Server2:
    """See ``store.server.Server``."""

    def __init__(self, address: Address) -> None:
        from influxdb_client.client.influxdb_client import InfluxDBClient
        from influxdb_client.service.write_service import WriteService

        from iogate.store.influx.pools import pools

        self._address = address
        self._organization, self._bucket = address.path
        self._token = address.password or os.environ.get("INFLUX_TOKEN", "")
        if not self._token:
            raise SetupError(f"no token for {address}", remedy=_LOGIN)
        client: Any = InfluxDBClient(
            address.base_url,
            token=self._token,
            org=self._organization,
            timeout=int(address.timeout_s * 1000),
            ssl_ca_cert=address.ca or None,
        )
        client.api_client.rest_client.pool_manager.pool_classes_by_scheme = pools(address.timeout_s)
        self._client = client
        self._call = client.api_client.call_api
        # The service beneath the client's writers: the batching writer drops points when its
        # retries end, and the synchronous one takes any 2xx as success, also of a proxy.
        service: Any = WriteService
        self._write = service(client.api_client).post_write_with_http_info

    def write(self, lines: bytes) -> None:
        with self._mapped():
            _, status, _ = self._write(
                self._organization,
                self._bucket,
                lines,
                precision="ns",
                content_type="text/plain; charset=utf-8",
                async_req=False,
            )
        if status != _WRITTEN:
            raise unreachable(str(self._address), f"it answered {status}, as no InfluxDB does")

    def query(self, text: str) -> Iterator[Row]:
        with self._mapped():
            answer: Any = self._call(
                "/query",
                "POST",
                query_params=[("db", self._bucket), ("epoch", "ns"), ("chunked", "true")],
                header_params={
                    "Accept": "application/json",
                    "Content-Type": "application/x-www-form-urlencoded",
                    "Authorization": f"Token {self._token}",
                },
                post_params={"q": text},
                _preload_content=False,
                _return_http_data_only=True,
            )
            content: bytes = answer.data
        return rows_of(content, str(self._address), self._missing())

    def delete(self, name: str, tags: Mapping[str, str], first_ns: int, last_ns: int) -> None:
        wanted = {"_measurement": name} | {key: tag_text(text) for key, text in tags.items()}
        predicate = " AND ".join(
            f"{key}={json.dumps(text, ensure_ascii=False)}" for key, text in wanted.items()
        )
        # Its end is exclusive by the documentation, and inclusive in fact.
        first, last = (_rfc3339(at_ns) for at_ns in (first_ns, last_ns))
        with self._mapped():
            self._client.delete_api().delete(
                first, last, predicate, self._bucket, self._organization
            )

    def close(self) -> None:
        self._client.close()

    def _missing(self) -> str:
        place = f"-o {self._organization} -n {self._bucket}"
        return f"see the names in the URL, or make it with: influx bucket create {place}"

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        from influxdb_client.rest import ApiException
        from urllib3 import exceptions

        place = str(self._address)
        try:
            yield
        except ApiException as error:
            remedies = {401: _LOGIN, 403: _LOGIN, 404: self._missing()}
            said: str | bytes = error.body or str(error.reason)
            if not error.status:  # what the client makes of an SSLError
                raise tls_error(place, said) from None
            raise status_error(place, error.status, said, remedies) from None
        except exceptions.HTTPError as error:
            raise unreachable(place, cause_of(error)) from None
        except OSError as error:  # the file of certificates
            raise SetupError(f"cannot use {place}: {error}", remedy="see its ?ca=FILE") from None


def _rfc3339(at_ns: int) -> str:
    seconds, rest = divmod(at_ns, 10**9)
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"
