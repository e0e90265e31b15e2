"""What a machine's file may say by its form, and no machine can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import SpecError
from iogate.vm.description import read_description


@pytest.mark.parametrize(
    "name", ["my guest", "a,memory-backend=x", ".hidden", "-h", "x" * 64, "ü", 'name: "a\\n"']
)
def test_what_is_no_name_of_a_machine_is_told(name: str, tmp_path: Path) -> None:
    """The file's own name counts, too, where it says none."""
    said = name.startswith("name:")
    path = tmp_path / f"{'guest' if said else name}.yaml"
    path.write_text(f"version: 1\n{name if said else ''}\ndisks: {{ d: {{ size: 1g }} }}\n")
    with pytest.raises(SpecError, match="is no name of a machine") as told:
        read_description(path)
    assert "name:" in told.value.remedy


@pytest.mark.parametrize("memory", ["1", "4096", "511m"])
def test_too_little_memory_is_told(memory: str, tmp_path: Path) -> None:
    path = tmp_path / "guest.yaml"
    path.write_text(f"version: 1\nmemory: {memory}\ndisks: {{ d: {{ size: 1g }} }}\n")
    with pytest.raises(SpecError, match=r"memory: .* too few"):
        read_description(path)
