"""The documents that iogate stores and hands on, each with ``"schema": "name/version"``.

Within a version fields may be added (readers skip what they do not know); a change that
an older reader would misread raises the version, and a reader refuses a newer one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from iogate.errors import NewerError, RunError
from iogate.model.codec import MismatchError, codec_of
from iogate.model.dispatch import Dispatch
from iogate.model.fleet import Fleet
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.names import is_case_id, is_run_id
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


class RunReader:
    """Reads the documents of many runs. The nights of a spec have the same plan, which takes far
    more time and memory than the rest: it is made once."""

    def __init__(self) -> None:
        self._plans: dict[str, tuple[Mapping[str, Any], Plan]] = {}

    def read(self, document: Any) -> Run:
        """Raises RunError for a document that is newer, of another kind, or broken."""
        for written, plan in self._plans.values():
            if isinstance(document, Mapping) and document.get("plan") == written:
                return run_from_document({**document, "plan": plan})
        run = run_from_document(document)
        self._plans[run.plan.spec_name] = document["plan"], run.plan
        return run


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
    _check_ids(name, value)
    if isinstance(value, Run):
        _check_names(name, value)
    return value


def _check_names(name: str, run: Run) -> None:
    """What a history finds a run by has to be text that can be written: JSON can escape half a
    character, and the end of a text in C."""
    for key in (run.plan.spec_name, run.host.name, run.host.machine_id):
        if any("\ud800" <= character <= "\udfff" or character == "\0" for character in key):
            raise _broken(name, f"{key[:40]!a} is not text")


def _check_ids(name: str, value: object) -> None:
    """They become names of files: one that leads elsewhere was not written by iogate."""
    if isinstance(value, Run) and not is_run_id(value.id):
        raise _broken(name, f"{value.id[:40]!a} is not the id of a run")
    for case_id in _case_ids(value):
        if not is_case_id(case_id):
            raise _broken(name, f"{case_id[:40]!a} is not the id of a case")


def _case_ids(value: object) -> Iterator[str]:
    if isinstance(value, Run):
        yield from _case_ids(value.plan)
        yield from (each.case_id for each in value.measurements)
        yield from (each.case_id for each in value.failures)
    elif isinstance(value, Plan):
        yield from (case.id for case in value.cases)
    elif isinstance(value, Measurement):
        yield value.case_id


def _check_times(name: str, value: object) -> None:
    """Times that are none would be found out by whoever shows them."""
    for time_ns in _times(value):
        if not -_LATEST_NS < time_ns < _LATEST_NS:
            raise _broken(name, f"{time_ns:.3g} is not a time")


def _times(value: object) -> Iterator[int]:
    """Of Unix; a clock that is set wrongly may be before it."""
    if isinstance(value, Run):
        yield from (value.started_ns, value.finished_ns)
        yield from (each.started_ns for each in value.measurements)
    elif isinstance(value, Measurement):
        yield value.started_ns


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
