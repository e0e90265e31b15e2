"""A host that is booted into kernels: a real ssh line to a machine whose boots are made up. That a
kernel really comes up is for ``e2e/test_kernels_on_a_host``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError, UsageError
from iogate.host.locks.host_lock import host_lock
from iogate.sut import open_sut
from iogate.sut.boot_notes import PLACE
from iogate.sut.booted_host import HostSut
from support.devices import needs_root
from support.elsewhere import DISK
from support.rebootable import NEW, Rebootable, rebootable

pytestmark = needs_root
_KILLED = """
import os, sys
from iogate.sut.booted_host import HostSut
sut = HostSut(sys.argv[1])
sut.boot(sut.kernel("new"))
os._exit(9)
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rebootable]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with rebootable(tmp_path) as host:
        yield host


def opened(machine: str) -> HostSut:
    sut = open_sut(machine)
    assert isinstance(sut, HostSut)
    return sut


def boot(sut: HostSut, name: str) -> None:
    sut.boot(sut.kernel(name))


def killed(machine: str) -> None:
    """An iogate that ends in the middle, without a word."""
    words = [sys.executable, "-c", _KILLED, machine.removeprefix("host:")]
    assert subprocess.run(words, check=False).returncode == 9


def test_it_goes_back_to_what_ran_before(there: Rebootable) -> None:
    home = there.release
    with closing(opened(there.describe())) as sut:
        before = sut.about().boot
        boot(sut, "new")
        assert (sut.running().release, sut.about().boot != before) == (NEW, True)
        assert sut.stat(PLACE)
        boot(sut, "")
        assert sut.running().release == home
        boot(sut, "new")
    assert there.calls == ["new", "default", "new", "default"]
    assert there.release == home
    with closing(opened(there.describe())) as sut:
        assert sut.stat(PLACE) is None
    assert len(there.calls) == 4


def test_what_never_boots_is_not_booted(there: Rebootable) -> None:
    with closing(opened(there.describe())) as sut:
        assert sut.run(["true"]).status == 0
    assert there.calls == []


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        ("other", r"the wrong kernel came up on lab: release 5\.10\.0, not 6\.99\.1"),
        ("panics", r"panics \(6\.99\.1\) did not come up: lab is back under .* by itself"),
        ("stays", r"lab did not go down within 2 s for kernel stays"),
        ("refuses", r"boots ended with 3: no such profile"),
        ("away", r"away \(6\.99\.1\) did not come up on lab within 2 s .* brought it back, under"),
    ],
)
def test_a_kernel_that_does_not_come_up(kernel: str, told: str, there: Rebootable) -> None:
    home = there.release
    with closing(opened(there.describe())) as sut:
        with pytest.raises(RunError, match=told):
            boot(sut, kernel)
        boot(sut, "new")
    assert there.release == home


def test_a_host_that_nothing_brings_back_is_noted(there: Rebootable) -> None:
    machine = there.describe(power=None)
    with closing(opened(machine)) as sut:
        with pytest.raises(RunError, match="no power command in its file brings it back"):
            boot(sut, "away")
        with pytest.raises(RefusedError, match="out of reach since a kernel did not come up"):
            boot(sut, "new")
    with pytest.raises(RunError, match="lab is away since a killed run booted it"):
        opened(machine)
    with closing(opened(there.describe())) as sut:
        (told,) = sut.put_back()
    assert told.startswith("a killed run had left lab under")
    assert there.calls == ["away", "power"]


def test_what_a_killed_run_has_booted_is_put_back(there: Rebootable) -> None:
    home, machine = there.release, there.describe()
    killed(machine)
    assert there.release == NEW
    with closing(opened(machine)) as sut:
        assert there.release == home
        assert sut.put_back() == (f"a killed run had left lab under {NEW}: it runs {home} again",)
        assert sut.put_back() == ()
        assert sut.stat(PLACE) is None
    assert there.calls == ["new", "default"]


