"""``iogate serve``: a live history over HTTP, read by who may and changed by nobody."""

from __future__ import annotations

import base64
import http.client
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from iogate.cli import serve
from iogate.cli.serving import Pages, make_server
from iogate.errors import RefusedError, UsageError
from iogate.model.run import Run, RunStatus
from iogate.store import open_store
from support import samples as s

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


@contextmanager
def serving(url: str, token: str = "") -> Iterator[int]:
    with make_server("127.0.0.1", 0, Pages(url), token) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def ask(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[int, str, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers
    finally:
        connection.close()


def test_the_list_leads_to_the_reports(url: str) -> None:
    with serving(url) as port:
        status, text, _ = ask(port, "/")
        assert status == 200
        assert text.index('href="runs/bbbb2222"') < text.index('href="runs/aaaa1111"')
        status, text, headers = ask(port, "/runs/aaaa1111")
    assert status == 200
    assert "storage performance report" in text
    assert headers["Cache-Control"] == "no-store"
    assert "Refresh" not in headers


def test_a_run_in_progress_is_asked_for_again_and_has_what_is_new(url: str) -> None:
    with serving(url) as port:
        _, before, headers = ask(port, "/runs/bbbb2222")
        assert headers["Refresh"]
        with closing(open_store(url)) as store:
            store.add_measurement("bbbb2222", s.repetitions([100])[0])
            store.finish_run("bbbb2222", status=RunStatus.FAILED, finished_ns=3, verdict=None)
        _, after, headers = ask(port, "/runs/bbbb2222")
    assert "has not finished" in before
    assert "failed before it could be judged" in after
    assert "Refresh" not in headers


@pytest.mark.parametrize(
    "path", ["/runs/none", "/runs/", "/../etc/passwd", "/runs/%2e%2e%2f<script>", "//evil"]
)
def test_what_is_not_there_is_404_without_markup_of_the_path(url: str, path: str) -> None:
    with serving(url) as port:
        status, text, _ = ask(port, path)
    assert status == 404
    assert "<script" not in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(url: str, method: str) -> None:
    with serving(url) as port:
        assert ask(port, "/runs/aaaa1111", method)[0] == 501
        status, text, _ = ask(port, "/", "HEAD")
    assert (status, text) == (200, "")


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
        assert ask(port, "/", Host="evil.example")[0] == 403
        assert ask(port, "/", Host=f"localhost:{port}")[0] == 200


def test_a_history_that_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.mkdir()
    with serving(str(broken)) as port:
        assert ask(port, "/")[0] == 503


@pytest.mark.parametrize("bind", ["0.0.0.0:0", "[::]:0", "example.org:80", "8321", "127.0.0.1:x"])
def test_others_need_a_token_and_an_address_is_one(bind: str) -> None:
    done = CliRunner().invoke(serve.command, ["--bind", bind])
    assert isinstance(done.exception, UsageError)


def test_an_address_in_use_is_said(url: str) -> None:
    with serving(url) as port:
        done = CliRunner().invoke(serve.command, ["--bind", f"127.0.0.1:{port}", "--store", url])
    assert isinstance(done.exception, RefusedError)
