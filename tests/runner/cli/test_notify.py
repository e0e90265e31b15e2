"""Who is told of what, and how often: ``iogate notify`` and a real server."""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from iogate.model.run import RunStatus
from iogate.model.verdict import Outcome, RunVerdict
from iogate.notify import post
from iogate.notify.notices import trial
from iogate.notify.sendmail import mail_of
from iogate.store import open_store
from support import samples as s
from support.dripping_server import HEADERS, dripping
from support.hooks import Posted, hook_server
from support.nightly import DAY_NS, History, noisy

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[3] / "schemas/notice.schema.json").read_text()
)
ALL = "events: [alert, recovered, night]"
FAILED = RunVerdict(Outcome.FAIL, 1, "run fails: write.iops of log is 3/s")


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


@pytest.fixture
def hook() -> Iterator[Posted]:
    with hook_server() as state:
        yield state


class Host:
    """The settings of a host, and what iogate notify says there."""

    def __init__(self, folder: Path, history: History) -> None:
        self.settings, self._history = folder / "notify.yaml", history

    def channels(self, *lines: str, top: str = "") -> None:
        text = "".join(f"  {line}\n" for line in lines)
        self.settings.write_text(f"version: 1\n{top}channels:\n{text}")

    def notify(self, *more: str) -> int:
        words = ["notify", "--settings", str(self.settings), "--store", self._history.url]
        return run_command([*words, *more])


@pytest.fixture
def host(tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Host(tmp_path, history)


def fail_a_night(history: History, **more: object) -> None:
    """The newest night fails."""
    with closing(open_store(history.url)) as store:
        run = s.run("failed", started_ns=history.nights * DAY_NS, the_plan=history.plan)
        store.add_runs([replace(run, **{"verdict": FAILED, **more})])  # type: ignore[arg-type]


def test_an_alert_is_told_once_and_its_end_once(history: History, host: Host, hook: Posted) -> None:
    host.channels(
        f'all: {{ webhook: "{hook.url}/x", {ALL} }}', f'few: {{ webhook: "{hook.url}/y" }}'
    )
    told: list[tuple[int, str]] = []
    for value in noisy(1, (60, 1000.0), (9, 360.0), (40, 1000.0)):
        history.add(value)
        if history.nights > 58:
            assert host.notify() == ExitCode.PASS
            told += [(history.nights, path) for path in hook.paths[len(told) :]]
    assert [document["event"] for document in hook.documents] == ["alert", "alert", "recovered"]
    assert hook.paths == ["/x", "/y", "/x"]
    assert 60 < told[0][0] < 66
    assert told[2][0] > 69
    for document in hook.documents:
        jsonschema.validate(document, SCHEMA)
    began, _, ended = hook.documents
    assert "regression: write.iops of log went from" in began["text"]
    assert (began["spec"], began["host"], began["alert"]["turn"]) == (
        "nightly",
        "host-a",
        "regression",
    )
    assert ended["alert"]["recovery"]
    assert "It was over by the night of" in ended["text"]


def test_a_failed_night_is_told_once(
    history: History, host: Host, hook: Posted, capsys: pytest.CaptureFixture[str]
) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}" }}', top="site: https://perf.example/site\n")
    history.add(*noisy(2, (5, 1000.0)))
    assert host.notify() == ExitCode.PASS
    assert capsys.readouterr().out == "nothing new to tell\n"
    fail_a_night(history)
    assert [host.notify(), host.notify()] == [ExitCode.PASS, ExitCode.PASS]
    (document,) = hook.documents
    jsonschema.validate(document, SCHEMA)
    assert document["event"] == "night"
    assert document["night"]["ended"] == "fail"
    assert document["text"].startswith("run fails: write.iops of log is 3/s")
    assert document["link"] == "https://perf.example/site/nightly/index.html"


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.INTERRUPTED])
def test_a_night_that_was_not_measured_to_its_end_is_told(
    history: History, host: Host, hook: Posted, status: RunStatus
) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}" }}')
    fail_a_night(history, status=status, verdict=None)
    assert host.notify() == ExitCode.PASS
    assert [document["night"]["ended"] for document in hook.documents] == [status.value]


