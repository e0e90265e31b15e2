"""What docs/spec.md shows and lists is what is read."""

from __future__ import annotations

import re
from pathlib import Path

from iogate.spec.reading.schema import schema
from support.specs import plan_of

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "spec.md").read_text(encoding="utf-8")


EXAMPLES = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
DEVICE = (
    "version: 1\ntargets: { d: { device: /dev/x, destroy: { serial: S } } }\n"
    "workloads: { w: { fio: { rw: randwrite, size: 1m } } }\n"
)


def test_its_example_is_a_spec() -> None:
    assert len(plan_of(EXAMPLES[0]).cases) == 6


def test_its_sections_are_parts_of_one() -> None:
    for section in EXAMPLES[1:]:
        assert len(plan_of(DEVICE + section).cases) == 1


def test_it_lists_every_key() -> None:
    parts = schema()["definitions"]
    keys = set(schema()["properties"]) - {"$schema"}
    for name in (
        "workload",
        "target",
        "filesystem",
        "destroy",
        "chart",
        "limit",
        "pool",
        "baseline",
    ):
        keys |= set(parts[name]["properties"])
    for section in ("environment", "precondition", "arm"):
        keys |= set(parts[section]["properties"])
        for nested in parts[section]["properties"].values():
            keys |= set(nested.get("properties", ())) if section == "environment" else set()
    keys |= set(parts["workload"]["properties"]["strategy"]["properties"])
    missing = [key for key in sorted(keys) if not re.search(rf"\b{key}\b", TEXT)]
    assert missing == []
