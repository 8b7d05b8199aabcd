"""Functions that reset and copy worlds, and that read and write states as vectors."""

import numpy as np

from conjoint.api.arguments import OutVector, Unsigned, Vector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.followed import refresh
from conjoint.api.objects.model import MjModel
from conjoint.lang.errors import ArgumentError
from conjoint.lang.language.name import Name
from conjoint.lang.memory.layout import Field
from conjoint.runtime.entry import entry
from conjoint.runtime.on_demand import ON_DEMAND, follow, is_followed
from conjoint.runtime.reset import NO_KEY, initial_controls, keyframes
from conjoint.runtime.sleep import begins_asleep, check_rests
from conjoint.runtime.sleep_start import start_asleep
from conjoint.schema.constants import SLEEP_STATE
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.enums import mjtState
from conjoint.schema.newer_names import BITS_IN_ORDER, own_bits
from conjoint.schema.version import STANDS_FOR

HISTORY, PHYSICS = int(mjtState.mjSTATE_HISTORY), int(mjtState.mjSTATE_PHYSICS)
INTEGRATION = int(mjtState.mjSTATE_INTEGRATION)
NEWER = HISTORY | int(mjtState.mjSTATE_PLASTIC)
"""State components that exist only in newer versions."""


def _rank(field: Field) -> float:
    """Return the sort key of a field in a state vector.

    It is the component bit, except for the history, which follows the activations.
    """
    return int(mjtState.mjSTATE_ACT) + 0.5 if field.component == HISTORY else field.component


STATE_FIELDS = {field.component: field for field in sorted(DATA_FIELDS, key=_rank) if field.component}
"""Field of each state component, by component bit, in the order of the state vector."""

OF_SLEEP = ["tree_rest", "rest_qpos", "rest_act_dot", "rest_reading"]
"""Fields of the component `SLEEP_STATE`, in the order of the state vector."""

ALL_COMPONENTS = 1 << int(mjtState.mjNSTATE)
"""Exclusive upper bound of state specs, not counting the bits in `NEWER`."""

OFFICIAL_COMPONENTS = 1 << len(BITS_IN_ORDER["state"])
"""Exclusive upper bound of state specs in newer versions."""

physics_state = Name("conjoint.physics").integration.state
_state_size = entry(physics_state.state_size, "int")
_read_state = entry(physics_state.read_state, "out real[]", "int")
_write_state = entry(physics_state.write_state, "real[]", "int")


@checked
def mj_resetData(m: MjModel, d: MjData) -> None:
    """Reset a world to the reference configuration: positions at `qpos0`, everything else at rest.

    Time, velocities, activations, controls, applied forces, warnings and results become zero. Poses are computed by
    `mj_forward` or a step.

    Args:
        m: the model.
        d: the world.
    """
    d.world.reset(m.plans.current)
    start_asleep(d.world, m.plans)
    if d.followed:
        refresh(d)


@checked
def mj_resetDataDebug(m: MjModel, d: MjData, debug_value: int) -> None:
    """Reset a world and fill undefined bytes with `debug_value`, to reveal reads before writes.

    Args:
        d: the world.
        debug_value: the byte, 0 to 255.
    """
    d.world.reset(m.plans.current, int(debug_value) & 0xFF)
    start_asleep(d.world, m.plans)
    if d.followed:
        refresh(d)


