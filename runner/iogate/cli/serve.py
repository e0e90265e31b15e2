"""``iogate serve``: the pages of a live history, for reading."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.errors import RefusedError, UsageError, lacking
from iogate.exits import DONE

if TYPE_CHECKING:
    from iogate.model.plan import Plan

_BIND = "127.0.0.1:8321"
_LAST = 400


@click.command()
@options.STORE
@click.option(
    "--bind", default=_BIND, show_default=True, metavar="ADDRESS:PORT", help="Where to listen."
)
@click.option(
    "--token",
    envvar="IOGATE_SERVE_TOKEN",
    default="",
    metavar="TEXT",
    help="Password of readers; required where other machines can connect. Better in"
    " IOGATE_SERVE_TOKEN, where no list of processes shows it.",
)
@click.option("--spec", "specs", multiple=True, metavar="GLOB", help="Only trends of this spec.")
@options.metrics()
@options.HOST
@options.BRANCH
@options.last(_LAST)
@options.ACROSS
def command(
    *, store: str | None, bind: str, token: str, specs: tuple[str, ...], **asked: object
) -> int:
    """Serve the trends, the list of runs and the report of each, until it is stopped.

    Nothing can be changed through it. Pages renew themselves when the history changes. Readers
    give the token as the password that the browser asks for. There is no encryption: over a
    network that is not trusted, put a proxy with TLS before it.
    """
    from iogate.cli.live import LiveHistory
    from iogate.cli.live_state import Asked
    from iogate.history.killed import as_it_is
    from iogate.history.trends import Question
    from iogate.host.facts import this_host

    serving = _serving()
    host, port = _address(bind, token)
    question = Question(**asked)  # type: ignore[arg-type]
    sut, here = machine(), this_host(machine()).machine_id
    history = LiveHistory(store, Asked(specs, question), lambda run: as_it_is(run, sut, here))
    state, _ = history.state()
    _check_metrics(question.metrics, list(state.plans.values()))
    try:
        opened = serving.listen(host, port)
    except OSError as error:
        raise RefusedError(
            f"cannot listen on {bind}: {_reason(error)}", remedy="name another with --bind"
        ) from None
    with opened:
        name = f"[{host}]" if ":" in host else host
        say(f"http://{name}:{opened.getsockname()[1]}/  (Ctrl-C stops it)")
        try:
            serving.make_server(serving.make_app(history, token)).run(sockets=[opened])
        except KeyboardInterrupt:
            return DONE
    return DONE


def _serving() -> ModuleType:
    """The server, of which not every installation has the packages."""
    try:
        from iogate.cli import serving
    except ModuleNotFoundError as error:
        raise lacking("iogate serve", error, "serve") from None
    return serving


def _reason(error: OSError) -> str:
    """Without what the library adds: it repeats the address."""
    return (error.strerror or str(error)).partition(" (while ")[0]


def _check_metrics(names: Sequence[str], plans: Sequence[Plan]) -> None:
    """UsageError for a metric that none of the specs has: no trend would be shown."""
    from iogate.history.trends import is_pattern
    from iogate.metrics import metric

    for name in names:
        if plans and not is_pattern(name):
            own = [each for plan in plans for each in plan.metrics if each.name == name]
            metric(name, tuple(own[:1]))


def _address(bind: str, token: str) -> tuple[str, int]:
    """Host and port. UsageError for what is neither, or open to others without a token."""
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(
            f"--bind {bind} is not an address and port", remedy=f"for example: {_BIND}"
        )
    if not token and not _serving().is_loopback(host):
        raise UsageError(
            f"other machines can connect to {host}, and no token is required",
            remedy="set IOGATE_SERVE_TOKEN, or listen on 127.0.0.1",
        )
    return host, int(port)
