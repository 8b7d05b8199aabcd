"""Constraint solvers: the convex optimization that yields accelerations and constraint forces (pipeline stage 22).

A problem consists of the constraint rows of each world. Their number is `count`, and accessors read them in any
storage format (`linear/`). `cost` defines the cost of the rows. A method in `method/` minimizes this cost along search
directions with the line search of `linesearch`. The methods in `paper/` do not minimize a cost. Stages receive the
storage format of the rows as their third argument.
"""
