"""How a host is booted into a kernel: its description, the ways to boot, and what came up."""
