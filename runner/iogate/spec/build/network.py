"""The ``network`` section of a workload: the endpoints that its jobs may reach."""

from __future__ import annotations

import ipaddress
import re

from iogate.errors import SpecError
from iogate.model.spec import Endpoint
from iogate.spec.text.problems import Problems
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence
from iogate.spec.text.variables import expand

ENDPOINTS = 16
"""So many may be declared: a job that needs more is no measurement of storage."""
_FORM = re.compile(r"([a-z0-9]+)://(\[[0-9A-Fa-f:.]+\]|[^:\[\]/]+):([0-9]{1,5})", re.ASCII)
_PORT_MAX = 65535


def build_network(node: Node | None, problems: Problems) -> tuple[Endpoint, ...]:
    """The endpoints, those to connect to first; what is wrong with one is noted."""
    endpoints: list[Endpoint] = []
    if not isinstance(node, Mapping):
        return ()
    for key in ("connect", "listen"):
        items = node.get(key)
        for item in items.items if isinstance(items, Sequence) else ():
            try:
                endpoints.append(_endpoint(item, listens=key == "listen"))
            except SpecError as error:
                problems.take(error)
    if len(endpoints) > ENDPOINTS:
        problems.add(
            f"{len(endpoints)} endpoints are declared", node.where, f"declare at most {ENDPOINTS}"
        )
    return tuple(dict.fromkeys(endpoints))


def _endpoint(node: Node, *, listens: bool) -> Endpoint:
    text = expand(node.text, node.where).strip() if isinstance(node, Scalar) else ""
    match = _FORM.fullmatch(text)
    form = "tcp://*:PORT" if listens else "tcp://ADDRESS:PORT"
    if match and match[1] != "tcp":
        raise SpecError(
            f"{text}: only TCP can be held to the ports that a spec declares",
            remedy=f"write {form}; other protocols cannot be allowed",
            where=node.where,
        )
    port = int(match[3]) if match else 0
    if not match or not 0 < port <= _PORT_MAX:
        raise SpecError(f"{text!r} is not an endpoint", remedy=f"write {form}", where=node.where)
    if not listens:
        return Endpoint(_address(match[2], text, node), port)
    if match[2] == "*":
        return Endpoint("", port)
    raise SpecError(
        f"{text}: fio listens on all addresses of the host",
        remedy=f"write {form}",
        where=node.where,
    )


def _address(host: str, text: str, node: Node) -> str:
    """In its shortest spelling, without brackets."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        address = None
    if address is None or (address.version == 6) != host.startswith("["):
        raise SpecError(
            f"{text}: {host} is not an address",
            remedy="write the address itself, such as 192.0.2.7 or [2001:db8::7]: a confined"
            " engine looks no name up",
            where=node.where,
        )
    return str(address)
