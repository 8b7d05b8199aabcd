"""Vectors, matrices and their factors in arrays of a caller (mju_*), row by row; sorting of indices."""
