"""Physics kernels, with one subpackage for each stage of the Computation chapter."""

from importlib import import_module

# load the whole package before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
