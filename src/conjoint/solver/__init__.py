"""Constraint solvers: the convex optimization that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`); what they cost is in
`cost`; a method in `method/` minimizes it along lines that `linesearch` searches. `paper/` has methods that
minimize no cost. Stages get a third argument that says how the rows are stored.
"""
