"""Plans of models, worlds, the tables of stages, pipelines, and profiles."""

from importlib import import_module

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
import_module("conjoint.solver")
