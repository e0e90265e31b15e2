"""A client of yaml-language-server: what an editor would show of one file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

_SETTINGS = {"validate": True, "hover": True, "completion": True}


class LanguageServer:
    """Speaks to one server, of which one file is open."""

    def __init__(self, server: Path, path: Path) -> None:
        self._uri = path.resolve().as_uri()
        self._text = path.read_text(encoding="utf-8")
        self._process = subprocess.Popen(
            [Path(sys.prefix) / "bin" / "node", server, "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        able = {"workspace": {"configuration": True}}
        self._ask("initialize", {"processId": None, "rootUri": None, "capabilities": able})
        self._send({"method": "initialized", "params": {}})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def problems(self) -> list[str]:
        """What is marked in the file once it is opened: "line: message", lines from 1."""
        document = {"uri": self._uri, "languageId": "yaml", "version": 1, "text": self._text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        told = self._wait(lambda m: m.get("method") == "textDocument/publishDiagnostics")
        return [
            f"{each['range']['start']['line'] + 1}: {each['message']}"
            for each in told["params"]["diagnostics"]
        ]

    def hover(self, word: str) -> str:
        """What is shown over the first place of a word."""
        line, text = next(
            (n, line) for n, line in enumerate(self._text.splitlines()) if word in line
        )
        at = {"line": line, "character": text.index(word) + 1}
        asked = {"textDocument": {"uri": self._uri}, "position": at}
        shown = self._ask("textDocument/hover", asked)["result"]
        return str(shown["contents"]["value"]) if shown else ""

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._send({"id": method, "method": method, "params": params})
        return self._wait(lambda m: m.get("id") == method and "method" not in m)

    def _wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted; the server's own questions are answered meanwhile."""
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                items = (message.get("params") or {}).get("items", ())
                self._send({"id": message["id"], "result": [_SETTINGS for _ in items] or None})
            elif wanted(message):
                return message

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message
