"""Run a program of this folder with MuJoCo, or with Conjoint in its place.

Usage: python -m clients.run_program PACKAGE PROGRAM [ARGUMENT ...], in the tests folder.

PACKAGE is `mujoco`, or `conjoint`, which then stands in for the installed MuJoCo version.
"""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version


def main() -> None:
    """Install the package named by the first argument as `mujoco`, and run the program named by the second."""
    package, program, *arguments = sys.argv[1:]
    if package == "conjoint":
        # get the version before Conjoint replaces MuJoCo
        official = version("mujoco")
        importlib.import_module(package).install_as_mujoco(official)
    assert importlib.import_module("mujoco").MjModel.__module__.partition(".")[0] == package
    importlib.import_module(f"clients.{program}").main(*arguments)


if __name__ == "__main__":
    main()
