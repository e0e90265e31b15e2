"""A run from its id to its folder: what is written before anything is measured."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace

from iogate.engine.base import Stop
from iogate.files.run_folder import RunFolder
from iogate.git.revision import find_revision
from iogate.host.facts import this_host
from iogate.host.stage import Stage
from iogate.model.command import without_credentials
from iogate.model.document import to_document
from iogate.model.plan import Plan
from iogate.model.run import Run, RunStatus
from iogate.recovery.folders import HISTORY
from iogate.run.checks import Tools
from iogate.run.ending import Ending
from iogate.run.measure import Bench, Observer
from iogate.run.request import Request
from iogate.run.work_folder import WorkFolder
from iogate.store import sqlite_path


def new_run(request: Request, plan: Plan) -> Run:
    """A run that has an id, a host and a revision, and nothing else."""
    return Run(
        id=uuid.uuid4().hex,
        plan=plan,
        host=this_host(request.sut),
        revision=find_revision(ref=request.revision, label=request.label),
        started_ns=time.time_ns(),
        finished_ns=0,
        status=RunStatus.RUNNING,
        command=without_credentials(request.command),
    )


def begin(
    request: Request,
    ending: Ending,
    tools: Tools,
    machine: tuple[Stage, str],
    watchers: tuple[Observer, Stop],
) -> Bench:
    """The facts of the host, the run folder and the history's entry; what its repetitions
    need. ``machine`` is its stage, and the root of the run's work folder there."""
    stage, root = machine
    shared = {} if ending.run.plan.exclusive else {"host.shared": True}
    facts = {**stage.facts(), **tools.facts(), **shared}
    ending.run = replace(ending.run, environment=facts)
    ending.begin(RunFolder.create(ending.run, request.output))
    _write_inputs(ending.folder, ending.run, request.store)
    ending.store.begin_run(ending.run)
    work = WorkFolder(request.sut, ending.folder, root)
    kept = ending.store, ending.folder
    return Bench(tools.engine, *kept, stage.places, *watchers, stage, tools.sandbox, work)


def _write_inputs(folder: RunFolder, run: Run, store: str | None) -> None:
    folder.write_json("plan.json", to_document(run.plan))
    kept = sqlite_path(store)
    history = {HISTORY: str(kept)} if kept else {}
    facts = {"schema": "environment/1", **history, "facts": run.environment}
    folder.write_json("environment.json", facts)
    folder.write_run(run)
