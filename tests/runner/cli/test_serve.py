"""``iogate serve``: a live history over HTTP, read by who may and changed by nobody."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from iogate.cli import connections, live_state, serve
from iogate.errors import RefusedError, StoreError, UsageError
from iogate.gate.judge import judge
from iogate.history.killed import as_it_is
from iogate.history.trends import Question, find_trend
from iogate.model.comparison import Arm, Comparison, repetition_of
from iogate.model.plan import Plan
from iogate.model.run import Run, RunStatus
from iogate.model.spec import Comparison as Compare
from iogate.model.trend import Trend
from iogate.store import Store, open_store
from iogate.sut import open_sut
from iogate_reports.site import SpecTrend, pages
from iogate_reports.site.views import SeriesRow, series_row
from iogate_reports.trend_lines import Line
from support import samples as s
from support.killed import HERE, begun, measuring
from support.report_runs import DAY_NS
from support.run_folders import make_run_folder
from support.serving import ask, serving

TOKEN = "secret ü"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A run that is over, and one in progress."""
    path = str(tmp_path / "history.sqlite")
    keep(path, s.run("aaaa1111", started_ns=10**18, measurements=tuple(s.repetitions([100, 101]))))
    running = s.run("bbbb2222", started_ns=2 * 10**18)
    keep(path, replace(running, status=RunStatus.RUNNING, finished_ns=0, verdict=None))
    return path


def keep(url: str, run: Run) -> None:
    with closing(open_store(url)) as store:
        store.begin_run(run)
        if run.status is not RunStatus.RUNNING:
            store.finish_run(
                run.id, status=run.status, finished_ns=run.started_ns + 1, verdict=run.verdict
            )


def keep_other(url: str) -> None:
    """A run of another spec."""
    other = replace(s.plan(s.case()), spec_name="other")
    measured = tuple(s.repetitions([5]))
    keep(url, s.run("dddd4444", started_ns=4 * 10**18, the_plan=other, measurements=measured))


def test_the_list_leads_to_the_reports(url: str) -> None:
    with serving(url) as port:
        status, text, _ = ask(port, "/runs")
        assert status == 200
        assert text.index('href="runs/bbbb2222"') < text.index('href="runs/aaaa1111"')
        status, text, headers = ask(port, "/runs/aaaa1111")
    assert status == 200
    assert "storage performance report" in text
    assert headers["Cache-Control"] == "no-store"


def test_a_list_that_ends_before_the_last_run_says_so(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(url) as port:
        assert "newest" not in ask(port, "/runs")[1]
        monkeypatch.setattr(live_state, "LISTED", 2)
        keep(url, s.run("cccc3333", started_ns=3 * 10**18, measurements=s.repetitions([200])))
        _, text, _ = ask(port, "/runs")
    assert "/aaaa1111" not in text
    assert "These are the newest 2 of 3 runs; <code>iogate history list --limit 3</code>" in text


def test_a_comparison_in_progress_says_how_strong_its_evidence_is(url: str) -> None:
    limit = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
    plan = replace(s.plan(s.case(limit)), comparison=Comparison(Arm("old"), Arm("new"), seed=1))
    measured = [
        replace(each, arm=arm, block=block, repetition=repetition_of(block, place))
        for place, (arm, value) in enumerate((("old", 1000.0), ("new", 900.0)))
        for block, each in enumerate(s.repetitions([value] * 6), start=1)
    ]
    run = s.run("eeee5555", started_ns=5 * 10**18, the_plan=plan, measurements=tuple(measured))
    keep(url, replace(run, status=RunStatus.RUNNING, finished_ns=0, verdict=None))
    with serving(url) as port:
        _, text, _ = ask(port, "/runs")
    assert "at any look: evidence of a regression, 5 to 1" in text


def test_a_run_that_is_killed_is_interrupted_at_once(url: str) -> None:
    """Nothing of that is in the history: the next run writes it there."""
    sut = open_sut()
    keep(url, replace(begun("dead", HERE), started_ns=6 * 10**18))
    with (
        serving(url, seen=lambda run: as_it_is(run, sut, HERE.machine_id)) as port,
        measuring() as process,
    ):
        assert 'In progress: <a href="/runs/dead"' in ask(port, "/runs")[1]
        process.kill()
        process.wait()
        _, text, _ = ask(port, "/runs")
        assert "/runs/dead" not in text.partition("</aside>")[0]
        assert "interrupted" in text[text.index('href="runs/dead"') - 400 :]
        assert "interrupted" in ask(port, "/runs/dead")[1]


def test_a_report_has_its_history_and_what_its_folder_holds(url: str, tmp_path: Path) -> None:
    folder = make_run_folder(tmp_path / "run")
    said = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**said, "id": "5eee5555"}))
    plan = s.plan(s.case(s.threshold(value=1.0)), spec_name="judged")
    measured = tuple(
        replace(one, raw_file=f"raw/{one.case_id}-{one.repetition}.json")
        for one in s.repetitions([100, 101])
    )
    for day in range(6):
        night = s.run(
            f"{day}eee5555", started_ns=10**18 + day * DAY_NS, the_plan=plan, measurements=measured
        )
        verdict = judge(plan, measured, (), ())
        keep(url, replace(night, folder=str(folder), verdict=verdict))
    with serving(url) as port:
        _, text, _ = ask(port, "/runs/5eee5555")
    assert '<th scope="col">90 days</th>' in text
    assert "<summary>Job file</summary>" in text, "the text that ran"
    assert f"raw/{s.CASE_ID}-1.json</code>" in text
    assert 'href="raw/' not in text, "no such address is served"


