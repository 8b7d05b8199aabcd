"""Callbacks: Python functions of the user that the pipeline calls (Programming chapter, Callbacks).

Callbacks are global, as in MuJoCo, and apply to single worlds, not to batches. At each installed callback the pipeline
pauses until the callback returns. An exception in a callback ends the function call that ran the pipeline.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.functions import collider
from conjoint.api.mju.numbers import mju_warningText
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.option import own_flags
from conjoint.lang import ArgumentError, FatalError, Kernel
from conjoint.lang.language.name import Name
from conjoint.physics import status
from conjoint.physics.plugins import PLUGINS, slot_of
from conjoint.runtime import warning_report
from conjoint.runtime.entry import entry
from conjoint.runtime.stage import Stage
from conjoint.runtime.user import installed
from conjoint.runtime.user.plugins import PREFIX
from conjoint.runtime.world import World
from conjoint.schema.enums import mjtBias, mjtDisableBit, mjtDyn, mjtGain, mjtSensor, mjtStage

Callback = Callable[..., Any]

_installed: dict[str, Callback] = {}
_handlers: dict[str, Callback | None] = {}

_running: WeakKeyDictionary[World, dict[int, float]] = WeakKeyDictionary()
"""Start times of the running timers of each world."""

forces = Name("conjoint.physics").actuation.forces
_disabled, _gain, _bias, _input = (
    entry(kernel, "int")
    for kernel in (forces.actuator_disabled, forces.actuator_gain, forces.actuator_bias, forces.actuator_input)
)
_cut_off = entry(Name("conjoint.physics").sensor.store.cut_off, "int")

DISABLED_BY = {
    "mjcb_control": mjtDisableBit.mjDSBL_ACTUATION,
    "mjcb_passive": mjtDisableBit.mjDSBL_PASSIVE,
    "mjcb_sensor": mjtDisableBit.mjDSBL_SENSOR,
    "mjcb_act": mjtDisableBit.mjDSBL_ACTUATION,
    "mjcb_contactfilter": mjtDisableBit.mjDSBL_CONTACT | mjtDisableBit.mjDSBL_CONSTRAINT,
}
"""Model flags that disable each callback, by callback name."""


def answer(m: MjModel, d: MjData, stage: Stage) -> None:
    """Call the Python callback, collider or plugin of a pipeline stage.

    Raises:
        TypeError: the callback must return a number but did not.
    """
    if stage.name == "mjcb_time":
        _turn_timer(d, stage)
        return
    if stage.name == installed.COLLISION_FUNCTION:
        collider.collide(m, d)
        return
    if stage.name.startswith(PREFIX):
        _run_plugin(m, d, stage)
        return
    unconditional = stage.name == "mjcb_control" and stage.stage == mjtStage.mjSTAGE_NONE
    if own_flags(m, "disableflags") & DISABLED_BY[stage.name] and not unconditional:
        return
    if stage.name == "mjcb_contactfilter":
        _filter_pairs(m, d, _installed[stage.name])
    elif stage.name == "mjcb_sensor":
        _read_sensors(m, d, _installed[stage.name], int(stage.stage))
    elif stage.name == "mjcb_act":
        _actuate(m, d)
    else:
        _installed[stage.name](m, d)


def _run_plugin(m: MjModel, d: MjData, stage: Stage) -> None:
    """Call a plugin's Python function for each plugin instance, unless a model flag disables the stage."""
    name, _, function = stage.name.removeprefix(PREFIX).rpartition(".")
    slot = slot_of(name)
    if not own_flags(m, "disableflags") & stage.stage:
        for instance in np.flatnonzero(m.plugin == slot).tolist():
            getattr(PLUGINS[slot], function)(m, d, instance)


def _turn_timer(d: MjData, stage: Stage) -> None:
    """Start the timer of a stage, or stop it and add its duration and one call to the world's statistics."""
    now = _number("mjcb_time", 0.0)
    running = _running.setdefault(d.world, {})
    if stage.kernel is status.timer_begins:
        running[stage.stage] = now
    else:
        view = d.world.data.view
        view("timer.duration")[stage.stage] += now - running.pop(stage.stage, now)
        view("timer.number")[stage.stage] += 1


