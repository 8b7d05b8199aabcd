"""Absurd arguments never cause a raw Python or NumPy error, or a NumPy warning."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint import rollout
from conjoint.batch import Batch
from conjoint.render import RayRenderer
from fuzz.api_worker import judged

XML = """<mujoco><asset><material name="paint"/></asset><worldbody><geom type="plane" size="2 2 2" material="paint"/>
<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/></body></worldbody></mujoco>"""
M = conjoint.MjModel.from_xml_string(XML)
D = conjoint.MjData(M)

HALF, ZERO = "a\ud800", "a\0b"
"""A string with a lone surrogate (half of a character), and a string with a null character."""


def error_of(call: Callable[[], Any]) -> Exception:
    """Return the error that a call raises; assert that it originates in the package."""
    with pytest.raises(Exception) as caught:
        call()
    outcome = judged(caught.value, "conjoint")
    assert outcome.own, outcome.error
    return caught.value


TEXTS: dict[str, Callable[[str], Any]] = {
    "model of a file": conjoint.MjModel.from_xml_path,
    "binary model": conjoint.MjModel.from_binary_path,
    "spec of a file": conjoint.MjSpec.from_file,
    "spec of an archive": conjoint.MjSpec.from_zip,
    "spec to a file": lambda text: conjoint.MjSpec.from_string(XML).to_file(text),
    "spec to an archive": lambda text: conjoint.MjSpec.from_string(XML).to_zip(text),
    "saved model": lambda text: conjoint.mj_saveModel(M, text),
    "saved XML": lambda text: conjoint.mj_saveLastXML(text, M),
    "printed model": lambda text: conjoint.mj_printModel(M, text),
    "printed data": lambda text: conjoint.mj_printData(M, D, text),
    "element of a model": M.body,
    "element of data": D.body,
    "element of a batch": lambda text: Batch(M, 1).body(text),
}
"""Calls that take text, names or paths, where a null character or a lone surrogate is always an error."""


@pytest.mark.parametrize("text", [HALF, ZERO])
@pytest.mark.parametrize("door", TEXTS)
def test_texts_with_a_zero_or_half_a_character(door: str, text: str) -> None:
    error = error_of(lambda: TEXTS[door](text))
    assert isinstance(error, ValueError | TypeError | KeyError | conjoint.FatalError)
    # the message can be encoded, and hence printed
    str(error).encode()


HALVES: dict[str, Callable[[str], Any]] = {
    "text of a model": conjoint.MjModel.from_xml_string,
    "text of a spec": conjoint.MjSpec.from_string,
    "name that is looked for": lambda text: conjoint.mj_name2id(M, 1, text),
    "type of element": conjoint.mju_str2Type,
    "line of the log": lambda text: conjoint.mju_writeLog(text, text),
    "name of a model": lambda text: setattr(conjoint.MjSpec(), "modelname", text),
    "name of a body": lambda text: conjoint.MjSpec().worldbody.add_body(name=text),
    "content of a text": lambda text: conjoint.MjSpec().add_text(name="a", data=text),
    "file of a mesh": lambda text: conjoint.MjSpec().add_mesh(name="a", file=text),
    "default class": lambda text: conjoint.MjSpec().add_default(text, conjoint.MjSpec().default),
    "plugin library": conjoint.mj_loadPluginLibrary,
}


@pytest.mark.parametrize("door", HALVES)
def test_texts_with_half_a_character(door: str) -> None:
    """Strings with lone surrogates raise an ordinary error, because they cannot be encoded as UTF-8."""
    assert isinstance(error_of(lambda: HALVES[door](HALF)), ValueError | TypeError | conjoint.FatalError)


WRONG = {
    "nothing": None, "text": "a", "complex": 1j, "ragged": [[1], [2, 3]], "NaN": float("nan"), "2**64": 2**64,
    "10**400": 10**400, "object": object(), "set": {1, 2}, "iterator": iter([1.0]), "function": len, "-1": -1,
}  # fmt: skip

FIELDS: dict[str, tuple[Callable[[], Any], set[str]]] = {
    "solver_niter": (lambda: D, {"-1"}),
    "eq_active": (lambda: conjoint.MjData(conjoint.MjModel.from_xml_string(TIED)), set()),
    "geom_type": (lambda: copy.copy(M), {"-1"}),
    "qpos": (lambda: conjoint.MjData(M), {"-1", "NaN", "2**64", "nothing"}),
    "geom_rgba": (lambda: copy.copy(M), {"-1", "NaN", "2**64", "nothing"}),
}
"""Owner and accepted values, by field.

