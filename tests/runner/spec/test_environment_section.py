"""The sections environment and precondition: what they may say, and what they may not."""

from __future__ import annotations

import pytest

from iogate.model.environment import DropCaches, Environment, Require, laid_over
from support.specs import load, place, plan_of, problem

HEAD = (
    "version: 1\ntargets: { d: { device: /dev/x, destroy: { serial: S } } }\n"
    "workloads: { w: { fio: { rw: randwrite, size: 1m } } }\n"
)


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("environment: { sysctl: { kernel.core_pattern: x } }", "kernel.core_pattern is not set"),
        ("environment: { sysctl: { kernel.modprobe: x } }", "kernel.modprobe is not set"),
        ("environment: { sysctl: { kernel.sysrq: 1 } }", "kernel.sysrq is not set"),
        ("environment: { sysctl: { vm.drop_caches: 3 } }", "vm.drop_caches is not set"),
        ("environment: { sysctl: { fs.binfmt_misc.register: x } }", "fs.binfmt_misc.register is"),
        ("environment: { sysctl: { fs.suid_dumpable: 1 } }", "fs.suid_dumpable is not set"),
        ("environment: { sysctl: { vm./../kernel/x: 1 } }", "no kernel parameter"),
        ("environment: { sysctl: { vm..x: 1 } }", "no kernel parameter"),
        ("environment: { sysctl: { vm.dirty_ratio: 'a\\tb;c' } }", "cannot be a setting"),
        ('environment: { sysctl: { vm.dirty_ratio: "1\\n2" } }', "cannot be a setting"),
        ("environment: { block: { ../../x: 1 } }", "no attribute of a request queue"),
        ("environment: { block: { iosched/x: 1 } }", "no attribute of a request queue"),
        ("environment: { cpu: { governor: '$(id)' } }", "cannot be a setting"),
        ("environment: { cpu: { cpus_allowed: '0;id' } }", "is a list of CPUs"),
        ("environment: { cpu: { cpus_allowed: all } }", "is a list of CPUs"),
        ("environment: { cpu: { smt: off } }", "true or false"),
        ("environment: { drop_caches: always }", "before-run"),
        ("precondition: { fill: { rw: read } }", "fill does not write"),
        ("precondition: { fill: { filename: /dev/sda } }", "filename cannot be set here"),
        ("precondition: { fill: { exec_prerun: id } }", "cannot be set here"),
        ("precondition: { fill: { steadystate: 'iops:1%' } }", "fill ends when"),
        ("precondition: { steady_state: { bs: 4k } }", "says when the device is steady"),
        ("precondition: { steady_state: { ss: 'lat:1%' } }", "says when the device is steady"),
        ("precondition: { steady_state: { ss: snia, ss_dur: 5m } }", "the window is 5 rounds"),
        ("precondition: { steady_state: { ss: snia, ss_interval: 500ms } }", "at least 1s"),
        (
            "precondition: { steady_state: { ss: 'iops:9%', ss_dur: 2s } }",
            "ss_dur is 2s, less than 3 rounds of ss_interval (1s)",
        ),
        (
            "precondition: { steady_state: { ss: 'bw_slope:9%', ss_interval: 30s } }",
            "ss_dur is 60s, less than 3 rounds of ss_interval (30s)",
        ),
        (
            "precondition: { steady_state: { ss: 'iops:9%', ss_ramp: 9s, timeout: 1m } }",
            "timeout (60s) ends before the first window does, after 69s",
        ),
        (
            "precondition: { steady_state: { ss: snia, timeout: 4m } }",
            "timeout (240s) ends before the first window does, after 300s",
        ),
        ("precondition: { fill: {}, keep: soon }", "not a time"),
    ],
)
def test_what_a_spec_does_not_set(section: str, says: str) -> None:
    error = problem(HEAD + section + "\n")
    assert says in error.what
    assert error.remedy or "before-run" in says
    assert place(error)[0] == 4


def test_a_precondition_has_its_usual_options() -> None:
    found = load(HEAD + "precondition: { fill: {}, steady_state: { ss: 'iops:1%' } }\n")
    assert found.precondition is not None
    assert found.precondition.fill is not None
    assert found.precondition.fill.options == {"rw": "write", "direct": "1"}
    assert found.precondition.steady_state is not None
    assert found.precondition.steady_state.options["rw"] == "randwrite"
    assert found.precondition.keep_s == 12 * 3600


@pytest.mark.parametrize(("text", "seconds"), [("7d", 7 * 86400), ("0", 0), ("90m", 5400)])
def test_how_long_a_precondition_counts_makes_no_other_case(text: str, seconds: float) -> None:
    section = "precondition: { fill: {}, steady_state: { ss: snia } }\n"
    kept = section.replace(" }\n", f", keep: {text} }}\n")
    found = load(HEAD + kept).precondition
    assert found is not None
    assert found.keep_s == seconds
    assert plan_of(HEAD + kept).cases[0].id == plan_of(HEAD + section).cases[0].id


def test_what_lies_over_another_says_the_last_word() -> None:
    below = Environment(
        governor="performance",
        turbo=True,
        block={"scheduler": "none", "nr_requests": "64"},
        sysctl={"vm.dirty_ratio": "5"},
        drop_caches=DropCaches.BEFORE_RUN,
        require=Require(max_loadavg=1),
    )
    top = Environment(
        turbo=False,
        smt=False,
        block={"scheduler": "kyber"},
        drop_caches=DropCaches.NEVER,
    )
    assert laid_over(below, top) == Environment(
        governor="performance",
        turbo=False,
        smt=False,
        block={"scheduler": "kyber", "nr_requests": "64"},
        sysctl={"vm.dirty_ratio": "5"},
        drop_caches=DropCaches.NEVER,
        require=Require(max_loadavg=1),
    )
    assert laid_over(None, top) == top
    assert laid_over(below, None) == below
    assert laid_over(None, None) is None
