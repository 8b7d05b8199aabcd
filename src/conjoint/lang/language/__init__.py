"""What kernels are written in: values, formulas, words, and kernels themselves."""
