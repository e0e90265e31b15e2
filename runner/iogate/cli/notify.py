"""``iogate notify``: tell people of new alerts and failed nights."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.asked_specs import SPECS, asked_specs
from iogate.cli.say import say
from iogate.cli.table import counted, printable

if TYPE_CHECKING:
    from iogate.history.trends import Question
    from iogate.notify.base import News
    from iogate.notify.tell import Attempt
    from iogate.store import Store

_LAST = 300


@click.command()
@SPECS
@click.option(
    "--settings",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Who is told; by default ~/.config/iogate/notify.yaml, then /etc/iogate/notify.yaml.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be told, and tell nobody.")
@click.option("--test", is_flag=True, help="Send a test notice to every channel, and no other.")
@options.question(_LAST)
def command(
    *,
    specs: tuple[str, ...],
    settings: Path | None,
    dry_run: bool,
    test: bool,
    store: str | None,
    **asked: object,
) -> int:
    """Tell people of regressions that are open, and of the newest night where it failed.

    Whom, and how, is said by a file of the host, never by a spec (docs/trends.md, "Notices"). Each
    channel is told of an alert once. What could not be handed over is tried again by the next call;
    this one then exits 4.
    """
    from iogate import exits
    from iogate.history.trends import Question
    from iogate.notify import WAYS
    from iogate.notify.memory import opened_memory
    from iogate.notify.notices import each_once, news_of, trial
    from iogate.notify.settings import read_settings, settings_file
    from iogate.notify.tell import tell
    from iogate.store import open_kept

    held = read_settings(settings or settings_file(), WAYS)
    now = time.time_ns()
    if test:
        all_news = [news_of(trial(socket.gethostname(), link=held.site, now_ns=now), {})]
    else:
        with closing(open_kept(store)) as opened:
            question = Question(**asked)  # type: ignore[arg-type]
            all_news = each_once(_news(opened, specs, question, held.site, now))
    with opened_memory() as memory:
        attempts = list(tell(held.channels, all_news, memory, dry_run=dry_run))
    _print(attempts, dry_run=dry_run)
    return exits.of_left_out(attempt.error for attempt in attempts if attempt.error)


def _news(
    store: Store, specs: tuple[str, ...], question: Question, site: str, now_ns: int
) -> Iterator[News]:
    """Of the specs of these names, what was measured last first. UsageError where there is none."""
    from iogate.model.silence import silence_of
    from iogate.notify.notices import news_of, notices_of

    all_asked = list(asked_specs(store, specs, question))
    for asked in sorted(all_asked, key=lambda each: each.runs[0].started_ns, reverse=True):
        if asked.trend and (silence := silence_of(asked.trend, now_ns)):
            say(f"iogate: {printable(asked.name)}: {silence}", err=True)
        link = _page_of(asked.name, site)
        for notice in notices_of(asked.name, asked.trend, asked.runs, link=link, now_ns=now_ns):
            yield news_of(notice, asked.measured_by)


def _page_of(spec: str, site: str) -> str:
    """The address of the spec's page in a site; empty where nobody said where that is."""
    from iogate_reports.site.pages import INDEX, spec_address

    return f"{site.removesuffix(INDEX).rstrip('/')}/{spec_address(spec)}" if site else ""


def _print(attempts: list[Attempt], *, dry_run: bool) -> None:
    from iogate.cli.fault import tell_fault

    for attempt in attempts:
        if attempt.error:
            tell_fault(f"channel {attempt.channel}", attempt.error)
        else:
            words = "would be told" if dry_run else "was told"
            line = f"{attempt.channel} {words}: {attempt.notice.title}. {attempt.notice.text}"
            say(printable(line))
    if not attempts:
        say("nothing new to tell")
    elif not dry_run and any(attempt.error for attempt in attempts):
        left = sum(attempt.error is not None for attempt in attempts)
        say(f"{counted(left, 'notice')} left for the next call", err=True)