def _read_sensors(m: MjModel, d: MjData, function: Callback, stage: int) -> None:
    """Call the sensor callback if the stage has user sensors, then clamp their readings to the cutoffs."""
    mine = np.flatnonzero((m.sensor_type == mjtSensor.mjSENS_USER) & (m.sensor_needstage == stage))
    if len(mine):
        function(m, d, stage)
        for sensor in mine.tolist():
            _cut_off(m.plans.current, d.world, sensor)


def _filter_pairs(m: MjModel, d: MjData, function: Callback) -> None:
    """Discard the candidate geom pairs for which the filter callback returns a nonzero number."""
    names = ("near_hit", "near_geom1", "near_geom2", "near_pair")
    hit, first, second, explicit = (d.world.arena.view(name) for name in names)
    near = slice(int(d.world.data.view("nnear")))
    for k in np.flatnonzero((hit[near] != 0) & (explicit[near] < 0)).tolist():
        unwanted = function(m, d, int(first[k]), int(second[k]))
        if not isinstance(unwanted, int | np.integer):
            raise TypeError("mjcb_contactfilter callback did not return an integer")
        hit[k] = int(not unwanted)


def _actuate(m: MjModel, d: MjData) -> None:
    """Call the callbacks for activation dynamics, gains and biases, and recompute the actuator forces."""
    user = m.actuator_dyntype == mjtDyn.mjDYN_USER
    for u in np.flatnonzero(user & (m.actuator_actadr >= 0)).tolist():
        rate = _number("mjcb_act_dyn", 0.0, m, d, u)
        # if an actuator has several activations, the callback writes their rates itself
        if m.actuator_actnum[u] == 1:
            d.act_dot[m.actuator_actadr[u]] = rate
    own_gain, own_bias = m.actuator_gaintype == mjtGain.mjGAIN_USER, m.actuator_biastype == mjtBias.mjBIAS_USER
    for u in np.flatnonzero(user | own_gain | own_bias).tolist():
        if not _disabled(m.plans.current, u):
            gain, bias = _gain(m.plans.current, d.world, u), _bias(m.plans.current, d.world, u)
            gain = _number("mjcb_act_gain", gain, m, d, u) if own_gain[u] else gain
            bias = _number("mjcb_act_bias", bias, m, d, u) if own_bias[u] else bias
            d.actuator_force[m.actuator_outadr[u]] = gain * _input(m.plans.current, d.world, u) + bias


def _number(name: str, default: float, *arguments: Any) -> float:
    """Return the number that a callback returns, or the default if the callback is not installed."""
    if name not in _installed:
        return default
    value = _installed[name](*arguments)
    if not isinstance(value, int | float | np.number):
        raise TypeError(f"{name} callback did not return a number")
    return float(value)


ACTUATORS = "mjcb_act_"


def _install(name: str, function: Callback | None) -> None:
    """Install a callback, or remove it if `function` is None."""
    wanted = {other: mine for other, mine in _installed.items() if other != name}
    if function is not None:
        wanted[name] = function
    kernels = {other: mine for other, mine in wanted.items() if isinstance(mine, Kernel)}
    if name in kernels:
        _check_kernel(name, kernels[name])
    python = wanted.keys() - kernels.keys()
    mixed = [other.startswith(ACTUATORS) for other in python], [other.startswith(ACTUATORS) for other in kernels]
    if all(any(group) for group in mixed):
        raise FatalError(
            "callbacks of actuators must be all kernels or all Python functions: change the others, or set them to None"
        )
    _installed.clear()
    _installed.update(wanted)
    # a single stage calls all actuator callbacks
    installed.set_callbacks({"mjcb_act" if other.startswith(ACTUATORS) else other for other in python}, kernels)


