"""Virtual environments for client programs that need conflicting MuJoCo versions.

`make clients` makes them in out/clients/, each a virtual environment with the official version that its program asks
for: there, the program's results with both packages are compared.

Usage: python -m clients.environments, from the folder of the tests.
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
"""PyTorch for the processor alone, which is a tenth of the usual package."""


class Environment(NamedTuple):
    """Packages of one test environment."""

    packages: tuple[str, ...]
    """Requirements, the newest versions that they allow."""
    before: tuple[str, ...] = ()
    """Arguments of an installation that goes before."""


ENVIRONMENTS = {
    # gymnasium imports packaging and does not ask for it
    "metaworld": Environment(("metaworld>=3.1.1", "packaging")),
    # dm_control reads the fields of exactly one version
    "dm_control": Environment(("dm_control>=1.0.50", "mujoco==3.17.0")),
    "mink": Environment(("mink>=1.3.0", "mujoco>=4.0.0", "daqp")),
    # these compare numbers of NumPy with members of enums, which is false with official versions since 3.12
    "gymnasium_robotics": Environment(("gymnasium-robotics>=1.4.2", "gymnasium>=1.4.0", "mujoco==3.3.5")),
    "robosuite": Environment(("robosuite>=1.5.2", "mujoco==3.3.5")),
    "mjlab": Environment(("mjlab>=1.6.0",), before=TORCH),
}


def python_of(name: str) -> Path:
    """Return the interpreter of an environment, which need not be there."""
    folder = FOLDER / name
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


def make(name: str) -> None:
    """Make an environment, or bring it to the newest versions.

    Raises:
        subprocess.CalledProcessError: pip did not find or install something; it printed why.
    """
    environment, python = ENVIRONMENTS[name], python_of(name)
    if not python.exists():
        venv.create(FOLDER / name, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if environment.before:
        subprocess.run([*install, *environment.before], check=True)
    # this package last: what it asks for must not decide which version of a client is taken
    subprocess.run([*install, "--upgrade", *environment.packages, "--editable", ROOT], check=True)


def main() -> None:
    """Make all environments; one that cannot be made is named, and its tests are skipped."""
    for name in ENVIRONMENTS:
        print(f"out/clients/{name}", flush=True)
        try:
            make(name)
        except subprocess.CalledProcessError:
            print(f"out/clients/{name}: not made", file=sys.stderr)


if __name__ == "__main__":
    main()
