"""The last words of a run elsewhere, as one sentence of a verdict."""

from __future__ import annotations

from iogate.dispatch.words import LastWords


def test_a_message_and_what_to_do_are_told_apart() -> None:
    words = LastWords()
    said = b"noise\niogate: cannot reach lab3: refused\n  try 'ssh lab3 true'\n"
    assert len(list(words.take(said))) == 3
    assert str(words) == "cannot reach lab3: refused; try 'ssh lab3 true'"
