"""Derivatives of smooth forces with respect to velocities."""
