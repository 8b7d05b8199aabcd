"""Constraint solvers: the convex optimization that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`). Their cost is in `cost`.
A method in `method/` minimizes it along lines, which `linesearch` searches. `paper/` has methods that minimize no cost.
The third argument of stages is the storage of the rows.
"""
