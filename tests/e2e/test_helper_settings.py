"""The helper puts back what changes with a setting, and only on the disk that it set."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.bare_host import BareHost, everybodys_folder
from support.devices import image_of, needs_root, sh
from support.helper import HELPER, ask, host_of_users, install, lendable_in
from support.settings import kept

pytestmark = [
    needs_root,
    pytest.mark.skipif(not shutil.which("sudo"), reason="sudo is not installed"),
]
RESTORE = {"verb": "restore"}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[BareHost]:
    with host_of_users(tmp_path / "host") as made:
        yield made


@pytest.fixture
def device(host: BareHost) -> Iterator[str]:
    with everybodys_folder() as folder, lendable_in(host, folder) as path:
        yield path


@pytest.fixture
def queue(device: str) -> Iterator[Path]:
    """Its request queue."""
    folder = Path(f"/sys/block/{Path(device).name}/queue")
    (folder / "scheduler").write_text("none")
    ahead = (folder / "read_ahead_kb").read_text()
    yield folder
    (folder / "scheduler").write_text("none")
    (folder / "read_ahead_kb").write_text(ahead)


def setting(path: Path, value: str) -> dict[str, str]:
    return {"verb": "set", "path": str(path), "value": value}


def text(path: Path) -> str:
    return path.read_text().strip()


@pytest.mark.parametrize("killed", [True, False])
def test_a_schedulers_tuning_is_put_back(
    host: BareHost, device: str, queue: Path, *, killed: bool
) -> None:
    """By the helper after a kill, and by the run itself at its end."""
    install(host, "--device", device)
    (queue / "scheduler").write_text("mq-deadline")
    tuned = queue / "iosched/read_expire"
    tuned.write_text("120")
    if killed:
        said = ask(host, setting(queue / "scheduler", "none"), RESTORE)
    else:
        back = setting(queue / "scheduler", "mq-deadline"), setting(tuned, "120")
        said = ask(host, setting(queue / "scheduler", "none"), *back, RESTORE)
    assert all(each["ok"] for each in said), said
    assert "[mq-deadline]" in text(queue / "scheduler")
    assert text(tuned) == "120"
    (refused,) = ask(host, setting(tuned, "80"))
    assert refused["ok"] is False, "what a scheduler has set is not the caller's to set"


@pytest.mark.parametrize("durable", [(), ("--durable", "block.scheduler")])
def test_the_tuning_of_a_scheduler_that_a_run_brought_is_not_the_hosts(
    host: BareHost, device: str, queue: Path, durable: tuple[str, ...]
) -> None:
    install(host, "--device", device, *durable)
    ahead = queue / "read_ahead_kb"
    before = text(ahead)
    changes = [
        setting(queue / name, value)
        for scheduler in ("mq-deadline", "kyber")
        for name, value in (("scheduler", scheduler), ("nr_requests", "64"), (ahead.name, "64"))
    ]
    *done, restored = ask(host, *changes, RESTORE)
    assert all(each["ok"] for each in (*done, restored)), (done, restored)
    told = json.dumps(restored["done"])
    assert "gone" not in told
    assert "iosched" not in told
    assert text(queue / "scheduler").startswith("[none]")
    assert text(ahead) == before


def test_two_that_exclude_each_other_are_put_back(host: BareHost) -> None:
    install(host, "--parameter", "vm.overcommit_kbytes")
    with kept("vm.overcommit_kbytes", "vm.overcommit_ratio") as (kbytes, ratio):
        before = text(ratio)
        said = ask(host, setting(kbytes, "8000000"), RESTORE)
        assert said[1] == {"ok": True, "done": [f"{ratio} is {before} again"]}
        assert (text(kbytes), text(ratio)) == ("0", before)


@pytest.mark.parametrize("killed", [True, False])
def test_what_was_empty_is_empty_again(host: BareHost, *, killed: bool) -> None:
    name = "net.ipv4.ip_local_reserved_ports"
    install(host, "--parameter", name)
    with kept(name) as (path,):
        before = text(path)
        back = () if killed else (setting(path, before),)
        said = ask(host, setting(path, "8080"), *back, RESTORE)
        assert all(each["ok"] for each in said), said
        assert text(path) == before


def test_no_filesystem_takes_the_host_down(host: BareHost, device: str) -> None:
    install(host, "--device", device)
    mine = "/var/lib/iogate/mnt/mine"
    host.sh(f"mkdir -p {mine}/mnt", user="runner")
    mkfs = ["mkfs.ext4", "-q", "-F", "-e", "panic", device]
    mount = ["mount", "--internal-only", "-t", "ext4", "-o", "nosuid,nodev,errors=panic"]
    said = ask(
        host,
        {"verb": "mkfs", "argv": mkfs},
        {"verb": "mount", "argv": [*mount, device, f"{mine}/mnt"]},
    )
    assert ["take this host down" in str(each["error"]) for each in said] == [True, True]


def test_what_is_not_what_it_was_is_told_and_kept(host: BareHost) -> None:
    install(host)
    with kept("vm.swappiness") as (path,):
        before = text(path)
        assert ask(host, setting(path, "7"))[0]["ok"]
        host.sh("""sed -i 's/"before": "[0-9]*"/"before": "70000"/' /run/iogate/changed""")
        for _ in range(2):
            (said,) = ask(host, RESTORE)
            assert f"{path}: it is 7 and was 70000 before" in str(said["error"])
        host.sh(f"""sed -i 's/"before": "[0-9]*"/"before": "{before}"/' /run/iogate/changed""")
        assert ask(host, RESTORE) == [{"ok": True, "done": [f"{path} is {before} again"]}]


def test_another_disk_by_the_same_name_is_left_alone(
    host: BareHost, device: str, queue: Path
) -> None:
    install(host, "--device", device)
    assert ask(host, setting(queue / "read_ahead_kb", "64"))[0]["ok"]
    image = image_of(device)
    sh("losetup", "--detach", device)
    host.sh(f"losetup {device} {image}")
    (queue / "read_ahead_kb").write_text("4096")
    (said,) = ask(host, RESTORE)
    why = "is gone, or may be another disk now: its setting is left alone"
    assert said["done"] == [f"{Path(device).name} {why}"]
    assert text(queue / "read_ahead_kb") == "4096"


@pytest.mark.parametrize("how", ["another name", "no disk noted", "another disk"])
def test_what_outlives_a_power_loss_follows_its_disk(
    host: BareHost, device: str, queue: Path, how: str
) -> None:
    install(host, "--device", device, "--durable", "block.read_ahead_kb")
    path = queue / "read_ahead_kb"
    before = text(path)
    assert ask(host, setting(path, "64"))[0]["ok"]
    journal = "/var/lib/iogate/changed"
    entry = json.loads(host.sh(f"cat {journal}"))
    entry["boot"] = "another"
    if how == "another name":
        entry["set"] = str(path).replace(f"/{Path(device).name}/", "/loop9999/")
    elif how == "no disk noted":
        del entry["disk"]
    else:
        entry["disk"]["is"] = {"serial": "of another"}
    host.sh(f"rm -rf /run/iogate; cat > {journal}", stdin=json.dumps(entry) + "\n")
    (said,) = json.loads(host.sh(f"{HELPER} --boot"))["done"]
    if how == "another name":
        assert said == f"{path} is {before} again"
    else:
        assert f"(before: {before}) is left alone" in said
        assert text(path) == "64"
