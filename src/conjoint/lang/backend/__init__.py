"""Kernels to machine code, through Numba's type inference and LLVM. Nothing outside `lang` imports this."""
