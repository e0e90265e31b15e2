"""What a virtual machine is made of: its description, a kernel, the programs in it, and QEMU."""
