"""A device is asked for its users once more, right before a step of its precondition writes it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from unittest.mock import Mock

import pytest

from iogate.engine.base import Progress, Stop
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.sut.local import LocalSut
from support.devices import identity_of, loop_device, loop_over, needs_root
from support.quiet import never_disturbed

SPEC = """\
version: 1
name: preconditioned
targets: {{ raw: {{ device: {device}, destroy: {{ {identity}, holds: anything }} }} }}
precondition:
  fill: {{ bs: 1m }}
  steady_state: {{ bs: 4k, steadystate: "iops:50%", ss_dur: 3s, timeout: 8s }}
workloads:
  w: {{ fio: {{ rw: randread, bs: 4k, size: 4m, direct: true }}, repetitions: 1 }}
"""


@needs_root
def test_a_device_that_is_taken_while_it_is_filled_is_not_written_by_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    never_disturbed(tmp_path / "state")
    with loop_device(tmp_path, 16) as device, ExitStack() as with_it:
        taken: list[str] = []
        spec = tmp_path / "spec.yaml"
        spec.write_text(SPEC.format(device=device, identity=identity_of(device)))
        store = str(tmp_path / "history.sqlite")
        request = Request(spec=spec, sut=LocalSut(), store=store, output=tmp_path / "run")
        observer = Mock()

        def take(what: str, _progress: Progress) -> None:
            if not taken:
                taken.append(what)
                with_it.enter_context(loop_over(device))

        observer.preparing.side_effect = take
        finished = execute(request, make_request_plan(request), observer, Stop())
        assert taken == [f"precondition: fill of {device}"]
        (error,) = finished.errors
        assert f"{device} is in use since this run looked it up" in str(error)
        assert [path.stem for path in (tmp_path / "run/jobs").glob("*fill*")]
        assert not list((tmp_path / "run/raw").glob("*steady*"))  # its engine was not started
