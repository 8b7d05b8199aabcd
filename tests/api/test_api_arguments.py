"""Error messages about arguments of public functions name the wrong argument, what is expected, and the given value."""

from __future__ import annotations

import gc
import inspect
import os
import pickle
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.api.argument_kinds import Array, Integer
from conjoint.api.arguments import (
    Count,
    FieldNames,
    FrameRate,
    Matrix,
    Precision,
    Vector,
    WorldCount,
    checked,
    given,
)
from conjoint.api.objects.model import MjModel
from conjoint.api.signature import in_python
from conjoint.render.film import Film
from places import ROOT

MODEL = str(ROOT / "models" / "cartpole.xml")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(conjoint, name)
    for name in dir(conjoint)
    if isinstance(getattr(conjoint, name), types.FunctionType | types.BuiltinFunctionType) and not name.endswith("_zip")
}
"""All public functions except those that write a whole file (their names end in `_zip`)."""

ANYTHING = {
    ("mju_standardNormal", "num2"), ("mju_raySkin", "face"), ("mju_raySkin", "vert"), ("install_as_mujoco", "version"),
}  # fmt: skip
"""Arguments that no type check rejects, because MuJoCo ignores them, accepts arrays of any shape, or checks them last."""


def example(annotation: Any, m: Any, d: Any) -> Any:
    """Return a valid value for an argument with this annotation."""
    kinds = get_args(annotation)
    if type(None) in kinds or annotation is object:
        return None
    if get_origin(annotation) is Literal:
        return kinds[0]
    for kind in kinds:
        if isinstance(kind, Integer):
            return kind.range[0] if kind.least is not None else 0
        if isinstance(kind, Array):
            return np.zeros([n or 1 for n in kind.shape], kind.dtype)
    if Film in kinds:
        return np.zeros((1, 2, 2, 3), np.uint8)
    if get_origin(annotation) is not None:
        return 0 if kinds[0] in (int, float) else "file.txt"
    if annotation is conjoint.mjpPlugin:
        return annotation("example", 0)
    if annotation is conjoint.MjrContext:
        # an uninitialized context suffices: an error about another argument needs no OpenGL
        return annotation.__new__(annotation)
    values = {
        conjoint.MjModel: m,
        conjoint.MjData: d,
        np.ndarray: np.zeros(1),
        conjoint.MjVisual: m.vis,
        conjoint.MjrRect: conjoint.MjrRect(0, 0, 1, 1),
        conjoint.MjThreadPool: conjoint.MjThreadPool(1),
    }
    return values[annotation] if annotation in values else annotation()


ARGUMENTS = [
    (name, i)
    for name, function in FUNCTIONS.items()
    for i, argument in enumerate(inspect.signature(function).parameters)
    if (name, argument) not in ANYTHING
]


@pytest.fixture(scope="module")
def world() -> tuple[Any, Any]:
    m = conjoint.MjModel.from_xml_path(MODEL)
    return m, conjoint.MjData(m)


@pytest.mark.parametrize(("name", "wrong"), ARGUMENTS)
def test_every_function_names_the_argument_that_is_wrong(world: Any, name: str, wrong: int) -> None:
    """The error names the wrong argument when all other arguments are valid."""
    parameters = inspect.signature(in_python(FUNCTIONS[name]), eval_str=True).parameters
    values = [example(parameter.annotation, *world) for parameter in parameters.values()]
    values[wrong] = object()
    reported = f"^{name}: {list(parameters)[wrong]} must be .*, not "
    if name.startswith("set_mj"):
        # MuJoCo's message names no argument, because the setters have only one
        reported = r"^callback is not an Optional\[Callable\]$"
    with pytest.raises(TypeError, match=reported):
        FUNCTIONS[name](*values)


WHOLE = [
    (name, argument)
    for name, function in FUNCTIONS.items()
    for argument, parameter in inspect.signature(in_python(function), eval_str=True).parameters.items()
    if int in (parameter.annotation, *get_args(parameter.annotation))
]
"""Pairs of a function name and the name of one of its integer arguments."""

HUGE = (2**64, -(2**64), 10**400, np.uint64(2**64 - 1), float("inf"), float("nan"))
"""Values that no integer argument accepts; the last three are not Python integers."""


