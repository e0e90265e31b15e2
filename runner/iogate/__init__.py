"""iogate gates storage performance in CI."""

__version__ = "0.1.0"
