"""One run measures at a time: the locks of a host and of its devices, and who holds them."""
