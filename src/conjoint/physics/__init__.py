"""Physics kernels, with one subpackage for each stage of the Computation chapter."""

from importlib import import_module

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
