"""How often a run asks a machine at the end of a line: each time costs what the line takes there
and back. What is asked while the engine runs is not counted: that depends on how long it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from iogate.engine.base import Stop
from iogate.run.pipeline import execute
from iogate.run.request import Request, make_request_plan
from iogate.sut import far, open_sut
from iogate.sut.base import Sut
from iogate.sut.wire import send
from support.devices import needs_root
from support.elsewhere import DISK
from support.ssh_host import ssh_host

pytestmark = needs_root
LOOKS = 2 * 2
"""A repetition looks at the processes of the host before and after it: two more round trips each
for those that have come since the last look."""
MOST = {"directory": 10 + LOOKS, "file": 14 + LOOKS, "device": 11 + LOOKS}
"""Of a repetition that is not the first of its target."""
MOST_FIRST = {"directory": 32 + LOOKS, "file": 34 + LOOKS, "device": 50 + LOOKS}
MOST_AROUND = {"directory": 90, "file": 90, "device": 100}
"""Of a run, without its repetitions."""
SPEC = """\
version: 1
name: there
targets: {{ t: {{ {target} }} }}
workloads:
  w:
    target: t
    fio: {{ rw: randwrite, bs: 4k, size: 4m, ioengine: psync }}
    repetitions: 3
"""


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Sut]:
    with ssh_host(tmp_path) as host, closing(open_sut(host.machine)) as machine:
        yield machine


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What went over the line so far."""
    names: list[str] = []

    def noted(stream: Any, message: Mapping[str, Any]) -> None:
        if message.get("call") != "look":
            names.append("+".join(each["call"] for each in message.get("calls", (message,))))
        send(stream, message)

    monkeypatch.setattr(far, "send", noted)
    monkeypatch.setattr("iogate.host.validity.watch.LEAST_PAUSE_S", 3600.0)
    return names


@pytest.fixture(params=MOST)
def target(request: pytest.FixtureRequest, there: Sut) -> Iterator[tuple[str, str]]:
    """Its kind, and how a spec names it."""
    kind, image = request.param, f"{DISK}/image"
    if kind != "device":
        yield kind, {"directory": "directory: auto", "file": f"file: {DISK}/file"}[kind]
        return
    there.run(["truncate", "--size=16M", image])
    device = there.run(["losetup", "--find", "--show", image]).stdout.strip()
    yield kind, f"device: {device}, destroy: {{ backing: {image}, holds: anything }}"
    there.run(["losetup", "--detach", device])


def test_a_repetition_costs_few_round_trips(
    target: tuple[str, str], there: Sut, asked: list[str], tmp_path: Path
) -> None:
    kind, text = target
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC.format(target=text))
    store = str(tmp_path / "history.sqlite")
    request = Request(spec=spec, sut=there, store=store, output=tmp_path / "run")
    counts, observer = [], Mock()
    observer.repetition_started.side_effect = lambda *_: counts.append(-len(asked))

    def ended(*_: object) -> None:
        counts[-1] += len(asked)

    observer.repetition_ended.side_effect = ended
    execute(request, make_request_plan(request), observer, Stop())
    first, *others = counts
    assert len(others) == 2
    assert first <= MOST_FIRST[kind], asked
    assert max(others) <= MOST[kind], asked
    assert len(asked) - sum(counts) <= MOST_AROUND[kind], asked
