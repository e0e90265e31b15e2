"""Settings of the host: applied, noted before they change, and put back."""
