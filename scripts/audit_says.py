#!/usr/bin/env python3
"""Say what pip-audit found: a package that its service does not know was not audited, which
pip-audit counts as good.

usage: scripts/audit_says.py FILE      its JSON; exits 1 when a vulnerability is known
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Told = dict[str, list[dict[str, Any]]]
# It is on no index before its release.
OURS = "iogate"


def lines(told: Told) -> Iterator[str]:
    """Each vulnerability, then what was audited and what was not."""
    packages = [each for each in told["dependencies"] if each["name"] != OURS]
    skipped = [str(each["name"]) for each in packages if "skip_reason" in each]
    for each in vulnerable(told):
        ids = ", ".join(found["id"] for found in each["vulns"])
        yield f"VULNERABLE: {each['name']} {each['version']}: {ids}"
    if skipped:
        yield (
            f"NOT AUDITED: {len(skipped)} of {len(packages)} packages, which the service that"
            f" knows of vulnerabilities did not find: {', '.join(sorted(skipped))}"
        )
    else:
        yield f"audited: {len(packages)} packages"


def vulnerable(told: Told) -> list[dict[str, Any]]:
    """The packages of which a vulnerability is known."""
    return [each for each in told["dependencies"] if each.get("vulns")]


def main(arguments: list[str]) -> int:
    """Print the lines."""
    told = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    print("\n".join(f"==> {line}" for line in lines(told)))
    return 1 if vulnerable(told) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
