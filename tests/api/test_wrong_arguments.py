"""Invalid arguments raise an error with one sentence that names the argument, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint import minimize, rollout
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.render import RayRenderer

MODEL = conjoint.MjModel.from_xml_string(
    """<mujoco><worldbody><geom type="plane" size="2 2 2"/><body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/>
    <body pos="0 0 .3"><joint axis="0 1 0"/><geom size=".1"/></body></body></worldbody></mujoco>"""
)
DATA = conjoint.MjData(MODEL)
STATES = np.zeros((3, 5))


def assign(owner: Any, name: str, value: Any) -> None:
    setattr(owner, name, value)


def drawn(picture: Any, closed: bool = False, out: Any = None) -> None:
    """Draw the test's world with a renderer, which may be closed first."""
    picture.update_scene(DATA)
    if closed:
        picture.close()
    picture.render(out=out)


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "positions": (lambda: assign(DATA, "qpos", np.zeros(5)), ValueError, r"^qpos, of shape \(2,\): could not broadcast"),
    "base of a sequence": (lambda: conjoint.mju_Halton(5, 1), conjoint.FatalError, "^mju_Halton: base must be at least 2, not 1"),
    "huge factor": (
        lambda: conjoint.mju_addScl3(np.zeros(3), np.zeros(3), 10**400, 1.0), TypeError, "^mju_addScl3: vec2 must be a float64"
    ),
    "steps of no number": (lambda: rollout.rollout(MODEL, DATA, STATES, nstep="a"), TypeError, "^nstep must be an integer, not 'a'"),
    "endless rollout": (lambda: rollout.rollout(MODEL, DATA, STATES, nstep=2**62), ValueError, "^no memory for outputs of shape"),
    "threads of no number": (lambda: rollout.Rollout(nthread="a"), TypeError, "^nthread must be an integer, not 'a'"),
    "endless scene": (lambda: conjoint.MjvScene(MODEL, 2**50), TypeError, "^MjvScene: maxgeom must be an integer of 32"),
    "scene of no number": (lambda: conjoint.MjvScene(MODEL, 1.5), TypeError, "^MjvScene: maxgeom must be an integer, not 1.5"),
    "no near plane": (
        lambda: conjoint.mjv_frustumHeight(conjoint.MjvScene(MODEL, 1)), conjoint.FatalError, "frustum_near too small: call"
    ),
    "unwritable name": (lambda: conjoint.mj_printModel(MODEL, "a\0b"), conjoint.FatalError, "^cannot write 'a"),
    "rows of a matrix": (
        lambda: conjoint.mju_printMatSparse(np.zeros(3), *(np.full(n, 1, np.int32) for n in (2, 3, 3))), TypeError, r"rowadr must have shape \(n,\), here \(2,\), not \(3,\)"
    ),
    "huge positions": (lambda: assign(DATA, "qpos", 10**400), ValueError, r"^qpos, of shape \(\d+,\), contains real numbers, not 1000"),
    "huge option": (lambda: assign(MODEL.opt, "iterations", 2**40), TypeError, r"^opt.iterations must be an integer of 32 bits, not 1099511627776"),
    "huge timestep": (lambda: assign(MODEL.opt, "timestep", 10**400), TypeError, r"^opt.timestep must be a real number, not 1000"),
    "settings of the visualizer": (lambda: assign(MODEL.vis, "map", 1), TypeError, "^MjVisual.map takes another Map, not 1"),
    "new settings": (lambda: assign(MODEL.vis, "colour", 1), AttributeError, "^'MjVisual' object has no attribute 'colour'; its groups are"),
    "array of a list": (lambda: assign(DATA.contact, "dist", 1), AttributeError, r"^_MjContactList.dist cannot be assigned; assign its elements"),
    "new array of a list": (lambda: assign(DATA.warning, "foo", 1), AttributeError, "^_MjWarningStatList.foo does not exist"),
    "half an index": (lambda: DATA.warning[1.5], TypeError, "^_MjWarningStatList: an index must be an integer or a slice, not 1.5"),
    "name of a contact": (lambda: DATA.contact["floor"], TypeError, "^_MjContactList: an index must be an integer or a slice, not 'floor'"),
    "no contacts": (lambda: DATA.contact[0], IndexError, "^Invalid index 0: empty"),
    "geom of a contact": (lambda: assign(conjoint.MjContact(), "geom1", "floor"), TypeError, "^geom1 must be an integer, not 'floor'"),
    "element by nothing": (lambda: MODEL.body(None), TypeError, "^body: an element is selected by its name or id, not by None"),
    "part of a view": (lambda: assign(MODEL.body(1), "pos", [1, 2]), ValueError, r"^pos, of shape \(3,\): could not broadcast"),
    "text of a view": (lambda: assign(MODEL.body(1), "pos", "up"), ValueError, r"^pos, of shape \(3,\), contains real numbers, not 'up'"),
    "title of a plot": (lambda: assign(conjoint.MjvFigure(), "title", 3), TypeError, "^title must be a string, not 3"),
    "gravity": (lambda: assign(MODEL.opt, "gravity", "down"), ValueError, r"^gravity, of shape \(3,\), contains real numbers"),
    "rollout of no states": (lambda: rollout.rollout(MODEL, DATA, None), ValueError, "^initial_state must be given"),
    "rollout of no model": (lambda: rollout.rollout("m.xml", DATA, STATES), TypeError, "model must be an MjModel or a list"),
    "rollout in no world": (lambda: rollout.rollout(MODEL, [None], STATES), TypeError, "data must be an MjData or a list"),
    "steps of a rollout": (
        lambda: rollout.rollout(MODEL, DATA, STATES, nstep=-1), ValueError, "^nstep must be non-negative, an integer, not -1"
    ),
    "threads of rollouts": (lambda: rollout.Rollout(nthread=-1), ValueError, "^nthread must be an integer of at least 0, not -1"),
    "no point to begin from": (lambda: minimize.least_squares(None, np.square), ValueError, "^x0 must contain finite"),
    "residual": (lambda: minimize.least_squares(np.ones(2), 3), TypeError, "^residual must be a function of points, not 3"),
    "model of pictures": (lambda: conjoint.Renderer(None), TypeError, "^Renderer: model must be of type MjModel, not None"),
    "height": (lambda: conjoint.Renderer(MODEL, "a", 10), TypeError, "^Renderer: height must be an integer, not 'a'"),
    "model of rays": (lambda: RayRenderer(None), TypeError, "^RayRenderer: model must be of type MjModel, not None"),
    "width of rays": (lambda: RayRenderer(MODEL, 10.5, 10), TypeError, "^RayRenderer: width must be an integer, not 10.5"),
    "no scene yet": (lambda: RayRenderer(MODEL).render(), RuntimeError, "call update_scene before render"),
    "closed rays": (lambda: drawn(RayRenderer(MODEL), closed=True), RuntimeError, "^render cannot be called after close"),
    "list for a picture": (lambda: drawn(RayRenderer(MODEL), out=[1]), TypeError, r"^out must be a NumPy array, not \[1\]"),
}  # fmt: skip