def _check_kernel(name: str, function: Kernel) -> None:
    """Raise FatalError unless the callback may be a kernel and the kernel has the right number of parameters."""
    expected = len(get_args(CALLBACKS[name][0])[0])
    code = function.function.__code__
    place = f"{code.co_filename}:{code.co_firstlineno}: kernel {function.__name__}"
    if not expected:
        raise ArgumentError(f"{place}: set_{name} needs a Python function, not a kernel")
    if len(function.parameters) != expected:
        raise ArgumentError(
            f"{place}: set_{name} needs a kernel of {expected} parameters, not {len(function.parameters)}"
        )


def mj_resetCallbacks() -> None:
    """Remove all callbacks."""
    for name in tuple(_installed):
        _install(name, None)


Row = tuple[Any, str, str, str]

CALLBACKS: dict[str, Row] = {
    "mjcb_control": (
        Callable[[MjModel, MjData], None], "the model and the world",
        "sets controls before actuator forces are computed", "sets controls",
    ),
    "mjcb_passive": (
        Callable[[MjModel, MjData], None], "the model and the world",
        "adds forces to `qfrc_passive` after those of the model", "adds passive forces",
    ),
    "mjcb_sensor": (
        Callable[[MjModel, MjData, int], None], "the model, the world and the stage (mjtStage)",
        "fills in the readings of user sensors", "reads user sensors",
    ),
    "mjcb_contactfilter": (
        Callable[[MjModel, MjData, int, int], int], "the model, the world and the ids of two geoms that may touch",
        "returns 1 to exclude a pair of geoms", "excludes pairs of geoms",
    ),
    "mjcb_time": (
        Callable[[], float], "no arguments",
        "returns the time, in any unit, for the timers of a world, which require this callback", "returns the time",
    ),
    "mjcb_act_dyn": (
        Callable[[MjModel, MjData, int], float], "the model, the world and the id of the actuator",
        "returns `act_dot` of an actuator with user dynamics", "returns user activation dynamics",
    ),
    "mjcb_act_gain": (
        Callable[[MjModel, MjData, int], float], "the model, the world and the id of the actuator",
        "returns the gain of an actuator with a user gain, which defaults to 1", "returns user gains",
    ),
    "mjcb_act_bias": (
        Callable[[MjModel, MjData, int], float], "the model, the world and the id of the actuator",
        "returns the bias of an actuator with a user bias, which defaults to 0", "returns user biases",
    ),
}  # fmt: skip
"""Type, description of the arguments, purpose and short purpose of each callback, by callback name.

The setters and getters of the callbacks are created from this table.
"""


def _functions(name: str, kind: Any, arguments: str, purpose: str, short: str) -> dict[str, Callback]:
    """Create the setter and the getter of a callback. Return them by function name."""

    def set_callback(function: Any) -> None:
        _install(name, function)

    def get_callback() -> Callback | None:
        return _installed.get(name)

    set_callback.__annotations__["function"] = kind | None
    set_callback.__doc__ = f"""Install a callback that {purpose}; None removes it.

Args:
    function: the function, called with {arguments}.
"""
    get_callback.__doc__ = f"Return the callback that {short}, or None if none is installed."
    made: dict[str, Any] = {f"set_{name}": set_callback, f"get_{name}": get_callback}
    for full, function in made.items():
        function.__name__ = function.__qualname__ = full
    return made | {f"set_{name}": checked(set_callback)}


for _name, _row in CALLBACKS.items():
    globals().update(_functions(_name, *_row))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


@checked
def set_mju_user_warning(function: Callable[[str], None] | None) -> None:
    """Install a function that receives the text of every warning of single worlds; None restores Python's warnings.

    Args:
        function: the function, called with the warning text.
    """
    _handlers["warning"] = function
    warning_report.handler = None if function is None else _warn


def get_mju_user_warning() -> Callback | None:
    """Return the function that receives warnings, or None if none is installed."""
    return _handlers.get("warning")


def _warn(kind: int, info: int, time: float) -> None:
    """Pass MuJoCo's text of a warning to the user's function, as bytes if it is a C function."""
    from _ctypes import CFuncPtr

    function = _handlers["warning"]
    if function is not None:
        text = f"{mju_warningText(kind, info)} Time = {time:.4f}."
        function(text.encode() if isinstance(function, CFuncPtr) else text)
