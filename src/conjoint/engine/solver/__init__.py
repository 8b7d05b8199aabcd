"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (stage 22 of the pipeline)."""
