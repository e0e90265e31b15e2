"""What it costs to measure on a machine elsewhere."""
