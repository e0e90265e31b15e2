"""Our own style sheets and scripts, as they stand inside a page."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def styles(*names: str) -> str:
    """Style sheets of ``assets``, in the order they build on each other."""
    return "\n".join((_HERE / "assets" / name).read_text("utf-8").strip() for name in names)


@cache
def script(*names: str) -> str:
    """Scripts of ``scripts``, joined, without the comments on lines of their own."""
    lines = (
        line
        for name in names
        for line in (_HERE / "scripts" / name).read_text("utf-8").splitlines()
        if not line.lstrip().startswith("//")
    )
    return "\n".join(line.strip() for line in lines)


def policy(scripts: Iterable[str] = ()) -> str:
    """A page's content security policy: nothing from anywhere, and only these very scripts."""
    hashes = " ".join(f"'sha256-{digest(text)}'" for text in scripts)
    allowed = f"script-src {hashes}; " if hashes else ""
    return (
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@lru_cache(maxsize=16)
def digest(text: str) -> str:
    """What the policy calls a script by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
