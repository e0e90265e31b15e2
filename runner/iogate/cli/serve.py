"""``iogate serve``: the pages of a live history, for reading."""

from __future__ import annotations

import click

from iogate.errors import RefusedError, UsageError

_BIND = "127.0.0.1:8321"


@click.command()
@click.option("--store", metavar="URL", help="The history; by default in the user's data folder.")
@click.option(
    "--bind", default=_BIND, show_default=True, metavar="ADDRESS:PORT", help="Where to listen."
)
@click.option(
    "--token",
    envvar="IOGATE_SERVE_TOKEN",
    default="",
    metavar="TEXT",
    help="What readers must know; needed where others than this machine can connect. Better in"
    " IOGATE_SERVE_TOKEN, where no list of processes shows it.",
)
def command(*, store: str | None, bind: str, token: str) -> int:
    """Serve the list of runs and the report of each, until it is stopped.

    Nothing can be changed through it. The page of a run in progress renews itself. Readers
    give the token as the password that the browser asks for. There is no encryption: over a
    network that is not trusted, put a proxy with TLS before it.
    """
    from iogate.cli.serving import Pages, is_loopback, make_server

    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--bind {bind} is no address and port", remedy=f"for example: {_BIND}")
    if not token and not is_loopback(host):
        raise UsageError(
            f"others can connect to {host}, and no token is asked for",
            remedy="set IOGATE_SERVE_TOKEN, or listen on 127.0.0.1",
        )
    try:
        server = make_server(host, int(port), Pages(store), token)
    except OSError as error:
        raise RefusedError(
            f"cannot listen on {bind}: {error.strerror}", remedy="name another with --bind"
        ) from None
    with server:
        click.echo(f"http://{host}:{server.server_port}/  (Ctrl-C stops it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
