"""Variables of a spec: the few that it may read, and that nothing is read a second time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from iogate.errors import SpecError, UsageError
from iogate.spec.text.variables import allowing, expand
from support.specs import fio, option, place, problem

SECRETS = (
    "GH_TOKEN",
    "DB_PWD",
    "GH_PAT",
    "GHPAT",
    "PGPASS",
    "DATABASE_URL",
    "MYAPIKEY",
    "AWS_SECRET_ACCESS_KEY",
    "MY_CREDS",
    "HTTP_AUTH",
    "AUTHORIZATION",
    "session_id",
    "COOKIE_JAR",
    "PRIVATE_PEM",
    "SENTRY_DSN",
    "SLACK_WEBHOOK",
    "ACTIONS_RUNTIME",
    "INFLUX_HOST",
    "STORAGE_SAS",
)
HARMLESS = ("SIZE", "PATH_OF_DISK", "COMPAT", "PATTERN", "AUTHOR", "CURL_VERSION", "SPINDLES")


@pytest.mark.parametrize("name", ["HOME", "IOGATE_SPEC", "IOGATE_VARIABLE", "X", "iogate_var_x"])
@pytest.mark.parametrize("default", ["", ":-/x", ":-"])
def test_only_what_was_put_there_for_a_spec_is_read(
    name: str, default: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "value")
    with pytest.raises(SpecError) as caught:
        expand(f"a${{{name}{default}}}b", None)
    assert name in caught.value.what
    assert f"--env {name}" in caught.value.remedy
    with allowing([name]):
        assert expand(f"a${{{name}{default}}}b", None) == "avalueb"
    with pytest.raises(SpecError):
        expand(f"${{{name}}}", None)


@pytest.mark.parametrize("name", SECRETS)
def test_no_name_of_a_secret_is_read_whatever_allows_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for full in (f"IOGATE_VAR_{name}", f"IOGATE_DEVICE_{name}"):
        monkeypatch.setenv(full, "hidden")
        with pytest.raises(SpecError, match="may be a secret") as caught:
            expand(f"${{{full}:-x}}", None)
        assert "hidden" not in str(caught.value)
    with pytest.raises(UsageError, match="may be a secret"), allowing([name]):
        pass


@pytest.mark.parametrize("name", HARMLESS)
def test_a_name_that_only_holds_such_letters_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"IOGATE_VAR_{name}", "4k")
    assert expand(f"${{IOGATE_VAR_{name}}}", None) == "4k"


@pytest.mark.parametrize(
    "value",
    [
        "postgres://me:pw@db/x",
        "https://ghx@github.com/a",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "AKIAABCDEFGHIJKLMNOP",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.e30.x",
    ],
)
def test_a_value_that_looks_like_a_credential_is_not_read_and_not_printed(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOGATE_VAR_PLACE", value)
    with pytest.raises(SpecError, match="looks like a credential") as caught:
        expand("${IOGATE_VAR_PLACE}", None)
    assert value not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "${IOGATE_VAR_A:-${IOGATE_VAR_B}}",
        ".${IOGATE_VAR_A:-${IOGATE_VAR_B}}./.${IOGATE_VAR_A:-${IOGATE_VAR_B}}./dev/loop0",
        "${${IOGATE_VAR_A}}",
        "${IOGATE_VAR_A",
        "$${IOGATE_VAR_A}{HOME}",
        "$HOME",
        "$ncpus",
        "$(id)",
        "a$",
    ],
)
def test_nothing_is_left_for_an_engine_to_read_again(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOGATE_VAR_A", "")
    monkeypatch.delenv("IOGATE_VAR_B", raising=False)
    error = problem(fio(f"size: 1m, filename: '{text}'"))
    assert place(error) == (4, 35)
    assert error.remedy


def test_a_default_stands_where_the_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IOGATE_DEVICE_SIZE", raising=False)
    assert expand("${IOGATE_DEVICE_SIZE:-1g}", None) == "1g"
    assert expand("a${IOGATE_DEVICE_SIZE:-}b", None) == "ab"
    monkeypatch.setenv("IOGATE_DEVICE_SIZE", "")
    assert option("size: 1m, comm: 'x${IOGATE_DEVICE_SIZE:-1g}'", "comm") == "x"


def test_the_command_line_allows_a_variable_by_its_name(tmp_path: Path) -> None:
    spec = tmp_path / "s.yaml"
    spec.write_text(
        "version: 1\ntargets: {d: {directory: '${WHERE:-/tmp}'}}\n"
        "workloads: {w: {target: d, fio: {size: 1m}}}\n"
    )

    def validate(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "iogate", "validate", *words, str(spec)]
        return subprocess.run(argv, capture_output=True, text=True, check=False)

    refused = validate()
    assert refused.returncode == 2
    assert "s.yaml:2:26" in refused.stderr
    assert "--env WHERE" in refused.stderr
    assert validate("--env", "WHERE").returncode == 0
    assert validate("--env", "WHERE", "--env", "MY_TOKEN").returncode == 2
    assert validate("--env", "A B").returncode == 2
