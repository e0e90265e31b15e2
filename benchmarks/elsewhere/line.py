"""What the controller takes of a case's time over a line of 20 ms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from statistics import median

from elsewhere.promise import Promise
from elsewhere.runs import Times, measured
from iogate.sut import open_sut
from iogate.sut.base import Sut
from support.elsewhere import DISK
from support.ssh_host import SshHost, ssh_host

DELAY_MS = 20
RUNTIME_S = 1.0
REPETITIONS, CASES = 3, 3
MOST_S = 1.0
RELAY = Path(__file__).with_name("relay.py")
SPEC = """\
version: 1
name: line
validity: {{ again: 0 }}
targets: {{ t: {{ {target} }} }}
workloads:
  w:
    target: t
    strategy: {{ matrix: {{ bs: [4k, 8k, 16k] }} }}
    fio: {{ ioengine: psync, rw: randwrite, size: 4m, time_based: true, runtime: 1s }}
    repetitions: 3
"""


def promises(folder: Path) -> Iterator[Promise]:
    """Two rows for each kind of target."""
    with ssh_host(folder) as host:
        for kind in ("directory", "file", "device"):
            with closing(open_sut()) as here, _target(here, kind, str(folder)) as target:
                near = _run(here, target, folder)
            with closing(open_sut(host.machine)) as there, _target(there, kind, DISK) as target:
                _delay(host, DELAY_MS)
                with closing(open_sut(host.machine)) as away:
                    far = _run(away, target, folder)
                _delay(host, 0)
            yield from _rows(kind, near, far)


def _run(sut: Sut, target: str, folder: Path) -> Times:
    return measured(sut, SPEC.format(target=target), folder)[1]


def _rows(kind: str, near: Times, far: Times) -> Iterator[Promise]:
    first, others, here = _cases(far)[0], median(_cases(far)[1:]), median(_cases(near)[1:])
    yield Promise(
        f"a case of {REPETITIONS} repetitions on a {kind}, {DELAY_MS} ms away: more than here, "
        "beside the engine's time",
        f"{others - here:.2f} s ({here:.2f} s here); {first - _cases(near)[0]:.2f} s for the first",
        f"≤ {MOST_S:.0f} s",
        others - here <= MOST_S,
    )
    around = (each.run_s - sum(each.repetitions) for each in (far, near))
    yield Promise(
        f"a run on a {kind} besides its repetitions", "{:.2f} s ({:.2f} s here)".format(*around)
    )


def _cases(times: Times) -> list[float]:
    """Seconds beside the engine's of each case; its repetitions take turns with the others'."""
    beside = [each - RUNTIME_S for each in times.repetitions]
    assert len(beside) == CASES * REPETITIONS
    return [sum(beside[case::CASES]) for case in range(CASES)]


@contextmanager
def _target(sut: Sut, kind: str, folder: str) -> Iterator[str]:
    """How a spec names the target there."""
    if kind != "device":
        yield f"{kind}: {folder}" + ("/file" if kind == "file" else "")
        return
    image = f"{folder}/image"
    sut.run(["truncate", "--size=16M", image])
    device = sut.run(["losetup", "--find", "--show", image]).stdout.strip()
    try:
        yield f"device: {device}, destroy: {{ backing: {image}, holds: anything }}"
    finally:
        sut.run(["losetup", "--detach", device])


def _delay(host: SshHost, milliseconds: int) -> None:
    config = host.folder / "config"
    lines = [each for each in config.read_text().splitlines() if "ProxyCommand" not in each]
    if milliseconds:
        lines.append(f"ProxyCommand python3 -I {RELAY} %h %p {milliseconds / 2}")
    config.write_text("\n".join(chain(lines, [""])))
