"""Field-by-field comparison with MuJoCo 3.3.5, the oracle.

`states` are states of MuJoCo simulations; both engines start from each of them, so that errors do not accumulate over steps.
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
MODEL_TOLERANCE = 1e-7  # decimal constants in formulas (volumes, inertias) may be rounded in a different order
POSITION_TOLERANCE = 1e-9  # sums along a kinematic tree in a different order
FORCE_TOLERANCE = 1e-8  # the same rounding, amplified by products with inertia
CONTACT_TOLERANCE = 1e-6  # a nearly parallel pair amplifies rounding in its contact points
SOLVER_TOLERANCE = 1e-4  # the solver stops at 1e-8 of a cost whose curvature spans orders of magnitude

OWN = 10.0  # a small difference of larger numbers has a larger relative error than these numbers
FRACTION = 1e-3  # elements below this fraction of the largest element are sums of numbers of at least that size
FLOOR = 1e-3  # below a millimeter, a newton, ..., errors are absolute: forces in equilibrium are sums of larger ones
MODEL_FLOOR = 1e-6  # model values are products of numbers in the file: inertias of small bodies are small but exact
ROUNDING = 1e-13  # sums of some hundred numbers in a different order, each rounded to 1.1e-16 of the largest

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
"""Tolerances, and fields of MjData compared after `mj_forward`, keyed by the first stage that could be wrong."""

STATE = ("qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")

FRESH = 64 << 20
"""Stack size (bytes) at which each thread gets fresh memory.

The C library reuses up to 40 MB of the stacks of threads that have ended.
"""


def straight(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return the result of a function, called in this thread."""
    return call(*arguments, **named)


def apart(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return the result of a MuJoCo function, called on a stack that contains only zeros.

    For flex elements and height fields, MuJoCo reads stack memory that it never wrote, and that contains numbers of other
    functions.
    """
    before = threading.stack_size(FRESH)
    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(call, *arguments, **named).result()
    finally:
        threading.stack_size(before)


def objection(read: Callable[[str], Any], xml: str) -> BaseException | None:
    """Return the error that a MuJoCo reader raises, or None.

    The reader runs in a separate thread, because some material layers make MuJoCo leave the C locale active in its thread.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(read, xml).exception()


def difference(ours: Any, theirs: Any, floor: float = FLOOR) -> float:
    """Return the largest difference between two arrays, relative to the array and to the element.

    An error is relative to MuJoCo's largest value (or 1). It is also relative to `OWN` times the element's value, so that
    a large element does not hide the error of a small one. Elements count as at least `FRACTION` of the largest one, and at
    least `floor`. Errors below `ROUNDING` of the largest element do not count.
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
    """Return the numbers and arrays of a compiled model that are missing or differ, with their errors."""
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
"""Prefixes of names of fields that describe MuJoCo's storage, are random, or depend on MuJoCo's cache."""


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
    """Copy everything that the result of a step depends on."""
    target.time = source.time
    for name in STATE:
        values = getattr(source, name)
        if values.size:
            getattr(target, name)[:] = values


def states(model: Any, count: int = 3, apart: int = 25) -> Iterator[tuple[str, Any]]:
    """Yield labels and MuJoCo data: the initial state, keyframes, and states after random controls."""
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
    """Return random controls within the limits of each actuator, or within -1 to 1 if it has none."""
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
    """Return the largest difference between contacts, paired by geoms and nearest position; infinite if counts differ."""
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
