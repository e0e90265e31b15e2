"""A run from its id to its folder: what is written before anything is measured."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace

from iogate.ci import find_origin
from iogate.engine.base import Stop
from iogate.files.run_folder import RUN, RunFolder
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
from iogate.run.measure import Bench, Kept, Observer
from iogate.run.request import Request
from iogate.run.work_folder import WorkFolder
from iogate.store import sqlite_path


def new_run(request: Request, plan: Plan) -> Run:
    """A run that has an id, a host and a revision, and nothing else."""
    origin = find_origin()
    return Run(
        id=uuid.uuid4().hex,
        plan=plan,
        host=this_host(request.sut),
        revision=find_revision(ref=request.revision, label=request.label, origin=origin),
        origin=origin,
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
    *,
    begun_with: Callable[[Run], Run],
) -> Bench:
    """The facts of the host, the run folder and the history's entry; what its repetitions
    need. ``machine`` is its stage, and the root of the run's work folder there."""
    stage, root = machine
    shared = {} if ending.run.plan.exclusive else {"host.shared": True}
    facts = {**stage.facts(), **tools.facts(), **shared}
    ending.run = begun_with(replace(ending.run, environment=facts))
    ending.begin(RunFolder.create(ending.run, request.output))
    _write_inputs(ending.folder, ending.run, request)
    ending.store.begin_run(ending.run)
    ending.entered = True
    work = WorkFolder(request.sut, ending.folder, root)
    places = ending.store, ending.folder
    before = Kept(list(ending.run.measurements), list(ending.run.failures))
    return Bench(tools.engine, *places, stage.places, *watchers, stage, tools.sandbox, work, before)


def _write_inputs(folder: RunFolder, run: Run, request: Request) -> None:
    folder.write_json("plan.json", to_document(run.plan))
    kept = None if request.no_store else sqlite_path(request.store)
    history = {HISTORY: str(kept)} if kept else {}
    facts = {"schema": "environment/1", RUN: run.id, **history, "facts": run.environment}
    folder.write_json("environment.json", facts)
    folder.write_run(run)
