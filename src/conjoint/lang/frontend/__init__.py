"""Compilation of kernels to LLVM IR: statements are read from the syntax tree; expressions run on IR-writing
numbers."""