Each value contains a function that returns the object with the field, and the keys of `WRONG` whose values the field
accepts. As in NumPy, None becomes NaN.
"""

TIED = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/></body></worldbody><equality>
<weld body1="a"/></equality></mujoco>"""


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", FIELDS)
def test_fields_name_what_they_hold(name: str, wrong: str) -> None:
    owner, taken = FIELDS[name]
    if wrong in taken:
        return
    error = error_of(lambda: setattr(owner(), name, WRONG[wrong]))
    holds = r"contains (real numbers|integers \((u?int\d+)\)), not "
    assert isinstance(error, ValueError | TypeError)
    pattern = rf"^{name}, of shape \(\d+(, \d+)*,?\), {holds}"
    with pytest.raises(type(error), match=pattern):
        raise error


ARRAYS: dict[str, Callable[[], Any]] = {
    "ragged states of a rollout": lambda: rollout.rollout(M, D, [[1], [2, 3]]),
    "ragged controls of a rollout": lambda: rollout.rollout(M, D, np.zeros((1, 3)), [[1], [2, 3]]),
    "steps of a rollout": lambda: rollout.rollout(M, D, np.zeros((1, 3)), nstep=10**400),
    "ragged directions": lambda: conjoint.mju_norm3([[1], [2, 3]]),
    "bind of a number": lambda: D.bind(np.array(5.0)),
    "bind of a set": lambda: D.bind({1, 2}),
    "bind of a generator": lambda: M.bind(each for each in (1, 2)),
    "bind of nothing": lambda: M.bind(None),
    "number of an editable model": lambda: setattr(conjoint.MjSpec().option, "timestep", 10**400),
    "integer of an editable model": lambda: setattr(conjoint.MjSpec().option, "iterations", 2**64),
    "memory of an editable model": lambda: setattr(conjoint.MjSpec(), "memory", 2**70),
    "integers of an editable element": lambda: setattr(conjoint.MjSpec().add_tuple(), "objprm", [10**400]),
    "frame of a geom": lambda: conjoint.MjSpec.from_string(XML).geoms[0].set_frame((1,)),
    "edges of a cone": lambda: conjoint.MjSpec().add_mesh().make_cone(2.5, 1),
    "resolution of a wedge": lambda: conjoint.MjSpec().add_mesh().make_wedge([[1], [2, 3]]),
    "resolution of a plate": lambda: conjoint.MjSpec().add_mesh().make_plate([1, 2, 3]),
    "geoms of a scene": lambda: conjoint.MjvScene(M, 10**400),
    "integers of a matrix": lambda: conjoint.mju_printMatSparse(np.ones(3), [1, 1], [0, 1], np.full(2, np.nan)),
    "axes of angles": lambda: setattr(conjoint.MjSpec().compiler, "eulerseq", 3),
    "axes of angles, from a model": lambda: setattr(conjoint.MjSpec().compiler, "eulerseq", M),
    "a switch of assets": lambda: setattr(conjoint.MjSpec(), "override_assets", np.zeros(3)),
    "a switch of copies": lambda: setattr(conjoint.MjSpec(), "copy_during_attach", np.zeros(0)),
    "name of a body": lambda: conjoint.MjSpec().worldbody.find_child(np.zeros(3)),
    "name of a class": lambda: conjoint.MjSpec().find_default(np.zeros(3)),
    "class above a class": lambda: conjoint.MjSpec().add_default("a", iter([1.0])),
    "kind of elements": lambda: conjoint.MjSpec().worldbody.find_all(1.5),
    "kind of elements, an object": lambda: conjoint.MjSpec().worldbody.find_all(object()),
    "frame around a frame": lambda: conjoint.MjSpec().worldbody.add_frame(memoryview(b"abc")),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_numbers_that_are_none_or_too_large(case: str) -> None:
    assert isinstance(error_of(ARRAYS[case]), ValueError | TypeError | conjoint.FatalError)


def test_attributes_that_can_only_be_read() -> None:
    spec = conjoint.MjSpec.from_string(XML)
    error = error_of(lambda: setattr(spec.materials[0], "signature", 1))
    assert isinstance(error, AttributeError)
    assert str(error) == "'signature' of 'MjsMaterial' can only be read"


def test_texts_of_a_scene_are_whole() -> None:
    assert isinstance(error_of(lambda: setattr(conjoint.MjvGeom(), "label", HALF)), TypeError)
    assert isinstance(error_of(lambda: setattr(conjoint.MjvFigure(), "title", b"\xff")), ValueError)


def test_batches_name_ragged_arrays() -> None:
    batch = Batch(M, 2)
    for value in (np.zeros((3, 3)), object(), "a", [[1], [2, 3]]):
        error = error_of(lambda value=value: setattr(batch.body(0), "xfrc_applied", value))
        assert str(error).startswith("xfrc_applied, of shape (2, 6)")
    assert isinstance(error_of(lambda: batch.body(1.5)), TypeError)
    assert isinstance(error_of(lambda: batch.render([[1], [2, 3]])), TypeError)
    for call in (
        lambda: batch.reset(worlds=[[1], [2, 3]]), lambda: batch.inverse([[1], [2, 3]]), lambda: batch.inverse(object()),
        lambda: batch.rollout([[1], [2, 3]]), lambda: Batch(M, 2**64), lambda: batch.step(2**64),
        lambda: batch.set_data(np.zeros(3), worlds=0), lambda: batch.restore(True), lambda: batch.get_data([0, 1]),
        lambda: batch.get_model(None), lambda: batch.contact("a"), lambda: batch.reset(key=1.5),
    ):  # fmt: skip
        assert isinstance(error_of(call), ValueError | TypeError | conjoint.FatalError)


ODD = (0.0, 1.0, -1.0, 0.5, 0.49999999999999994, 2.0**31, 2.0**31 - 0.6, -(2.0**31), 1e300, -1e300,
       float("inf"), float("-inf"), float("nan"))  # fmt: skip


def test_numbers_that_are_too_large_give_the_official_result() -> None:
    """Overflow returns infinity or NaN as in MuJoCo, without errors or warnings."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in ODD:
            assert conjoint.mju_round(x) == mujoco.mju_round(x)
            np.testing.assert_equal(conjoint.mju_sigmoid(x), mujoco.mju_sigmoid(x))
        for given in ((0.0, 2.0**31, -1.0, -1.0, 1e300), (1.0, 0.0, 1.0, -1.0, 1e4), (1.0, 0.0, 0.25, -1.0, 1e4)):
            assert conjoint.mju_springDamper(*given) == mujoco.mju_springDamper(*given)
        for _ in range(300):
            conjoint.mju_springDamper(*rng.choice(ODD, 5).tolist())
            a, b = rng.choice((0.0, 1.0, -1.0, 1e300, -1e300), (2, 2, 2))
            for name in ("mju_mulMatMat", "mju_mulMatMatT", "mju_mulMatTMat", "mju_sqrMatTD"):
                ours, theirs = np.zeros((2, 2)), np.zeros((2, 2))
                extra = b if name != "mju_sqrMatTD" else b[0].copy()
                getattr(conjoint, name)(ours, a, extra)
                getattr(mujoco, name)(theirs, a, extra)
                both = np.isfinite(ours) & np.isfinite(theirs)
                np.testing.assert_allclose(ours[both], theirs[both], rtol=1e-12)


def test_visual_functions_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        conjoint.mjv_connector(conjoint.MjvGeom(), 3, 1e300, np.zeros(3), np.full(3, 1e300))
        conjoint.mjv_alignToCamera(np.zeros(3), np.ones(3), np.array([1e300, 1e300, 0]))


def drawn(field: str, value: int, geom: int = 0) -> Any:
    """Return the picture of a scene, rendered after setting a field of the scene or of one of its geoms."""
    with RayRenderer(M, 32, 24) as picture:
        picture.update_scene(D)
        owner = picture.scene if hasattr(picture.scene, field) else picture.scene.geoms[geom]
        setattr(owner, field, value)
        return picture.render()


@pytest.fixture(scope="module", autouse=True)
def forward() -> None:
    conjoint.mj_forward(M, D)


@pytest.mark.parametrize(
    ("field", "value", "reported"),
    [
        ("ngeom", 10**6, "scene.ngeom is 1000000: the scene has space for 0 to 10000"),
        ("ngeom", -1, "scene.ngeom is -1: the scene has space for 0 to 10000"),
        ("nlight", 10**6, "scene.nlight is 1000000: the scene has space for 0 to "),
        ("matid", 7, r"scene.geoms\[0\].matid is 7, but the model has 1 materials"),
    ],
)
def test_scenes_that_cannot_be_drawn(field: str, value: int, reported: str) -> None:
    with pytest.raises(conjoint.FatalError, match=f"^{reported}"):
        drawn(field, value)


@pytest.mark.parametrize("kind", ["MESH", "SDF", "HFIELD", "FLEX", "SKIN"])
@pytest.mark.parametrize("number", [0, 7, 2**31 - 1])
def test_scenes_with_what_the_model_does_not_have(kind: str, number: int) -> None:
    with RayRenderer(M, 32, 24) as picture:
        picture.update_scene(D)
        geom = picture.scene.geoms[0]
        geom.type, geom.dataid, geom.objid = int(conjoint.mjtGeom[f"mjGEOM_{kind}"]), number, number
        with pytest.raises(conjoint.FatalError, match=r"^scene.geoms\[0\]\.(dataid|objid) is \d+, but the model has 0"):
            picture.render()


@pytest.mark.parametrize("number", [-1, -2, -(2**31)])
def test_scenes_with_negative_numbers_show_nothing_of_them(number: int) -> None:
    for kind in ("MESH", "HFIELD"):
        with RayRenderer(M, 32, 24) as picture:
            picture.update_scene(D)
            geom = picture.scene.geoms[0]
            geom.type, geom.dataid, geom.matid = int(conjoint.mjtGeom[f"mjGEOM_{kind}"]), number, number
            assert picture.render().shape == (24, 32, 3)


ACTUATED = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
<actuator><general name="a" joint="j"/></actuator></mujoco>"""

WRONG_NUMBERS = {
    "an array for a gain": (
        lambda spec: spec.actuator("a").set_to_intvelocity(np.zeros(3)),
        "kp must be a real number",
    ),
    "one time constant": (lambda spec: spec.actuator("a").set_to_muscle((1,)), "timeconst should be two numbers"),
    "no range": (lambda spec: spec.actuator("a").set_to_muscle(range=None), "range should be two numbers"),
    "a number for an archive": (lambda spec: spec.to_zip(np.float64(1)), "expected the path of an archive"),
}


@pytest.mark.parametrize("case", WRONG_NUMBERS)
def test_methods_of_specs_name_the_argument(case: str) -> None:
    call, reported = WRONG_NUMBERS[case]
    with pytest.raises(TypeError, match=reported):
        call(conjoint.MjSpec.from_string(ACTUATED))
