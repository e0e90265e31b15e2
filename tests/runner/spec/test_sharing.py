"""``runner: { exclusive: false }``: what a run that shares the host may not change there."""

from __future__ import annotations

import pytest

from support.specs import load, plan_of, problem

SHARED = "version: 1\nrunner: { exclusive: false }\n"
WORKLOAD = "workloads: { w: { target: d, fio: { rw: randread, size: 1m } } }\n"
HERE = "targets: { d: { directory: /data } }\n"
THERE = (
    "targets: { disk: { device: /dev/x, destroy: { serial: S } },"
    " d: { filesystem: { on: disk, type: ext4 } } }\n"
)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"{HERE}environment: {{ sysctl: {{ vm.swappiness: 1 }} }}\n", "sysctl.vm.swappiness"),
        (f"{HERE}environment: {{ block: {{ scheduler: none }} }}\n", "scheduler"),
        (f"{HERE}environment: {{ cpu: {{ governor: performance }} }}\n", "governor"),
        (f"{HERE}environment: {{ drop_caches: before-case }}\n", "drop_caches"),
        (THERE, "target d: filesystem"),
    ],
)
def test_it_changes_nothing_that_others_go_by(text: str, key: str) -> None:
    error = problem(SHARED + WORKLOAD + text)
    assert key in error.what
    assert "runner.exclusive: false" in error.what
    assert error.where
    assert load("version: 1\n" + WORKLOAD + text).exclusive


def test_what_it_only_asks_for_is_no_change() -> None:
    asked = "environment: { cpu: { cpus_allowed: 0 }, require: { quiet: true } }\n"
    plan = plan_of(SHARED + WORKLOAD + HERE + asked)
    assert not plan.exclusive
