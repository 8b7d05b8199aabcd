"""From Python to machine code: loading kernels, calling them, running tables of them."""
