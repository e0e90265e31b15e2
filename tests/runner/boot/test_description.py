"""The file that describes a host that is booted into kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iogate.boot.description import Built, HostKernel, read_host
from iogate.errors import SpecError, UsageError

WHOLE = """\
version: 1
address: root@lab3:2222
boot: kexec
kernels:
  "6.10": { image: /boot/vmlinuz-6.10, initrd: /boot/initrd-6.10, cmdline: "a  b=1", build_id: 0123456789abcdef }
  mine: { image: /boot/bzImage }
boot_seconds: 90
power: [power, cycle, lab3]
"""  # noqa: E501


def read(folder: Path, text: str) -> object:
    path = folder / "lab3.yaml"
    path.write_text(text)
    return read_host(path)


def test_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "lab3.yaml").write_text(WHOLE)
    host = read_host(tmp_path / "lab3.yaml")
    assert (host.name, host.address, host.boot) == ("lab3", "root@lab3:2222", "kexec")
    assert (host.power, host.boot_s, host.command) == (("power", "cycle", "lab3"), 90, ())
    assert host.kernel("6.10") == HostKernel(
        "6.10", "/boot/vmlinuz-6.10", "/boot/initrd-6.10", words=("a", "b=1"),
        build_id="0123456789abcdef",
    )  # fmt: skip
    with pytest.raises(UsageError, match=r"host lab3 has no kernel '6\.1'") as told:
        host.kernel("6.1")
    assert "6.10, mine" in told.value.remedy


def test_a_command_of_the_sites_own(tmp_path: Path) -> None:
    path = tmp_path / "lab3.yaml"
    path.write_text(
        "version: 1\nname: other\naddress: lab3\nboot: { command: [netboot, lab3, '{kernel}'] }\n"
        "kernels: { new: { release: 6.12.0 } }\n"
    )
    host = read_host(path)
    assert (host.name, host.boot, host.boot_s) == ("other", "command", 600)
    assert host.command == ("netboot", "lab3", "{kernel}")


def test_what_is_built_elsewhere_gets(tmp_path: Path) -> None:
    path = tmp_path / "lab3.yaml"
    start = "version: 1\naddress: lab3\nboot: kexec\n"
    path.write_text(
        f"{start}built: {{ initrd: /boot/initrd, cmdline: 'a b', modules: [igc, nvme-tcp] }}\n"
    )
    host = read_host(path)
    assert host.built == Built("/boot/initrd", ("a", "b"), ("igc", "nvme-tcp"))
    with pytest.raises(UsageError, match="host lab3 has no kernel 'new'") as told:
        host.kernel("new")
    assert told.value.remedy == "add it to the host's file, or name a file or a tree here"
    path.write_text(f"{start}built: {{}}\n")
    assert read_host(path).built == Built()
    path.write_text(f"{start}kernels: {{ new: {{ image: /boot/bzImage }} }}\n")
    assert read_host(path).built is None


@pytest.mark.parametrize(
    ("was", "is_now", "told"),
    [
        ('"6.10":', "6.10:", "kernels: 6.1 is no name of a kernel"),
        ("mine:", "default:", "kernels: default is no name of a kernel"),
        ("mine:", "a/b:", "kernels: a/b is no name of a kernel"),
        ("boot: kexec", "boot: grub", "kernels.6.10 has no entry, which boot: grub takes"),
        ("image: /boot/bzImage", "release: 6.12.0", "kernels.mine has no image, which boot: kexec"),
        ("{ image: /boot/bzImage }", "{ entry: a }", "kernels.mine: "),
        ("image: /boot/bzImage", "image: bzImage", "kernels.mine"),
        ("boot: kexec", "boot: telepathy", "boot: "),
        ("boot_seconds: 90", "boot_seconds: 0", "boot_seconds: "),
        ("power: [power, cycle, lab3]", "power: cycle", "power: "),
        ("version: 1", "version: 2", "version: "),
        (WHOLE, "a: [", "lab3.yaml:1:5: expected the node content"),
        (WHOLE, "version: 1\naddress: a\nboot: kexec", "has no kernels that the host may be"),
        (WHOLE, "version: 1\naddress: a\nboot: grub\nbuilt: {}", "are booted by kexec, and this"),
        ("power:", "built: { modules: [a/b] }\npower:", "built.modules.0: "),
        ("power:", "built: { initrd: initrd }\npower:", "built.initrd: "),
        ("power:", "built: yes\npower:", "built: "),
    ],
)
def test_what_it_may_not_say(was: str, is_now: str, told: str, tmp_path: Path) -> None:
    assert was in WHOLE
    with pytest.raises(SpecError, match=re.escape(told)):
        read(tmp_path, WHOLE.replace(was, is_now))


def test_one_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the machine") as told:
        read_host(tmp_path / "none.yaml")
    assert "--machine host:FILE" in told.value.remedy
    assert "iogate schema host" in told.value.remedy
