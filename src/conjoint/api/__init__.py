"""The public names: MjModel, MjData, their parts, and the functions of the official package."""

from importlib import import_module

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
import_module("conjoint.solver")
