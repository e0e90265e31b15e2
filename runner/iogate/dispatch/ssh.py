"""Hosts by ssh: each has one ``iogate --machine ssh:HOST run`` here, side by side."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from iogate import exits
from iogate.dispatch.base import Ended, Errand, Share, Tell
from iogate.dispatch.calls import Call, call_all
from iogate.dispatch.sharing import dealt
from iogate.engine.base import Stop
from iogate.errors import UsageError
from iogate.model.plan import Plan
from iogate.sut.ssh import check_address, place_of

_MOST_HOSTS = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class SshCarrier:
    """Named hosts. What is measured where does not depend on how fast they are."""

    def __init__(self, hosts: Sequence[str], errand: Errand) -> None:
        self._hosts = tuple(hosts)
        self._errand = errand
        self._gone: set[str] = set()
        self._folders = 0

    def shares(self, plan: Plan) -> list[Share]:
        if self._errand.shared:
            return self._dealt(plan, self._hosts, {})
        cases = tuple(case.id for case in plan.cases)
        return [Share(host, cases, self._folder(host)) for host in self._hosts]

    def measure(self, shares: Sequence[Share], tell: Tell, stop: Stop) -> list[Ended]:
        answers = call_all([self._call(share) for share in shares], tell, stop)
        ended = [
            Ended(share, share.host, answer.code, answer.said)
            for share, answer in zip(shares, answers, strict=True)
        ]
        self._gone |= {each.host for each in ended if exits.was_refused(each.code)}
        return ended

    def elsewhere(self, lost: Sequence[Ended], plan: Plan) -> list[Share]:
        """Only cases that were shared out have another host to go to."""
        self._gone |= {each.host for each in lost}
        left = [host for host in self._hosts if host not in self._gone]
        if not left or not self._errand.shared:
            return []
        came_from = {case: each.host for each in lost for case in each.share.cases}
        return self._dealt(plan, left, came_from)

    def _dealt(self, plan: Plan, hosts: Sequence[str], came_from: dict[str, str]) -> list[Share]:
        return [
            Share(
                host,
                cases,
                self._folder(host),
                ", ".join(sorted({came_from[case] for case in cases if case in came_from})),
            )
            for host, cases in dealt(plan, hosts).items()
        ]

    def _folder(self, host: str) -> Path:
        self._folders += 1
        return self._errand.folder / f"{self._folders:03}-{_UNSAFE.sub('-', host)}"

    def _call(self, share: Share) -> Call:
        errand = self._errand
        words = [
            *(sys.executable, "-P", "-m", "iogate", f"--machine=ssh:{share.host}", "run"),
            *errand.words,
            *([f"--store={errand.store}"] if errand.store else []),
            "--no-store",
            *(f"--case={case}" for case in share.cases),
            *(f"--output={share.folder}", "--", str(errand.spec)),
        ]
        return Call(share.host, words)


def open_carrier(address: str, errand: Errand) -> SshCarrier:
    """``HOST,HOST``, each ``[USER@]HOST[:PORT]``."""
    hosts = [host.strip() for host in address.split(",")]
    for host in hosts:
        check_address(host)
    twice = sorted({host for host in hosts if hosts.count(host) > 1})
    if twice:
        raise UsageError(
            f"--to names {', '.join(twice)} more than once", remedy="one run a host: name it once"
        )
    if len(hosts) > _MOST_HOSTS:
        raise UsageError(
            f"--to names {len(hosts)} hosts, more than {_MOST_HOSTS}",
            remedy="dispatch to some of them at a time: they share one history",
        )
    _check_places(hosts)
    return SshCarrier(hosts, errand)


def _check_places(hosts: Sequence[str]) -> None:
    """UsageError where ssh takes two names to one host, whose runs would be in each other's way."""
    known: dict[tuple[str, ...], str] = {}
    for host in hosts:
        place = place_of(host)
        if place and place in known:
            raise UsageError(
                f"--to names one host twice: ssh takes {known[place]} and {host} to "
                f"{place[0]}, port {place[1]}",
                remedy="one run a host: name it once",
            )
        known[place] = host