def test_only_the_newest_night_counts(history: History, host: Host, hook: Posted) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}" }}')
    fail_a_night(history, started_ns=-1)
    history.add(1000.0)
    assert host.notify() == ExitCode.PASS
    assert hook.documents == []


def test_what_was_not_taken_is_tried_again(
    history: History, host: Host, hook: Posted, capsys: pytest.CaptureFixture[str]
) -> None:
    host.channels(
        'gone: { webhook: "http://127.0.0.1:9/secret-path" }', f'here: {{ webhook: "{hook.url}" }}'
    )
    fail_a_night(history)
    assert host.notify() == ExitCode.RUN_FAILED
    said = capsys.readouterr()
    assert "127.0.0.1 did not take a notice" in said.err
    assert "secret-path" not in said.err + said.out
    assert "here was told: nightly on host-a" in said.out
    hook.status = 503
    assert host.notify() == ExitCode.RUN_FAILED
    host.channels(f'gone: {{ webhook: "{hook.url}" }}', f'here: {{ webhook: "{hook.url}" }}')
    assert host.notify() == ExitCode.RUN_FAILED
    assert "it answered 503" in capsys.readouterr().err
    hook.status = 200
    assert host.notify() == ExitCode.PASS
    assert len(hook.documents) == 2, "each channel once"


def test_a_server_that_answers_without_end_is_not_waited_for(
    host: Host, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(post, "_SECONDS", 0.4)
    with dripping(HEADERS) as port:
        host.channels(f"team: {{ webhook: 'http://127.0.0.1:{port}/s3cret', {ALL} }}")
        assert host.notify("--test") != 0
    assert (
        "127.0.0.1 did not take a notice: it did not answer within 0.4 s" in capsys.readouterr().err
    )


def test_no_notice_goes_where_an_answer_leads(history: History, host: Host, hook: Posted) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}/from" }}')
    fail_a_night(history)
    hook.status, hook.moved_to = 302, f"{hook.url}/to"
    assert host.notify() == ExitCode.RUN_FAILED
    assert hook.paths == ["/from"]


def test_a_dry_run_and_a_test_leave_nothing(
    history: History, host: Host, hook: Posted, capsys: pytest.CaptureFixture[str]
) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}" }}')
    fail_a_night(history)
    assert host.notify("--dry-run") == ExitCode.PASS
    assert "a would be told: nightly on host-a" in capsys.readouterr().out
    assert [host.notify("--test"), host.notify("--test")] == [ExitCode.PASS, ExitCode.PASS]
    assert [document["event"] for document in hook.documents] == ["test", "test"]
    jsonschema.validate(hook.documents[0], SCHEMA)
    assert host.notify() == ExitCode.PASS
    assert len(hook.documents) == 3


def test_a_room_is_told_in_words_that_call_nobody(
    history: History, host: Host, hook: Posted
) -> None:
    host.channels(f'a: {{ slack: "{hook.url}" }}', top="site: https://perf.example/site\n")
    said = "<!channel> @here [x](http://evil) www.evil.example & `a`\nnew line"
    hostile = replace(FAILED, sentence=said)
    fail_a_night(history, verdict=hostile)
    assert host.notify() == ExitCode.PASS
    ((only,),) = [list(document) for document in hook.documents]
    text = hook.documents[0][only]
    assert only == "text"
    assert "<!channel>" not in text
    assert "@here" not in text
    assert "&lt;!channel&gt;" in text
    assert "http://evil" not in text, "an address alone is a link there"
    assert "www.evil" not in text
    title, _, link = text.split("\n")
    assert title.startswith("*nightly on host-a: the night of")
    assert link == "<https://perf.example/site/nightly/index.html>"


@pytest.mark.parametrize("site", ["https://perf.example/x", "https://perf.example/x/index.html"])
def test_a_link_leads_to_a_page_that_the_site_has(
    history: History, host: Host, hook: Posted, tmp_path: Path, site: str
) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}" }}', top=f"site: {site}\n")
    history.add(*noisy(2, (5, 1000.0)))
    fail_a_night(history)
    assert host.notify() == ExitCode.PASS
    made = run_command(["site", str(tmp_path / "site"), "--store", history.url])
    assert made == ExitCode.PASS
    (document,) = hook.documents
    assert (tmp_path / "site" / document["link"].removeprefix("https://perf.example/x/")).is_file()


