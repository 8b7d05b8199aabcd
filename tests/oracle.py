"""Field-by-field comparison with MuJoCo 3.3.5, the oracle.

`states` are reached by the oracle; both engines start from each of them, so that errors do not add up over steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mujoco
import numpy as np

import conjoint

# tolerances of the results of `difference`
MODEL_TOLERANCE = 1e-7  # decimal constants in formulas (volumes, inertias) may be rounded in another order
POSITION_TOLERANCE = 1e-9  # sums along a kinematic tree in another order
FORCE_TOLERANCE = 1e-8  # the same, amplified by products with inertia
CONTACT_TOLERANCE = 1e-6  # a nearly parallel pair amplifies rounding in its contact points
SOLVER_TOLERANCE = 1e-4  # the solver stops at 1e-8 of a cost whose curvature spans orders of magnitude

OWN = 10.0  # an element that is the small difference of larger numbers has a larger relative error than they have
FRACTION = 1e-3  # elements below this part of the largest are sums of numbers of that size at least
FLOOR = 1e-3  # below a millimeter, a newton, ... errors are absolute: forces in balance are sums of larger ones
MODEL_FLOOR = 1e-6  # numbers of a model are products of those in its file: inertias of small bodies are small and exact
ROUNDING = 1e-13  # sums of some hundred numbers in another order, each rounded to 1.1e-16 of the largest

STAGES: dict[str, tuple[float, tuple[str, ...]]] = {
    "position": (
        POSITION_TOLERANCE,
        (
            "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat",
            "cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "subtree_com", "cdof", "cinert", "crb", "qM", "ten_length",
            "actuator_length",
        ),
    ),
    "velocity": (
        FORCE_TOLERANCE,
        (
            "cvel", "cdof_dot", "ten_velocity", "actuator_velocity", "qfrc_bias", "qfrc_passive", "qfrc_spring",
            "qfrc_damper", "energy",
        ),
    ),
    "actuation": (FORCE_TOLERANCE, ("act_dot", "actuator_force", "qfrc_actuator", "qfrc_smooth", "qacc_smooth")),
    "constraint": (SOLVER_TOLERANCE, ("qacc", "qfrc_constraint", "sensordata")),
}  # fmt: skip
"""Fields of MjData compared after `mj_forward`, by the stage that first could go wrong."""

STATE = ("qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")

FRESH = 64 << 20
"""Size of a stack that no thread is given a second time: the C library keeps 40 MB of those of threads that ended."""


def straight(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return the result of a function, called in this thread."""
    return call(*arguments, **named)


