"""Compatibility with programs written for MuJoCo's Python package, under its name `mujoco`.

Only `conjoint/__init__.py` imports this package, by name and on first use.
"""
