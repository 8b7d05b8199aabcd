"""Public API: Conjoint's own names, suggestions for wrong names, and errors for wrong arguments."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import conjoint
from programs import run_program

pytestmark = pytest.mark.plain

OWN = {
    "Batch", "Film", "RayRenderer", "Recorder", "Renderer", "derivative", "doctor", "envs", "install_as_mujoco", "minimize",
    "rollout", "sample_model", "semantics", "show", "viewer",
}  # fmt: skip


def test_dir_lists_the_family_first() -> None:
    names = dir(conjoint)
    assert names[: len(OWN)] == sorted(OWN)
    assert names[len(OWN) :] == sorted(names[len(OWN) :]) and len(names) == len(set(names))
    assert {"MjModel", "mj_step", "FatalError", "__version__"} <= set(names)
    assert set(OWN) - set(conjoint.__all__) == {"derivative", "doctor", "envs", "minimize", "rollout", "viewer"}


EVERY = f"""
import conjoint as cj
found = [getattr(cj, name) for name in {sorted(OWN)!r}]
assert cj.Film is found[1] and cj.derivative.jacobian and cj.envs.Task and cj.viewer.launch and cj.viewer.web.launch
assert cj.MjModel.from_xml_path(cj.sample_model("cartpole")).nv == 2
"""


def test_every_name_is_there_after_one_import() -> None:
    run_program(EVERY)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Bacth", "Batch"), ("batchs", "Batch"), ("renderer_", "Renderer"), ("mj_stepp", "mj_step"), ("MjModle", "MjModel"),
        ("jacobian", "conjoint.derivative.jacobian"), ("StepFunktion", "conjoint.derivative.StepFunction"),
        ("BatchEnv", "conjoint.envs.BatchEnv"), ("launch_passive", "conjoint.viewer.launch_passive"),
        ("least_square", "conjoint.minimize.least_squares"),
    ],
)  # fmt: skip
def test_wrong_names_have_a_hint(name: str, meant: str) -> None:
    assert not hasattr(conjoint, name)
    with pytest.raises(
        AttributeError, match=rf"^module 'conjoint' has no attribute '{name}'; did you mean '{meant}'\?$"
    ):
        getattr(conjoint, name)


def test_names_of_nothing_have_no_hint() -> None:
    with pytest.raises(AttributeError, match=r"^module 'conjoint' has no attribute 'spaghetti'$"):
        _ = conjoint.spaghetti  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'jacobain'; did you mean 'jacobian'"):
        _ = conjoint.derivative.jacobain  # type: ignore[attr-defined]


WITHOUT_AN_EXTRA = """
import sys
sys.modules["gymnasium"] = None
import conjoint
assert not hasattr(conjoint, "envs")
for name in ("envs", "BatchEnv"):
    try:
        getattr(conjoint, name)
    except AttributeError as error:
        print(error)
"""


def test_a_module_without_its_extra_names_it() -> None:
    module, name = run_program(WITHOUT_AN_EXTRA)[0].splitlines()
    assert module.startswith("conjoint.envs needs gymnasium") and "pip install 'conjoint[envs]'" in module
    assert name.endswith("did you mean 'conjoint.envs.BatchEnv'?")


def test_the_import_is_light() -> None:
    """`import conjoint` takes under 0.1 s and loads only three small modules, not NumPy."""
    code = "import conjoint, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    own = {name for name in loaded if name.partition(".")[0] == "conjoint"}
    assert own == {"conjoint", "conjoint.lazy", "conjoint.once"} and "numpy" not in loaded


def test_modules_of_the_family_are_modules() -> None:
    assert all(isinstance(getattr(conjoint, name), ModuleType) for name in conjoint.MODULES)


MODEL = conjoint.MjModel.from_xml_string("""
<mujoco>
  <worldbody>
    <camera name="eye" pos="0 -3 0"/>
    <body><joint name="slide" type="slide"/><geom size="1"/><site name="tip"/></body>
  </worldbody>
  <actuator><motor joint="slide"/></actuator>