@pytest.mark.parametrize(("name", "argument"), WHOLE)
def test_integers_that_are_too_large_are_named(world: Any, name: str, argument: str) -> None:
    parameters = inspect.signature(in_python(FUNCTIONS[name]), eval_str=True).parameters
    values = {each: example(parameter.annotation, *world) for each, parameter in parameters.items()}
    for wrong in HUGE:
        if isinstance(wrong, np.uint64) and (name, argument) in SIZES:
            continue
        with pytest.raises(TypeError, match=f"^{name}: {argument} must be .*, not "):
            # pass all arguments by position, because the machine code checks only positional arguments
            FUNCTIONS[name](*(values | {argument: wrong}).values())


SIZES = {("mju_writeNumBytes", "nbytes"), ("mju_warningText", "info")}
"""Arguments that are sizes: unsigned integers of 64 bits, as in MuJoCo."""


def test_integers_have_the_official_range(world: Any) -> None:
    for value in (2**31, -(2**31) - 1):
        with pytest.raises(TypeError, match="bodyexclude must be an integer of 32 bits, not "):
            conjoint.mj_ray(*world, np.zeros(3), np.ones(3), None, 1, value, np.zeros(1, np.int32))
    with pytest.raises(conjoint.FatalError, match="invalid state spec"):
        conjoint.mj_stateSize(world[0], 2**31)
    with pytest.raises(TypeError, match="spec must be an integer of 32 bits that is not negative, not -1"):
        conjoint.mj_stateSize(world[0], -1)
    assert conjoint.mju_writeNumBytes(2**40) == mujoco.mju_writeNumBytes(2**40)


WITH_DATA = [name for name in FUNCTIONS if {"m", "d"} <= set(inspect.signature(FUNCTIONS[name]).parameters)]
"""Names of the functions that have both a model and its data as arguments."""


@pytest.mark.parametrize("name", WITH_DATA)
def test_the_data_of_another_model_is_refused(world: Any, name: str) -> None:
    """Data of a different model is rejected, because kernels would read and write beyond its memory."""
    other = conjoint.MjModel.from_xml_string("<mujoco/>")
    parameters = inspect.signature(in_python(FUNCTIONS[name]), eval_str=True).parameters
    values = [example(parameter.annotation, other, world[1]) for parameter in parameters.values()]
    with pytest.raises(conjoint.FatalError, match=f"^{name}: the data was created for a model with other sizes"):
        FUNCTIONS[name](*values)


def test_all_functions_are_looked_at() -> None:
    assert len(ARGUMENTS) > 500
    assert len(WITH_DATA) > 50


