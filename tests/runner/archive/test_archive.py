"""A history as a file and back, in every format; damage on the way."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iogate.archive import FORMATS, Item, format_of, keep, open_format, read_history
from iogate.errors import IogateError, UsageError
from iogate.model.decision import Action, Decision, SeriesKey
from iogate.model.document import run_from_document, to_document
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.store import Store, open_store
from support import samples as s
from support.year import year

FREE = [name for name in FORMATS if name != "parquet"]
DECISION = Decision(
    "a1b2", Action.ACK, "Ännchen", "known;\n=1+1", 5, "demo", "m", "", 1, 2,
    (SeriesKey(s.CASE_ID, "write.iops"),),
)  # fmt: skip


def written(name: str, items: Sequence[Item]) -> bytes:
    out = io.BytesIO()
    open_format(name).write(items, out)
    return out.getvalue()


def back(name: str, data: bytes) -> list[Item]:
    return list(open_format(name).read(io.BytesIO(data), "file"))


def shown(items: Sequence[Item]) -> list[str]:
    """Comparable texts, as NaN is not equal to itself and a whole number is a float's equal."""
    runs = [run_from_document(to_document(item)) for item in items if isinstance(item, Run)]
    return [repr(item) for item in (*runs, *(i for i in items if isinstance(i, Decision)))]


@pytest.fixture(params=list(FORMATS))
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is not tested")
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(str(tmp_path / "a.sqlite"))) as opened:
        yield opened


def odd_runs() -> list[Run]:
    """Runs with what is hard to carry."""
    nan = s.repetitions([math.nan, math.inf])
    plan = replace(s.plan(s.case(s.threshold(), name='=oltp,"x"\r\n')), spec_text="a\n\0b\u2028")
    return [
        s.run("aaaa", the_plan=plan, measurements=nan, outcome=s.verdict()),
        s.run("bbbb", started_ns=2, status=RunStatus.RUNNING),
        replace(s.run("cccc", started_ns=3), failures=(CaseFailure(s.CASE_ID, 1, "-😀"),)),
    ]


def test_everything_comes_back(name: str) -> None:
    items: list[Item] = [*year(nights=5), *odd_runs(), DECISION]
    again = back(name, written(name, items))
    assert shown(again) == shown(items)
    assert again[-1] == DECISION


def test_a_run_that_no_line_has_room_for_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """An export is a backup: what is written is read."""
    items: list[Item] = [*year(nights=2), *odd_runs(), DECISION]
    with monkeypatch.context() as patched:
        patched.setattr("iogate.files.bounded.DOCUMENT_BYTES", 2000)
        data = written("jsonl", items)
    lines = data.splitlines(keepends=True)
    assert sum(line.startswith(b'{"measurement"') for line in lines) > 9
    assert shown(back("jsonl", data)) == shown(items)
    at = next(i for i, line in enumerate(lines) if line.startswith(b'{"measurement"'))
    for cut in (lines[: at + 1], [*lines[:at], *lines[at + 1 :]]):
        with pytest.raises(UsageError, match="not whole"):
            back("jsonl", b"".join(cut))


def test_the_same_history_gives_the_same_bytes(name: str) -> None:
    items = back(name, written(name, list(year(nights=4))))
    assert written(name, items) == written(name, back(name, written(name, items)))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    label=TEXT,
    reason=TEXT,
    values=st.lists(st.floats(), max_size=3),
    facts=st.dictionaries(
        TEXT,
        TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans(),
        max_size=3,
    ),
)
def test_any_text_and_number_survives(
    name: str, label: str, reason: str, values: list[float], facts: dict[str, str | int | float]
) -> None:
    run = s.run("x", measurements=s.repetitions(values) if values else ())
    run = replace(
        run,
        revision=replace(run.revision, label=label, subject=reason),
        environment=facts,
        failures=(CaseFailure("c", 1, reason),),
    )
    assert shown(back(name, written(name, [run]))) == shown([run])


def test_a_store_is_carried_into_another(name: str, store: Store, tmp_path: Path) -> None:
    store.add_runs(year(nights=6))
    store.add_decision(DECISION)
    data = written(name, list(read_history(store)))
    with closing(open_store(str(tmp_path / "b.sqlite"))) as other:
        tally = keep(other, back(name, data))
        assert (tally.added, tally.decisions, tally.known) == (len(store.run_ids()), 1, 0)
        assert list(read_history(other)) == list(read_history(store))
        again = keep(other, back(name, data))
        assert (again.added, again.decisions, again.known) == (0, 0, len(store.run_ids()))


def test_an_import_that_was_cut_off_goes_on(store: Store) -> None:
    (run,) = list(year(nights=1))
    store.begin_run(
        replace(run, measurements=run.measurements[:1], status=RunStatus.RUNNING, verdict=None)
    )
    tally = keep(store, [run])
    assert (tally.completed, tally.different) == (1, [])
    assert store.run(run.id) == run


FILLED = DevicePrecondition("raw", "/dev/sdb", "done by this run", True, 5, "x", 9)


