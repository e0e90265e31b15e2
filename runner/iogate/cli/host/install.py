"""``iogate host install``: put the helper on this host."""

from __future__ import annotations

import click

from iogate.cli.machine import own_machine
from iogate.cli.say import say
from iogate.host.install import install, serve
from iogate.host.locks.host_lock import host_lock


@click.command(short_help="Let users measure what needs root on this host.")
@click.option(
    "--user",
    "users",
    multiple=True,
    metavar="NAME",
    help="User who may use the helper; may be repeated.",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="PATH",
    help="Device that they may overwrite, identified by its serial number or WWN; may be repeated.",
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME",
    help="Kernel parameter that they may set in addition to the usual ones; may be repeated.",
)
@click.option(
    "--durable",
    multiple=True,
    metavar="SETTING",
    help="A setting (block.NAME, sysctl.NAME) that outlives a power loss here: put back at boot.",
)
@click.option("--no-kernel-log", is_flag=True, help="Do not let them read the kernel's log.")
def command(
    *,
    users: tuple[str, ...],
    devices: tuple[str, ...],
    parameters: tuple[str, ...],
    durable: tuple[str, ...],
    no_kernel_log: bool,
) -> None:
    """Let users measure what needs root on this host, and nothing else, through sudo.

    To be run as root. Installs a helper that only root can change, what it serves, a line for
    sudo, and a unit that puts back at boot what outlives a power loss. Again, with other
    options, it replaces what it has installed.
    """
    served = serve(
        own_machine(),
        users,
        devices,
        parameters=parameters,
        durable=durable,
        kernel_log=not no_kernel_log,
    )
    with host_lock(own_machine(), "install"):
        made = install(served)
    for path in made:
        say(str(path))