def test_a_host_that_another_controller_boots_is_left_alone(
    there: Rebootable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = there.describe(boot_seconds=3600)
    killed(machine)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    with pytest.raises(RefusedError, match=r"iogate on .* boots kernels on lab now"):
        opened(machine)
    with closing(open_sut(there.host.machine)) as plain:
        plain.put(PLACE, (plain.read_own(PLACE) or "").replace('"until": ', '"until": -').encode())
    opened(machine).close()
    assert there.calls == ["new", "default"]


def test_who_comes_second_boots_nothing(
    there: Rebootable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither had booted anything when the other opened the host."""
    with closing(opened(there.describe())) as first:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
        with closing(opened(there.describe())) as second:
            boot(first, "new")
            with pytest.raises(RefusedError, match="boots kernels on lab now"):
                boot(second, "other")
    assert there.calls == ["new", "default"]


def test_a_note_that_the_host_has_lost_is_followed_where_it_may_be_right(
    there: Rebootable,
) -> None:
    """By a command of the site's own a host may boot without a disk. With one, somebody else has
    put it back since."""
    machine = there.describe()
    killed(machine)
    with closing(open_sut(there.host.machine)) as plain:
        plain.remove_file(PLACE)
    kernels = {"new": {"entry": "new", "release": NEW}}
    with closing(opened(there.describe(boot="grub", kernels=kernels))) as sut:
        assert sut.put_back() == ()
    assert there.calls == ["new"]
    opened(there.describe()).close()
    assert there.calls == ["new", "default"]


def test_a_host_on_which_somebody_measures_is_not_rebooted(there: Rebootable) -> None:
    with closing(opened(there.describe())) as sut, closing(open_sut(there.host.machine)) as other:
        with (
            host_lock(other, "0" * 32),
            pytest.raises(RefusedError, match="another run measures on lab"),
        ):
            boot(sut, "new")
        assert there.calls == []


def test_a_host_is_of_one_process(there: Rebootable) -> None:
    machine = there.describe()
    with (
        closing(opened(machine)),
        pytest.raises(RefusedError, match="the host lab is in use by another iogate"),
    ):
        opened(machine)


def test_a_host_that_somebody_else_reboots_is_told(there: Rebootable) -> None:
    with closing(opened(there.describe())) as sut:
        there.reboot("theirs")
        there.host.end_agents()
        with pytest.raises(RunError, match="is lost: the host has been rebooted"):
            sut.run(["true"])
        assert not sut.up
        boot(sut, "new")
        assert sut.running().release == NEW


def test_what_cannot_be_booted_is_refused_before_anything_is(there: Rebootable) -> None:
    kernels = {
        "gone": {"image": "/boot/vmlinuz-no-such"},
        "text": {"image": f"{DISK}/sshd_config"},
    }
    with closing(opened(there.describe(kernels=kernels))) as sut:
        with pytest.raises(UsageError, match="host lab has no kernel 'newer'") as told:
            sut.kernel("newer")
        assert "name one of gone, text" in told.value.remedy
        with pytest.raises(RefusedError, match="there is no /boot/vmlinuz-no-such on lab"):
            sut.kernel("gone")
        with pytest.raises(RefusedError, match="sshd_config says it is nothing"):
            sut.kernel("text")


def test_booting_takes_root_there(there: Rebootable) -> None:
    user = "exec setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/python3"
    there.program("python3", f'{user} "$@"')
    with (
        closing(opened(there.describe())) as sut,
        pytest.raises(RefusedError, match="booting kernels takes root on lab, and user 65534"),
    ):
        sut.kernel("new")


def test_a_host_without_kexec_is_told_how_to_get_it(there: Rebootable) -> None:
    there.program("python3", 'exec /usr/bin/python3 "$@"', alone=True)
    kernels = {"new": {"image": "/boot/vmlinuz"}}
    with (
        closing(opened(there.describe(boot="kexec", kernels=kernels))) as sut,
        pytest.raises(RefusedError, match="lab has no kexec") as told,
    ):
        sut.kernel("new")
    assert told.value.remedy == "install it there (Debian: kexec-tools)"


def test_grub_boots_an_entry_once(there: Rebootable) -> None:
    """By programs that only write down what they are told."""
    says, home = f"{DISK}/says", there.release
    there.program("grub-reboot", f'echo "$@" > {DISK}/entry')
    there.program("grub-editenv", f'echo "$@" >> {DISK}/undone')
    there.program(
        "reboot",
        f"cat /proc/sys/kernel/random/uuid > {says}/boot_id; "
        f"if [ -e {DISK}/entry ]; then rm {DISK}/entry; echo {NEW} > {says}/osrelease; "
        f"else cat {DISK}/home/usual/osrelease > {says}/osrelease; fi",
    )
    kernels = {"new": {"entry": "Advanced options>Linux 6.99", "release": NEW}}
    with closing(opened(there.describe(boot="grub", kernels=kernels, boot_seconds=20))) as sut:
        boot(sut, "new")
        assert there.release == NEW
    assert there.release == home
    assert not (there.disk / "undone").exists()
