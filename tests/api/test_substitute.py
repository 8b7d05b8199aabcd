"""Programs that import mujoco get Conjoint instead, and Conjoint's docstrings start like MuJoCo's."""

from __future__ import annotations

import subprocess
import sys

import mujoco
import pytest

import conjoint
from waiting import PATIENCE

PROGRAM = """
import conjoint
conjoint.install_as_mujoco()
conjoint.install_as_mujoco()
import mujoco
import mujoco.rollout
import mujoco._enums
from mujoco import minimize
import conjoint.minimize, conjoint.rollout
assert mujoco.MjModel is conjoint.MjModel and mujoco.mj_step is conjoint.mj_step
assert dir(mujoco) == dir(conjoint)
assert mujoco.rollout is conjoint.rollout
assert minimize is conjoint.minimize
assert conjoint.rollout.__spec__.name == "conjoint.rollout"
assert mujoco._enums.mjtGeom is conjoint.mjtGeom
assert mujoco._structs.MjModel is conjoint.MjModel
try:
    import mujoco.no_such_module
except ModuleNotFoundError as error:
    print(error)
"""


def test_imports_of_the_official_package_give_this_one() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "No module named 'mujoco.no_such_module'"


VERSIONS = """
import conjoint
own = conjoint.__version__
conjoint.install_as_mujoco()
import importlib.util
import mujoco
import mujoco.viewer
from importlib import metadata
found = [each.version for each in metadata.distributions(name="mujoco")]
assert importlib.util.find_spec("mujoco").name == "mujoco" and mujoco.__name__ == "mujoco"
assert conjoint.__version__ == own == metadata.version("conjoint")
from mujoco import *
assert mjVERSION_HEADER == mj_version() and MjModel is mujoco.MjModel
print(mujoco.__version__, mj_versionString(), metadata.version("mujoco"), found[0], mj_version(), own)
"""


def test_the_version_is_that_which_is_stood_in_for() -> None:
    done = subprocess.run([sys.executable, "-c", VERSIONS], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    *versions, number, own = done.stdout.split()
    assert versions == [mujoco.__version__] * 4
    assert int(number) == mujoco.mj_version()
    assert own == conjoint.__version__ != mujoco.__version__


SCRIPT = """
import runpy, sys
import conjoint
conjoint.install_as_mujoco()
sys.argv[1:] = ["--help"]
runpy.run_module("mujoco.msh2obj", run_name="__main__")
"""


def test_modules_of_the_official_package_run_as_scripts() -> None:
    """`python -m mujoco.msh2obj` works if Conjoint is installed under MuJoCo's name."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "msh2obj" in done.stdout


def test_it_is_too_late_after_the_official_package() -> None:
    with pytest.raises(ImportError, match=r"call install_as_mujoco\(\) before"):
        conjoint.install_as_mujoco()


OTHERWISE = {
    "mj_addM", "mj_defaultSolRefImp", "mj_geomDistance", "mj_ray", "mj_rayHfield", "mj_rayMesh", "mju_rayGeom", "mj_saveModel", "mj_setState", "mjd_subQuat", "mjr_drawPixels",
    "mjr_overlay", "mjr_readPixels", "mju_L1", "mju_isZero", "mju_rayFlex", "mju_raySkin", "mju_standardNormal",
    "mju_sum",
}  # fmt: skip
"""Functions that accept more than MuJoCo's, such as read-only inputs, vectors, file names, or pixels of any shape."""
FAMILIES = ("mj_", "mju_", "mjd_", "mjv_", "mjr_", "get_mj", "set_mj")


def test_docstrings_begin_with_the_official_signature() -> None:
    shared = [name for name in dir(mujoco) if name.startswith(FAMILIES) and name in dir(conjoint)]
    assert len(shared) > 240
    lines = {name: [getattr(each, name).__doc__.split("\n")[0] for each in (conjoint, mujoco)] for name in shared}
    different = {name for name, (mine, its) in lines.items() if mine != its}
    # setters of callbacks are excluded, because here their argument has a name
    assert {name for name in different if not name.startswith("set_mj")} == OTHERWISE - {"mj_saveModel"}
