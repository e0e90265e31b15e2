#!/usr/bin/env python3
"""Write what is made from the tables in the code: schemas, reference and manual pages, completions
for shells, and the runner's copy of the engine's option table (which asks the engine: build it
first, make -C native).

usage: scripts/generate.py [--check]      --check writes nothing and exits 1 when one is stale
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "runner"), str(ROOT / "reports"), str(ROOT / "scripts")]

import check_rooms  # noqa: E402
import copy_option_help  # noqa: E402
import copy_option_table  # noqa: E402
import draw_rooms  # noqa: E402
import fuzz_seeds  # noqa: E402

COMPLETIONS = {
    "bash": "bash-completion/completions/iogate",
    "zsh": "zsh/site-functions/_iogate",
    "fish": "fish/vendor_completions.d/iogate.fish",
}


def outputs() -> Iterator[tuple[Path, str]]:
    """Every generated file and its text; the runner is imported once its own part is there."""
    yield ROOT / "runner" / "iogate" / "jobs" / "engine_table.py", copy_option_table.module()
    from iogate.cli import reference as commands
    from iogate.files import bounds
    from iogate.metrics import reference as metrics
    from iogate.model.document import SCHEMAS
    from iogate.model.schema import json_schema

    for kind, (name, _version) in SCHEMAS.items():
        text = json.dumps(json_schema(kind), indent=2, ensure_ascii=False)
        yield ROOT / "schemas" / f"{name}.schema.json", text + "\n"
    yield ROOT / "docs" / "options.md", copy_option_table.reference()
    yield copy_option_help.SCHEMA, copy_option_help.schema()
    yield from fuzz_seeds.seeds()
    yield ROOT / "docs" / "metrics.md", metrics.markdown()
    yield ROOT / "docs" / "commands.md", commands.markdown()
    yield ROOT / "docs" / "bounds.md", bounds.markdown()
    yield from _rooms().items()
    yield from _completions()
    import man_pages  # reads the schema of specs

    yield from man_pages.pages()


def _completions() -> Iterator[tuple[Path, str]]:
    """What `iogate completion` prints, where each shell looks below a folder share."""
    from click.testing import CliRunner

    from iogate.cli.entry import GROUP

    for shell, place in COMPLETIONS.items():
        done = CliRunner().invoke(GROUP, ["completion", shell], catch_exceptions=False)
        yield ROOT / "share" / place, done.stdout


def _rooms() -> dict[Path, str]:
    """The picture of the rooms of each side, and their table in the page about them."""
    page = ROOT / "docs" / "architecture.md"
    images = ROOT / "docs" / "images"
    runner, engine, reports = draw_rooms.runner(), draw_rooms.native(), draw_rooms.reports()
    text = page.read_text(encoding="utf-8")
    text = _between(text, "runner", draw_rooms.table(runner, draw_rooms.runner_lines()))
    text = _between(text, "reports", draw_rooms.table(reports, draw_rooms.report_lines()))
    text = _between(text, "engine", draw_rooms.table(engine, check_rooms.first_sentences()))
    return {
        images / "rooms-runner.svg": draw_rooms.svg(runner),
        images / "rooms-reports.svg": draw_rooms.svg(reports),
        images / "rooms-engine.svg": draw_rooms.svg(engine),
        page: text,
    }


def _between(text: str, name: str, made: str) -> str:
    """The text with what stands between the marks of a name made anew."""
    start, end = f"<!-- rooms of the {name}: made by scripts/generate.py -->", "<!-- end -->"
    before, _, rest = text.partition(start)
    return f"{before}{start}\n{made}{end}{rest.partition(end)[2]}"


def main(arguments: list[str]) -> int:
    """Write the files that differ, or with --check only name them."""
    stale = False
    for path, text in outputs():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale = True
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/generate.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
