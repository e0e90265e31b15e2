"""A night does not precondition twice: what one run has brought a device to holds for the next
ones until something speaks against it. On devices that the test makes."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.devices import (
    identity_of,
    loop_device,
    needs_root,
    own_loop_device,
    reattach,
    sh,
    zram_device,
)

from .conftest import Done, Iogate, engines_of, wait_for

pytestmark = needs_root
SPEC = """\
version: 1
name: preconditioned
targets: { raw: { device: %(device)s, destroy: { %(identity)s, holds: anything } } }
precondition: { fill: { bs: %(bs)s }%(keep)s }
workloads:
  w: { fio: { rw: %(rw)s, bs: 4k, size: 4m, direct: true%(more)s }, repetitions: 1 }
"""


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 64) as made:
        yield made


def spec(
    iogate: Iogate, device: str, *, bs: str = "1m", keep: str = "", rw: str = "randwrite",
    more: str = "",
) -> Path:  # fmt: skip
    """A spec of one random writer on the device, which is filled first."""
    words = {
        "device": device,
        "identity": identity_of(device),
        "bs": bs,
        "keep": keep,
        "rw": rw,
        "more": more,
    }
    return iogate.spec(SPEC % words)


def measured(iogate: Iogate, path: Path, *words: str) -> Done:
    done = iogate("run", path, *words)
    assert done.code == 0, done.text
    return done


def reached(iogate: Iogate) -> dict[str, Any]:
    """What the last run says of its one device."""
    (found,) = iogate.run_document()["preconditions"]
    assert isinstance(found, dict)
    return found


def filled(iogate: Iogate) -> bool:
    """Whether the last run did it itself."""
    ran = (iogate.latest / "raw/precondition-fill-1-1.json").exists()
    done: bool = reached(iogate)["done"]
    assert done is ran
    return ran


@pytest.mark.parametrize("kind", ["loop", "zram"])
def test_the_second_run_finds_it_done(iogate: Iogate, tmp_path: Path, kind: str) -> None:
    with loop_device(tmp_path, 64) if kind == "loop" else zram_device(64) as device:
        path = spec(iogate, device)
        assert "no earlier precondition of it is remembered" in measured(iogate, path).err
        first = iogate.run_document()["id"]
        assert filled(iogate)
        assert reached(iogate)["written_bytes"] == 64 << 20
        for _ in range(2):
            done = measured(iogate, path)
            assert f"(run {first[:12]}) still holds" in done.err
            assert not filled(iogate)
            assert reached(iogate)["run_id"] == first
        ids = {case["id"] for case in iogate.run_document()["plan"]["cases"]}
        assert {m["case_id"] for m in iogate.run_document()["measurements"]} == ids


def test_the_history_knows_what_a_device_was_brought_to_and_quiet_tells_of_nothing(
    iogate: Iogate, device: str
) -> None:
    done = measured(iogate, spec(iogate, device), "--quiet")
    assert done.err == ""
    assert filled(iogate)
    whole = json.loads(iogate("history", "show", iogate.run_document()["id"], "--json").out)
    assert whole["preconditions"] == [reached(iogate)]
    shown = iogate("history", "show", whole["id"]).out
    assert f"precondition of {device}: done by this run: no earlier precondition" in shown


def test_a_dry_run_says_what_would_be_done_and_why(iogate: Iogate, device: str) -> None:
    path = spec(iogate, device)
    assert (
        "would be preconditioned: no earlier precondition of it is remembered"
        in iogate("run", path, "--dry-run").out
    )
    measured(iogate, path)
    assert "still holds" in iogate("run", path, "--dry-run").out
    forced = iogate("run", path, "--dry-run", "--precondition")
    assert "would be preconditioned: asked for by --precondition" in forced.out
    measured(iogate, path, "--precondition")
    assert filled(iogate)


@pytest.mark.parametrize(
    ("by", "why"),
    [
        (["mkfs.ext4", "-q", "-F"], "since"),
        (["blkdiscard"], "64.0 MiB of it were discarded since"),
        (["dd", "if=/dev/zero", "bs=64k", "count=1", "oflag=direct", "of="], "64.0 KiB were"),
    ],
)
def test_what_somebody_else_did_to_it_is_noticed(
    iogate: Iogate, device: str, by: list[str], why: str
) -> None:
    path = spec(iogate, device)
    measured(iogate, path)
    last = f"of={device}" if by[0] == "dd" else device
    sh(*[word for word in by if word != "of="], last)
    done = measured(iogate, path)
    assert why in done.err
    assert filled(iogate)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"bs": "2m"}, "was another one"),
        ({"keep": ", keep: 0"}, "keep: 0 wants it anew"),
    ],
)
def test_another_precondition_is_done_anew(
    iogate: Iogate, device: str, change: dict[str, str], why: str
) -> None:
    measured(iogate, spec(iogate, device))
    assert why in measured(iogate, spec(iogate, device, **change)).err
    assert filled(iogate)


def test_it_counts_only_so_long(iogate: Iogate, device: str) -> None:
    measured(iogate, spec(iogate, device))
    assert "still holds" in measured(iogate, spec(iogate, device, keep=", keep: 7d")).err
    assert "is older than keep" in measured(iogate, spec(iogate, device, keep=", keep: 1ms")).err


@pytest.mark.parametrize(
    ("rw", "more", "why"),
    [
        ("write", "", "writes sequentially on it"),
        ("randtrim", ", ioengine: psync", "trims on it"),
        ("randwrite", ", zero_buffers: true", "writes data that shrink on it"),
    ],
)
def test_a_run_that_changes_the_device_says_so_to_the_next_one(
    iogate: Iogate, device: str, rw: str, more: str, why: str
) -> None:
    measured(iogate, spec(iogate, device))
    path = spec(iogate, device, rw=rw, more=more)
    engine = ["--engine", "fio"] if "trim" in rw else []
    assert "still holds" in measured(iogate, path, *engine).err
    assert why in measured(iogate, spec(iogate, device)).err
    assert filled(iogate)


def test_one_that_was_killed_is_not_believed(iogate: Iogate, device: str) -> None:
    measured(iogate, spec(iogate, device))
    running = iogate.start("run", spec(iogate, device, bs="4k, rate_iops: 100"))
    wait_for(lambda: engines_of(iogate.folder, "precondition-fill-1.fio"))
    running.send_signal(signal.SIGKILL)
    running.communicate()
    wait_for(lambda: not engines_of(iogate.folder, "precondition-fill-1.fio"))
    assert "did not come to its end" in measured(iogate, spec(iogate, device)).err
    assert filled(iogate)


def test_another_file_behind_the_same_name_is_another_device(
    iogate: Iogate, tmp_path: Path
) -> None:
    with own_loop_device(tmp_path, 64) as device:
        measured(iogate, spec(iogate, device))
        image = sh("losetup", "--noheadings", "--output", "BACK-FILE", device).strip()
        other = Path(image).with_name("other")
        other.write_bytes(b"")
        with other.open("r+b") as out:
            out.truncate(64 << 20)
        reattach(device, other)
        assert (
            "no earlier precondition of it is remembered"
            in measured(iogate, spec(iogate, device)).err
        )


def test_a_spoiled_memory_is_none(iogate: Iogate, device: str) -> None:
    path = spec(iogate, device)
    measured(iogate, path)
    (memory,) = (iogate.folder / "state/iogate/devices").iterdir()
    for text in ("", "{", '{"schema":"device-state/2"}', "[" * 100_000, "\0" * 3_000_000):
        memory.write_text(text)
        assert "no earlier precondition of it is remembered" in iogate("run", path, "--dry-run").out
    memory.unlink()
    memory.symlink_to("/dev/zero")
    assert "no earlier precondition of it is remembered" in iogate("run", path, "--dry-run").out
    memory.unlink()
    memory.mkdir()
    assert "is not remembered" in measured(iogate, path).err


def test_five_rounds_make_snias_steady_state(iogate: Iogate, device: str) -> None:
    rounds = "steadystate: snia, ss_interval: 1s, rate_iops: 100, timeout: 60s"
    path = spec(iogate, device, keep=f", steady_state: {{ bs: 4k, {rounds} }}")
    measured(iogate, path)
    steady = reached(iogate)["steady"]
    assert (steady["rule"], steady["of"], steady["window"]) == ("snia", "iops", 5)
    assert len(steady["rounds"]) >= 5
    assert steady["mean"] == pytest.approx(100, rel=0.2)
    assert reached(iogate)["written_bytes"] > 64 << 20
    job = json.loads((iogate.latest / "run.json").read_text())["plan"]["precondition"]
    assert job["steady_state"]["options"]["steadystate"] == "snia"
    assert "steadystate" not in (
        iogate.latest / "jobs/precondition-steady-state-1.fio"
    ).read_text().replace("steady-state", "")


def test_a_rate_that_swings_is_no_steady_state(iogate: Iogate, device: str) -> None:
    rounds = "steadystate: snia, ss_interval: 1s, thinktime: 3s, thinktime_blocks: 9"
    path = spec(iogate, device, keep=f", steady_state: {{ bs: 4k, {rounds}, timeout: 8s }}")
    done = iogate("run", path)
    assert done.code == 4
    assert "not steady within 8s: iops range" in done.text
    lost = reached(iogate)
    kept = json.loads(iogate("history", "show", iogate.run_document()["id"], "--json").out)
    assert kept["preconditions"] == [lost]
    assert "not steady within 8s" in lost["text"]
    assert lost["done"] is False
    assert len(lost["steady"]["rounds"]) >= 5
    assert "not steady within 8s" in (iogate.latest / "report.html").read_text()
    assert (
        "no earlier precondition of it is remembered" in measured(iogate, spec(iogate, device)).err
    )
