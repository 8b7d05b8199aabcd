"""Compatibility with programs that were written for MuJoCo's Python package and import it as `mujoco`.

Only `conjoint/__init__.py` imports this package, by name and on first use.
"""
