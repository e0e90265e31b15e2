"""``python -m iogate``."""

from iogate.cli import main

main()
