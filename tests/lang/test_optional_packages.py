"""Without the packages of an extra, everything else works, and errors name the extra to install."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conjoint.lang.optional_packages import EXTRAS, packages
from places import ROOT
from waiting import PATIENCE

START = """
import sys
from importlib.abc import MetaPathFinder

ABSENT = {absent!r}

class Absent(MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {{fullname!r}}", name=fullname)

sys.meta_path.insert(0, Absent())
import conjoint
XML = '<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>'
model = conjoint.MjModel.from_xml_string(XML)
data = conjoint.MjData(model)
"""

DOORS = {
    "render": (
        "conjoint.Renderer(model)",
        "conjoint.render.renderer.Renderer(model)",
        "conjoint.install_as_mujoco(); from mujoco.renderer import Renderer; Renderer(model)",
        "conjoint.GLContext(64, 48)",
        "conjoint.install_as_mujoco(); from mujoco.egl import GLContext; GLContext(64, 48)",
        "conjoint.install_as_mujoco(); from mujoco.glfw import GLContext; GLContext(64, 48)",
        "conjoint.install_as_mujoco(); from mujoco.gl_context import GLContext; GLContext(64, 48)",
        "conjoint.MjrContext(model, 150)",
    ),
    "viewer": (
        "import conjoint.viewer; conjoint.viewer.launch(model, data)",
        "import conjoint.viewer; conjoint.viewer.launch_passive(model, data)",
        "import conjoint.viewer; conjoint.viewer.launch_from_path('model.xml')",
    ),
    "web": (
        "from conjoint.viewer import web; web.launch(model, data)",
        "from conjoint.viewer import web; web.launch_passive(model, data)",
    ),
    "video": (
        "import numpy; conjoint.show([numpy.zeros((48, 64, 3), numpy.uint8)]).save('film.mp4')",
        "import numpy; conjoint.show([numpy.zeros((48, 64, 3), numpy.uint8)]).save('film.webm')",
    ),
    "envs": ("import conjoint.envs", "from conjoint.envs import BatchEnv"),
    "sb3": ("import conjoint.envs.stable_baselines",),
    "ray": ("import conjoint.batch.cluster", "from conjoint.batch.cluster import ClusterBatch"),
    "jax": ("from conjoint.derivative import jax_step; jax_step(model)",),
    "torch": ("from conjoint.derivative import torch_step; torch_step(model)",),
}

COMMANDS = {
    "render": ("record", "model.xml", "film.gif"),
    "video": ("record", "model.xml", "film.mp4", "--rays"),
    "plot": ("simulate", "model.xml", "--plot", "plot.png"),
    "viewer": ("view", "model.xml"),
    "web": ("view", "model.xml", "--web"),
    "robots": ("simulate", "robot_descriptions:panda"),
    "envs": ("simulate", "model.xml", "--policy", "policy.npz"),
}


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, timeout=PATIENCE)


def started(extra: str) -> str:
    # windows need the drawing packages as well, but these belong to another extra
    modules = EXTRAS[extra][1:] if extra == "viewer" else EXTRAS[extra]
    return START.format(absent=modules)


@pytest.mark.parametrize("extra", DOORS)
def test_every_door_names_the_extra(extra: str, tmp_path: Path) -> None:
    doors = "".join(
        f"try:\n    {door}\n    print('no error: ' + {door!r})\n"
        f"except conjoint.FatalError as error:\n    print(isinstance(error, ImportError), error)\n"
        for door in DOORS[extra]
    )
    done = run(started(extra) + doors, tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(DOORS[extra])
    for door, line in zip(DOORS[extra], lines, strict=True):
        assert line.startswith("True ") and line.endswith(f"pip install 'conjoint[{extra}]'"), (door, line)


@pytest.mark.parametrize("extra", COMMANDS)
def test_commands_name_the_extra(extra: str, tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(
        '<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    code = started(extra) + f"sys.argv[1:] = {COMMANDS[extra]!r}\nfrom conjoint.cli.app import main\nmain()\n"
    done = run(code, tmp_path)
    assert done.returncode == 2, done.stderr
    assert f"pip install 'conjoint[{extra}]'" in done.stderr and "Traceback" not in done.stderr


def test_all_names_are_there_without_any_extra(tmp_path: Path) -> None:
    absent = tuple({module for modules in EXTRAS.values() for module in modules})
    done = run(
        START.format(absent=absent) + "from conjoint import *\nprint(Renderer.__name__, mj_step.__name__)", tmp_path
    )
    assert done.stdout.split() == ["Renderer", "mj_step"], done.stderr


def test_the_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    assert set(EXTRAS) == set(optional) - {"test", "clients", "docs", "dev"}
    known = {name for extra in EXTRAS for name in packages(extra)}
    for extra in EXTRAS:
        for requirement in optional[extra]:
            name = requirement.partition(">")[0]
            assert name.startswith("conjoint[") or any(name.startswith(each) for each in known), name
