"""What was measured × limits → a verdict. Pure: no clock, no file, no store."""
