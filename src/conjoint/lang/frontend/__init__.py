"""Compilation of kernels to LLVM IR.

Statements are translated from the syntax tree. Expressions are evaluated on symbolic numbers that generate IR.
"""
