"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`); what they cost is in
`cost`; a method in `method/` minimises it along lines that `linesearch` searches. `paper/` has methods that
minimise no cost. Stages get a third argument that says how the rows are stored.
"""
