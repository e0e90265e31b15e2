"""What an InfluxDB server says: rows, or one of the three kinds of trouble."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from iogate.errors import StoreError
from iogate.files.bounded import parse_json
from iogate.store.server import RejectedError, Row, SetupError, UnreachableError

# Malformed, too large, of another type than what is there, beyond the retention time: the
# same points will never be taken.
_PERMANENT = (400, 413, 422)
_LONGEST = 300
_DEEPEST = 10


def rows_of(answer: bytes, where: str, missing: str) -> Iterator[Row]:
    """The rows of an answer to an InfluxQL query, in JSON, whole or in chunks. ``missing`` is
    the remedy where there is no such database."""
    for text in BytesIO(answer):
        if text.strip():
            yield from _document_rows(_document(text, where), where, missing)


def _document_rows(document: Mapping[str, Any], where: str, missing: str) -> Iterator[Row]:
    for result in (document, *_listed(document, "results", where)):
        if not isinstance(result, dict):
            raise _odd(where)
        if "error" in result:
            raise _refusal(str(result["error"]), where, missing)
        for series in _listed(result, "series", where):
            yield from _series_rows(series, where)


def _series_rows(series: object, where: str) -> Iterator[Row]:
    if not isinstance(series, dict):
        raise _odd(where)
    tags, columns = series.get("tags") or {}, _listed(series, "columns", where)
    if not isinstance(tags, dict) or not all(isinstance(name, str) for name in columns):
        raise _odd(where)
    for row in _listed(series, "values", where):
        if not isinstance(row, list) or len(row) != len(columns):
            raise _odd(where)
        yield tags | dict(zip(columns, row, strict=True))


def _listed(document: Mapping[str, Any], name: str, where: str) -> list[Any]:
    """The list of this name; empty where there is none."""
    listed = document.get(name)
    if listed is not None and not isinstance(listed, list):
        raise _odd(where)
    return listed or []


def _document(text: bytes, where: str) -> dict[str, Any]:
    try:
        document = parse_json(text)
    except ValueError:
        raise unreachable(where, "its answer is cut off or no JSON") from None
    if not isinstance(document, dict):
        raise _odd(where)
    return document


def _odd(where: str) -> UnreachableError:
    return unreachable(where, "its answer is JSON, but none of InfluxDB")


def _refusal(said: str, where: str, missing: str) -> StoreError:
    if "not found" in said:
        return SetupError(f"{where}: {said}", remedy=missing)
    return unreachable(where, f"it said: {said}")


def status_error(
    where: str, status: int | None, said: str | bytes, remedies: Mapping[int, str]
) -> StoreError:
    """What an HTTP status other than success means. ``remedies`` are for those that a person
    has to set right."""
    said = shortened(_message(said))
    if status is not None and status in remedies:
        return SetupError(f"{where} refuses ({status}): {said}", remedy=remedies[status])
    if status in _PERMANENT:
        return RejectedError(f"refused with status {status}: {said}", remedy=_apart(where))
    return unreachable(where, f"it answered {status}: {said}")


def _message(said: str | bytes) -> str:
    """The sentence in an error document, or the whole of what is none."""
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    try:
        document = parse_json(text)
        return str(document.get("message") or document.get("error") or text)
    except (ValueError, AttributeError):
        return text


def cause_of(error: BaseException) -> str:
    """What went wrong in the end: the libraries wrap it several times."""
    causes = [error]
    while len(causes) < _DEEPEST and (inner := _inner(causes[-1])):
        causes.append(inner)
    texts = (each.strerror for each in reversed(causes) if isinstance(each, OSError))
    return next(filter(None, texts), str(causes[-1]))


def _inner(error: BaseException) -> BaseException | None:
    around = (getattr(error, "reason", None), *error.args, error.__cause__, error.__context__)
    return next((each for each in around if isinstance(each, BaseException)), None)


def unreachable(where: str, why: str) -> UnreachableError:
    """No answer, or one that says not now."""
    return UnreachableError(
        f"the history {where} cannot be used now: {shortened(why)}",
        remedy="see that it runs, and that its name and port are right, and do this again",
    )


def tls_error(where: str, why: object) -> SetupError:
    """No trust in the server, or none of its own in us."""
    return SetupError(
        f"no secure connection to {where}: {shortened(str(why))}",
        remedy="give the file of the authority's certificate with ?ca=FILE in the URL, or"
        " leave out +https where the server speaks plain HTTP",
    )


def shortened(text: str) -> str:
    """On one line, and not too long for one."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def _apart(where: str) -> str:
    return f"see why {where} will not take it; it is kept in the spool"
