"""What derives from a model, worlds, the table of stages, capabilities, profile."""

from importlib import import_module

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
import_module("conjoint.solver")
