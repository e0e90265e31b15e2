"""Cases dealt out, so that each is measured once."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.model.plan import Plan

Group = tuple[str, ...]


def groups(plan: Plan) -> list[Group]:
    """The ids of cases that cannot be parted, as one limit is on all of them, in the order of the
    plan."""
    group_of = {case.id: [case.id] for case in plan.cases}
    for pool in plan.pools:
        first, *others = (group_of[member.case_id] for member in pool.members)
        for other in others:
            if other is not first:
                first.extend(other)
                group_of.update(dict.fromkeys(other, first))
    order = {case.id: place for place, case in enumerate(plan.cases)}
    whole = {id(each): tuple(sorted(each, key=order.__getitem__)) for each in group_of.values()}
    return list(whole.values())


def dealt(plan: Plan, hosts: Sequence[str]) -> dict[str, Group]:
    """The groups in turn, as cards are dealt: as long as spec and hosts stay, a case falls to the
    same host every night, and so has a history there. Hosts that get none are left out."""
    hands: dict[str, list[str]] = {host: [] for host in hosts}
    for place, group in enumerate(groups(plan)):
        hands[hosts[place % len(hosts)]].extend(group)
    return {host: tuple(cases) for host, cases in hands.items() if cases}
