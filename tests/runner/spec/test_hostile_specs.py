"""Whatever a spec says, checking it ends in an error or a plan, in bounded memory and work."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iogate.errors import UsageError
from iogate.files import bounds
from iogate.spec import load_spec_text, make_plan

MEMORY = 1 << 30
GENEROUS_S = 200
HEAD = "version: 1\ntargets: { d: { directory: . } }\n"
FIO = "fio: { rw: read, size: 1m }"


def workloads(*lines: str) -> str:
    return HEAD + "workloads:\n" + "\n".join(f"  {line}" for line in lines) + "\n"


def axis(count: int) -> str:
    return f"[{', '.join(str(n) for n in range(1, count + 1))}]"


TOO_MUCH = {
    "cases": workloads(f"w: {{ {FIO}, strategy: {{ matrix: {{ iodepth: {axis(10_001)} }} }} }}"),
    "product": workloads(
        f"w: {{ {FIO}, strategy: {{ matrix: {{ iodepth: {axis(200)}, numjobs: {axis(200)} }} }} }}"
    ),
    "cases of all workloads": workloads(
        *(
            f"w{n}: {{ {FIO}, strategy: {{ matrix: {{ iodepth: {axis(5)}, numjobs: {axis(2000)},"
            f" size: [{n + 1}m] }} }} }}"
            for n in range(11)
        ),
    ),
    "rules": workloads(
        f"w: {{ {FIO}, strategy: {{ matrix: {{ iodepth: [1] }}, exclude: ["
        + ", ".join("{ iodepth: 2 }" for _ in range(bounds.MATRIX_RULES + 1))
        + "] } }"
    ),
    "jobs": workloads(
        "w: { fio: { size: 1m }, jobs: {"
        + ", ".join(f"j{n}: {{ rw: read }}" for n in range(bounds.JOBS + 1))
        + "} }"
    ),
    "unknown keys": workloads("w:", "  fio:", *(f"    iodepht{n}: 1" for n in range(20_000))),
    "unknown keys of all": "\n".join(f"kye{n}: 1" for n in range(20_000)),
    "unknown metrics": workloads(
        f"w: {{ {FIO}, thresholds: {{"
        + ", ".join(f"raed.iops{n}: '> 1'" for n in range(10_000))
        + "} }"
    ),
    "wrong values": workloads("w: { fio: { size: 1m }, jobs: {" + ", ".join(
        f"j{n}: {{ rw: raed, bs: 4q, direct: perhaps, ioengine: libaoi }}" for n in range(250)
    ) + "} }"),
    "long text": workloads(f"w: {{ {FIO}, description: {'a' * (bounds.SPEC_TEXT + 1)} }}"),
    "long key": workloads(f"{'a' * (bounds.SPEC_KEY + 1)}: {{ {FIO} }}"),
    "long names": workloads("w: { extends: " + "ab" * 20_000 + " }", *(
        f"{'ab' * 500}{n}: {{ {FIO} }}" for n in range(50)
    )),
    "aliases": HEAD + "x-a: &a [1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
        f"x-{n}: &{n} [{', '.join(['*' + (str(n - 1) if n else 'a')] * 9)}]\n" for n in range(9)
    ),
    "depth": "[" * 100_000,
    "flow": "{a: " * 100_000,
    "characters": "#" * (bounds.SPEC_CHARACTERS + 1),
    "whole number": workloads(f"w: {{ {FIO}, repetitions: {'9' * 60_000} }}"),
    "exponent": workloads(f"w: {{ {FIO}, repetitions: 1e999999 }}"),
    "size": workloads(f"w: {{ fio: {{ rw: read, size: {'9' * 4000} }} }}"),
    "power": workloads("w: { fio: { rw: read, size: 1e999999 } }"),
    "limit": workloads(f"w: {{ {FIO}, thresholds: {{ read.iops: '> {'9' * 60_000}' }} }}"),
    "spaces": workloads(
        f"w: {{ {FIO}, thresholds: {{ read.iops: 'vs baseline{' ' * 60_000}x' }} }}"
    ),
    "aka": workloads(f"w: {{ {FIO}, aka: {{ " + ", ".join(
        f"p{n}: [0011223344556677]" for n in range(9000)
    ) + " } }"),
}  # fmt: skip


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH.keys())
def test_too_much_is_an_error_in_bounded_memory(text: str, tmp_path: Path) -> None:
    """The time is generous: what is not bounded would take hours."""
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    words = ["prlimit", f"--as={MEMORY}", sys.executable, "-m", "iogate", "validate", str(path)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=GENEROUS_S, check=False, env=env
    )
    assert done.returncode == 2, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert "spec.yaml:" in done.stderr


WORDS = st.sampled_from(
    ["version", "workloads", "targets", "w", "fio", "jobs", "strategy", "matrix", "exclude",
     "include", "thresholds", "extends", "jobfile", "repetitions", "rw", "bs", "size", "iodepth",
     "read.iops", "metrics", "environment", "compare", "baseline", "precondition", "aka", "chart",
     "when", "<<"]
)  # fmt: skip
SCALARS = st.one_of(
    WORDS,
    st.integers(),
    st.text(max_size=20),
    st.sampled_from(
        ["1e999999", "9" * 5000, "> 1", "vs baseline < +10%", "*a", "&a", "/dev/zero", "../x",
         "${A}", "4k", "read", "~", ".inf", "0x" + "f" * 100, "!!python/object:os.system x",
         "a#b", "#w"]
    ),
)  # fmt: skip
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=30,
)


def yaml(tree: object) -> str:
    """Flow YAML, whose scalars are as they come."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{yaml(key)}: {yaml(value)}" for key, value in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(yaml, tree)) + "]"
    return str(tree)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tree=st.dictionaries(WORDS, TREES, max_size=6), quoted=st.booleans())
def test_any_tree_is_a_plan_or_an_error(
    tree: dict[str, object], quoted: bool, tmp_path: Path
) -> None:
    text = (
        yaml(tree) if quoted else "\n".join(f"{key}: {yaml(value)}" for key, value in tree.items())
    )
    with suppress(UsageError):
        make_plan(load_spec_text(text, tmp_path / "spec.yaml"))
