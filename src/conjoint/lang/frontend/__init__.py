"""Compilation of kernels to LLVM IR.

Statements are read from the syntax tree; expressions run on numbers that write IR.
"""
