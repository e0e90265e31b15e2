"""Pure numeric code: numbers in, numbers out. No I/O, no clock, no hidden randomness.

numpy is imported inside the functions that need it, so that importing a caller stays quick.
"""
