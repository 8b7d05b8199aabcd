"""Run a program in a separate process with MuJoCo, or with Conjoint in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from conjoint.lang.calls.compiled import jit_enabled

FOLDER = Path(__file__).parent
PACKAGES = ("mujoco", "conjoint")


def needs(*modules: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests if a module is missing, or if kernels are uncompiled and steps would take minutes."""
    lost = [name for name in ("mujoco", *modules) if find_spec(name) is None]
    why = f"not installed: {', '.join(lost)}" if lost else "minutes of uncompiled steps"
    return pytest.mark.skipif(bool(lost) or not jit_enabled(), reason=why)


def run_client(
    package: str,
    program: str,
    *arguments: str | Path,
    timeout: float = 600.0,
    drawn_by: str = "disable",
    python: str | Path = sys.executable,
) -> str:
    """Run the module `program` with `package` imported as `mujoco` and MUJOCO_GL=`drawn_by`, and return its output.

    `python` is the interpreter of an environment that contains both packages and the program's requirements.
    """
    environment = {**os.environ, "MUJOCO_GL": drawn_by}
    command = [str(python), "-W", "ignore", "-m", "clients.run_program", package, program, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=FOLDER.parent, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"{program} with {package}:\n{done.stdout[-1000:]}{done.stderr[-3000:]}"
    return done.stdout
