"""Utility functions of vectors, quaternions, matrices and numbers (`mju_*`)."""
