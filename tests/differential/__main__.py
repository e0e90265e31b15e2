"""python -m differential [CASE…]: run the suite and print the table of agreements."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from differential.cases import Case, cases
from differential.compare import ASPECTS, Difference, compare
from support.engine_runs import built_engine


def _differences(case: Case) -> list[Difference]:
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        return list(compare(built_engine(), "fio", case, Path(folder)))


def _table(found: dict[str, list[Difference]]) -> str:
    """A row for each aspect: how many cases agree, differ as listed, differ."""
    listed = Counter(each.aspect for rows in found.values() for each in rows if each.why)
    other = Counter(each.aspect for rows in found.values() for each in rows if not each.why)
    lines = [f"{'aspect':12} {'agree':>6} {'listed':>7} {'differ':>7}"]
    for aspect in ASPECTS:
        agree = len(found) - listed[aspect] - other[aspect]
        lines.append(f"{aspect:12} {agree:6} {listed[aspect]:7} {other[aspect]:7}")
    return "\n".join(lines)


def main(wanted: list[str]) -> int:
    """Every case, or those whose names hold one of the words."""
    chosen = [c for c in cases() if not wanted or any(word in c.name for word in wanted)]
    built_engine()
    found = {}
    with ThreadPoolExecutor(2) as pool:
        for case, rows in zip(chosen, pool.map(_differences, chosen), strict=True):
            found[case.name] = rows
            for each in rows:
                if not each.why or wanted:
                    why = f" [{each.why}]" if each.why else ""
                    print(f"{case.name}: {each.aspect}: {each.says}{why}", flush=True)
    print(f"{len(found)} job files")
    print(_table(found))
    return any(not each.why for rows in found.values() for each in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
