"""The abstract visualizer: the scene of a world, cameras, perturbation and selection by the mouse."""

from importlib import import_module

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
