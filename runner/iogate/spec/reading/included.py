"""What is said of a file that a spec names, and that may be no part of it at all.

Whoever writes a spec reads the errors of a run, and could point ``extends`` or ``jobfile`` at
any file of the checkout to have it told. So what such a file holds is not repeated until it is
known to be what it should be: then where, and what kind of thing stands there.
"""

from __future__ import annotations

import re

from iogate.errors import SpecError
from iogate.jobs.options import canonical_key, known_keys
from iogate.spec.reading.job_file import Assignment
from iogate.spec.reading.schema import schema
from iogate.spec.text.problems import suggest
from iogate.spec.text.tree import Mapping, parse_tree

_OWN = "x-"
_OF_A_VARIABLE = re.compile(
    r"(the (value of the )?environment variable )?(\$\{)?[A-Z][A-Z0-9_]{0,127}\}? [a-z, $]+"
)


def parse_included(text: str, file: str) -> Mapping:
    """The tree of a spec that another extends. SpecError, without a word of it, for a file that
    is no YAML, or that has keys which no spec has."""
    try:
        tree = parse_tree(text, file)
    except SpecError as error:
        raise SpecError(
            "this is not the YAML of a spec",
            remedy=f"iogate validate {file} tells what is wrong with it",
            where=error.where,
        ) from None
    if not isinstance(tree, Mapping):
        raise SpecError(
            "a spec is a mapping of keys to values",
            remedy="extends names a spec, or a part of one",
            where=tree.where,
        )
    known = schema()["properties"]
    for key, entry in tree.entries.items():
        if key not in known and not key.startswith(_OWN):
            raise SpecError(
                "this is not a key of a spec",
                remedy=suggest(key, known) or f"keys here: {', '.join(sorted(known))}",
                where=entry.key_at,
            )
    return tree


def untold(error: SpecError, item: Assignment) -> SpecError:
    """A problem with a line of a job file, without what stands there: only the names of an
    option that there is and of a variable, and else what it may have been meant to be."""
    key = canonical_key(item.key)
    if key is None:
        remedy = suggest(item.key, known_keys()) or "see man fio for its options"
        return SpecError("this is not an option of fio", remedy=remedy, where=error.where)
    if error.where == item.key_at or _OF_A_VARIABLE.fullmatch(error.what):
        return error
    return SpecError(
        f"{key} cannot have this value",
        remedy=f"see {key} in man fio; of an option in the spec itself, iogate says more",
        where=error.where,
    )
