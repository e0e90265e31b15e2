#!/usr/bin/env python3
"""Add what is inside the wheel to an SBOM of what is installed with it.

usage: sbom_inside.py SBOM.json BUILT-WITH.txt OUT.json

In:  CycloneDX by cyclonedx-py; the packages of Debian that the engine was built with, one a line,
     with their versions; and scripts/web/package-lock.json.
Out: the same, with the libraries that are linked into the engine and the one in the pages. It is
     checked against CycloneDX's schema, and refused when it does not hold.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parent.parent
# What the engine holds, by the package of Debian that it comes from, and under which licence.
LIBRARIES = {
    "libaio-dev": ("libaio", "LGPL-2.1-or-later"),
    "libc6-dev": ("glibc", "LGPL-2.1-or-later"),
    "libc6-dev-arm64-cross": ("glibc", "LGPL-2.1-or-later"),
    "liburing-dev": ("liburing", "MIT"),
    "zlib1g-dev": ("zlib", "Zlib"),
}


def component(name: str, version: str, purl: str, licence: str) -> dict[str, Any]:
    """A library that is inside."""
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{"expression": licence, "acknowledgement": "declared"}],
    }


def of_the_engine(built_with: str) -> list[dict[str, Any]]:
    """The libraries in the engine. KeyError where one is missing from the list."""
    versions = dict(line.split() for line in built_with.splitlines())
    return [
        component(name, versions[package], f"pkg:deb/debian/{package}@{versions[package]}", licence)
        for package, (name, licence) in sorted(LIBRARIES.items())
    ]


def of_the_pages(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """What pages have inside them."""
    return [
        component(name, each["version"], f"pkg:npm/{name}@{each['version']}", each["license"])
        for place, each in sorted(lock["packages"].items())
        if (name := place.removeprefix("node_modules/"))
    ]


def with_inside(
    document: dict[str, Any], inside: list[dict[str, Any]], version: str
) -> dict[str, Any]:
    """The document of this version of iogate, with these as what it is made of itself."""
    refs = [each["bom-ref"] for each in inside]
    document["components"] = document.get("components", []) + inside
    document["metadata"]["component"] |= {"version": version, "purl": f"pkg:pypi/iogate@{version}"}
    root = document["metadata"]["component"]["bom-ref"]
    for each in document["dependencies"]:
        if each["ref"] == root:
            each["dependsOn"] = sorted({*each.get("dependsOn", []), *refs})
    document["dependencies"] += [{"ref": ref} for ref in refs]
    return document


def main() -> int:
    """Read, add, check and write."""
    source, built_with, out = map(Path, sys.argv[1:])
    lock = json.loads((ROOT / "scripts/web/package-lock.json").read_text(encoding="utf-8"))
    inside = of_the_engine(built_with.read_text(encoding="utf-8")) + of_the_pages(lock)
    init = (ROOT / "runner/iogate/__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', init, re.MULTILINE)
    document = with_inside(json.loads(source.read_text(encoding="utf-8")), inside, version)
    text = json.dumps(document, indent=2, sort_keys=True) + "\n"
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong is not None:
        print(f"sbom_inside.py: not CycloneDX 1.6: {wrong}", file=sys.stderr)
        return 1
    out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
