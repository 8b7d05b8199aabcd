"""Kernels to LLVM: the syntax tree is read statement by statement, expressions run on numbers that write LLVM IR."""