def test_preconditions_that_are_not_kept_yet_are_added_and_others_left_alone(store: Store) -> None:
    run = s.run("x", measurements=s.repetitions([1]), outcome=s.verdict())
    whole = replace(run, preconditions=(FILLED,))
    store.add_runs([run])
    assert (keep(store, [whole]).completed, keep(store, [whole]).known) == (1, 1)
    assert store.run("x") == whole
    assert keep(store, [replace(whole, preconditions=(replace(FILLED, at_ns=6),))]).different
    assert store.run("x") == whole


def test_another_run_of_the_same_id_changes_nothing(store: Store) -> None:
    store.add_runs([s.run("x", measurements=s.repetitions([1]), outcome=s.verdict())])
    tally = keep(store, [s.run("x", measurements=s.repetitions([2]), outcome=s.verdict())])
    assert tally.different == ["x"]
    assert store.run("x").measurements == s.repetitions([1])


@pytest.mark.parametrize(
    "change",
    [
        {"started_ns": 2},
        {"environment": {"kernel.release": "7.0"}},
        {"plan": s.plan(s.case(name="other"))},
        {"measurements": s.repetitions([1, 9, 3])},
        {"finished_ns": 99},
        {"status": RunStatus.RUNNING, "finished_ns": 0, "verdict": None},
    ],
)
def test_a_run_that_is_named_as_different_is_left_alone(
    store: Store, change: dict[str, Any]
) -> None:
    kept = replace(s.run("x", measurements=s.repetitions([1, 2])), status=RunStatus.FAILED)
    store.add_runs([kept])
    more = replace(kept, measurements=s.repetitions([1, 2, 3]))
    tally = keep(store, [replace(more, **change)])
    assert (tally.completed, tally.different) == (0, ["x"])
    assert store.run("x") == kept


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.INTERRUPTED])
def test_a_run_that_lacks_its_end_is_completed(store: Store, status: RunStatus) -> None:
    whole = s.run("x", measurements=s.repetitions([math.nan, 2]), outcome=s.verdict())
    cut = replace(whole, measurements=whole.measurements[:1], verdict=None, finished_ns=7)
    store.add_runs([replace(cut, status=status)])
    assert keep(store, [whole]).completed == 1
    assert shown([store.run("x")]) == shown([whole])
    again = keep(store, [replace(whole, folder="/elsewhere")])
    assert (again.known, again.different) == (1, []), "nor is NaN another value"


def test_twice_in_one_file_is_once_in_the_store(store: Store) -> None:
    tally = keep(store, [s.run("x"), s.run("x")])
    assert (tally.added, tally.known) == (1, 1)


@pytest.mark.parametrize("name", FREE)
def test_a_file_that_was_cut_off_says_where(name: str, store: Store) -> None:
    data = written(name, list(year(nights=3)))
    with pytest.raises(UsageError) as caught:
        keep(store, open_format(name).read(io.BytesIO(data[: len(data) * 2 // 3]), "night.x"))
    assert str(caught.value).startswith("night.x:")
    assert len(store.run_ids()) >= 1  # what came before is kept


@pytest.mark.parametrize("name", FREE)
def test_lines_that_are_missing_at_the_end_are_noticed(name: str) -> None:
    data = written(name, list(year(nights=3)))
    with pytest.raises(UsageError, match="not whole"):
        back(name, b"".join(data.splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"a,b\n1,2\n", b'{"fio version": 1}\n', b"\xff\xfe\0"]
)
def test_what_is_no_export_is_refused(name: str, data: bytes) -> None:
    with pytest.raises(UsageError):
        back(name, data)


@pytest.mark.parametrize(
    "data", [b"{\n  'fio version'", b'{\n  "fio version" : "fio-3.33",\n', b"%"]
)
def test_what_may_be_of_fio_is_told_how_it_is_imported(data: bytes) -> None:
    with pytest.raises(UsageError, match="not an export") as caught:
        back("jsonl", data)
    assert "iogate history import fio" in caught.value.remedy


@pytest.mark.parametrize("name", FREE)
def test_an_export_of_a_newer_version_says_so(name: str) -> None:
    data = written(name, []).replace(b"history/1", b"history/2")
    with pytest.raises(UsageError, match="newer"):
        back(name, data)


@given(st.sampled_from(FREE), st.data())
def test_any_damage_is_items_or_a_refusal(name: str, data: st.DataObject) -> None:
    whole = written(name, [*odd_runs()[1:], DECISION])
    at = data.draw(st.integers(0, len(whole)))
    damaged = (
        whole[:at] + data.draw(st.binary(max_size=4)) + whole[at + data.draw(st.integers(0, 9)) :]
    )
    with suppress(IogateError):
        back(name, damaged)


def test_formats_by_suffix() -> None:
    assert [format_of(f) for f in ("a.jsonl", "a.CSV", "a.parquet", "a")] == [
        "jsonl", "csv", "parquet", "jsonl",
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"\.xls"):
        format_of("a.xls")