def apart(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return the result of a function of the oracle, called on a stack of zeros.

    The oracle reads memory that it never wrote where elements of flexes meet height fields. The memory lies on the
    stack, where other functions leave numbers.
    """
    before = threading.stack_size(FRESH)
    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(call, *arguments, **named).result()
    finally:
        threading.stack_size(before)


def objection(read: Callable[[str], Any], xml: str) -> BaseException | None:
    """The error of a reader of the oracle, in a thread of its own: some layers of materials leave it the locale C."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(read, xml).exception()


def difference(ours: Any, theirs: Any, floor: float = FLOOR) -> float:
    """Largest difference of two arrays, relative to the array and to the element.

    An error is relative to the oracle's largest value (or 1). It is also relative to `OWN` times its own value, so that
    a large value does not hide the error of a small one. Own values count as `FRACTION` of the largest one, or `floor`,
    at least, and errors that are `ROUNDING` of the largest do not count.
    """
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.size != theirs.size:
        return float("inf")
    ours, theirs = ours.ravel(), theirs.ravel()
    finite = np.isfinite(theirs) & np.isfinite(ours)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return float("inf")
    ours, theirs = ours[finite], theirs[finite]
    error, size = np.abs(ours - theirs), np.abs(theirs)
    largest = np.max(size, initial=0.0)
    own = OWN * np.maximum(size, max(FRACTION * largest, floor))
    error[error <= ROUNDING * largest] = 0.0
    return float(np.max(error / np.minimum(own, max(1.0, largest)), initial=0.0))


def model_differences(ours: Any, theirs: Any) -> dict[str, float]:
    """Numbers and arrays of the compiled model that are missing or differ, by name."""
    different = {}
    for name in public_numbers(theirs):
        error = float("inf")
        if hasattr(ours, name):
            error = difference(getattr(ours, name), getattr(theirs, name), MODEL_FLOOR)
        if error > MODEL_TOLERANCE:
            different[name] = error
    return different


STORAGE = (
    "mesh_graph", "nmeshgraph", "mesh_poly", "nmeshpoly", "paths", "npaths", "tex_data", "signature",
    "nbuffer",
)  # fmt: skip
"""Prefixes of names that tell where or how the oracle stores things, that are random, or that its cache decides."""


def public_numbers(model: Any) -> list[str]:
    """Return the names of the numeric attributes of a model that have the same meaning in both packages."""
    names = []
    for name in dir(model):
        if name.startswith(("_", *STORAGE)):
            continue
        value = getattr(model, name)
        if isinstance(value, int | float | np.number) or (isinstance(value, np.ndarray) and value.dtype.kind in "biuf"):
            names.append(name)
    return names


def copy_state(source: Any, target: Any) -> None:
    """Everything that a step starts from."""
    target.time = source.time
    for name in STATE:
        values = getattr(source, name)
        if values.size:
            getattr(target, name)[:] = values


def states(model: Any, count: int = 3, apart: int = 25) -> Iterator[tuple[str, Any]]:
    """Yield the initial state, keyframes, and states that random controls lead to, as oracle data."""
    yield "initial", mujoco.MjData(model)
    for key in range(model.nkey):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, key)
        yield f"keyframe {key}", data
    generator = np.random.default_rng(0)
    data = mujoco.MjData(model)
    for k in range(count):
        for _ in range(apart):
            data.ctrl[:] = random_controls(model, generator)
            mujoco.mj_step(model, data)
        reached = mujoco.MjData(model)
        copy_state(data, reached)
        reached.qvel[:] += 0.1 * generator.standard_normal(model.nv)
        yield f"random {k}", reached


def random_controls(model: Any, generator: np.random.Generator) -> np.ndarray:
    """Uniform within the limits of each actuator, or within -1 to 1 where it has none."""
    low = np.where(model.actuator_ctrllimited, model.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(model.actuator_ctrllimited, model.actuator_ctrlrange[:, 1], 1.0)
    return generator.uniform(low, high)


def forward_differences(model: Any, data: Any, official_model: Any, official_data: Any) -> dict[str, float]:
    """Return the fields that differ after `mj_forward` from the same state, by `stage.field`."""
    conjoint.mj_forward(model, data)
    mujoco.mj_forward(official_model, official_data)
    different = {}
    for stage, (tolerance, names) in STAGES.items():
        for name in names:
            error = difference(getattr(data, name), getattr(official_data, name))
            if error > tolerance:
                different[f"{stage}.{name}"] = error
    error = contact_difference(data, official_data)
    if error > CONTACT_TOLERANCE:
        different["contacts"] = error
    return different


def contact_difference(data: Any, official_data: Any) -> float:
    """Largest difference of the contacts, paired by their geoms and nearest position; infinite if the numbers differ."""
    if data.ncon != official_data.ncon:
        return float("inf")
    left = [contact_row(data.contact[i]) for i in range(data.ncon)]
    worst = 0.0
    for i in range(official_data.ncon):
        geoms, theirs = contact_row(official_data.contact[i])
        same = [k for k, (pair, _) in enumerate(left) if pair == geoms]
        if not same:
            return float("inf")
        nearest = min(same, key=lambda k: np.abs(left[k][1][:3] - theirs[:3]).max())
        worst = max(worst, difference(left.pop(nearest)[1], theirs))
    return worst


def contact_row(contact: Any) -> tuple[tuple[int, ...], np.ndarray]:
    """Return the geoms of a contact, and its position, distance, normal, dimension and friction."""
    numbers = [contact.pos, [contact.dist], np.ravel(contact.frame)[:3], [contact.dim], contact.friction]
    return tuple(int(g) for g in contact.geom), np.concatenate(numbers)