@checked
def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Reset the world, then set the state of a keyframe.

    Args:
        d: the world.
        key: id of the keyframe, `m.key("home").id`; if it does not exist, the world is only reset.
    """
    key = key if 0 <= key < m.nkey else NO_KEY
    asleep = begins_asleep(m.memory)
    d.world.reset(m.plans.current, key=NO_KEY if asleep else key)
    if asleep:
        # trees that start asleep keep their poses of the reference configuration
        start_asleep(d.world, m.plans)
        if key != NO_KEY:
            for field, rows in _keyframes(m, d):
                field[...] = rows[key]
    if d.followed:
        refresh(d)


@checked
def mj_setKeyframe(m: MjModel, d: MjData, k: int) -> None:
    """Store the state of `d` as keyframe `k` of the model.

    Args:
        d: the world.
        k: id of the keyframe.

    Raises:
        FatalError: the model has no such keyframe.
    """
    # MuJoCo's messages, which programs compare
    if k >= m.nkey:
        raise ArgumentError(f"mj_setKeyframe: index must be smaller than {m.nkey} (keyframes allocated in model)")
    if k < 0:
        raise ArgumentError("mj_setKeyframe: keyframe index cannot be negative")
    for field, rows in _keyframes(m, d):
        rows[k] = field


def _keyframes(m: MjModel, d: MjData) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return pairs of arrays for the fields that keyframes store: the field in `d`, and its rows in all keyframes."""
    return d.world.keyframes if m.memory is d.world.model else keyframes(d.world.data, m.plans.current)


@checked
def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> MjData:
    """Copy the entire contents of one world into another.

    Args:
        dest: the world to write to, whose model has the same sizes.
        m: the model.
        src: the world to copy.

    Returns:
        `dest`.
    """
    held = [name for name in ON_DEMAND if is_followed(dest.world, name)]
    dest.world.take_over(src.world)
    # update the arrays of `dest` to which users have references
    for name in held:
        follow(dest.world, name)
    refresh(dest)
    return dest


@checked
def mj_stateSize(m: MjModel, spec: Unsigned) -> int:
    """Return the number of floating-point values in a state: the length of the array that `mj_getState` fills.

    Args:
        m: the model.
        spec: components of the state, a sum of bits of mjtState, such as mjSTATE_INTEGRATION.

    Raises:
        FatalError: `spec` contains an unknown bit.
    """
    return _state_size(m.plans.current, own_components("mj_stateSize", spec))


@checked
def mj_getState(m: MjModel, d: MjData, state: OutVector, spec: Unsigned) -> None:
    """Copy the state of a world into an array, one component after another.

    Args:
        d: the world.
        state: receives the state, `mj_stateSize(m, spec)` numbers.
        spec: components of the state, a sum of bits of mjtState, such as mjSTATE_INTEGRATION.

    Raises:
        TypeError: `state` is not a writable float64 vector of `mj_stateSize(m, spec)` elements.
        FatalError: `spec` contains an unknown bit.
    """
    _read_state(m.plans.current, d.world, state, _fitting("mj_getState", m, state, spec))


@checked
def mj_setState(m: MjModel, d: MjData, state: Vector, spec: Unsigned) -> None:
    """Set the state of a world from an array that `mj_getState` filled; call `mj_forward` to update the results.

    Args:
        d: the world.
        state: the state, `mj_stateSize(m, spec)` numbers.
        spec: components of the state, a sum of bits of mjtState, such as mjSTATE_INTEGRATION.

    Raises:
        TypeError: `state` is not a vector of `mj_stateSize(m, spec)` elements.
        FatalError: `spec` contains an unknown bit.
    """
    spec = _fitting("mj_setState", m, state, spec)
    if count := state_size(m, spec & SLEEP_STATE):
        first = len(state) - count
        check_rests(state[first : first + m.ntree], "mj_setState")
    _write_state(m.plans.current, d.world, state, spec)


@checked
def mj_copyState(m: MjModel, src: MjData, dst: MjData, sig: Unsigned) -> None:
    """Copy a part of the state of one world to another; call `mj_forward` to update the results.

    Args:
        m: the model.
        src: the world to copy from.
        dst: the world to write to.
        sig: components to copy, a sum of bits of mjtState, such as mjSTATE_INTEGRATION.

    Raises:
        FatalError: `sig` contains an unknown bit.
    """
    spec = own_components("mj_copyState", sig)
    names = [field.name for field in _fields_of(spec)]
    if spec & SLEEP_STATE:
        names += OF_SLEEP
        dst.world.data.view("sleep_known")[...] = 0
    for name in names:
        dst.world.data.view(name)[...] = src.world.data.view(name)


