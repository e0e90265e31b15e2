"""The documents that iogate stores and hands on, each with ``"schema": "name/version"``.

Within a version fields may be added (readers skip what they do not know); a change that
an older reader would misread raises the version, and a reader refuses a newer one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from iogate.errors import NewerError, RunError
from iogate.model.codec import MismatchError, codec_of
from iogate.model.dispatch import Dispatch
from iogate.model.fleet import Fleet
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.notice import Notice
from iogate.model.plan import Plan
from iogate.model.run import Run
from iogate.model.trend import Trend
from iogate.model.verdict import RunVerdict

T = TypeVar("T")
_MOST_DIGITS = 9
_LATEST_NS = 2**63

SCHEMAS: dict[type, tuple[str, int]] = {
    Plan: ("plan", 1),
    Measurement: ("measurement", 1),
    Run: ("run", 1),
    RunVerdict: ("verdict", 1),
    Trend: ("trend", 1),
    Notice: ("notice", 1),
    Dispatch: ("dispatch", 1),
    Fleet: ("fleet", 1),
}


Document = Plan | Measurement | Run | RunVerdict | Trend | Notice | Dispatch | Fleet


def to_document(value: Document) -> dict[str, Any]:
    """A JSON-ready document. NaN and infinities are texts (see ``codec``), so that
    ``json.dumps(…, allow_nan=False)`` never fails on it."""
    name, version = SCHEMAS[type(value)]
    hint: Any = type(value)
    return {"schema": f"{name}/{version}", **codec_of(hint).encode(value)}


def disturbances_document(disturbances: Sequence[Disturbance]) -> dict[str, Any]:
    """What disturbed a repetition, as it stands beside the engine's own result."""
    return {"disturbances": [codec_of(Disturbance).encode(each) for each in disturbances]}


def disturbances_from_document(document: Mapping[str, Any]) -> tuple[Disturbance, ...]:
    """Raises RunError for a document that is broken."""
    hint: Any = tuple[Disturbance, ...]
    try:
        disturbances: tuple[Disturbance, ...] = codec_of(hint).decode(document.get("disturbances"))
    except MismatchError as error:
        raise _broken("disturbances", str(error)) from None
    return disturbances


def plan_from_document(document: Mapping[str, Any]) -> Plan:
    """Raises RunError for a document that is newer, of another kind, or broken."""
    return _read(Plan, document)


def measurement_from_document(document: Mapping[str, Any]) -> Measurement:
    """Raises RunError for a document that is newer, of another kind, or broken."""
    return _read(Measurement, document)


def run_from_document(document: Mapping[str, Any]) -> Run:
    """Raises RunError for a document that is newer, of another kind, or broken."""
    return _read(Run, document)


def verdict_from_document(document: Mapping[str, Any]) -> RunVerdict:
    """Raises RunError for a document that is newer, of another kind, or broken."""
    return _read(RunVerdict, document)


def trend_from_document(document: Mapping[str, Any]) -> Trend:
    """Raises RunError for a document that is newer, of another kind, or broken."""
    return _read(Trend, document)


def dispatch_from_document(document: Mapping[str, Any]) -> Dispatch:
    """Raises RunError for a document that is newer, of another kind, or broken."""
    return _read(Dispatch, document)


def fleet_from_document(document: Mapping[str, Any]) -> Fleet:
    """For who reads what ``iogate fleet --json`` prints. Raises RunError for a document that is
    newer, of another kind, or broken."""
    return _read(Fleet, document)


def notice_from_document(document: Mapping[str, Any]) -> Notice:
    """For who receives notices. Raises RunError for a document that is newer, of another kind, or
    broken."""
    return _read(Notice, document)


def _read(kind: type[T], document: Mapping[str, Any]) -> T:
    name, version = SCHEMAS[kind]
    hint: Any = kind
    if not isinstance(document, Mapping):
        raise _broken(name, "it is not a JSON object")
    _check_schema(document.get("schema"), name, version)
    try:
        value: T = codec_of(hint).decode(document)
    except MismatchError as error:
        raise _broken(name, f"at {''.join(error.path) or 'its top'}: {error}") from None
    _check_times(name, value)
    if isinstance(value, Run):
        _check_names(name, value)
    return value


def _check_names(name: str, run: Run) -> None:
    """What a history finds a run by has to be text that can be written: JSON can escape half a
    character."""
    keys = [run.id, run.plan.spec_name, run.host.name, run.host.machine_id]
    keys += [each.case_id for each in run.measurements]
    keys += [each.case_id for each in run.failures]
    for key in keys:
        if any("\ud800" <= character <= "\udfff" for character in key):
            raise _broken(name, f"{key[:40]!a} is not text")


def _check_times(name: str, value: object) -> None:
    """Times that are none would be found out by whoever shows them."""
    parts = (value, *value.measurements) if isinstance(value, Run) else (value,)
    for part in parts:
        if isinstance(part, Run | Measurement) and not -_LATEST_NS < part.started_ns < _LATEST_NS:
            raise _broken(name, f"{part.started_ns:.3g} is not a time")


def is_version(text: str) -> bool:
    """Whether a text is the number of a version, such as the 1 of ``run/1``."""
    return len(text) < _MOST_DIGITS and text.isascii() and text.isdigit() and int(text) > 0


def _check_schema(schema: object, name: str, version: int) -> None:
    kind, _, number = schema.partition("/") if isinstance(schema, str) else ("", "", "")
    if kind != name or not is_version(number):
        raise _broken(name, f'its "schema" is {schema!r}, expected "{name}/{version}"')
    if int(number) > version:
        raise NewerError(
            f"the {name} document has schema {schema}; this iogate reads up to {name}/{version}",
            remedy="it was written by a newer iogate: update this one to read it",
        )


def _broken(name: str, why: str) -> RunError:
    return RunError(
        f"the {name} document cannot be read: {why}",
        remedy="it was changed or cut off after it was written: restore it, or measure again",
    )
