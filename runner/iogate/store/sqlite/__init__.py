"""Histories in one SQLite file."""
