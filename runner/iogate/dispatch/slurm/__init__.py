"""Nodes of Slurm: a share is a job, or a task of an array, that has a node to itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from iogate.dispatch.base import Ended, Errand, Share, Tell
from iogate.dispatch.sharing import Group, groups
from iogate.dispatch.slurm import programs
from iogate.dispatch.slurm.script import code_file, log_file, script
from iogate.dispatch.slurm.watch import Task, Watch
from iogate.engine.base import Stop
from iogate.errors import RefusedError, UsageError
from iogate.model.plan import Plan

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)


class SlurmCarrier:
    """The nodes of a partition that have all labels of the spec."""

    def __init__(self, partition: str, errand: Errand) -> None:
        self._partition = partition
        self._errand = errand
        self._gone: set[str] = set()
        self._folders = 0

    def shares(self, plan: Plan) -> list[Share]:
        """Without a host where the queue chooses one."""
        fitting = self._fitting()
        up = [node for node in fitting if node.is_up]
        if not up:
            raise RefusedError(_none_up(fitting), remedy="see 'sinfo -R'; 'scontrol' resumes them")
        if self._errand.shared:
            return self._anywhere(groups(plan), {})
        cases = tuple(case.id for case in plan.cases)
        return [Share(node.name, cases, self._folder(node.name)) for node in up]

    def measure(self, shares: Sequence[Share], tell: Tell, stop: Stop) -> list[Ended]:
        watch = Watch(tell, stop, self._hopeless)
        try:
            self._submit(shares, watch)
            return watch.until_all_ended()
        finally:
            watch.cancel()

    def elsewhere(self, lost: Sequence[Ended], plan: Plan) -> list[Share]:
        """Only a case that was shared out may go to another node."""
        self._gone |= {each.host for each in lost}
        if not self._errand.shared or self._hopeless([""])[""]:
            return []
        came_from = {case: each.host for each in lost for case in each.share.cases}
        return self._anywhere(groups(plan), came_from)

    def _submit(self, shares: Sequence[Share], watch: Watch) -> None:
        """One array for those that may go anywhere, one job for each that has its node."""
        anywhere = [share for share in shares if not share.host]
        for place, those in enumerate((anywhere, *([s] for s in shares if s.host))):
            if not those:
                continue
            name = f"{self._folders:03}-{place}"
            path = self._errand.folder / f"{name}.sh"
            path.write_text(script(self._errand, those, name), encoding="utf-8")
            job = programs.submit(str(path), self._options(those))
            folder = self._errand.folder
            for number, share in enumerate(those):
                task = job if share.host else f"{job}_{number}"
                files = log_file(folder, name, number), code_file(folder, name, number)
                watch.add(Task(share, task, *files))

    def _options(self, shares: Sequence[Share]) -> list[str]:
        """Of sbatch. What a user's SBATCH_… variables say holds beside them."""
        labels = "&".join(self._errand.labels)
        host = shares[0].host
        options = {
            "partition": self._partition,
            "constraint": labels,
            "exclude": ",".join(sorted(self._gone)) if not host else "",
            "nodelist": host,
            "array": "" if host else f"0-{len(shares) - 1}",
        }
        return [
            *("--job-name=iogate", "--nodes=1", "--exclusive", "--no-requeue"),
            *("--output=/dev/null", "--error=/dev/null"),
            *(f"--{name}={value}" for name, value in options.items() if value),
        ]

    def _anywhere(self, of: Sequence[Group], came_from: Mapping[str, str]) -> list[Share]:
        return [
            Share("", cases, self._folder("cases"), came_from.get(cases[0], "")) for cases in of
        ]

    def _folder(self, name: str) -> Path:
        self._folders += 1
        return self._errand.folder / f"{self._folders:03}-{name}"

    def _fitting(self) -> list[programs.Node]:
        """Those that have all labels and were not lost. RefusedError where none ever had."""
        nodes = programs.nodes(self._partition)
        wanted = frozenset(self._errand.labels)
        fitting = [node for node in nodes if wanted <= node.features]
        if not fitting:
            raise RefusedError(_no_such(nodes, wanted, self._partition), remedy=_REMEDY)
        return [node for node in fitting if node.name not in self._gone]

    def _hopeless(self, hosts: Collection[str]) -> dict[str, str]:
        """Why no node will ever take what waits for a host, or for any (""); empty where one
        may."""
        fitting = self._fitting()
        for_host = {host: [n for n in fitting if host in ("", n.name)] for host in hosts}
        return {
            host: "" if any(node.is_up for node in these) else _none_up(these)
            for host, these in for_host.items()
        }


_REMEDY = "change runner.labels in the spec, or give the nodes these features in slurm.conf"


def _no_such(nodes: Collection[programs.Node], wanted: frozenset[str], partition: str) -> str:
    where = f"partition {partition}" if partition else "Slurm's default partition"
    if not nodes:
        return f"{where} has no nodes"
    known = frozenset[str]().union(*(node.features for node in nodes))
    missing = sorted(wanted - known)
    labels = ", ".join(missing or sorted(wanted))
    which = "has" if missing else "has all of"
    there = ", ".join(sorted(known)) or "none"
    return f"no node of {where} {which} {labels}; their features are: {there}"


def _none_up(fitting: Collection[programs.Node]) -> str:
    if not fitting:
        return "every node that fits was lost"
    return f"no node that fits can be used: {'; '.join(map(str, fitting))}"


def open_carrier(address: str, errand: Errand) -> SlurmCarrier:
    """``PARTITION``, or nothing for the default one."""
    for what, name in (("partition", address), *(("label", each) for each in errand.labels)):
        if name and not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is no {what} of Slurm",
                remedy="letters, digits, and _ . - inside: --to slurm:PARTITION, runner.labels",
            )
    return SlurmCarrier(address, errand)
