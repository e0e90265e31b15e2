"""The host that measures: what it is (facts), whether it is fit (checks), which device may
be written (devices, safety, targets), and that only one run measures at a time (lock)."""
