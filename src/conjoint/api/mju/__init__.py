"""Utility functions for vectors, quaternions, matrices and numbers (`mju_*`)."""
