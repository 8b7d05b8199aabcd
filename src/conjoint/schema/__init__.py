"""Declarations: fields of models and data, options, enumerations, constants, the MJCF grammar."""

from importlib import import_module

# load `conjoint.lang` completely before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
