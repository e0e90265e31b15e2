"""What an import of a thousand results of fio costs beside only parsing their JSON."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from measure import Comparison, interleaved

from iogate.archive import keep
from iogate.foreign import Origin, as_run, read_fio
from iogate.model.run import Host
from iogate.store import open_store

FILES = 1000
_DAY_S = 86_400
_ORIGIN = Origin("old.json", Host("bench", "bench"), ended_ns=1)


def comparisons(rounds: int) -> Iterator[Comparison]:
    """Against reading the results into runs, and against json.loads, which is C: a run has to
    be told apart by its options, and its numbers, documents and transaction made."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        files = _results(folder)
        ours = _importing(folder, files)
        few = max(5, rounds)
        for name, other, limit in (("reading them", _read, 3), ("json.loads", _bare, 12)):
            what = f"import of {FILES:,} results of fio, against {name}"
            yield Comparison(what, "ms", *interleaved(ours, partial(other, files), few), limit)


def _results(folder: Path) -> list[Path]:
    """One real result, dated a day later each time."""
    job = ("--name=night", "--rw=randread", "--bs=4k", "--size=4m", "--runtime=1s", "--time_based")
    made = folder / "made.json"
    command = ["fio", *job, f"--directory={folder}", "--output-format=json", f"--output={made}"]
    subprocess.run(command, check=True)
    document = json.loads(made.read_text())
    files = [folder / f"{number}.json" for number in range(FILES)]
    for number, file in enumerate(files):
        later = {"timestamp_ms": document["timestamp_ms"] + number * _DAY_S * 1000}
        file.write_text(json.dumps({**document, **later}, indent=2))
    return files


def _importing(folder: Path, files: Sequence[Path]) -> Callable[[], float]:
    def ours() -> float:
        store_file = folder / "ours.db"
        store_file.unlink(missing_ok=True)
        start = time.perf_counter_ns()
        with closing(open_store(str(store_file))) as store:
            runs = (
                as_run(foreign, _ORIGIN) for file in files for foreign in read_fio(file.read_text())
            )
            assert keep(store, runs).added == FILES
        return (time.perf_counter_ns() - start) / 1e6

    return ours


def _bare(files: Sequence[Path]) -> float:
    start = time.perf_counter_ns()
    for file in files:
        json.loads(file.read_text())
    return (time.perf_counter_ns() - start) / 1e6


def _read(files: Sequence[Path]) -> float:
    start = time.perf_counter_ns()
    for file in files:
        for foreign in read_fio(file.read_text()):
            as_run(foreign, _ORIGIN)
    return (time.perf_counter_ns() - start) / 1e6
