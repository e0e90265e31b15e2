"""A page made to be served: with what is going on at its top, and a script that renews it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup, escape

from iogate.model.run import Run
from iogate_reports.inline import digest, script
from iogate_reports.text import moment, plural, short

OFTEN_S, SELDOM_S = 3, 30
"""How often a page asks for another while a run is in progress, and else."""
_MAIN = '<main id="main">\n'


@dataclass(frozen=True, slots=True)
class Served:
    """A page as it goes to a browser. ``tag`` is another when the page is."""

    text: str
    tag: str


def make_live(
    page: str, running: Sequence[tuple[Run, int, str]], problems: Sequence[str] = ()
) -> Served:
    """``page`` is one of this package's; ``running`` are runs in progress with how many
    repetitions each has and what is to say of it by now; ``problems`` are what could not be
    shown."""
    strip = _strip(running, problems)
    tag, own = (hashlib.sha256(text.encode()).hexdigest()[:20] for text in (page + strip, page))
    every = OFTEN_S if running else SELDOM_S
    code = script("live.js")
    allowed = f"script-src 'sha256-{digest(code)}'"
    with_policy = (
        page.replace("script-src", allowed, 1)
        if "script-src" in page.partition("</head>")[0]
        else page.replace("style-src", f"{allowed}; style-src", 1)
    ).replace("base-uri", "connect-src 'self'; base-uri", 1)
    own_script = f'<script data-tag="{tag}" data-page="{own}" data-every="{every}">{code}</script>'
    text = with_policy.replace(_MAIN, _MAIN + strip, 1).replace(
        "</body>", f"{own_script}\n</body>", 1
    )
    return Served(text, tag)


def _strip(running: Sequence[tuple[Run, int, str]], problems: Sequence[str]) -> str:
    rows = "".join(_row(*each) for each in running)
    rows += "".join(f'<li class="tile">{escape(short(text, 400))}</li>' for text in problems)
    return (
        '<aside aria-label="This history"><p class="calm">A live history: '
        '<a href="/">trends</a>, <a href="/runs">runs</a>. '
        '<span id="live-state" role="status"></span>'
        "<noscript>Without scripts a page is as it was when it was opened.</noscript></p>"
        f'<ul class="tiles" id="live-runs"{"" if rows else " hidden"}>{rows}</ul></aside>\n'
    )


def _row(run: Run, count: int, remark: str) -> str:
    told = Markup('In progress: <a href="/runs/{}">{}</a> on {}, {} so far, since {}{}').format(
        quote(run.id, safe=""),
        short(run.plan.spec_name, 60),
        short(run.host.name, 40),
        plural(count, "repetition"),
        moment(run.started_ns),
        f": {remark}" if remark else "",
    )
    return f'<li class="tile"><span>{told}</span></li>'
