"""The abstract visualizer: the scene of a world, cameras, perturbations, and selection with the mouse."""

from importlib import import_module

# Import this package completely before any of its modules (CONTRIBUTING.md, Threads and imports).
import_module("conjoint.lang")
