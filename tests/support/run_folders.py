"""A run folder as a run leaves it, without having run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from iogate.files.run_folder import RUN, RunFolder
from iogate.model.document import to_document
from iogate.model.verdict import Outcome
from support import samples as s
from support.fio_outputs import document as result


def make_run_folder(root: Path) -> Path:
    """A whole run of one case and two repetitions, in a new folder."""
    folder = RunFolder(root)
    (root / "jobs").mkdir(parents=True)
    (root / "raw").mkdir()
    found = tuple(
        replace(s.measurement(repetition=n), raw_file=f"raw/{s.CASE_ID}-{n}.json") for n in (1, 2)
    )
    made = s.run(measurements=found, outcome=s.verdict(Outcome.PASS))
    folder.write_json("plan.json", to_document(made.plan))
    folder.write_json(
        "environment.json", {"schema": "environment/1", RUN: made.id, "facts": {"a.b": 1}}
    )
    folder.write_run(made)
    folder.write_text(f"jobs/{s.CASE_ID}.fio", "[job]\n")
    for one in found:
        (root / one.raw_file).write_text(json.dumps(result()), "utf-8")
    return root
