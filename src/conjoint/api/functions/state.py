"""Resets and copies of worlds, and states as vectors."""

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
"""Components that only newer versions have."""


def _rank(field: Field) -> float:
    """Return the sort key of a component in a state: its bit, except that the history follows the activations."""
    return int(mjtState.mjSTATE_ACT) + 0.5 if field.component == HISTORY else field.component


STATE_FIELDS = {field.component: field for field in sorted(DATA_FIELDS, key=_rank) if field.component}
"""Field of each state component, in the order of the state vector."""

OF_SLEEP = ["tree_rest", "rest_qpos", "rest_act_dot", "rest_reading"]
"""Fields of the component `SLEEP_STATE`, in their order."""

ALL_COMPONENTS = 1 << int(mjtState.mjNSTATE)
"""Exclusive upper bound of sums of component bits, except for bits of newer versions."""

OFFICIAL_COMPONENTS = 1 << len(BITS_IN_ORDER["state"])
"""Exclusive upper bound of sums of component bits in newer versions."""

physics_state = Name("conjoint.physics").integration.state
_state_size = entry(physics_state.state_size, "int")
_read_state = entry(physics_state.read_state, "out real[]", "int")
_write_state = entry(physics_state.write_state, "real[]", "int")


@checked
def mj_resetData(m: MjModel, d: MjData) -> None:
    """Put a world into the reference configuration: positions at `qpos0`, everything else at rest.

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
        # trees fall asleep where they are in the reference configuration
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
        k: number of the keyframe.

    Raises:
        FatalError: when the model has no such keyframe.
    """
    # official messages, which programs compare
    if k >= m.nkey:
        raise ArgumentError(f"mj_setKeyframe: index must be smaller than {m.nkey} (keyframes allocated in model)")
    if k < 0:
        raise ArgumentError("mj_setKeyframe: keyframe index cannot be negative")
    for field, rows in _keyframes(m, d):
        rows[k] = field


def _keyframes(m: MjModel, d: MjData) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the memory of the fields that keyframes store, and of all keyframes of a model."""
    return d.world.keyframes if m.memory is d.world.model else keyframes(d.world.data, m.plans.current)


@checked
def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> MjData:
    """Copy everything of one world into another.

    Args:
        dest: the world to write to, of a model with the same sizes.
        m: the model.
        src: the world to copy.

    Returns:
        `dest`.
    """
    held = [name for name in ON_DEMAND if is_followed(dest.world, name)]
    dest.world.take_over(src.world)
    # arrays of `dest` that users hold are updated
    for name in held:
        follow(dest.world, name)
    refresh(dest)
    return dest


@checked
def mj_stateSize(m: MjModel, spec: Unsigned) -> int:
    """Return the number of floating-point values in a state, to make an array for `mj_getState`.

    Args:
        m: the model.
        spec: components of the state, a sum of bits of mjtState, such as mjSTATE_INTEGRATION.

    Raises:
        FatalError: when `spec` has bits that no component has.
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
        TypeError: when `state` is not a writable float64 vector of `mj_stateSize(m, spec)` elements.
        FatalError: when `spec` has bits that no component has.
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
        TypeError: when `state` is not a vector of `mj_stateSize(m, spec)` elements.
        FatalError: when `spec` has bits that no component has.
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
        FatalError: when `sig` has bits that no component has.
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
        srcsig: its components, a sum of bits of mjtState.
        dst: receives the part, `mj_stateSize(m, dstsig)` numbers.
        dstsig: components of `dst`, a subset of `srcsig`.

    Raises:
        FatalError: when `dstsig` has a component that is not in `srcsig`, or bits that no component has.
        TypeError: when a vector has a different length.
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
    """Set all controls as a reset does: to zero, and quaternions to no rotation.

    Args:
        m: the model.
        d: the world, whose `ctrl` changes.
    """
    controls = initial_controls(m.plans.current)
    d.world.data.view("ctrl")[...] = 0.0 if controls is None else controls


def whole_state() -> int:
    """Return the `mj_getState` bits of all inputs of a step, in the emulated version."""
    return OFFICIAL_COMPONENTS - 1 if STANDS_FOR.moved else int(mjtState.mjSTATE_INTEGRATION)


def state_size(m: MjModel, spec: int) -> int:
    """Return the number of floating-point values in a state that consists of bits of `schema.enums`."""
    return int(_state_size(m.plans.current, spec))


def state_parts(d: MjData, spec: int, function: str) -> list[np.ndarray]:
    """Return the memory of the components of the state that `spec` names, in order, each as a vector."""
    if spec & ~NEWER >= ALL_COMPONENTS:
        raise ArgumentError(f"{function}: invalid state spec {spec} >= 2^mjNSTATE")
    return [d.world.data.view(field.name).reshape(-1) for field in _fields_of(spec)]


def _fields_of(spec: int) -> list[Field]:
    """Return the fields whose bits `spec` has."""
    return [field for bit, field in STATE_FIELDS.items() if spec & bit]


def own_components(function: str, spec: int) -> int:
    """Convert component bits of the emulated version to bits of `STATE_FIELDS`.

    Raises:
        FatalError: there are unknown bits; the message is the official one of that version.
    """
    if STANDS_FOR.moved:
        if spec >= OFFICIAL_COMPONENTS:
            raise ArgumentError(f"{function}: invalid state signature {spec} >= 2^mjNSTATE")
        spec = own_bits("state", spec)
    elif spec & ~NEWER >= ALL_COMPONENTS:
        raise ArgumentError(f"{function}: invalid state spec {spec} >= 2^mjNSTATE")
    elif spec & PHYSICS == PHYSICS:
        # the full physical state includes the history of delays and the rest positions of springs
        spec |= NEWER
    # inputs of a step: also the sleeping trees
    return spec | SLEEP_STATE if spec & INTEGRATION == INTEGRATION else spec


def _fitting(function: str, m: MjModel, state: np.ndarray, spec: int) -> int:
    """Return the named components if their size is that of `state`; else raise TypeError."""
    spec = own_components(function, spec)
    # official message, which programs compare
    word = "sig" if STANDS_FOR.moved else "spec"
    require(len(state) == _state_size(m.plans.current, spec), f"state size should equal mj_stateSize(m, {word})")
    return spec
