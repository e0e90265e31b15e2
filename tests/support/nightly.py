"""A spec, and a history of it to which nights are added, seen through the command line."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from iogate.cli import site, trend
from iogate.model.run import Revision
from iogate.spec import load_spec, make_plan
from iogate.store import open_store
from support import samples as s

SPEC = """\
version: 1
name: nightly
targets: { here: { directory: auto } }
workloads:
  log: { target: here, fio: { rw: write, bs: 4k, size: 4m }, thresholds: { write.iops: "> 1" } }
"""
DAY_NS = 86_400 * 10**9


class History:
    """A spec, and a history of it to which nights are added."""

    def __init__(self, folder: Path, since_ns: int = 0) -> None:
        self.since_ns = since_ns
        self.spec, self.url, self.site = folder / "nightly.yaml", "", folder / "site"
        self.url = str(folder / "history.sqlite")
        self.spec.write_text(SPEC)
        self.plan = make_plan(load_spec(self.spec))
        self.nights = 0

    def add(self, *values: float, environment: dict[str, str] | None = None) -> None:
        (case,) = self.plan.cases
        with closing(open_store(self.url)) as store:
            for value in values:
                n = self.nights
                measured = tuple(s.repetitions([float(value)], case_id=case.id))
                at = self.since_ns + n * DAY_NS
                run = s.run(f"{n:04}run", started_ns=at, the_plan=self.plan, measurements=measured)
                revision = Revision(f"{n:012x}".ljust(40, "0"), "A night", "main")
                facts = environment or run.environment
                store.begin_run(replace(run, revision=revision, environment=facts))
                self.nights += 1

    def show(self, *more: str) -> str:
        words = [str(self.spec), "--store", self.url, *more]
        result = CliRunner().invoke(trend.command, words, standalone_mode=False)
        assert result.exception is None, result.output
        return result.stdout

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.show("--json"))
        return document

    def pages(self) -> dict[str, str]:
        words = [str(self.site), "--store", self.url]
        result = CliRunner().invoke(site.command, words, standalone_mode=False)
        assert result.exception is None, result.output
        return {str(p.relative_to(self.site)): p.read_text() for p in self.site.rglob("*.html")}


def noisy(seed: int, *parts: tuple[int, float]) -> np.ndarray:
    levels = np.concatenate([np.full(count, level) for count, level in parts])
    return levels * (1 + 0.02 * np.random.default_rng(seed).normal(size=len(levels)))