</mujoco>""")

PICTURE = np.zeros((2, 2, 3), np.uint8)

VALUES: dict[str, Callable[[], Any]] = {
    "nworld": lambda: conjoint.Batch(MODEL, nworld=0),
    "precision": lambda: conjoint.Batch(MODEL, nworld=1, precision="f32"),
    "nthread": lambda: conjoint.Batch(MODEL, nworld=1, nthread=0),
    "vary": lambda: conjoint.Batch(MODEL, nworld=1, vary=["no_such_field"]),
    "nstep": lambda: batch().step(nstep=-1),
    "key": lambda: batch().reset(key=3),
    "worlds": lambda: batch().reset(worlds=[7]),
    "mask": lambda: batch().forward(worlds=np.ones(3, bool)),
    "world": lambda: batch().get_data(5),
    "qacc": lambda: batch().inverse(np.zeros(9)),
    "camera of a batch": lambda: batch().render(camera="nose"),
    "width of a batch": lambda: batch().render(width=0),
    "kind of pictures": lambda: batch().render(what="smell"),
    "site": lambda: batch().lidar("nose", np.eye(3)),
    "snapshot": lambda: batch().restore({"qpos": np.zeros((5, 1))}),
    "width": lambda: conjoint.RayRenderer(MODEL, width=0),
    "height": lambda: conjoint.Renderer(MODEL, height=0),
    "camera": lambda: drawn("nose"),
    "fps": lambda: conjoint.Recorder(MODEL, fps=0),
    "size of a film": lambda: conjoint.Recorder(MODEL, width=-1),
    "frames": lambda: conjoint.Film([]),
    "fps of a film": lambda: conjoint.Film([PICTURE], fps=-1),
    "path": lambda: conjoint.Film([PICTURE]).save("film.txt"),
    "shown": lambda: conjoint.show([]),
    "sample": lambda: conjoint.sample_model("unicorn"),
    "edition": lambda: conjoint.semantics("5.0"),
    "version": lambda: conjoint.install_as_mujoco("1.0"),
    "outputs": lambda: conjoint.derivative.jacobian(MODEL, conjoint.MjData(MODEL), ["qposs"], ["ctrl"]),
    "no inputs": lambda: conjoint.derivative.jacobian(MODEL, conjoint.MjData(MODEL), ["qpos"], []),
    "function": lambda: conjoint.derivative.jacobian(MODEL, conjoint.MjData(MODEL), ["qpos"], ["ctrl"], "mj_leap"),
    "directions": lambda: conjoint.derivative.jvp(MODEL, conjoint.MjData(MODEL), {"ctrl": np.zeros(4)}, ["qpos"]),
    "outputs of a function": lambda: conjoint.derivative.StepFunction(MODEL, outputs=["qposs"]),
    "ctrl of a trajectory": lambda: conjoint.derivative.Trajectory(MODEL, conjoint.MjData(MODEL), np.zeros((2, 4))),
    "task": lambda: conjoint.envs.BatchEnv("unicorn"),
    "num_envs": lambda: conjoint.envs.BatchEnv("cartpole", num_envs=0),
    "render_mode": lambda: conjoint.envs.BatchEnv("cartpole", render_mode="smell"),
    "precision of a task": lambda: conjoint.envs.BatchEnv("cartpole", precision="f32"),
    "model of a window": lambda: conjoint.viewer.launch(None, conjoint.MjData(MODEL)),
}
"""Calls with an invalid argument value, by argument."""

TYPES: dict[str, Callable[[], Any]] = {
    "model": lambda: conjoint.Batch(None, nworld=1),  # type: ignore[arg-type]
    "nworld": lambda: conjoint.Batch(MODEL, nworld="2"),  # type: ignore[arg-type]
    "keep": lambda: conjoint.Batch(MODEL, nworld=1, keep="qpos"),
    "nstep": lambda: batch().step(nstep="2"),  # type: ignore[arg-type]
    "key": lambda: batch().reset(key="home"),  # type: ignore[arg-type]
    "worlds": lambda: batch().reset(worlds="all"),
    "snapshot": lambda: batch().restore(3),  # type: ignore[arg-type]
    "camera of a batch": lambda: batch().render(camera=1.5),  # type: ignore[arg-type]
    "width": lambda: conjoint.RayRenderer(MODEL, width="wide"),  # type: ignore[arg-type]
    "fps": lambda: conjoint.Recorder(MODEL, fps="fast"),  # type: ignore[arg-type]
    "frames": lambda: conjoint.show("frames"),  # type: ignore[arg-type]
    "sample": lambda: conjoint.sample_model(3),  # type: ignore[arg-type]
    "edition": lambda: conjoint.semantics(4.0),  # type: ignore[arg-type]
    "version": lambda: conjoint.install_as_mujoco(4.0),  # type: ignore[arg-type]
    "data": lambda: conjoint.derivative.jacobian(MODEL, None, ["qpos"], ["ctrl"]),  # type: ignore[arg-type]
    "outputs": lambda: conjoint.derivative.jacobian(MODEL, conjoint.MjData(MODEL), [3], ["ctrl"]),  # type: ignore[list-item]
    "task": lambda: conjoint.envs.BatchEnv(3),  # type: ignore[arg-type]
    "setting": lambda: conjoint.envs.BatchEnv("cartpole", colour="red"),
}
"""Calls with an argument of the wrong type, by argument."""


def batch() -> conjoint.Batch:
    """Return a batch of two worlds."""
    return conjoint.Batch(MODEL, nworld=2, nthread=1)


def drawn(camera: str) -> np.ndarray:
    """Return an image from the ray renderer."""
    with conjoint.RayRenderer(MODEL, width=4, height=4) as renderer:
        renderer.update_scene(conjoint.MjData(MODEL), camera=camera)
        return renderer.render()


@pytest.mark.parametrize("name", VALUES)
def test_wrong_values_raise_valueerror(name: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        VALUES[name]()
    assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", TYPES)
def test_wrong_types_raise_typeerror(name: str) -> None:
    with pytest.raises(TypeError, match=r"\w") as caught:
        TYPES[name]()
    assert not isinstance(caught.value, ValueError)


def test_wrong_values_are_fatal_errors_where_programs_for_mujoco_catch_them() -> None:
    data = conjoint.MjData(MODEL)
    calls = (
        lambda: conjoint.mj_setKeyframe(MODEL, data, 7),
        lambda: conjoint.mj_getState(MODEL, data, np.zeros(1), 1 << 30),
        lambda: conjoint.mj_local2Global(data, np.zeros(3), np.zeros(9), np.zeros(3), np.zeros(4), 9, 0),
        lambda: conjoint.Batch(MODEL, nworld=0),
    )
    for call in calls:
        with pytest.raises(conjoint.FatalError) as caught:
            call()
        assert isinstance(caught.value, ValueError)
