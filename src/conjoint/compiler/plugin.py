"""Plugins: the first-party ones that a model may name, their instances and settings (Programming chapter, Plugins).

Their fields compile; what they compute belongs to the engine.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.mjcf.plugins import FORMER
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element, suggestion


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin: number in the official registry, what it can be attached to, names of its settings in order."""

    slot: int
    owners: tuple[str, ...]
    attributes: tuple[str, ...]


PLUGINS = {
    "mujoco.pid": Plugin(0, ("actuator",), ("kp", "ki", "kd", "imax", "slewmax")),
    "mujoco.elasticity.cable": Plugin(1, ("body",), ("twist", "bend", "flat", "vmax")),
    "mujoco.sensor.touch_grid": Plugin(2, ("sensor",), ("nchannel", "size", "fov", "gamma")),
}
"""Plugins that come with the official package, but for those of shapes, which follow."""


def known_plugins() -> dict[str, Plugin]:
    """All plugins by name."""
    from conjoint.compiler.assets.sdf import SHAPES

    shapes = enumerate(SHAPES.items(), len(PLUGINS))
    former = enumerate(FORMER.items(), len(PLUGINS) + len(SHAPES))
    return {
        **PLUGINS,
        **{name: Plugin(i, ("geom", "mesh"), tuple(shape.settings)) for i, (name, shape) in shapes},
        **{name: Plugin(i, ("body",), settings) for i, (name, settings) in former},
    }


def resolve_plugins(draft: Draft) -> None:
    """Give every element that uses a plugin the id of its instance; those without a named instance get their own."""
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
    known = known_plugins()
    for name in draft.spec.extensions:
        if name not in known:
            place = draft.spec.places.get(name)
            draft.problems.add(f"<plugin>: there is no plugin '{name}'{suggestion(name, known)}", place, "plugin")
    for instance in draft.plugins:
        _check_settings(draft, instance, known.get(instance.plugin_name))
    shared: dict[int, int] = {}
    # in the order of the file, and then what programs made
    for element in sorted(users, key=lambda user: user.plugin.__dict__.get("order", inf)):
        element.pluginid = _instance(draft, element, element.plugin, shared, known)


def check_plugins(draft: Draft) -> None:
    """Look at controllers and touch grids, once what they are attached to is known."""
    used = {element.pluginid for element in draft.actuators}
    for instance in draft.plugins:
        if instance.plugin_name == "mujoco.pid" and instance.id not in used:
            draft.problems.about(instance, "no actuator uses this instance")
        if instance.plugin_name == "mujoco.elasticity.cable":
            _check_numbers(draft, instance, instance.config, ("twist", "bend"))
    for actuator in draft.actuators:
        if actuator.pluginid >= 0:
            _check_pid(draft, actuator)
    for sensor in draft.sensors:
        if sensor.pluginid >= 0 and draft.plugins[sensor.pluginid].plugin_name == "mujoco.sensor.touch_grid":
            _size_grid(draft, sensor)


def _instance(draft: Draft, element: Any, use: Any, shared: dict[int, int], known: dict[str, Plugin]) -> int:
    """Id of the instance that `use` names, or of a new one; -1, and a problem, if there is none.

    The bodies of a macro share one instance, named after the macro: `shared` holds its id, by the id of what they use.
    """
    kind = element.kind
    if id(use) in shared:
        return shared[id(use)]
    if not use.name and not use.plugin_name:
        draft.problems.about(use, "neither the plugin nor an instance of it is named: give plugin or instance")
        return -1
    if use.name:
        found = draft.find("plugin", use.name, use, "instance")
        name = draft.plugins[found].plugin_name if found >= 0 else use.plugin_name
        if use.plugin_name and use.plugin_name != name:
            draft.problems.about(use, f"the instance '{use.name}' is one of '{name}'", "instance")
        if use.config:
            draft.problems.about(use, "settings belong into the instance, not where it is used", "instance")
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
        made = Element("plugin", values, use.place)
        draft.plugins.append(made)
        if title:
            shared[id(use)] = draft.ids["plugin"][title] = found
        _check_settings(draft, made, known.get(name))
    owners = known[name].owners if name in known else (kind,)
    if kind not in owners:
        belongs = " or ".join(f"<{owner}>" for owner in owners)
        draft.problems.about(use, f"the plugin '{name}' belongs to {belongs}, not to <{kind}>", "plugin")
    return found


def _check_settings(draft: Draft, instance: Any, plugin: Plugin | None) -> None:
    """Only settings that the plugin knows; also its number, and their text as it is stored, as `slot` and `attr`."""
    instance.slot = plugin.slot if plugin else -1
    known = plugin.attributes if plugin else tuple(instance.config)
    for key in instance.config:
        if key not in known:
            message = f"the plugin '{instance.plugin_name}' has no setting '{key}'{suggestion(key, known)}"
            draft.problems.about(instance, message)
    instance.attr = b"".join(instance.config.get(key, "").encode() + b"\0" for key in known)


def _check_pid(draft: Draft, actuator: Any) -> None:
    """The activations of a PID controller: its integral, its last control, and those of the dynamics."""
    config = draft.plugins[actuator.pluginid].config
    slewmax = config.get("slewmax", "")
    if _number(slewmax) < 0:
        draft.problems.about(actuator, f"the setting 'slewmax' must not be negative, but is {slewmax}")
    # a slew rate of zero is one, too: it holds the control still
    needed = (_number(config.get("ki", "")) != 0) + bool(slewmax) + bool(actuator.dyntype)
    if actuator.actnum != needed:
        draft.problems.about(actuator, f"has actdim {actuator.actnum}, expected {needed}", "actdim")


def _size_grid(draft: Draft, sensor: Any) -> None:
    """Numbers of a touch grid: its pixels in each channel; its field of view is up to 180 by 90 degrees."""
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
    sensor.dim = size[0] * size[1] * channels


def _check_numbers(draft: Draft, element: Any, config: Mapping[str, str], keys: Iterable[str]) -> None:
    """The settings `keys` must be numbers, or nothing."""
    for key in keys:
        text = config.get(key, "")
        try:
            float(text or "0")
        except ValueError:
            draft.problems.about(element, f"the setting '{key}' must be a number, not '{text}'")


def _number(text: str) -> float:
    """The finite number written as `text`; 0 if it is none."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    # digits of other scripts are none
    return value if isfinite(value) and text.isascii() else 0.0
