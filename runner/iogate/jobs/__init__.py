"""A case as fio knows it: its job file, and what it will take."""
