"""Trees that may sleep: their plan rows and their sleep states.

The kernels that put them to sleep and wake them are in `physics.sleep`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.errors import FatalError
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.constants import FIRST_ASLEEP, mjMINAWAKE
from conjoint.schema.enums import mjtEnableBit, mjtIntegrator, mjtJoint
from conjoint.schema.enums_newer import mjtSleepPolicy, mjtSleepState

LEAST_LENGTH = 1e-5
"""Minimum of the lengths (m) by which velocities of rotational dofs are multiplied to obtain linear velocities."""

FULLY_AWAKE = -1 - mjMINAWAKE
"""Value of `tree_asleep` for a tree that moves."""

NO_TREE = -1


def may_sleep(model: Buffer) -> bool:
    """Return True if trees of a model may sleep."""
    requested = int(model.view("opt.enableflags")) & mjtEnableBit.mjENBL_SLEEP and model.layout.sizes["ntree"]
    # with RK4, changes by a stage of the integrator could not be distinguished from changes by a program
    return bool(requested) and int(model.view("opt.integrator")) != mjtIntegrator.mjINT_RK4


def check_awake(model: Buffer, who: str = "") -> None:
    """Raise FatalError if trees of a model may sleep, because steps of such a model depend on more than the state."""
    if may_sleep(model):
        raise FatalError(f"{who}models whose trees may sleep cannot be differentiated: set the flag sleep to disable")


def begins_asleep(model: Buffer) -> bool:
    """Return True if some tree of a model sleeps in the reference configuration."""
    return may_sleep(model) and bool((model.view("tree_sleep_policy") == mjtSleepPolicy.mjSLEEP_INIT).any())


def check_rests(rests: np.ndarray, who: str) -> None:
    """Reject invalid values of `tree_rest`: sleeping trees must form closed cycles.

    Args:
        rests: state of each tree, one row per world.
        who: source of the values, for the message.

    Raises:
        FatalError: a number is not a valid integer, refers to a tree that does not sleep, or occurs twice.
    """
    rests = np.asarray(rests)
    asleep = rests >= FIRST_ASLEEP
    following = np.where(asleep, rests - FIRST_ASLEEP, np.arange(rests.shape[-1]))
    whole = np.isin(rests, np.arange(FIRST_ASLEEP + rests.shape[-1])).all()
    if not whole or (np.sort(following, axis=-1) != np.arange(rests.shape[-1])).any():
        raise FatalError(f"{who}: the state of sleeping trees is damaged: each must refer to the next one of its cycle")


def sleep_states(world: Any) -> np.ndarray:
    """Return the state of each tree: negative if it is awake, otherwise the id of the next tree in its cycle."""
    rest = world.data.view("tree_rest")
    return rest + FULLY_AWAKE if may_sleep(world.model) else np.full(rest.shape, FULLY_AWAKE, rest.dtype)


def body_states(m: Any, awake: np.ndarray) -> np.ndarray:
    """Return the state of each body (mjtSleepState), given a mask of awake trees; mocap bodies are awake."""
    trees = np.asarray(m.body_treeid)
    moved = np.asarray(m.body_mocapid)[np.asarray(m.body_rootid)] >= 0
    still = np.where(moved, mjtSleepState.mjS_AWAKE, mjtSleepState.mjS_STATIC)
    return np.where(trees == NO_TREE, still, np.append(awake, 0)[trees])


def dof_lengths(m: Any) -> np.ndarray:
    """Return the factor from each dof's velocity to the velocity of points of its body, in m; 1 for sliding dofs.

    It is the largest distance from the body's center of mass to one of several points. These are the far sides of
    geoms, and the anchors of the body's own joints and of its children's joints.
    """
    reach = np.full(m.nbody, LEAST_LENGTH)
    places = np.asarray(m.geom_pos) - np.asarray(m.body_ipos)[m.geom_bodyid]
    np.maximum.at(reach, m.geom_bodyid, np.linalg.norm(places, axis=-1) + m.geom_rbound)
    kinds, bodies = np.asarray(m.jnt_type), np.asarray(m.jnt_bodyid)
    for joint in range(len(kinds)):
        body = int(bodies[joint])
        parent, anchor = int(m.body_parentid[body]), np.asarray(m.jnt_pos)[joint]
        above = np.asarray(m.body_pos)[body] + _turned(np.asarray(m.body_quat)[body], anchor)
        reach[body] = max(reach[body], float(np.linalg.norm(anchor - np.asarray(m.body_ipos)[body])))
        if parent > 0:
            reach[parent] = max(reach[parent], float(np.linalg.norm(above - np.asarray(m.body_ipos)[parent])))
    joints, dofs = np.asarray(m.dof_jntid), np.arange(m.nv)
    slides = (kinds == mjtJoint.mjJNT_SLIDE)[joints]
    slides |= (kinds == mjtJoint.mjJNT_FREE)[joints] & (dofs - np.asarray(m.jnt_dofadr)[joints] < 3)
    return np.where(slides, 1.0, reach[np.asarray(m.dof_bodyid)])


def _turned(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return a vector rotated by a unit quaternion."""
    axis = quat[1:]
    across = np.cross(axis, vector) * 2
    return vector + quat[0] * across + np.cross(axis, across)


def sleep_rows(m: Any, model: Buffer, lasts: bool) -> dict[str, np.ndarray]:
    """Return the rows of `schema.plan` for trees that may sleep.

    Args:
        m: a model with its sparsity, with rows as attributes.
        model: memory of the model.
        lasts: True if each world has its own memory.
    """
    if not may_sleep(model):
        none = np.zeros((0, 2), int)
        names = ("bodies", "joints", "dofs", "geoms", "sites", "M", "coordinates")
        return {f"sleep_{name}": none for name in names} | {"sleep_length": np.zeros(0)}
    sizes = model.layout.sizes
    trees = np.asarray(m.body_treeid)
    bodies = _spans(trees, np.arange(sizes["ntree"]))
    # elements are numbered in the order of their bodies
    owners = {"joints": m.jnt_bodyid, "dofs": m.dof_bodyid, "geoms": m.geom_bodyid, "sites": m.site_bodyid}
    spans = {name: np.searchsorted(np.asarray(owner), bodies) for name, owner in owners.items()}
    places = np.append(np.asarray(m.M_rowadr), sizes["nC"])
    coordinates = np.append(np.asarray(m.jnt_qposadr), sizes["nq"])
    hangs = np.asarray(m.body_parentid)[bodies[:, 0]] != 0
    return {
        "nsleep_run": np.array(sizes["ntree"] + 1), "nsleep_body": np.array(sizes["nbody"]),
        "sleep_lasts": np.array(int(lasts)), "sleep_hangs": np.array(int(hangs.any())),
        "sleep_bodies": bodies, **{f"sleep_{name}": span for name, span in spans.items()},
        "sleep_M": places[spans["dofs"]], "sleep_coordinates": coordinates[spans["joints"]],
        "sleep_length": dof_lengths(m),
    }  # fmt: skip


def _spans(trees: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the first body of each tree, and the index after its last body."""
    first = np.array([np.argmax(trees == tree) for tree in numbers.tolist()], int)
    return np.stack((first, first + np.bincount(trees[trees >= 0], minlength=len(numbers))), axis=1)
