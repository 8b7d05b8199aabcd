"""Public names: MjModel, MjData, their parts, and the functions of MuJoCo's Python package."""

from importlib import import_module

# import these packages completely before any of their modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
import_module("conjoint.solver")
