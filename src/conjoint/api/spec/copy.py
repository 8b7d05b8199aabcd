"""Copies of an editable model."""

from typing import Any

from conjoint.spec import DefaultsClass, Element, Spec
from conjoint.spec.copier import Copier
from conjoint.spec.guard import guarded
from conjoint.spec.keyframes import rename_layout
from conjoint.spec.lists import PARTS, TOP
from conjoint.spec.namespace import Namespace

_SHARED = ("config", "idle_plugin", "plugin")
"""What an element holds and others may change."""
_SETTINGS = ("compiler", "lengthrange", "option", "size", "statistic")


class _WholeCopier(Copier):
    """Copies a whole model, in which no name changes."""

    def __init__(self, source: Spec):
        super().__init__(Namespace("", "", False), source)

    def element(self, element: Element, inside: bool = True) -> Any:
        """Copy of one element, and of what it consists of."""
        copy = self.copies[id(element)] = object.__new__(type(element))
        values, kind = copy.__dict__, element.kind
        values.update(element.__dict__)
        if kind in PARTS:
            values[PARTS[kind]] = [part.copy() for part in values.get(PARTS[kind], ())]
        return copy


@guarded
def copy_spec(spec: Spec) -> tuple[Spec, dict[int, Element]]:
    """A Spec with the same contents that shares only what never changes; copies of elements by the originals' ids."""
    copy = object.__new__(Spec)
    copy.__dict__.update(spec.__dict__, late=[], places={}, last_compiled=None)
    copy.modelname, copy.directory, copy.memory = spec.modelname, spec.directory, spec.memory
    copy.assets, copy.models, copy.extensions = dict(spec.assets), dict(spec.models), list(spec.extensions)
    for name in _SETTINGS:
        copy.__dict__[name] = spec.__dict__[name].copy()
    copy.visual = {group: element.copy() for group, element in spec.visual.items()}
    copy.classes = _classes(spec)
    copier = _WholeCopier(spec)
    copy.worldbody = copier.body(spec.worldbody, None)
    for name in TOP.values():
        elements = spec.__dict__[name]
        copy.__dict__[name] = [copier.element(element) for element in elements] if elements else []
    plugins: dict[int, Element] = {}
    for element in list(copier.copies.values()):
        values = element.__dict__
        if not values.keys().isdisjoint(_SHARED):
            _unshare(values, plugins)
    for key in copy.keys:
        rename_layout(key, copier.copies)
    return copy, copier.copies


def _unshare(values: dict, plugins: dict[int, Element]) -> None:
    """Copy what an element holds and others may change: settings of plugins.

    Elements that use the same plugin still do: `plugins` are the copies made so far, by the id of the original.
    """
    if "config" in values:
        values["config"] = dict(values["config"])
    values.pop("idle_plugin", None)
    if values.get("plugin") is not None:
        plugin = values["plugin"]
        if id(plugin) not in plugins:
            plugins[id(plugin)] = plugin.copy()
            plugins[id(plugin)].config = dict(plugin.config)
        values["plugin"] = plugins[id(plugin)]


def _classes(spec: Spec) -> dict[str, DefaultsClass]:
    """Copies of the defaults classes."""
    made: dict[str, DefaultsClass] = {}
    for name, found in spec.classes.items():
        copy = made[name] = DefaultsClass(name, made.get(found.parent.name) if found.parent else None)
        copy.values = {kind: dict(values) for kind, values in found.values.items()}
    return made
