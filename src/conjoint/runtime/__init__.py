"""Runtime of the engine: plans of models, worlds, tables of stages, pipelines, and profiles."""

from importlib import import_module

# import both packages completely before any of their modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
import_module("conjoint.solver")
