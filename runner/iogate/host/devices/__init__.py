"""Block devices: what they are, what they hold, what stands on them and who uses them."""
