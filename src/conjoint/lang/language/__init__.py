"""Kernel language: values, formulas, words, and kernels themselves."""