@pytest.fixture
def sendmail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script in its place: it keeps its words and the mail."""
    script = tmp_path / "bin/sendmail"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\ncat > {tmp_path}/mail\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    return script


def test_mail_goes_by_the_hosts_sendmail(
    history: History, host: Host, tmp_path: Path, sendmail: Path
) -> None:
    host.channels("a: { sendmail: [storage@example.org, root] }")
    hostile = replace(FAILED, sentence="run fails: été\r\nBcc: somebody@example.org")
    fail_a_night(history, verdict=hostile)
    assert host.notify() == ExitCode.PASS
    assert (tmp_path / "words").read_text() == "-i -- storage@example.org root\n"
    mail = email.message_from_bytes((tmp_path / "mail").read_bytes(), policy=email.policy.default)
    assert mail["Subject"].startswith("[iogate] nightly on host-a: the night of")
    assert mail["Bcc"] is None
    assert "été" in mail.get_content()
    sendmail.write_text("#!/bin/sh\necho no room >&2\nexit 75\n")
    fail_a_night(history, id="next", started_ns=2)
    assert host.notify() == ExitCode.RUN_FAILED


@pytest.mark.usefixtures("sendmail")
def test_a_mail_of_an_alert_says_what_moved_and_what_to_do(
    history: History, host: Host, tmp_path: Path
) -> None:
    host.channels("a: { sendmail: [storage@example.org] }")
    history.add(*noisy(1, (60, 1000.0), (9, 360.0)))
    assert host.notify() == ExitCode.PASS
    mail = email.message_from_bytes((tmp_path / "mail").read_bytes(), policy=email.policy.default)
    subject, body = mail["Subject"], mail.get_content()
    assert subject.startswith("[iogate] nightly on host-a: write.iops -6")
    alert = subject.split("(")[1].removesuffix(")")
    assert "write.iops of log: 1.0" in body
    assert "iogate trend nightly --host host-a\n" in body
    assert f"iogate ack {alert} --reason" in body
    assert "iogate bisect SPEC --good 00000000003" in body


def test_an_alert_is_told_once_where_two_specs_measure_the_same(
    history: History, host: Host, hook: Posted
) -> None:
    """A spec that was given another name, and one that another host measured."""
    host.channels(f'a: {{ webhook: "{hook.url}" }}')
    history.add(*noisy(1, (60, 1000.0), (9, 360.0)))
    renamed = replace(history.plan, spec_name="renamed")
    measured = tuple(s.repetitions([360.0], case_id=history.plan.cases[0].id))
    with closing(open_store(history.url)) as store:
        for name, machine_id in (("elsewhere", "machine-z"), ("renamed", "machine-a")):
            plan = replace(renamed, spec_name=name)
            at_ns = history.nights * DAY_NS
            run = s.run(name, started_ns=at_ns, the_plan=plan, measurements=measured)
            there = replace(run.host, machine_id=machine_id)
            store.add_runs([replace(run, host=there)])
    assert host.notify() == ExitCode.PASS
    assert [(told["spec"], told["event"]) for told in hook.documents] == [("renamed", "alert")]


def test_an_alert_is_told_once_where_its_spec_is_renamed(
    history: History, host: Host, hook: Posted
) -> None:
    host.channels(f'a: {{ webhook: "{hook.url}", {ALL} }}')
    history.add(*noisy(1, (60, 1000.0), (9, 360.0)))
    assert host.notify() == ExitCode.PASS
    history.plan = replace(history.plan, spec_name="renamed")
    history.add(360.0)
    assert host.notify("--spec", "renamed") == ExitCode.PASS  # as a nightly unit asks
    assert host.notify() == ExitCode.PASS
    history.add(*noisy(2, (20, 1000.0)))
    assert host.notify() == ExitCode.PASS
    told = [(document["spec"], document["event"]) for document in hook.documents]
    assert told == [("nightly", "alert"), ("renamed", "recovered")]


WRONG = {
    "channels: {}\n": "no version: 1",
    "version: 2\nchannels: {}\n": "no version: 1",
    "version: 1\n": "no channels:",
    "version: 1\nchanels: {}\n": "did you mean 'channels'?",
    "version: 1\nchannels: { a: { events: [alert] } }\n": "channel a needs one of",
    'version: 1\nchannels: { a: { webhook: "ftp://x/y" } }\n': "no address to post to",
    'version: 1\nchannels: { a: { webhook: "file:///etc/passwd" } }\n': "no address to post to",
    "version: 1\nchannels: { a: { slack: [1] } }\n": "no address to post to",
    "version: 1\nchannels: { a: { sendmail: [-f@x] } }\n": "no list of mail addresses",
    "version: 1\nchannels: { a: { sendmail: [] } }\n": "no list of mail addresses",
    "version: 1\nchannels: { a: { sendmail: [a@b], events: [test] } }\n": "no list of events",
    "version: 1\nchannels: [a]\n": "keys and values are expected",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_the_settings_is_told_with_its_place(
    host: Host, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    host.settings.write_text(text)
    assert host.notify() == ExitCode.USAGE
    said = capsys.readouterr().err
    assert WRONG[text] in said
    assert f"{host.settings}:" in said


def test_settings_that_others_could_write_are_refused(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    host.channels("a: { sendmail: [a@example.org] }")
    host.settings.chmod(0o666)
    assert host.notify() == ExitCode.REFUSED
    assert "chmod go-w" in capsys.readouterr().err


def test_where_nothing_says_whom_to_tell_that_is_told(
    history: History,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("IOGATE_NOTIFY", raising=False)
    history.add(1.0)
    assert run_command(["notify", "--store", history.url]) == ExitCode.USAGE
    assert f"there is no {tmp_path}/iogate/notify.yaml or /etc/iogate/notify.yaml" in (
        capsys.readouterr().err
    )


def test_a_spec_says_nothing_of_whom_to_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text('version: 1\nnotify: { webhook: "http://evil.example/" }\n')
    assert run_command(["validate", str(spec)]) == ExitCode.USAGE
    assert "unknown key 'notify'" in capsys.readouterr().err


def test_what_cannot_be_noted_keeps_nobody_from_being_told(
    tmp_path: Path,
    history: History,
    host: Host,
    hook: Posted,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As on a full disk."""
    host.channels(f'a: {{ webhook: "{hook.url}/a" }}', f'b: {{ webhook: "{hook.url}/b" }}')
    fail_a_night(history)
    in_the_way = tmp_path / "data/iogate/.told.json.new"
    in_the_way.mkdir(parents=True)
    assert host.notify() == ExitCode.RUN_FAILED
    assert hook.paths == ["/a", "/b"]
    said = capsys.readouterr().err
    assert said.count("it was told, which cannot be kept in") == 2
    assert "told.json: Is a directory" in said
    in_the_way.rmdir()
    assert [host.notify(), host.notify()] == [ExitCode.PASS, ExitCode.PASS]
    assert len(hook.paths) == 4, "once more, as nobody knows that they were told"


def test_a_broken_memory_is_told(
    history: History, host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host.channels("a: { sendmail: [a@example.org] }")
    history.add(1.0)
    memory = tmp_path / "data/iogate/told.json"
    memory.parent.mkdir(parents=True)
    memory.write_text('{"told": [["a"]]}')
    assert host.notify() == ExitCode.RUN_FAILED
    assert "remove it: what is open is then told once more" in capsys.readouterr().err


@pytest.mark.parametrize("sign", "\n\r\x0b\x1c\x85\u2028\u2029\u202e\ud800")
def test_a_name_of_a_host_keeps_no_mail_from_being_made(sign: str) -> None:
    """A machine elsewhere chooses it, and the library takes more for a line break than \\n."""
    notice = trial(f"lab{sign}Bcc: somebody@example.org", now_ns=1)
    mail = email.message_from_bytes(bytes(mail_of(notice, ("storage@example.org",))))
    assert mail["Bcc"] is None
    assert mail["To"] == "storage@example.org"
