"""What can go wrong with a history on a server, against the real ones."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from iogate.cli.history import command
from iogate.errors import ExitCode, StoreError, UsageError
from iogate.metrics import metric
from iogate.model.run import CaseFailure, RunStatus
from iogate.model.verdict import Outcome, ThresholdVerdict
from iogate.store import Store, open_store
from iogate.store.influx import packing
from iogate.store.influx.address import parse_address
from iogate.store.influx.line import line
from iogate.store.influx.v1 import FORM
from iogate.store.server import SetupError, UnreachableError
from support import fio_outputs as f
from support import samples as s
from support.devices import fill, needs_root, tmpfs
from support.dripping_server import certificate
from support.influx import SERVERS, TOKEN, Influx1, Influx2
from support.stores import shared_server

NIGHT_NS = 86_400 * 10**9
SECRET = "do-not-print-me"


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("INFLUX_TOKEN", "INFLUX_USERNAME", "INFLUX_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "data"


@pytest.fixture(params=sorted(SERVERS))
def url(request: pytest.FixtureRequest) -> str:
    return shared_server(request.param).fresh()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with closing(open_store(url)) as opened:
        yield opened


def history(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin, standalone_mode=False)


def spools(folder: Path) -> list[Path]:
    return list((folder / "iogate/spool").glob("*.sqlite"))


@pytest.mark.parametrize(
    "wrong",
    [
        "influxdb1://host",
        "influxdb1://host/a/b",
        "influxdb1:///db",
        "influxdb1+ftp://host/db",
        "influxdb1://host:port/db",
        "influxdb1://host/db?colour=red",
        "influxdb1://host/db?timeout=never",
        "influxdb1://host/db?timeout=-1",
        "influxdb://host/org",
        "influxdb://host/org/",
    ],
)
def test_a_url_that_is_none_says_how_one_looks(wrong: str) -> None:
    with pytest.raises(UsageError) as error:
        open_store(wrong.replace("host", f"user:{SECRET}@host"))
    assert "HOST[:PORT]/" in error.value.remedy
    assert SECRET not in str(error.value)


def test_a_url_is_shown_without_its_secrets() -> None:
    address = parse_address(f"influxdb1+https://me:{SECRET}@[::1]:99/my%20db?ca=/x&timeout=2", FORM)
    assert str(address) == "influxdb1+https://[::1]:99/my%20db"
    assert (address.password, address.ca, address.timeout_s) == (SECRET, "/x", 2.0)
    assert address.path == ("my db",)


def test_a_wrong_token_is_told_before_anything_is_measured(own_data_folder: Path) -> None:
    url = shared_server("influxdb").fresh().replace(TOKEN, SECRET)
    with closing(open_store(url)) as store:
        with pytest.raises(SetupError, match="401") as error:
            store.begin_run(s.run())
        assert "INFLUX_TOKEN" in error.value.remedy
        assert error.value.what.endswith("refuses (401): Unauthorized")
        assert SECRET not in str(error.value)
        assert store.sync().waiting == 0


def test_a_token_that_may_only_read_is_told_and_nothing_is_lost() -> None:
    server = shared_server("influxdb")
    login = {"Authorization": f"Token {TOKEN}"}
    (org,) = json.loads(server.call("/api/v2/orgs", **login))["orgs"]
    permission = {"action": "read", "resource": {"type": "buckets", "orgID": org["id"]}}
    wanted = json.dumps({"orgID": org["id"], "permissions": [permission]})
    token = json.loads(server.call("/api/v2/authorizations", wanted, **login))["token"]
    with closing(open_store(server.fresh().replace(TOKEN, token))) as store:
        store.begin_run(s.run())
        delivery = store.sync()
        assert isinstance(delivery.problem, SetupError)
        assert "refuses (403)" in delivery.problem.what
        assert "INFLUX_TOKEN" in delivery.problem.remedy
        assert (delivery.waiting, delivery.refused) == (2, ())


def test_no_token_at_all() -> None:
    with pytest.raises(SetupError, match="no token"):
        open_store("influxdb://127.0.0.1:1/org/bucket")


def test_a_missing_bucket_or_database_is_told(url: str) -> None:
    with closing(open_store(f"{url}-elsewhere")) as store:
        with pytest.raises(SetupError, match="not found") as error:
            store.begin_run(s.run())
        assert "create" in error.value.remedy.lower()


def test_a_wrong_password(tmp_path: Path) -> None:
    server = Influx1(tmp_path / "server", "auth-enabled = true")
    server.start()
    try:
        question = "CREATE+USER+admin+WITH+PASSWORD+'right'+WITH+ALL+PRIVILEGES"
        server.call(f"/query?q={question}", "")
        server.call("/query?u=admin&p=right&q=CREATE+DATABASE+kept", "")
        place = f"127.0.0.1:{server.port}/kept"
        with closing(open_store(f"influxdb1://admin:{SECRET}@{place}")) as store:
            with pytest.raises(SetupError, match="401") as error:
                store.begin_run(s.run())
            assert SECRET not in str(error.value)
        with closing(open_store(f"influxdb1://admin:right@{place}")) as store:
            store.begin_run(s.run())
            assert store.run_ids() == ["run-1"]
    finally:
        server.kill()


class TlsInflux(Influx1):
    scheme = "https"

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    made, key = certificate(tmp_path)
    more = f'https-enabled = true\nhttps-certificate = "{made}"\nhttps-private-key = "{key}"'
    server = TlsInflux(tmp_path / "server", more)
    server.start()
    try:
        place = f"127.0.0.1:{server.port}"
        for kind, path in (("influxdb1", "db"), ("influxdb", "org/bucket")):
            with closing(open_store(f"{kind}+https://u:p@{place}/{path}")) as store:
                with pytest.raises(SetupError, match="no secure connection") as error:
                    store.begin_run(s.run())
                assert "?ca=FILE" in error.value.remedy
        with (
            closing(open_store(f"influxdb1+https://{place}/db?ca={made}")) as store,
            pytest.raises(SetupError, match="database not found"),  # it is trusted
        ):
            store.begin_run(s.run())
        with (
            closing(open_store(f"influxdb1+https://{place}/db?ca={tmp_path}/none")) as store,
            pytest.raises(SetupError),
        ):
            store.begin_run(s.run())
    finally:
        server.kill()


def test_a_history_that_a_newer_version_wrote(url: str, store: Store) -> None:
    store.begin_run(s.run())
    kind = url.partition(":")[0]
    with closing(SERVERS[kind].client(url)) as client:
        client.write(line("iogate_run", {"spec": "x"}, {"run": "n", "schema": 2}, 5).encode())
    with pytest.raises(StoreError, match="schema 2") as error:
        store.runs()
    assert "newer" in error.value.remedy
    with pytest.raises(StoreError, match="schema 2"):
        store.begin_run(s.run("another"))


def test_what_is_refused_for_good_is_kept_apart_and_named(url: str) -> None:
    kind = url.partition(":")[0]
    with closing(SERVERS[kind].client(url)) as client:
        client.write(line("iogate_failure", {"case": "x"}, {"reason": 5}, 5).encode())
    with closing(open_store(url)) as store:
        store.begin_run(s.run("a"))
        store.add_measurement("a", s.measurement())
        store.add_failure("a", CaseFailure(s.CASE_ID, 3, "why"))
        store.add_measurement("a", s.measurement(repetition=2))
        store.finish_run("a", status=RunStatus.COMPLETE, finished_ns=9, verdict=s.verdict())
        found = store.run("a")
        assert [one.repetition for one in found.measurements] == [1, 2]
        assert found.failures == ()
        delivery = store.sync()
        assert delivery.waiting == 0
        (refused,) = delivery.refused
        assert refused.what == "the failure of repetition 3 of oltp/bs=4k in run a"
        assert "reason" in refused.why
        assert store.check() == [f"{refused.what} was refused: {refused.why}"]
        again = store.sync(retry_refused=True)
        assert again.delivered == 0
        assert [each.what for each in again.refused] == [refused.what]


def test_points_beyond_the_retention_time_are_kept_apart() -> None:
    server = shared_server("influxdb")
    assert isinstance(server, Influx2)
    with closing(open_store(server.fresh(retention_s=3600))) as store:
        store.begin_run(s.run("old", started_ns=1))
        delivery = store.sync()
        refused = ["the start of run old", "the verdict of run old"]
        assert [each.what for each in delivery.refused] == refused
        assert "retention" in delivery.refused[0].why


def test_an_import_that_the_server_refuses_is_not_over(tmp_path: Path) -> None:
    server = shared_server("influxdb")
    assert isinstance(server, Influx2)
    url, local = server.fresh(retention_s=3600), str(tmp_path / "old.sqlite")
    with closing(open_store(local)) as store:
        store.add_runs([s.run("old", started_ns=1, measurements=s.repetitions([5]))])
    text = history("export", "--store", local).stdout
    refused = history("import", "-", "--store", url, stdin=text)
    assert refused.return_value == ExitCode.RUN_FAILED
    assert "the start of run old is kept apart: refused" in refused.stderr
    fresh = json.dumps(f.document(at_s=int(time.time())))
    later = history("import", "fio", "-", "--store", url, stdin=fresh)
    assert (later.return_value, "kept apart" in later.stderr) == (ExitCode.PASS, False)
    old = history("import", "fio", "-", "--store", url, stdin=json.dumps(f.document()))
    assert (old.return_value, "kept apart" in old.stderr) == (ExitCode.RUN_FAILED, True)


@pytest.mark.parametrize("at_ns", [-5 * NIGHT_NS, 0, 2**62])
def test_a_clock_that_jumps_moves_a_run_and_breaks_nothing(store: Store, at_ns: int) -> None:
    usual = 20_000 * NIGHT_NS
    back = [
        replace(one, started_ns=usual - n * NIGHT_NS, duration_ns=-5)
        for n, one in enumerate(s.repetitions([1, 2, 3]))
    ]
    store.begin_run(s.run("jumped", started_ns=at_ns, status=RunStatus.RUNNING))
    for one in back:
        store.add_measurement("jumped", one)
    store.finish_run("jumped", status=RunStatus.COMPLETE, finished_ns=5, verdict=s.verdict())
    store.begin_run(s.run("usual", started_ns=usual))
    assert store.run("jumped").measurements == tuple(back)
    assert store.run("jumped").started_ns == at_ns
    assert len(store.nights([s.CASE_ID])) == 1


def test_the_last_setting_counts_when_the_clock_has_jumped_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = time.time_ns()
    for ahead, value in enumerate(["30d:none", None, "90d:none"]):
        monkeypatch.setattr(time, "time_ns", lambda at=now_ns - ahead * 10**15: at)
        store.set_setting("retention", value)
        assert store.setting("retention") == value


def test_runs_that_start_in_the_same_nanosecond_are_two(store: Store) -> None:
    names = [f"run-{number}" for number in range(50)]
    store.add_runs(s.run(name, started_ns=7, measurements=s.repetitions([5])) for name in names)
    assert store.run_ids() == sorted(names)
    assert [len(store.run(name).measurements) for name in names] == [1] * 50


def judged(path: str) -> ThresholdVerdict:
    """A limit that was held."""
    of, limit = metric(path), s.threshold(path, value=1.0)
    return ThresholdVerdict(s.CASE_ID, limit, Outcome.PASS, "held", of.unit, of.better, value=2.0)


def test_nights_do_not_add_series(url: str, store: Store) -> None:
    kind = url.partition(":")[0]

    def series() -> int:
        with closing(SERVERS[kind].client(url)) as client:
            return len(list(client.query("SHOW SERIES")))

    def nights(first: int, last: int) -> None:
        jobs = [s.job(name, series=s.series([1, 2])) for name in ("a", "b")]
        measured = tuple(s.measurement(*jobs, repetition=n) for n in (1, 2, 3))
        verdict = replace(s.verdict(), thresholds=(judged("write.iops"), judged("errors")))
        store.add_runs(
            s.run(f"n{n}", started_ns=n * NIGHT_NS, measurements=measured, outcome=verdict)
            for n in range(first, last)
        )

    nights(0, 2)
    few = series()
    nights(2, 30)
    # As docs/history.md says, where no repetition failed: of two jobs, and with two limits.
    assert series() == few == 3 * (2 + 2) + 2 + 2


@pytest.mark.parametrize("name", ["plain", 'ünï "quoted", here'])
def test_points_for_graphs_follow_the_time_series(url: str, store: Store, name: str) -> None:
    job = s.job("data", series=s.series([5, 6, 7, 8], interval_ms=500))
    plan = s.plan(s.case(name=name))
    both = (s.measurement(job), s.measurement(job, repetition=2))
    store.begin_run(s.run("a", the_plan=plan, measurements=both))
    store.replace_series("a", s.CASE_ID, 1, [s.series([11, 15])])

    with closing(SERVERS[url.partition(":")[0]].client(url)) as client:
        rows = list(client.query('SELECT "read.iops" FROM "iogate_interval" GROUP BY "repetition"'))
    found = [(row["repetition"], row["read.iops"]) for row in rows]
    assert found == [("1", 11), ("1", 15), ("2", 10), ("2", 12), ("2", 14), ("2", 16)]
    assert [each.end_ms for each in store.run("a").measurements[0].jobs[0].series.intervals] == [  # type: ignore[union-attr]
        1000,
        2000,
    ]


def test_nothing_of_a_run_that_was_removed_is_left_on_the_server(url: str, store: Store) -> None:
    measured = (s.measurement(s.job("data", series=s.series([5, 6, 7]))),)
    failed = (CaseFailure(s.CASE_ID, 2, "no"),)
    verdict = replace(s.verdict(), thresholds=(judged("write.iops"),))
    for name, start in (("a", NIGHT_NS), ("b", 2 * NIGHT_NS)):
        run = s.run(name, started_ns=start, measurements=measured, outcome=verdict)
        store.add_runs([replace(run, failures=failed)])
    assert store.remove_runs(["a", "b"]) == 2
    with closing(SERVERS[url.partition(":")[0]].client(url)) as client:
        assert list(client.query("SELECT * FROM /.*/")) == []


@pytest.mark.parametrize("size", [100, 60_000, 60_001, 3_000_000])
def test_long_documents_go_on_in_other_fields(store: Store, size: int) -> None:
    noise = "".join(f"{n * 2654435761 % 2**32:08x}" for n in range(size // 8 + 1))[:size]
    plan = replace(s.plan(s.case()), spec_text=noise)
    store.begin_run(s.run("long", the_plan=plan))
    assert store.run("long").plan.spec_text == noise


@pytest.mark.parametrize(
    "name", ["a b,c=d", "quo\"te's", "back\\slash\\", "line\nbreak", "ünï→", "", "x" * 5000]
)
def test_any_name_will_do(store: Store, name: str) -> None:
    plan = s.plan(s.case(name=name or "case", id="a1"), spec_name=name)
    measured = replace(s.measurement(s.job(name, write=s.direction())), case_id="a1")
    run = replace(
        s.run("r", the_plan=plan, measurements=(measured,), machine_id=name),
        environment={name or "fact": name},
    )
    store.begin_run(run)
    assert store.run("r") == run
    assert [each.id for each in store.runs(spec=name, host=name)] == ["r"]
    found = store.baseline(["a1"], machine_id=name, before_ns=9, window=1)
    assert len(found) == 0  # it has no verdict
    assert len(store.nights(["a1"], host=name)) == 1


def test_a_server_that_is_no_influxdb_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            while True:
                try:
                    one, _ = listener.accept()
                except OSError:
                    return
                one.recv(65536)
                one.sendall(b"HTTP/1.0 200 OK\r\n\r\n<html>a proxy")
                one.shutdown(socket.SHUT_WR)
                with suppress(OSError):  # unread requests would reset the answer
                    while one.recv(65536):
                        pass
                one.close()

        threading.Thread(target=answer, daemon=True).start()
        for form in ("influxdb1://127.0.0.1:%d/db", "influxdb://:t@127.0.0.1:%d/org/bucket"):
            with closing(open_store(form % port)) as store:
                with pytest.raises(UnreachableError, match="no JSON"):
                    store.runs()
                store.begin_run(s.run())  # it may be back later
                assert store.sync().waiting == 2
        listener.shutdown(socket.SHUT_RDWR)


def test_reading_without_the_server_says_that_and_nothing_is_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"influxdb1://127.0.0.1:{port}/db"
    with closing(open_store(url)) as store:
        store.begin_run(s.run("a"))
        store.add_measurement("a", s.measurement())
        with pytest.raises(UnreachableError, match="cannot be used now: Connection refused\n"):
            store.run("a")
        with pytest.raises(StoreError):
            store.begin_run(s.run("a"))
    with closing(open_store(url)) as store:
        delivery = store.sync()
        assert (delivery.delivered, delivery.waiting) == (0, 3)
        assert "wait on the local disk" in delivery.notes[0]


@needs_root
def test_a_full_disk_under_the_spool_is_told_and_keeps_what_was_kept(
    own_data_folder: Path, url: str
) -> None:
    with tmpfs(own_data_folder, "2m") as small, closing(open_store(url)) as store:
        store.begin_run(s.run("a", status=RunStatus.RUNNING))
        fill(small)
        kept = 0
        with suppress(StoreError):
            for number in range(1, 200):
                store.add_measurement("a", s.measurement(repetition=number))
                kept = number
        assert kept < 199
        with pytest.raises(StoreError, match="spool"):
            store.add_measurement("a", s.measurement(repetition=kept + 1))
        (small / "filler").unlink()
        store.add_measurement("a", s.measurement(repetition=kept + 1))
        found = [one.repetition for one in store.run("a").measurements]
        assert found == list(range(1, kept + 2))


def test_a_damaged_or_newer_spool_is_named(own_data_folder: Path, url: str) -> None:
    with closing(open_store(url)) as store:
        store.begin_run(s.run())
    (path,) = spools(own_data_folder)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 9")
    with pytest.raises(StoreError, match="newer"):
        open_store(url)
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match=str(path)) as error:
        open_store(url)
    assert "aside" in error.value.remedy


_BINS = st.dictionaries(st.integers(0, 2**40), st.integers(1, 2**62), max_size=40)


@given(st.lists(st.none() | _BINS, max_size=5))
def test_histograms_come_back_as_they_were(jobs: list[dict[int, int] | None]) -> None:
    def document() -> dict[str, object]:
        latencies = [
            {"n": 1}
            | ({} if bins is None else {"histogram": [list(p) for p in sorted(bins.items())]})
            for bins in jobs
        ]
        return {"jobs": [{"directions": {"read": {"clat": each}}} for each in latencies]}

    taken = document()
    fields = packing.take_histograms(taken)
    assert "histogram" not in json.dumps(taken)
    packing.put_histograms(taken, fields)
    assert taken == document()


def test_what_waits_on_the_local_disk_is_told_where_something_does() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with closing(open_store(f"influxdb1://127.0.0.1:{port}/db")) as store:
        for read in (store.runs, store.decisions, lambda: store.remove_runs(["a"])):
            with pytest.raises(UnreachableError) as raised:
                read()
            assert "local disk" not in raised.value.remedy
            assert "do this again" in raised.value.remedy
        store.set_setting("a", "b")
        with pytest.raises(UnreachableError) as raised:
            store.runs()
        assert "waits on the local disk" in raised.value.remedy
        (note,) = store.sync().notes
        assert note.startswith("1 item of the history waits on the local disk: ")
        assert "It is delivered by the next run" in note
        store.set_setting("a", "c")
        assert store.sync().notes[0].startswith("2 items of the history wait on the local disk: ")