@pytest.mark.parametrize("folder", ["/no/such\x00folder", "/dev/null"])
def test_a_report_is_served_wherever_its_folder_is_said_to_be(url: str, folder: str) -> None:
    odd = s.run("ffff6666", started_ns=10**18, measurements=s.repetitions([100]))
    keep(url, replace(odd, folder=folder))
    with serving(url) as port:
        status, text, _ = ask(port, "/runs/ffff6666")
    assert status == 200
    assert "Job file, from the plan" in text


def test_the_pages_of_the_trend_site_are_served_as_they_are_written(url: str) -> None:
    with serving(url) as port:
        _, index, _ = ask(port, "/")
        link = re.findall(r'<th scope="row"><a href="([^"#]+)', index)[0]
        folder, _, case = link.partition("/")
        for path in ("/index.html", f"/{folder}/", f"/{folder}/index.html", f"/{folder}/{case}"):
            status, text, headers = ask(port, path)
            assert status == 200
            assert headers["Content-Type"] == "text/html; charset=utf-8"
            assert "connect-src 'self'" in text.partition("</head>")[0]
    assert 'href="/runs/bbbb2222"' in index, "what is in progress is on every page"
    assert 'href="/runs"' in index


def test_a_run_in_progress_shows_what_is_new_and_then_is_none(url: str) -> None:
    with serving(url) as port:
        _, before, tags = ask(port, "/runs/bbbb2222")
        assert ask(port, "/runs/bbbb2222", If_None_Match=tags["ETag"])[:2] == (304, "")
        with closing(open_store(url)) as store:
            store.add_measurement("bbbb2222", s.repetitions([100])[0])
        _, between, between_tags = ask(port, "/runs/bbbb2222", If_None_Match=tags["ETag"])
        with closing(open_store(url)) as store:
            store.finish_run("bbbb2222", status=RunStatus.FAILED, finished_ns=3, verdict=None)
        _, after, _ = ask(port, "/runs/bbbb2222", If_None_Match=between_tags["ETag"])
    assert "has not finished" in before
    assert "0 repetitions so far" in before
    assert 'data-every="3"' in before
    assert "1 repetition so far" in between
    assert "failed before it could be judged" in after
    assert "In progress" not in after
    assert 'data-every="30"' in after


def test_a_night_that_is_over_is_on_the_trend_at_once(url: str) -> None:
    with serving(url) as port:
        _, before, tags = ask(port, "/")
        assert ask(port, "/", If_None_Match=tags["ETag"])[0] == 304
        night = s.run("cccc3333", started_ns=3 * 10**18, measurements=s.repetitions([200]))
        keep(url, night)
        _, after, _ = ask(port, "/", If_None_Match=tags["ETag"])
    assert "1 night;" in before
    assert "2 nights;" in after


