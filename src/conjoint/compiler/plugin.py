"""Plugins of a model: instances and settings (XML Reference, extension/plugin)."""

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Actuator, Plugin, Sensor
from conjoint.compiler.passes import declared
from conjoint.physics.plugin.plugin import mjpPlugin, settings
from conjoint.physics.plugins import PID, PLUGINS, TOUCH_GRID, slot_of
from conjoint.runtime.user.plugins import load_installed
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element, suggestion

Known = dict[str, tuple[int, mjpPlugin]]
"""Dictionary that maps the name of a plugin to its slot and the plugin itself."""


def known_plugins() -> Known:
    """Return all plugins and their slots, by plugin name."""
    return {plugin.name: (slot, plugin) for slot, plugin in enumerate(PLUGINS)}


@declared(
    writes=(
        "actuator: pluginid; body: pluginid; geom: pluginid; mesh: pluginid; plugin: attr found slot; sensor: pluginid"
    ),
)
def resolve_plugins(draft: Draft) -> None:
    """Set the plugin instance of every element that uses a plugin. If the element names no instance, create one."""
    elements = [*draft.meshes, *draft.actuators, *draft.sensors]
    for body in draft.bodies:
        elements += [*body.geoms, body]
    users = []
    for element in elements:
        element.pluginid = -1
        if element.__dict__.get("plugin") is not None:
            users.append(element)
    if not (users or draft.plugins or draft.spec.extensions):
        return
    if not all(slot_of(name) >= 0 for name in draft.spec.extensions):
        load_installed()
    known = known_plugins()
    for name in draft.spec.extensions:
        if name not in known:
            place = draft.spec.places.get(name)
            draft.problems.add(f"<plugin>: there is no plugin '{name}'{suggestion(name, known)}", place, "plugin")
    for instance in draft.plugins:
        _check_settings(draft, instance, known.get(instance.plugin_name))
    shared: dict[int, int] = {}
    # in the order of the file, followed by elements that programs created
    for element in sorted(users, key=lambda user: user.plugin.__dict__.get("order", inf)):
        element.pluginid = _instance(draft, element, element.plugin, shared, known)


@declared(
    reads="actuator: actnum pluginid; plugin: found; sensor: pluginid",
    early="sensor: objtype",
    writes="plugin: statenum; sensor: dim needstage",
)
def check_plugins(draft: Draft) -> None:
    """Check PID controllers and touch grids, after their targets were resolved."""
    used = {element.pluginid for element in draft.actuators}
    for instance in draft.plugins:
        instance.statenum = _asked(draft, instance, "nstate")
        if instance.plugin_name == "mujoco.pid" and instance.id not in used:
            draft.problems.about(instance, "no actuator uses this instance")
        if instance.plugin_name == "mujoco.elasticity.cable":
            _check_numbers(draft, instance, instance.config, ("twist", "bend"))
    for actuator in draft.actuators:
        if actuator.pluginid >= 0:
            _check_activations(draft, actuator)
    for sensor in draft.sensors:
        if sensor.pluginid >= 0:
            _size_sensor(draft, sensor)


def _instance(draft: Draft, element: Element, use: Any, shared: dict[int, int], known: Known) -> int:
    """Return the id of the plugin instance that `use` names, or of a new instance.

    On failure, report a problem and return -1. The bodies of a macro share one instance, named after the macro.
    `shared` maps the Python id of their common plugin to the id of this instance.
    """
    kind = element.kind
    if id(use) in shared:
        return shared[id(use)]
    if not use.name and not use.plugin_name:
        draft.problems.about(use, "the attribute plugin or instance is missing")
        return -1
    if use.name:
        found = draft.find("plugin", use.name, use, "instance")
        name = draft.plugins[found].plugin_name if found >= 0 else use.plugin_name
        if use.plugin_name and use.plugin_name != name:
            draft.problems.about(use, f"the instance '{use.name}' belongs to the plugin '{name}'", "instance")
        if use.config:
            draft.problems.about(use, "write the settings of an instance in <extension>, not here", "instance")
    else:
        name = use.plugin_name
        if name not in draft.spec.extensions:
            hint = suggestion(name, draft.spec.extensions)
            draft.problems.about(use, f"the plugin '{name}' is not declared in <extension>{hint}", "plugin")
            return -1
        found = len(draft.plugins)
        title = use.__dict__.get("shared", "")
        if title in draft.ids["plugin"]:
            title += str(len(shared))
        values = {"name": title, "plugin_name": name, "config": use.config, "id": found}
        made: Any = Element("plugin", values, use.place)
        draft.plugins.append(made)
        if title:
            shared[id(use)] = draft.ids["plugin"][title] = found
        _check_settings(draft, made, known.get(name))
    owners = known[name][1].owners if name in known else (kind,)
    if kind not in owners:
        belongs = " or ".join(f"<{owner}>" for owner in owners)
        draft.problems.about(use, f"the plugin '{name}' belongs to {belongs}, not to <{kind}>", "plugin")
    return found


