"""The helper as it is installed: one text, made of several files."""

from __future__ import annotations

import ast
from collections import Counter

from iogate.host.helper import base
from iogate.host.install import program_text
from iogate.sut import helped


def test_it_is_one_file_that_needs_nothing_of_iogate() -> None:
    tree = ast.parse(program_text())
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import)
             for name in node.names]  # fmt: skip
    assert not [name for name in (*modules, *names) if str(name).startswith("iogate")]


def test_no_name_in_it_is_taken_twice() -> None:
    """Each of its parts has names of its own, which only the joined file would mix up."""
    defined: Counter[str] = Counter()
    for node in ast.parse(program_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] += 1
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined.update(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
    assert [name for name, times in defined.items() if times > 1] == []


def test_both_sides_mean_the_same_places() -> None:
    assert helped.MOUNTS == base.MOUNTS
    assert helped.CHANGED == base.CHANGED
