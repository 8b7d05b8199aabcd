"""Everything that exists only for programs written for the official package, under its name `mujoco`.

Nothing in Conjoint imports this package, except the public face (`conjoint/__init__.py`), by name and on first use. One
file serves one subject.
"""
