"""The mutants of Python files: cosmic-ray makes the changes, this chooses among them.

Types are left as they are: they are for a checker, and no test runs them.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from mutants_report import Change

Place = tuple[int, int]  # line from 1, column from 0


@dataclass(frozen=True, slots=True)
class Mutation:
    """The ``occurrence``-th change that an operator can make to a file."""

    file: str
    place: Place
    operator: str
    occurrence: int


def all_mutants(tree: Path, files: Sequence[str]) -> Iterator[tuple[Change, str]]:
    """Every change to these files, with the code that the file then holds."""
    for file in files:
        for mutation in _mutations(tree, file):
            if (mutant := _mutant(tree, mutation)) is not None:
                yield mutant


def sampled_mutants(
    tree: Path, files: Sequence[str], count: int, seed: str
) -> list[tuple[Change, str]]:
    """Changes at ``count`` places, one at each; the same for the same seed and the same files.

    Places are drawn and not changes: `==` can become seven other things, `not` can only go.
    """
    places: dict[tuple[str, Place], list[Mutation]] = defaultdict(list)
    for file in files:
        for mutation in _mutations(tree, file):
            places[file, mutation.place].append(mutation)
    chance = random.Random(seed)  # noqa: S311
    drawn = sorted(places)
    chance.shuffle(drawn)
    chosen: list[tuple[Change, str]] = []
    for place in drawn:
        if len(chosen) == count:
            break
        if (mutant := _mutant(tree, chance.choice(places[place]))) is not None:
            chosen.append(mutant)
    return chosen


def _mutations(tree: Path, file: str) -> Iterator[Mutation]:
    """What every operator can change in a file, except in types."""
    source = (tree / file).read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(source)))
    types = list(_types(source))
    for name in sorted(operator_names()):
        operator = get_operator(name)
        if operator.arguments():
            continue  # it wants to be told which variables
        positions = (place for node in nodes for place, _ in operator().mutation_positions(node))
        for occurrence, place in enumerate(positions):
            if not any(start <= place < end for start, end in types):
                yield Mutation(file, place, name, occurrence)


def _types(source: str) -> Iterator[tuple[Place, Place]]:
    """Where annotations stand, from and up to."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign | ast.arg):
            annotation = node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            annotation = node.returns
        else:
            continue
        if annotation is not None and annotation.end_lineno and annotation.end_col_offset:
            start = (annotation.lineno, annotation.col_offset)
            yield start, (annotation.end_lineno, annotation.end_col_offset)


def _mutant(tree: Path, mutation: Mutation) -> tuple[Change, str] | None:
    """The change and the file's code with it; None when it leaves the code as it is."""
    source = (tree / mutation.file).read_text(encoding="utf-8")
    code = mutate_code(source, get_operator(mutation.operator)(), mutation.occurrence)
    if code is None:
        return None
    old, new = source.splitlines(), code.splitlines()
    edits = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, start, stop, new_start, _ in edits:
        lines = [number for number in range(start, stop) if old[number].strip()]
        if kind != "equal" and lines:
            becomes = new[new_start].strip() if kind == "replace" else ""
            return Change(mutation.file, lines[0] + 1, old[lines[0]].strip(), becomes), code
    return None
