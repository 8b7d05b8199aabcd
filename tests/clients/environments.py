"""Virtual environments for client programs that need conflicting MuJoCo versions.

`make clients` creates them in out/clients/, each with the MuJoCo version that its program requires. In each environment,
the program's results with both packages are compared.

Usage: python -m clients.environments, in the tests folder.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "out" / "clients"
TORCH = ("--index-url", "https://download.pytorch.org/whl/cpu", "torch")
"""pip arguments for a CPU-only PyTorch, which is a tenth of the usual size."""


class Environment(NamedTuple):
    """Packages of one virtual environment."""

    packages: tuple[str, ...]
    """Requirements; the newest versions that they allow are installed."""
    before: tuple[str, ...] = ()
    """pip arguments of an installation that precedes the requirements."""


ENVIRONMENTS = {
    # gymnasium imports packaging without requiring it
    "metaworld": Environment(("metaworld>=3.1.1", "packaging")),
    # dm_control reads the fields of exactly one MuJoCo version
    "dm_control": Environment(("dm_control>=1.0.50", "mujoco==3.17.0")),
    "mink": Environment(("mink>=1.3.0", "mujoco>=4.0.0", "daqp")),
    # these compare NumPy numbers with enum members, which are never equal in MuJoCo since 3.12
    "gymnasium_robotics": Environment(("gymnasium-robotics>=1.4.2", "gymnasium>=1.4.0", "mujoco==3.3.5")),
    "robosuite": Environment(("robosuite>=1.5.2", "mujoco==3.3.5")),
    "mjlab": Environment(("mjlab>=1.6.0",), before=TORCH),
}


def python_of(name: str) -> Path:
    """Return the path of an environment's interpreter, which need not exist."""
    folder = FOLDER / name
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


def make(name: str) -> None:
    """Create an environment, or update its packages to the newest versions.

    Raises:
        subprocess.CalledProcessError: pip did not find or install a package; it printed the reason.
    """
    environment, python = ENVIRONMENTS[name], python_of(name)
    if not python.exists():
        venv.create(FOLDER / name, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if environment.before:
        subprocess.run([*install, *environment.before], check=True)
    # install Conjoint last, so that its requirements do not determine the version of a client
    subprocess.run([*install, "--upgrade", *environment.packages, "--editable", ROOT], check=True)


def main() -> None:
    """Create all environments; print the names of those that fail, whose tests are then skipped."""
    for name in ENVIRONMENTS:
        print(f"out/clients/{name}", flush=True)
        try:
            make(name)
        except subprocess.CalledProcessError:
            print(f"out/clients/{name}: not made", file=sys.stderr)


if __name__ == "__main__":
    main()
