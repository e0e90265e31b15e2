"""Work that ends, whatever it is."""

from __future__ import annotations

from iogate.files.limited import work

_ECHO = "print(sys.stdin.read())"


def test_work_prints_what_it_found() -> None:
    assert work(_ECHO, "é", 5) == ("é\n", True)


def test_what_takes_too_much_time_is_ended_and_what_it_printed_before_is_kept() -> None:
    assert work("print('so far', flush=True)\nwhile True: pass", "", 1) == ("so far\n", False)


def test_what_takes_too_much_memory_is_ended() -> None:
    assert work("print(len(bytearray(1 << 30)))", "", 5) == ("", False)


def test_it_ends_without_reading_what_it_is_asked() -> None:
    assert work("raise SystemExit(3)", "x" * (1 << 20), 5) == ("", False)
