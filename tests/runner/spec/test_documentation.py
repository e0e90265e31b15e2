"""What docs/spec.md shows and lists is what is read."""

from __future__ import annotations

import re
from pathlib import Path

from iogate.spec.schema import schema
from support.specs import plan_of

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "spec.md").read_text(encoding="utf-8")


def test_its_example_is_a_spec() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert len(plan_of(example).cases) == 6


def test_it_lists_every_key() -> None:
    parts = schema()["definitions"]
    keys = set(schema()["properties"]) - {"$schema"}
    for name in ("workload", "target", "filesystem", "destroy", "chart", "limit", "baseline"):
        keys |= set(parts[name]["properties"])
    keys |= set(parts["workload"]["properties"]["strategy"]["properties"])
    missing = [key for key in sorted(keys) if not re.search(rf"\b{key}\b", TEXT)]
    assert missing == []
