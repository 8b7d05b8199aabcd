"""Declarations: fields of models and data, options, enumerations, constants, the MJCF grammar."""

from importlib import import_module

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")
