"""Specs from a few lines of YAML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from iogate.errors import SpecError
from iogate.model.plan import Case, Plan
from iogate.model.spec import Spec
from iogate.spec import load_spec_text, make_plan

FILE = Path("t.yaml")
HEAD = "version: 1\ntargets: {d: {directory: /data}}\nworkloads:\n"


def load(text: str, *, path: Path = FILE, overrides: Sequence[str] = ()) -> Spec:
    """The spec of a whole text."""
    return load_spec_text(text, path, overrides=overrides)


def plan_of(text: str, *, overrides: Sequence[str] = ()) -> Plan:
    """The plan of a whole text, whether or not it could be run."""
    return make_plan(load(text), overrides=overrides)


def workloads(text: str) -> str:
    """A spec with these workloads on one directory; they begin on line 4."""
    return HEAD + text


def cases(text: str, *, overrides: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases of these workloads."""
    return plan_of(workloads(text), overrides=overrides).cases


def fio(options: str) -> str:
    """One workload with these fio options; they begin in line 4, column 14."""
    return workloads(f"  w: {{ fio: {{ {options} }} }}\n")


def option(options: str, key: str) -> str:
    """What an option becomes in the job file."""
    return load(fio(options)).workloads[0].jobs[0].options[key]


def problems(text: str) -> list[SpecError]:
    """Everything that is wrong with a whole text, in the order it is reported."""
    with pytest.raises(SpecError) as caught:
        plan_of(text)
    return [caught.value, *caught.value.others]


def problem(text: str) -> SpecError:
    """The one thing that is wrong with a text."""
    found = problems(text)
    assert len(found) == 1, [str(each) for each in found]
    return found[0]


def place(error: SpecError) -> tuple[int, int]:
    """Line and column of an error."""
    assert error.where is not None, error
    assert error.where.file == str(FILE)
    return error.where.line, error.where.column
