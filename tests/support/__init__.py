"""What several tests build their inputs from."""