SENTENCES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "a model and a world in the wrong order": (
        lambda m, d: conjoint.mj_step(d, m),
        "mj_step: m must be of type MjModel, not MjData",
    ),
    "nothing for a world": (lambda m, d: conjoint.mj_step(m, None), "mj_step: d must be of type MjData, not None"),
    "a model of the official package": (
        lambda m, d: conjoint.mj_step(mujoco.MjModel.from_xml_path(MODEL), d),
        "mj_step: m must be of type conjoint.MjModel, not mujoco.MjModel",
    ),
    "half a step": (lambda m, d: conjoint.mj_step(m, d, nstep=2.5), "mj_step: nstep must be an integer, not 2.5"),
    "a word for a type": (
        lambda m, d: conjoint.mj_name2id(m, "body", "cart"),
        "mj_name2id: type must be a number of mjtObj, such as mjtObj.mjOBJ_BODY, not 'body'",
    ),
    "a word that is no type": (
        lambda m, d: conjoint.mj_name2id(m, "wheel", "cart"),
        "mj_name2id: type must be a number of mjtObj, not 'wheel'",
    ),
    "a number for a name": (lambda m, d: conjoint.mj_name2id(m, 1, 3), "mj_name2id: name must be a string, not 3"),
    "an output of single precision": (
        lambda m, d: conjoint.mju_zero3(np.zeros(3, np.float32)),
        "mju_zero3: res must be a writable float64 vector of 3 elements, not a float32 array",
    ),
    "an output that is read-only": (
        lambda m, d: conjoint.mju_zero3(np.broadcast_to(0.0, 3)),
        "mju_zero3: res must be a writable float64 vector of 3 elements, not one that is read-only",
    ),
    "an output with gaps": (
        lambda m, d: conjoint.mju_zero3(np.zeros((3, 2))[:, 0]),
        "mju_zero3: res must be a writable float64 vector of 3 elements, contiguous and row-major",
    ),
    "an output that is no array": (
        lambda m, d: conjoint.mju_zero3([0.0, 0.0, 0.0]),
        "mju_zero3: res must be a writable float64 vector of 3 elements, not [0.0, 0.0, 0.0]",
    ),
    "a text for a vector": (
        lambda m, d: conjoint.mju_norm3("abc"),
        "mju_norm3: vec must be a float64 vector of 3 elements, not 'abc'",
    ),
    "a text for a number": (
        lambda m, d: conjoint.mju_clip(0.5, "0", 1.0),
        "mju_clip: min must be a real number, not '0'",
    ),
    "a state of single precision": (
        lambda m, d: conjoint.mj_getState(m, d, np.zeros(1, np.float32), 1),
        "mj_getState: state must be a writable float64 vector, not a float32 array",
    ),
    "a callback that cannot be called": (
        lambda m, d: conjoint.set_mjcb_control(3),
        "callback is not an Optional[Callable]",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_the_sentence_says_what_is_needed_and_what_came(world: Any, case: str) -> None:
    call, sentence = SENTENCES[case]
    with pytest.raises(TypeError) as caught:
        call(*world)
    assert str(caught.value) == sentence


def test_arguments_by_name_and_defaults(world: Any) -> None:
    """Arguments are accepted by position and by name, have defaults, and are checked for missing and unknown names."""
    m, d = world
    conjoint.mj_resetData(m, d)
    conjoint.mj_step(d=d, m=m)
    conjoint.mj_step(m, d, np.int32(2))
    conjoint.mj_step(m, d, nstep=3)
    assert d.time == pytest.approx(6 * m.opt.timestep)
    with pytest.raises(TypeError, match=r"mj_step.* missing 1 required positional argument: 'd'"):
        conjoint.mj_step(m)
    with pytest.raises(TypeError, match=r"mj_step.* unexpected keyword argument 'steps'"):
        conjoint.mj_step(m, d, steps=3)
    assert str(inspect.signature(conjoint.mj_step)).startswith("(m")
    assert "timestep" in (conjoint.mj_step.__doc__ or "")


def test_files_may_be_paths(world: Any, tmp_path: Path) -> None:
    m, d = world
    conjoint.mj_printData(m, d, tmp_path / "data.txt")
    conjoint.mj_saveModel(m, tmp_path / "model.mjb")
    assert {path.name for path in tmp_path.iterdir()} == {"data.txt", "model.mjb"}
    with pytest.raises(TypeError, match="mj_printData: filename must be a file name, not 3"):
        conjoint.mj_printData(m, d, 3)
    assert isinstance(tmp_path, os.PathLike)


def test_a_function_with_arrays_is_a_built_in_one() -> None:
    """A function with array arguments is a builtin, as in MuJoCo: it is copied and pickled by name, and accepts keywords."""
    function = conjoint.mju_rotVecQuat
    assert pickle.loads(pickle.dumps(function)) is function
    assert list(inspect.signature(function).parameters) == ["res", "vec", "quat"]
    assert function.__doc__.startswith("mju_rotVecQuat(res: typing.Annotated[")
    turned = np.zeros(3)
    function(turned, quat=[0, 0, 0, 1], vec=[1, 2, 3])
    assert turned.tolist() == [-1, -2, 3]


def test_calls_keep_no_object_and_lose_none(world: Any) -> None:
    """Valid calls, calls that fall back to Python and failing calls do not change reference counts."""
    m, d = world
    conjoint.mj_forward(m, d)
    jacobian, point = np.zeros((3, m.nv)), np.array([0.125, 7.5, 3.0])
    wrong = np.zeros((2, m.nv))

    def work() -> None:
        conjoint.mj_jac(m, d, jacobian, None, point, 1)
        conjoint.mj_jac(m, d, jacobian, jacobian, [1, 2, 3], body=1)
        with pytest.raises(TypeError):
            conjoint.mj_jac(m, d, wrong, None, point, 1)

    held = (m, d, jacobian, point, wrong, None, m.sizes, float, np.ndarray)
    work()
    # objects that failed tests left behind may refer to some of these objects
    gc.collect()
    counts = [sys.getrefcount(each) for each in held]
    for _ in range(100):
        work()
    changes = [sys.getrefcount(each) - count for each, count in zip(held, counts, strict=True)]
    assert all(abs(change) < 50 for change in changes), changes


def test_a_model_and_the_world_of_another_are_refused_beside_arrays(world: Any) -> None:
    """Functions with array arguments also reject data of a different model; their machine code compares the sizes first."""
    other = conjoint.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(conjoint.FatalError, match="mj_mulM: the data was created for a model with other sizes"):
        conjoint.mj_mulM(other, world[1], np.zeros(2), np.zeros(2))


@checked(pairs="n, 2", weights="n", vec="m.nv", body="m.nbody", table="count, 2 * count")
def declared(
    m: MjModel,
    pairs: Matrix,
    weights: Vector,
    vec: Vector | None = None,
    body: int = 0,
    count: Count = 1,
    table: Matrix | None = None,
    fps: FrameRate = 30.0,
    precision: Precision = "float64",
    names: FieldNames = (),
    *,
    worlds: WorldCount = 1,
) -> Any:
    """Stub of an API function whose arguments have ranges, dependent lengths and keyword-only parameters."""
    return locals()


OUT_OF_RANGE: dict[str, tuple[dict[str, Any], str]] = {
    "too few": ({"worlds": 0}, "worlds must be an integer of at least 1, not 0"),
    "negative": ({"count": -1}, "count must be an integer of at least 0, not -1"),
    "not positive": ({"fps": 0}, r"fps must be a positive number \(1/s\), not 0"),
    "not finite": ({"fps": float("inf")}, r"fps must be a positive number \(1/s\), not inf"),
    "no number": ({"fps": float("nan")}, r"fps must be a positive number \(1/s\), not nan"),
    "a word that is none": (
        {"precision": "float23"}, r"precision must be 'float64' or 'float32', not 'float23'; did you mean 'float32'\?"
    ),
    "no such id": ({"body": 7}, r"body must be an id from 0 to [0-9], not 7 \(out of range\)"),
    "a length of the model": ({"vec": np.zeros(3)}, r"vec must have shape \(nv,\), here \(2,\), not \(3,\)"),
    "a length of another argument": (
        {"weights": [1.0]}, r"weights must have shape \(n,\), here \(3,\), not \(1,\)"
    ),
    "a length that is written": ({"pairs": np.zeros((3, 3))}, r"pairs must have shape \(n, 2\), here \(3, 2\), not \(3, 3\)"),
    "a length that is computed": (
        {"table": np.zeros((1, 3))}, r"table must have shape \(count, 2 \* count\), here \(1, 2\), not \(1, 3\)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OUT_OF_RANGE)
def test_values_out_of_range_are_value_errors(world: Any, case: str) -> None:
    """An argument out of range raises a FatalError that is also a ValueError."""
    wrong, reported = OUT_OF_RANGE[case]
    right = {"pairs": np.zeros((3, 2)), "weights": np.zeros(3), "vec": np.zeros(world[0].nv)}
    with pytest.raises(conjoint.FatalError, match=f"^declared: {reported}$") as caught:
        declared(world[0], **(right | wrong))
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        ({"worlds": 1.5}, "worlds must be an integer, not 1.5"),
        ({"worlds": 2**64}, "worlds must be an integer of 64 bits, not "),
        ({"fps": "1"}, "fps must be a real number, not '1'"),
        ({"precision": 32}, "precision must be 'float64' or 'float32', not 32"),
        ({"names": "qpos"}, r"names must be a list of names: \['qpos'\]"),
        ({"names": 3}, r"names must be a list of names, such as \['qpos'\], not 3"),
        ({"names": [3]}, r"names must be a list of names, such as \['qpos'\], not of 3"),
    ],
)
def test_other_types_are_type_errors(world: Any, wrong: dict[str, Any], reported: str) -> None:
    with pytest.raises(TypeError, match=f"^declared: {reported}"):
        declared(world[0], np.zeros((3, 2)), np.zeros(3), **wrong)


def test_values_in_range_are_converted(world: Any) -> None:
    found = declared(
        world[0],
        [[1, 2]],
        [1],
        None,
        np.int32(1),
        np.int64(2),
        np.zeros((2, 4)),
        25,
        "float32",
        ["a"],
        worlds=np.int64(3),
    )
    assert [type(found[name]) for name in ("body", "count", "fps", "names", "worlds")] == [int, int, float, tuple, int]
    assert found["pairs"].shape == (1, 2) and found["worlds"] == 3 and found["precision"] == "float32"


def test_values_that_are_no_arguments_are_checked_alike() -> None:
    assert given("film: fps", 30, FrameRate) == 30.0
    with pytest.raises(ValueError, match=r"^film: fps must be a positive number \(1/s\), not -1$"):
        given("film: fps", -1, FrameRate)
    with pytest.raises(TypeError, match=r"^film: fps must be a real number, not 'a'$"):
        given("film: fps", "a", FrameRate)
