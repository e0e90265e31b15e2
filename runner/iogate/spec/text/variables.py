"""``${NAME}`` in a spec: which variables of the environment a spec may read, and their values.

A spec comes with a pull request and is printed in reports. So it reads only what was put
there for it: ``IOGATE_VAR_*``, ``IOGATE_DEVICE*``, and what the caller allows by name. The
words that stand for secrets are the second line: they are refused under every name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from iogate.errors import Location, SpecError, UsageError

_VARIABLE = re.compile(r"\$\{([^{}$]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
_OPEN = re.compile(r"IOGATE_(VAR_|DEVICE)[A-Za-z0-9_]*", re.ASCII)
_MAX_VALUE = 4096
# Parts of names that services and people give to what nobody else may read. A word such as
# PAT or URL counts alone: it is a part of too many others.
_SECRET = re.compile(
    r"token|pass|pwd|secret|cred|key|session|cookie|private|bearer|jwt|netrc|signature"
    r"|auth(?!ors?(_|$))|dsn|webhook|connection_?string|(^|_)(actions|influx)_"
    r"|(^|_)(\w*(gh|git|github|gitlab)_?pat|pat|pats|ur[il]s?|otp|pin|sas)\d*(_|$)",
    re.IGNORECASE,
)
# What a credential looks like: a URL with a user in it, a key block, and the prefixes that
# services give their tokens so that they can be found.
_CREDENTIAL = re.compile(
    r"[a-z][a-z0-9+.-]*://[^/\s]*@|-----BEGIN|\bgh[a-z]_\w{16}|\bgithub_pat_\w|\bglpat-[\w-]"
    r"|\bxox[a-z]-\w|\bA(KIA|SIA)[0-9A-Z]{12}|\bsk-[\w-]{16}|\beyJ[\w-]{8,}\.|\bbearer\s",
    re.IGNORECASE,
)
_ALLOWED: ContextVar[frozenset[str]] = ContextVar("names that --env allows", default=frozenset())


@contextmanager
def allowing(names: Iterable[str]) -> Iterator[None]:
    """Meanwhile specs may read these variables, too. UsageError for what is no name, or is
    that of a secret."""
    names = frozenset(names)
    for name in sorted(names):
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"--env {name!r} is not a variable", remedy="give its name: --env NAME"
            )
        if _SECRET.search(name):
            raise UsageError(
                f"--env {name}: it may be a secret, and what a spec says is in its report",
                remedy="give a value that is none under another name: IOGATE_VAR_…",
            )
    token = _ALLOWED.set(_ALLOWED.get() | names)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def allowed() -> frozenset[str]:
    """The variables that the caller lets specs read."""
    return _ALLOWED.get()


def expand(text: str, where: Location | None, *, keep: tuple[str, ...] = ()) -> str:
    """Replace ``${NAME}``, and ``${NAME:-DEFAULT}``, by the environment variable, once: what
    comes out is final, and holds no ``$`` but in the words to ``keep``. SpecError for a
    variable that a spec may not read, also where it has a default, and for one that is not
    set and has none."""
    if "$" not in text:
        return text
    rest = _VARIABLE.sub("", text)
    if "${" in rest:
        raise SpecError(
            f"{text!r}: a variable or its default holds another, or is not closed",
            remedy="write ${NAME} or ${NAME:-DEFAULT}, and a default that is plain text",
            where=where,
        )
    value = _VARIABLE.sub(lambda match: _value(match[1], where), text)
    left = value
    for word in keep:
        left = left.replace(word, "")
    if "$" in left:
        raise SpecError(
            f"{text!r} holds $ where no variable is",
            remedy="write ${NAME} for a variable, and leave out any other $",
            where=where,
        )
    return value


def defaulted(text: str) -> str:
    """The first variable of a text that is not set, so that its default stands for it; empty where
    there is none."""
    names = (match[1].partition(":-")[0] for match in _VARIABLE.finditer(text))
    return next((name for name in names if name not in os.environ), "")


def _value(inside: str, where: Location | None) -> str:
    name, has_default, default = inside.partition(":-")
    _check_name(name, where)
    value = os.environ.get(name, default if has_default else None)
    if value is None or len(value) > _MAX_VALUE:
        problem = "is not set" if value is None else "is too long"
        raise SpecError(
            f"the environment variable {name} {problem}",
            remedy=f"set it: export {name}=…",
            where=where,
        )
    if "$" in value:
        raise SpecError(
            f"the value of the environment variable {name} holds $",
            remedy="a variable is replaced once: give it its final value",
            where=where,
        )
    if _CREDENTIAL.search(value):
        raise SpecError(
            f"the value of the environment variable {name} looks like a credential",
            remedy="what a spec says is in its report: give it a value that everybody may read",
            where=where,
        )
    return value


def _check_name(name: str, where: Location | None) -> None:
    if not _NAME.fullmatch(name):
        raise SpecError(f"${{{name}}} is not a variable", remedy="write ${NAME}", where=where)
    if _SECRET.search(name):
        raise SpecError(
            f"${{{name}}} may be a secret, and what a spec says is in its report",
            remedy="give a value that is none under a name without TOKEN, PASS, KEY, URL and such",
            where=where,
        )
    if not _OPEN.fullmatch(name) and name not in _ALLOWED.get():
        raise SpecError(
            f"${{{name}}} is not a variable that a spec may read",
            remedy=f"call it IOGATE_VAR_{name}, or allow it with --env {name}",
            where=where,
        )