@checked
def mj_extractState(m: MjModel, src: Vector, srcsig: Unsigned, dst: OutVector, dstsig: Unsigned) -> None:
    """Copy some components of one state vector to another.

    Args:
        m: the model.
        src: the state, `mj_stateSize(m, srcsig)` numbers.
        srcsig: components of `src`, a sum of bits of mjtState.
        dst: receives the components `dstsig`, `mj_stateSize(m, dstsig)` numbers.
        dstsig: components of `dst`, a subset of `srcsig`.

    Raises:
        FatalError: `dstsig` contains a component that is not in `srcsig`, or a signature contains an unknown bit.
        TypeError: the length of a vector does not match its signature.
    """
    own, wanted = own_components("mj_extractState", srcsig), own_components("mj_extractState", dstsig)
    if wanted & ~own:
        raise ArgumentError("mj_extractState: dstsig is not a subset of srcsig")
    require(len(src) == _state_size(m.plans.current, own), "src size should equal mj_stateSize(m, srcsig)")
    require(len(dst) == _state_size(m.plans.current, wanted), "dst size should equal mj_stateSize(m, dstsig)")
    read = written = 0
    for bit in (bit for bit in (*STATE_FIELDS, SLEEP_STATE) if own & bit):
        size = _state_size(m.plans.current, bit)
        if wanted & bit:
            dst[written : written + size] = src[read : read + size]
            written += size
        read += size


@checked
def mj_resetCtrl(m: MjModel, d: MjData) -> None:
    """Set all controls to their values after a reset: zeros, and identity quaternions.

    Args:
        m: the model.
        d: the world, whose `ctrl` changes.
    """
    controls = initial_controls(m.plans.current)
    d.world.data.view("ctrl")[...] = 0.0 if controls is None else controls


def whole_state() -> int:
    """Return the state spec that contains all inputs of a step, with the bits of the emulated version."""
    return OFFICIAL_COMPONENTS - 1 if STANDS_FOR.moved else int(mjtState.mjSTATE_INTEGRATION)


def state_size(m: MjModel, spec: int) -> int:
    """Return the number of floating-point values in a state. `spec` contains component bits of `schema.enums`."""
    return int(_state_size(m.plans.current, spec))


def state_parts(d: MjData, spec: int, function: str) -> list[np.ndarray]:
    """Return views of the state components that `spec` selects, each as a vector, in the order of the state."""
    if spec & ~NEWER >= ALL_COMPONENTS:
        raise ArgumentError(f"{function}: invalid state spec {spec} >= 2^mjNSTATE")
    return [d.world.data.view(field.name).reshape(-1) for field in _fields_of(spec)]


def _fields_of(spec: int) -> list[Field]:
    """Return the state fields whose component bits are set in `spec`."""
    return [field for bit, field in STATE_FIELDS.items() if spec & bit]


def own_components(function: str, spec: int) -> int:
    """Convert component bits of the emulated version to bits of `STATE_FIELDS`.

    Raises:
        FatalError: `spec` contains an unknown bit. The message is that of the emulated version.
    """
    if STANDS_FOR.moved:
        if spec >= OFFICIAL_COMPONENTS:
            raise ArgumentError(f"{function}: invalid state signature {spec} >= 2^mjNSTATE")
        spec = own_bits("state", spec)
    elif spec & ~NEWER >= ALL_COMPONENTS:
        raise ArgumentError(f"{function}: invalid state spec {spec} >= 2^mjNSTATE")
    elif spec & PHYSICS == PHYSICS:
        # the full physics state includes the histories of delays and the plastic rest positions of springs
        spec |= NEWER
    # the inputs of a step include the state of sleeping trees
    return spec | SLEEP_STATE if spec & INTEGRATION == INTEGRATION else spec


def _fitting(function: str, m: MjModel, state: np.ndarray, spec: int) -> int:
    """Return `spec` as bits of `STATE_FIELDS`. Raises TypeError if `state` has a different size."""
    spec = own_components(function, spec)
    # MuJoCo's message, which programs compare
    word = "sig" if STANDS_FOR.moved else "spec"
    require(len(state) == _state_size(m.plans.current, spec), f"state size should equal mj_stateSize(m, {word})")
    return spec
