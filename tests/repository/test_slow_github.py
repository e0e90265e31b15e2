"""A GitHub that answers without end is not waited for by what asks it."""

from __future__ import annotations

import runpy
from typing import Any

import pytest

from repository.tree import ROOT
from support.dripping_server import BODY, HEADERS, dripping

SAID = "no whole answer within 0.4 s"


def script(name: str) -> dict[str, Any]:
    """What a script defines, with less patience."""
    return runpy.run_path(str(ROOT / "scripts" / name))


@pytest.mark.parametrize("head", [HEADERS, BODY])
def test_a_comment_is_not_posted(head: bytes) -> None:
    post = script("post_comment.py")
    call = post["Api"].call
    call.__globals__["TIMEOUT_S"] = 0.4
    with dripping(head) as port, pytest.raises(post["PostError"], match=SAID):
        call(post["Api"](f"http://127.0.0.1:{port}", "token"), "GET", "/user")


@pytest.mark.parametrize("head", [HEADERS, BODY])
def test_nobody_has_approved(head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    admit = script("admit.py")
    reviews = admit["reviews"]
    reviews.__globals__["TIMEOUT_S"] = 0.4
    with dripping(head) as port:
        monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("GITHUB_RUN_ID", "1")
        monkeypatch.setenv("IOGATE_TOKEN", "token")
        with pytest.raises(admit["DeniedError"], match=SAID):
            reviews("some/disk")