def test_a_run_left_behind_is_not_in_progress(url: str) -> None:
    keep(url, s.run("cccc3333", started_ns=3 * 10**18, measurements=s.repetitions([200])))
    with serving(url) as port:
        assert "In progress" not in ask(port, "/")[1], "its host has begun another since"


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none", "/runs/", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//evil",
        "/runs/%2e%2e%2f<script>", "/runs/../../x", "/index.html/", "/%00", "/%ff%fe",
        "/" + "a" * 8000, "/demo/..%2findex.html", "/.iogate-site", "/runs/%3Cscript%3E",
    ],
)  # fmt: skip
def test_what_is_not_there_is_404_without_markup_of_the_path(url: str, path: str) -> None:
    with serving(url) as port:
        status, text, headers = ask(port, path)
    assert status == 404
    assert "<script" not in text
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_what_is_no_http_gets_no_page(url: str) -> None:
    with serving(url) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
            raw.sendall(b"GET / HTTP/9\x00\r\nHost: \xff\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 400")
        with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000)
            assert b" 200 " not in raw.recv(100)
        assert ask(port, "/")[0] == 200, "others are served on"


HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "


def is_ended(connection: socket.socket, piece: bytes) -> bool:
    """Whether the other end closes within 20 s, though a piece comes each tenth of one."""
    with suppress(ConnectionError):
        for _ in range(200):
            connection.sendall(piece)
            time.sleep(0.1)
        return False
    return True


