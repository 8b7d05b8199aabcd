"""Run a program of this folder with MuJoCo, or with Conjoint in its place.

Usage: python -m clients.run_program PACKAGE PROGRAM [ARGUMENT ...], from the folder of the tests.

PACKAGE is `mujoco`, or `conjoint`, which then stands for the version of the official package that is installed.
"""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version


def main() -> None:
    """Install the package of the first argument as `mujoco`, and run the program of the second."""
    package, program, *arguments = sys.argv[1:]
    if package == "conjoint":
        # asked before this package answers for the other
        official = version("mujoco")
        importlib.import_module(package).install_as_mujoco(official)
    assert importlib.import_module("mujoco").MjModel.__module__.partition(".")[0] == package
    importlib.import_module(f"clients.{program}").main(*arguments)


if __name__ == "__main__":
    main()