def test_objects_of_a_package_imported_twice_are_told() -> None:
    """An object from a second import of the package raises an error that explains the duplicate class."""
    twin = type("MjModel", (), {"__module__": type(MODEL).__module__})
    with pytest.raises(
        TypeError, match=r"^mj_step: m must be of type conjoint.MjModel of this import: it belongs to another"
    ):
        conjoint.mj_step(twin(), DATA)


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_used_is_named(case: str) -> None:
    call, error, words = WRONG[case]
    with pytest.raises(error, match=words):
        call()


@pytest.mark.skipif(not jit_enabled(), reason="batches of many worlds: compiled only")
@pytest.mark.parametrize("name", ["keep", "vary"])
def test_lists_of_names_are_no_strings(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^Batch: {name} must be a list of names: \['body_mass'\]"):
        Batch(MODEL, 4, **{name: "body_mass"})


@pytest.mark.skipif(not jit_enabled(), reason="batches of many worlds: compiled only")
def test_arrays_of_a_batch_are_named() -> None:
    batch = Batch(MODEL, 4)
    with pytest.raises(ValueError, match=r"^qpos, of shape \(4, 2\): could not broadcast"):
        batch.qpos = np.zeros((3, 2))
    with pytest.raises(conjoint.FatalError, match="no memory for 1000000000000000 worlds of this model"):
        Batch(MODEL, 10**15)


@pytest.mark.skipif(not jit_enabled(), reason="batches of many worlds: compiled only")
def test_environments_name_what_is_wrong() -> None:
    envs = pytest.importorskip("conjoint.envs", reason="needs gymnasium")
    with pytest.raises(ValueError, match=r"^there is no task 'bogus'"):
        envs.BatchEnv("bogus")
    with pytest.raises(ValueError, match=r"^there is no task 'humanoide'; did you mean 'humanoid'?"):
        envs.BatchEnv("humanoide")
    with pytest.raises(TypeError, match=r"^a task must be a Task or its name, not None"):
        envs.BatchEnv(None)
    with pytest.raises(conjoint.FatalError, match=r"no field 'body_masss'; did you mean 'body_mass'?"):
        envs.BatchEnv("cartpole", 4, randomize={"body_masss": (0.9, 1.1)})
    worlds = envs.BatchEnv("cartpole", 4)
    with pytest.raises(ValueError, match=r"^reset_mask must be 4 booleans, not an array of bool of shape \(3,\)"):
        worlds.reset(options={"reset_mask": np.zeros(3, bool)})


def test_pages_name_what_is_wrong(tmp_path: Any) -> None:
    pytest.importorskip("viser")
    from conjoint.viewer import web

    for launch in (web.launch, web.launch_passive):
        with pytest.raises(ValueError, match=r"`data` is not a mujoco.MjData: got 3"):
            launch(MODEL, 3)
        with pytest.raises(conjoint.FatalError, match=r"^port must be an integer from 1 to 65535, not 70000"):
            launch(MODEL, DATA, port=70000)
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match=r"^state 1 is not finite"):
        web.export_page(MODEL, [np.zeros(2), np.full(2, np.nan)], path)
    assert not path.exists()