def test_half_requests_keep_no_reader_out(url: str) -> None:
    """Neither while they come nor afterwards, though all are of one peer."""
    with serving(url) as port, ExitStack() as opened:
        for _ in range(250):
            half = socket.create_connection(("127.0.0.1", port), timeout=30)
            opened.enter_context(half).sendall(HALF)
        assert ask(port, "/runs")[0] == 200


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        HALF,
        b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n" + HALF,
        b"GET /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n",
    ],
)
def test_what_never_becomes_a_request_is_closed(
    url: str, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(connections, "_REQUEST_S", 0.6)
    with (
        serving(url) as port,
        socket.create_connection(("127.0.0.1", port), timeout=30) as half,
    ):
        half.sendall(begun)
        assert is_ended(half, b"a")


def test_an_answer_that_nobody_reads_is_ended(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_READ_S", 0.3)
    with (
        serving(url) as port,
        socket.create_connection(("127.0.0.1", port), timeout=30) as deaf,
    ):
        assert is_ended(deaf, b"GET /runs/aaaa1111 HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(url: str, method: str) -> None:
    with serving(url) as port:
        assert ask(port, "/runs/aaaa1111", method)[0] == 405
        status, text, _ = ask(port, "/", "HEAD")
    assert (status, text) == (200, "")


def test_reading_writes_nothing(url: str) -> None:
    with closing(sqlite3.connect(url)) as db:
        before = list(db.iterdump())
    with serving(url) as port:
        for path in ("/", "/runs", "/runs/aaaa1111", "/demo/"):
            ask(port, path)
    with closing(sqlite3.connect(url)) as db:
        assert list(db.iterdump()) == before


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"me:{password}".encode()).decode()


def test_a_token_is_asked_for(url: str) -> None:
    with serving(url, TOKEN) as port:
        for wrong in ("", "Basic", "Basic ?", basic("other"), basic(""), "Bearer x"):
            status, text, headers = ask(port, "/runs/aaaa1111", Authorization=wrong)
            assert status == 401
            assert "storage performance" not in text
            assert headers["WWW-Authenticate"].startswith("Basic")
        assert ask(port, "/", Authorization=basic(TOKEN))[0] == 200


def test_a_name_that_leads_here_from_elsewhere_reads_nothing(url: str) -> None:
    with serving(url) as port:
        for host in ("evil.example", "evil.com@localhost", "localhost/x", "localhost:1?", ""):
            assert ask(port, "/", Host=host)[0] == 403, host
        for host in ("[::1]:80", "127.0.0.1", "LocalHost"):
            assert ask(port, "/", Host=host)[0] == 200, host
        assert ask(port, "/", Host=f"localhost:{port}")[0] == 200


def test_a_history_that_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.mkdir()
    with serving(str(broken)) as port:
        assert ask(port, "/")[0] == 503


def test_a_history_that_vanishes_is_said_and_not_made_anew(url: str) -> None:
    with serving(url) as port:
        assert ask(port, "/")[0] == 200
        aside = Path(url).rename(f"{url}.aside")
        for path in ("/", "/runs", "/runs/aaaa1111"):
            status, text, _ = ask(port, path)
            assert status == 503
            assert "there is no history at" in text
        assert not Path(url).exists()
        aside.rename(url)
        assert ask(port, "/")[0] == 200


def test_a_history_of_an_older_iogate_is_not_changed(url: str) -> None:
    with closing(sqlite3.connect(url)) as db:
        newest = "(SELECT max(version) FROM schema_version)"
        db.execute(f"DELETE FROM schema_version WHERE version = {newest}")
        db.commit()
        before = list(db.iterdump())
    with serving(url) as port:
        status, text, _ = ask(port, "/")
    assert status == 503
    assert "iogate history list" in text
    with closing(sqlite3.connect(url)) as db:
        assert list(db.iterdump()) == before


def test_a_history_that_becomes_garbage_is_a_message(url: str) -> None:
    with serving(url) as port:
        assert ask(port, "/")[0] == 200
        for name in Path(url).parent.iterdir():
            name.write_bytes(os.urandom(8192))
        assert ask(port, "/")[0] == 503


def test_one_spec_that_cannot_be_shown_leaves_the_others(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_other(url)

    def find(store: Store, plan: Plan, question: Question) -> Trend:
        if plan.spec_name == "other":
            raise UsageError("no such metric <b>")
        return find_trend(store, plan, question)

    monkeypatch.setattr(live_state, "find_trend", find)
    with serving(url) as port:
        status, text, _ = ask(port, "/")
    assert status == 200
    assert "other is not shown: no such metric &lt;b&gt;" in text
    assert 'id="series"' in text


def test_a_fault_leaves_the_others_and_is_traced(
    url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    keep_other(url)
    make = pages.spec_page

    def fail(spec: SpecTrend, cases: dict[str, str], now_ns: int) -> str:
        if spec.name == "other":
            raise TypeError("this page is odd")
        return make(spec, cases, now_ns)

    monkeypatch.setattr(pages, "spec_page", fail)
    with serving(url) as port:
        assert ask(port, "/demo/")[0] == 200
        status, text, _ = ask(port, "/other/")
    told = capfd.readouterr().err
    assert status == 500
    assert "TypeError" in text
    assert "Traceback" in told
    assert "TypeError: this page is odd" in told


def test_the_index_goes_on_without_a_spec_that_is_odd(
    url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    keep_other(url)
    make = series_row

    def fail(spec: SpecTrend, line: Line, page: str) -> SeriesRow:
        if spec.name == "other":
            raise TypeError("this row is odd")
        return make(spec, line, page)

    monkeypatch.setattr(pages, "series_row", fail)
    with serving(url) as port:
        status, text, _ = ask(port, "/")
    assert status == 200
    assert "Left out, because it could not be shown: other." in text
    assert 'href="demo/index.html"' in text
    assert "TypeError: this row is odd" in capfd.readouterr().err


def test_cases_that_the_newest_run_left_out_are_served(url: str) -> None:
    plan = s.plan(s.case(id="f" * 16, name="oltp/bs=8k"))
    measured = tuple(s.repetitions([5], case_id="f" * 16))
    with serving(url) as port:
        ask(port, "/")
        night = s.run("cccc3333", started_ns=3 * 10**18, the_plan=plan, measurements=measured)
        keep(url, night)
        _, index, _ = ask(port, "/")
    assert "oltp/<wbr>bs=4k" in index
    assert "oltp/<wbr>bs=8k" in index
    assert "not measured since" in index


def test_a_history_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    done = CliRunner().invoke(serve.command, ["--store", str(tmp_path / "none.sqlite")])
    assert isinstance(done.exception, StoreError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bind", ["0.0.0.0:0", "[::]:0", "example.org:80", "8321", "127.0.0.1:x"])
def test_others_need_a_token_and_an_address_is_one(bind: str) -> None:
    done = CliRunner().invoke(serve.command, ["--bind", bind])
    assert isinstance(done.exception, UsageError)


def test_an_address_in_use_is_said(url: str) -> None:
    with serving(url) as port:
        done = CliRunner().invoke(serve.command, ["--bind", f"127.0.0.1:{port}", "--store", url])
    assert isinstance(done.exception, RefusedError)
    assert done.exception.what == f"cannot listen on 127.0.0.1:{port}: Address already in use"


def test_a_metric_that_no_spec_has_is_refused_at_once(url: str) -> None:
    words = ["--store", url, "--bind", "127.0.0.1:0", "--metric", "write.iosp"]
    done = CliRunner().invoke(serve.command, words)
    assert isinstance(done.exception, UsageError)
    assert "no metric is named 'write.iosp'" in done.exception.what


def test_the_command_serves_until_it_is_interrupted(url: str) -> None:
    command = [sys.executable, "-m", "iogate", "serve", "--store", url, "--bind", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = re.match(r"http://127.0.0.1:(\d+)/", process.stdout.readline())
        assert address
        assert ask(int(address[1]), "/")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
