from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.host.lock import host_lock, lock_path

HOLD = "import time\nfrom iogate.host.lock import host_lock\nwith host_lock('other'):\n"


@pytest.fixture(autouse=True)
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOGATE_LOCK", str(tmp_path / "lock"))


def holder(body: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, "-c", f"{HOLD}    print('held', flush=True)\n    {body}\n"],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_the_second_run_is_refused_and_told_who_holds_the_host() -> None:
    with holder("time.sleep(60)") as child:
        with pytest.raises(RefusedError) as caught, host_lock("mine"):
            pass
        assert f"process {child.pid}, run other" in caught.value.what
        assert str(lock_path()) in caught.value.remedy
        child.kill()
    with host_lock("mine"):  # a holder that was killed holds nothing
        pass


def test_waiting_gets_the_host_when_it_is_free() -> None:
    told: list[str] = []
    with (
        holder("time.sleep(1)") as child,
        host_lock("mine", wait_s=60, on_wait=told.append),
    ):
        assert len(told) == 1
        assert "run other" in told[0]
        assert child.wait(10) == 0


def test_waiting_can_be_given_up() -> None:
    with holder("time.sleep(60)") as child:
        with (
            pytest.raises(RefusedError, match="another run"),
            host_lock("mine", wait_s=3600, give_up=lambda: True),
        ):
            pass
        child.kill()


def test_the_lock_is_not_passed_on_to_what_is_started() -> None:
    with host_lock("mine"):
        child = subprocess.Popen(["sleep", "60"])
    try:
        time.sleep(0.1)
        with host_lock("mine"):
            pass
    finally:
        child.kill()
        child.wait()


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    lock_path().symlink_to(victim)
    with pytest.raises(RefusedError, match="cannot open"), host_lock("mine"):
        pass
    assert victim.read_text() == "precious"
