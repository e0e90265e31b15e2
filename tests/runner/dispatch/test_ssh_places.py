"""Hosts that ssh takes to the same machine, by the user's own configuration of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.dispatch import open_carrier
from iogate.dispatch.base import Errand
from iogate.errors import UsageError

CONFIG = """\
Host lab3 other
  HostName 192.0.2.3
Host behind-a behind-b
  HostName 192.0.2.4
Host behind-a
  ProxyJump a
Host behind-b
  ProxyJump b
"""


@pytest.fixture
def errand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Errand:
    (tmp_path / "config").write_text(CONFIG)
    monkeypatch.setenv("IOGATE_SSH", f"ssh -F {tmp_path}/config")
    return Errand(tmp_path / "spec.yaml", (), None, tmp_path)


@pytest.mark.parametrize(
    "names", ["lab3,root@other", "192.0.2.3:22,other", "[2001:db8::1],u@[2001:DB8::1]:22"]
)
def test_one_host_under_two_names_is_told(names: str, errand: Errand) -> None:
    with pytest.raises(UsageError, match=r"--to names one host twice: ssh takes .*, port 22"):
        open_carrier(f"ssh:{names}", errand)


@pytest.mark.parametrize("names", ["lab3,other:2222", "behind-a,behind-b"])
def test_what_only_looks_alike_is_not(names: str, errand: Errand) -> None:
    open_carrier(f"ssh:{names}", errand)


def test_a_client_that_does_not_say_where_it_goes(
    errand: Errand, monkeypatch: pytest.MonkeyPatch
) -> None:
    for client in ("/no/such/client", "false", "echo"):
        monkeypatch.setenv("IOGATE_SSH", client)
        open_carrier("ssh:lab3,root@lab3", errand)