def _check_settings(draft: Draft, instance: Plugin, found: tuple[int, mjpPlugin] | None) -> None:
    """Check that the plugin supports all settings. Set `slot`, and `attr`, the stored text of the settings."""
    instance.slot, instance.found = found or (-1, None)
    known = found[1].attributes if found else tuple(instance.config)
    for key in instance.config:
        if key not in known:
            message = f"the plugin '{instance.plugin_name}' has no setting '{key}'{suggestion(key, known)}"
            draft.problems.about(instance, f"{message}\nError: unrecognized attribute 'plugin:{key}'")
    instance.attr = b"".join(instance.config.get(key, "").encode() + b"\0" for key in known)


def _check_activations(draft: Draft, actuator: Actuator) -> None:
    """Check that an actuator has as many activations as its plugin and its dynamics need."""
    instance = draft.plugins[actuator.pluginid]
    if instance.plugin_name == PID:
        for key, text in instance.config.items():
            if key in ("imax", "slewmax") and _number(text) < 0:
                draft.problems.about(actuator, f"the setting '{key}' must not be negative, but is {text}")
    needed = _asked(draft, instance, "actuator_actdim") + bool(actuator.dyntype)
    if instance.found is not None and actuator.actnum != needed:
        draft.problems.about(actuator, f"has actdim {actuator.actnum}, expected {needed}", "actdim")


def _size_sensor(draft: Draft, sensor: Sensor) -> None:
    """Set the stage at which a sensor is computed, and the number of its readings."""
    instance = draft.plugins[sensor.pluginid]
    if instance.plugin_name == TOUCH_GRID:
        _check_grid(draft, sensor)
    if instance.found is not None:
        sensor.needstage = int(instance.found.needstage)
        sensor.dim = _asked(draft, instance, "nsensordata")


def _asked(draft: Draft, instance: Plugin, count: str) -> int:
    """Return the number of states, readings or activations of a plugin instance, or 0 if it has none or fails."""
    if instance.found is None:
        return 0
    try:
        number: int = getattr(instance.found, count)(settings(instance.found, instance.config))
    except ValueError as error:
        draft.problems.about(instance, f"the settings do not determine the {count}: {error}")
        return 0
    return number


def _check_grid(draft: Draft, sensor: Sensor) -> None:
    """Check that a touch grid is attached to a site, and that its field of view is at most 180 by 90 degrees."""
    config = draft.plugins[sensor.pluginid].config
    if sensor.__dict__.get("objtype") != OBJECT_TYPES["site"]:
        draft.problems.about(sensor, "must be attached to a site", "objtype")
    _check_numbers(draft, sensor, config, ("nchannel", "gamma"))
    size = [int(_number(word)) for word in config.get("size", "").split()]
    view = [_number(word) for word in config.get("fov", "").split()]
    channels = int(_number(config.get("nchannel", "")) or 1)
    if len(size) != 2 or min(size) <= 0 or not 1 <= channels <= 6:
        draft.problems.about(sensor, "needs a size of two positive numbers, and 1 to 6 channels")
        return
    if not 0 <= _number(config.get("gamma", "")) <= 1:
        draft.problems.about(sensor, "needs a gamma of 0 to 1")
    if len(view) != 2 or min(view) <= 0 or view[0] > 180 or view[1] > 90:
        draft.problems.about(sensor, "needs a fov of two positive numbers, up to 180 and 90 degrees")


def _check_numbers(draft: Draft, element: Element, config: Mapping[str, str], keys: Iterable[str]) -> None:
    """Check that the settings named in `keys` are numbers or empty."""
    for key in keys:
        text = config.get(key, "")
        try:
            float(text or "0")
        except ValueError:
            draft.problems.about(element, f"the setting '{key}' must be a number, not '{text}'")


def _number(text: str) -> float:
    """Return the finite number written as `text`, or 0 if it is not such a number."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    # reject digits of other scripts, which `float` accepts
    return value if isfinite(value) and text.isascii() else 0.0
