"""Whether the jobs of a case reach only the endpoints that its workload declares."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from iogate.model.plan import Case
from iogate.model.spec import Endpoint, JobSpec, TargetKind
from iogate.spec.options.reach import NETWORK_ENGINE, OF_ENDPOINTS
from iogate.spec.text.problems import Problems

_MOST_JOBS = 64
_PROTOCOLS = {4: "tcp", 6: "tcpv6"}


def check_network(case: Case, problems: Problems) -> None:
    """Note each job that reaches what is not declared, and what is declared for nobody."""
    users = [job for job in case.jobs if job.options.get("ioengine") == NETWORK_ENGINE]
    if case.network and not users:
        problems.add(
            f"workload {case.workload!r} declares a network, and none of its jobs uses one",
            case.jobs[0].where,
            f"leave network: out, or give a job ioengine: {NETWORK_ENGINE}",
        )
    for job in case.jobs:
        troubles = _of_user(job, case) if job in users else _of_other(job)
        for key, what, remedy in troubles:
            where = job.places.get(key, job.where)
            problems.add(f"job {job.name!r} of workload {case.workload!r} {what}", where, remedy)


Wrong = tuple[str, str, str]  # the option, what is wrong, what to do


def _of_other(job: JobSpec) -> Iterator[Wrong]:
    for key in OF_ENDPOINTS:
        if key in job.options:
            yield key, f"has {key}, and does not use the network", "leave it out"


def _of_user(job: JobSpec, case: Case) -> Iterator[Wrong]:
    if case.target.kind is not TargetKind.DIRECTORY:
        kind = case.target.kind.value
        yield "ioengine", f"has a {kind} as its target, and does no I/O to it", "name a directory"
    if "filename" in job.options:
        yield "filename", "has a filename: to fio it is an endpoint", "leave it out"
    if job.options.get("listen", "1") != "1":
        yield "listen", "has listen, which is 1 or not there", "leave it out"
    ports = _ports(job)
    if not ports:
        yield "port", "has no port", "add port: with one that network: declares"
        return
    if "listen" in job.options:
        yield from _of_listener(job, case, ports)
    else:
        yield from _of_client(job, case, ports)


def _of_listener(job: JobSpec, case: Case, ports: range) -> Iterator[Wrong]:
    if job.options.get("protocol") not in _PROTOCOLS.values():
        yield "protocol", "does not say by which protocol it listens", "add protocol: tcp"
    if "hostname" in job.options:
        yield "hostname", "listens, and has a hostname", "leave it out: it listens on all addresses"
    yield from _undeclared(Endpoint("", port) for port in ports if not _has(case, "", port))


def _of_client(job: JobSpec, case: Case, ports: range) -> Iterator[Wrong]:
    host = job.options.get("hostname", "")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        yield "hostname", "has no address as its hostname", "give one that network: declares"
        return
    protocol = _PROTOCOLS[address.version]
    if job.options.get("protocol") != protocol:
        yield "protocol", f"reaches {address} by another protocol", f"add protocol: {protocol}"
    name = str(address)
    yield from _undeclared(Endpoint(name, port) for port in ports if not _has(case, name, port))


def _has(case: Case, host: str, port: int) -> bool:
    return Endpoint(host, port) in case.network


def _undeclared(endpoints: Iterator[Endpoint]) -> Iterator[Wrong]:
    for each in endpoints:
        key = "connect" if each.host else "listen"
        yield (
            "port",
            f"reaches {each}, which its workload does not declare",
            f"declare it under network: {key}:, or name one that is declared",
        )


def _ports(job: JobSpec) -> range:
    """fio gives each of a job's clones the next port. Empty where a number is none."""
    first, clones = job.options.get("port", ""), job.options.get("numjobs", "1")
    digits = (first + clones).isascii() and first.isdecimal() and clones.isdecimal()
    if not (digits and int(clones) <= _MOST_JOBS):
        return range(0)
    return range(int(first), int(first) + int(clones))
