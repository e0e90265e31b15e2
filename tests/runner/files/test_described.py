"""What is wrong in the file of a machine is told with its place, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import Location, SpecError
from iogate.files.described import read_described

HOST = "version: 1\naddress: root@x\nboot: kexec\n"
DISKS = "version: 1\ndisks:\n  a: { size: 1g }\n"


def wrong(path: Path, text: str, kind: str) -> list[SpecError]:
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        read_described(path, kind)
    return [caught.value, *caught.value.others]


@pytest.mark.parametrize(
    ("text", "kind", "at", "what", "remedy"),
    [
        (HOST + "nme: a\n", "host", (4, 1), "unknown key 'nme'", "did you mean 'name'?"),
        (HOST + "xyz: a\n", "host", (4, 1), "unknown key 'xyz'", "keys here: address, boot"),
        (
            HOST + "kernels: { 6.1: { image: /a, intrd: /b } }\n",
            "host",
            (4, 30),
            "unknown key 'intrd' in kernels.6.1",
            "did you mean 'initrd'?",
        ),
        (HOST + "power: [a, 3]\n", "host", (4, 12), "power.1: 3 is not", "'iogate schema host'"),
        (DISKS + "cpus: four\n", "vm", (4, 7), "cpus: 'four' is not of type", "'iogate schema vm'"),
        (DISKS + "modules: [a\n", "vm", (4, 10), "the [ here is not closed", "close it with ]"),
        ("", "vm", (1, 1), "None is not of type 'object'", "'iogate schema vm'"),
    ],
)
def test_it_has_a_place_and_says_what_was_meant(
    tmp_path: Path, *, text: str, kind: str, at: tuple[int, int], what: str, remedy: str
) -> None:
    path = tmp_path / "m.yaml"
    (error,) = wrong(path, text, kind)
    assert error.where == Location(str(path), *at)
    assert error.what.startswith(what)
    assert error.remedy.startswith(remedy)


def test_all_of_it_is_told_and_each_thing_once(tmp_path: Path) -> None:
    found = wrong(tmp_path / "m.yaml", "adress: root@x\n", "host")
    assert sorted(each.what for each in found) == [
        "the key 'address' is missing",
        "the key 'boot' is missing",
        "the key 'version' is missing",
        "unknown key 'adress'",
    ]


@pytest.mark.parametrize(
    "value", ["2001-13-45", "!!int x", "!!float x", "9" * 5000, '"\\UFFFFFFFF"', "!!timestamp x"]
)
def test_a_value_that_python_does_not_take_is_no_yaml(tmp_path: Path, value: str) -> None:
    (error,) = wrong(tmp_path / "m.yaml", f"{DISKS}kernel: {value}\n", "vm")
    assert "m.yaml is no YAML: " in error.what
    assert "quotes" in error.remedy
