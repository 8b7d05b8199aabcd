"""Reset, copy, and the state as one vector."""

from __future__ import annotations

import numpy as np

from conjoint.api.arguments import OutVector, Vector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.errors import FatalError
from conjoint.schema.enums import mjtState

STATE_FIELDS: dict[int, str] = {
    mjtState.mjSTATE_TIME: "time", mjtState.mjSTATE_QPOS: "qpos", mjtState.mjSTATE_QVEL: "qvel",
    mjtState.mjSTATE_ACT: "act", mjtState.mjSTATE_WARMSTART: "qacc_warmstart", mjtState.mjSTATE_CTRL: "ctrl",
    mjtState.mjSTATE_QFRC_APPLIED: "qfrc_applied", mjtState.mjSTATE_XFRC_APPLIED: "xfrc_applied",
    mjtState.mjSTATE_EQ_ACTIVE: "eq_active", mjtState.mjSTATE_MOCAP_POS: "mocap_pos",
    mjtState.mjSTATE_MOCAP_QUAT: "mocap_quat", mjtState.mjSTATE_USERDATA: "userdata",
    mjtState.mjSTATE_PLUGIN: "plugin_state",
}  # fmt: skip
"""Field of each component of the state, in the order in which they are concatenated."""


@checked
def mj_resetData(m: MjModel, d: MjData) -> None:
    """Put `d` into the reference configuration of `m`: positions at qpos0, everything else at rest."""
    _check_same_sizes("mj_resetData", m, d)
    d._world.reset(m._buffer)


@checked
def mj_resetDataDebug(m: MjModel, d: MjData, debug_value: int) -> None:
    """Reset, and set every byte that a reset leaves open to `debug_value`, so that reading too early shows."""
    _check_same_sizes("mj_resetDataDebug", m, d)
    d._world.reset(m._buffer, int(debug_value) & 0xFF)


@checked
def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Reset, then set the state to that of keyframe `key`; a key that does not exist only resets."""
    mj_resetData(m, d)
    if 0 <= key < m.nkey:
        d.time = m.key_time[key]
        for name, value in _keyframe_fields(m, key):
            getattr(d, name).reshape(-1)[...] = value


@checked
def mj_setKeyframe(m: MjModel, d: MjData, k: int) -> None:
    """Store the state of `d` as keyframe `k` of the model.

    Raises:
        FatalError: when the model has no such keyframe.
    """
    nkey = m.nkey
    if k >= nkey:
        raise FatalError(f"mj_setKeyframe: index must be smaller than {nkey} (keyframes allocated in model)")
    if k < 0:
        raise FatalError("mj_setKeyframe: keyframe index cannot be negative")
    m.key_time[k] = d.time
    for name, value in _keyframe_fields(m, k):
        value[...] = getattr(d, name).reshape(-1)


@checked
def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> MjData:
    """Copy everything of `src` into `dest`, a world of a model with the same sizes; returns `dest`."""
    _check_same_sizes("mj_copyData", m, src)
    _check_same_sizes("mj_copyData", m, dest)
    dest._world.restore(*src._world.contents())
    return dest


@checked
def mj_stateSize(m: MjModel, spec: int) -> int:
    """Number of reals in the state that `spec`, a sum of mjtState bits, describes.

    Raises:
        FatalError: when `spec` has bits that no component has.
    """
    return sum(_component_size(m, name) for name in _components("mj_stateSize", spec))


@checked
def mj_getState(m: MjModel, d: MjData, state: OutVector, spec: int) -> None:
    """Write the components of the state that `spec` (a sum of mjtState bits) names to `state`, one after another.

    Raises:
        TypeError: when `state` is not a writable float64 vector of `mj_stateSize(m, spec)` elements.
        FatalError: when `spec` has bits that no component has.
    """
    names = _components("mj_getState", spec)
    _check_state(m, state, names, "mj_getState")
    start = 0
    for name in names:
        stop = start + _component_size(m, name)
        state[start:stop] = np.ravel(getattr(d, name))
        start = stop


@checked
def mj_setState(m: MjModel, d: MjData, state: Vector, spec: int) -> None:
    """Set the components of the state of `d` that `spec` (a sum of mjtState bits) names from `state`.

    Raises:
        TypeError: when `state` is not a vector of `mj_stateSize(m, spec)` elements.
        FatalError: when `spec` has bits that no component has.
    """
    names = _components("mj_setState", spec)
    _check_state(m, state, names, "mj_setState")
    start = 0
    for name in names:
        stop = start + _component_size(m, name)
        if name == "time":
            d.time = float(state[start])
        else:
            getattr(d, name).reshape(-1)[...] = state[start:stop]
        start = stop


def _components(function: str, spec: int) -> list[str]:
    """Names of the fields whose bits `spec` has."""
    limit = 1 << int(mjtState.mjNSTATE)
    if spec < 0:
        raise FatalError(f"{function}: invalid state spec {spec} < 0")
    if spec >= limit:
        raise FatalError(f"{function}: invalid state spec {spec} >= 2^mjNSTATE")
    return [name for bit, name in STATE_FIELDS.items() if spec & bit]


def _component_size(m: MjModel, name: str) -> int:
    """Number of reals of one component of the state."""
    sizes = m._buffer.layout.sizes
    counts = {
        "time": 1, "qpos": "nq", "act": "na", "ctrl": "nu", "xfrc_applied": 6 * sizes["nbody"], "eq_active": "neq",
        "mocap_pos": 3 * sizes["nmocap"], "mocap_quat": 4 * sizes["nmocap"], "userdata": "nuserdata",
        "plugin_state": "npluginstate",
    }  # fmt: skip
    count = counts.get(name, "nv")
    return sizes[count] if isinstance(count, str) else count


def _check_state(m: MjModel, state: np.ndarray, names: list[str], function: str) -> None:
    size = sum(_component_size(m, name) for name in names)
    require(len(state) == size, f"{function}: state size should equal mj_stateSize(m, spec) = {size}, not {len(state)}")


def _keyframe_fields(m: MjModel, key: int) -> list[tuple[str, np.ndarray]]:
    """Fields of the state beside the time, each with its row in the keyframe."""
    pairs = {"qpos": "qpos", "qvel": "qvel", "act": "act", "ctrl": "ctrl", "mocap_pos": "mpos", "mocap_quat": "mquat"}
    return [(name, getattr(m, f"key_{own}")[key]) for name, own in pairs.items()]


def _check_same_sizes(function: str, m: MjModel, d: MjData) -> None:
    """Refuse a world that was made for a model of other sizes."""
    if m is not d.model and m._buffer.layout.sizes != d.model._buffer.layout.sizes:
        raise FatalError(f"{function}: the MjData was made for a model of other sizes")
