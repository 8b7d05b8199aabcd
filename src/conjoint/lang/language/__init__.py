"""The kernel language: values, formulas, words, and kernels."""
