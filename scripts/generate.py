#!/usr/bin/env python3
"""Write what is made from the tables in the code: schemas and reference pages.

usage: scripts/generate.py [--check]      --check writes nothing and exits 1 when one is stale
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "runner"), str(ROOT / "reports")]

from iogate.cli import reference as commands  # noqa: E402
from iogate.files import bounds  # noqa: E402
from iogate.metrics import reference as metrics  # noqa: E402
from iogate.model.document import SCHEMAS  # noqa: E402
from iogate.model.schema import json_schema  # noqa: E402


def outputs() -> dict[Path, str]:
    """Every generated file and its text."""
    texts = {
        ROOT / "docs" / "metrics.md": metrics.markdown(),
        ROOT / "docs" / "commands.md": commands.markdown(),
        ROOT / "docs" / "bounds.md": bounds.markdown(),
    }
    for kind, (name, _version) in SCHEMAS.items():
        text = json.dumps(json_schema(kind), indent=2, ensure_ascii=False)
        texts[ROOT / "schemas" / f"{name}.schema.json"] = text + "\n"
    return texts


def main(arguments: list[str]) -> int:
    """Write the files that differ, or with --check only name them."""
    stale = [
        path
        for path, text in outputs().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/generate.py")
        else:
            path.write_text(outputs()[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
