"""The command line: one file a command, imported only when it is called.

To add a command: a file in this folder with a click command named ``command``, and one
line in ``COMMANDS``. This file imports next to nothing, so that --help is quick: click
alone takes longer to load than python to start.
"""

from __future__ import annotations

import os
import sys

import iogate

COMMANDS = {
    "init": "Write a commented spec to start from.",
    "validate": "Check specs without running anything.",
    "compile": "Print the job files that a spec compiles to.",
    "run": "Measure, store, judge and report.",
    "ab": "Compare two arms of a spec, block by block.",
    "canary": "Compare a spec with itself, to measure the noise of the host.",
    "dispatch": "Measure on several hosts at once, and judge them together.",
    "plan": "Say which change a number of blocks can detect, and how long they take.",
    "report": "Render the report of a run again.",
    "history": "List and show the runs of the history.",
    "trend": "Find where nightly numbers moved to a new level.",
    "ack": "Mark an alert as known.",
    "accept": "Take the new level of an alert as the baseline.",
    "reopen": "Undo an ack, an accept or a confirmation.",
    "fleet": "Show where each host stands among the others.",
    "site": "Write HTML pages of all trends.",
    "nightly": "Measure a spec every night, by a timer of systemd.",
    "notify": "Tell people of new alerts and failed nights.",
    "openmetrics": "Write what the history says as Prometheus reads it.",
    "serve": "Serve a live history as web pages, read-only.",
    "bisect": "Find the revision that caused a regression.",
    "doctor": "Check whether this host is fit to measure, and say what to change.",
    "host": "Let users who are not root measure devices on this host.",
    "engines": "List the engines that can measure.",
    "schema": "Print the JSON Schema of a spec, for editors.",
    "completion": "Print a script that makes a shell complete iogate's words.",
}

# Set by the script of 'iogate completion' when a shell asks.
COMPLETING = "_IOGATE_COMPLETE"

MACHINE_HELP = "Work on ssh:[USER@]HOST[:PORT], host:FILE or vm:FILE. Default: this machine."
INTERRUPTED = "interrupted; what was measured is kept"
HELP = "Gate storage performance in CI: specs in, a verdict and a report out."


def main() -> None:
    """Run the command line and exit with the documented code."""
    _hold_streams()
    words = sys.argv[1:]
    if COMPLETING not in os.environ and _answered(words):
        sys.exit(0)
    try:
        from iogate.cli.entry import run_command
    except KeyboardInterrupt as error:  # while it loads; later ones are the command's
        from iogate.exits import of_error

        print(f"\niogate: {INTERRUPTED}", file=sys.stderr)
        sys.exit(of_error(error))
    sys.exit(run_command(words))


def _hold_streams() -> None:
    """Where a caller has closed stdin, stdout or stderr, the next file that is opened (a history,
    say) would take its number, and what is printed would go into it."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != fd:
                os.dup2(nothing, fd)
                os.close(nothing)
            os.set_inheritable(fd, True)
            setattr(sys, name, os.fdopen(fd, "w" if fd else "r", encoding="utf-8", closefd=False))


def _answered(words: list[str]) -> bool:
    """What needs no command is answered here, quickly."""
    if words and words[0] not in ("-h", "--help", "--version"):
        return False
    version = words and words[0] == "--version"
    try:
        print(f"iogate, version {iogate.__version__}" if version else help_text(), flush=True)
    except BrokenPipeError:  # ``iogate --help | head -1`` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def help_text() -> str:
    """What ``iogate --help`` prints."""
    width = max(len(name) for name in COMMANDS)
    commands = "\n".join(f"  {name.ljust(width)}  {text}" for name, text in COMMANDS.items())
    return (
        "Usage: iogate [OPTIONS] COMMAND [ARGS]...\n\n"
        f"  {HELP}\n\n"
        "Options:\n"
        f"  --machine MACHINE  {MACHINE_HELP}\n"
        "  --version          Show the version and exit.\n"
        "  -h, --help         Show this message and exit.\n\n"
        f"Commands:\n{commands}"
    )
