"""Methods that add defaults classes, and elements outside of bodies, to an editable model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conjoint.api.spec.assets import MjsHField, MjsMaterial, MjsMesh, MjsSkin, MjsTexture
from conjoint.api.spec.base import MjsDefault, MjsPlugin
from conjoint.api.spec.elements import (
    MjsEquality,
    MjsExclude,
    MjsFlex,
    MjsKey,
    MjsNumeric,
    MjsPair,
    MjsTendon,
    MjsText,
    MjsTuple,
)
from conjoint.api.spec.new import CLASSED, new_element
from conjoint.api.spec.register import SpecRegister
from conjoint.api.spec.relations import MjsActuator, MjsSensor
from conjoint.lang.text import as_text, sought
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import DefaultsClass
from conjoint.spec.element import TOP


class SpecDefaults(SpecRegister):
    """Base class of `MjSpec` with the methods for defaults classes."""

    _defaults: dict[int, MjsDefault]

    @property
    def default(self) -> MjsDefault:
        """Main defaults class of the model."""
        main = self.find_default("main")
        assert main is not None
        return main

    def find_default(self, name: str) -> MjsDefault | None:
        """Return the defaults class called `name`, or None if it does not exist.

        Args:
            name: name of the class; "main" is the top-level class.
        """
        found = self.spec.classes.get(sought(name))
        if found is None:
            return None
        handle = self._defaults.get(id(found))
        if handle is None:
            handle = self._defaults[id(found)] = MjsDefault(self, found)
        return handle

    def add_default(self, name: str, parent: MjsDefault | None = None) -> MjsDefault | None:
        """Add a defaults class that initially has the values of `parent`.

        Args:
            name: name of the new class.
            parent: parent of the new class; None for the main class.

        Returns:
            The new class, or None if a class with this name exists.
        """
        name = as_text(name, "add_default: name")
        if name in self.spec.classes:
            return None
        self.exposed_defaults.store()
        if parent is not None and not isinstance(parent, MjsDefault):
            raise TypeError(f"add_default: parent should be an MjsDefault, not {parent!r}")
        above = self.default if parent is None else parent
        made = self.spec.classes[name] = DefaultsClass(name, above.defaults_class)
        made.values = {kind: dict(values) for kind, values in made.values.items()}
        return self.find_default(name)


class SpecAdditions(SpecDefaults):
    """Base class of `MjSpec` with methods that add elements outside of bodies. Keyword arguments are attributes."""

    def _add(self, kind: str, default: MjsDefault | None, options: Mapping[str, Any]) -> Any:
        """Add an element of type `kind` to the model and return its handle."""
        if default is not None and not isinstance(default, MjsDefault):
            raise TypeError(f"add_{kind}: default should be an MjsDefault, not {default!r}")
        self.exposed_defaults.store()
        classname = "main" if default is None else default.name
        base = self.spec.classes[classname].of(kind) if kind in CLASSED else defaults(kind)
        return self.insert(new_element(kind, base, classname), getattr(self.spec, TOP[kind]), options)

    def add_actuator(self, default: MjsDefault | None = None, **options: Any) -> MjsActuator:
        """Add an actuator, for which `trntype` must be set.

        Args:
            default: defaults class with the initial values; None for the main class.
            options: attributes by name: `name`, `trntype`, `target` and all other attributes of `MjsActuator`.

        Returns:
            The handle of the element.
        """
        return self._add("actuator", default, options)

    def add_sensor(self, **options: Any) -> MjsSensor:
        """Add a sensor.

        Args:
            options: attributes by name: `name`, `type`, `objtype`, `objname` and all other attributes of `MjsSensor`.

        Returns:
            The handle of the element.
        """
        return self._add("sensor", None, options)

    def add_tendon(self, default: MjsDefault | None = None, **options: Any) -> MjsTendon:
        """Add a tendon, whose path is built with `wrap_site`, `wrap_geom`, `wrap_joint` and `wrap_pulley`.

        Args:
            default: defaults class with the initial values; None for the main class.
            options: attributes by name: `name`, `stiffness` and all other attributes of `MjsTendon`.

        Returns:
            The handle of the element.
        """
        return self._add("tendon", default, options)

    def add_equality(self, default: MjsDefault | None = None, **options: Any) -> MjsEquality:
        """Add an equality constraint."""
        return self._add("equality", default, options)

    def add_pair(self, default: MjsDefault | None = None, **options: Any) -> MjsPair:
        """Add a pair of geoms that may collide."""
        return self._add("pair", default, options)

    def add_exclude(self, **options: Any) -> MjsExclude:
        """Add a pair of bodies that do not collide."""
        return self._add("exclude", None, options)

    def add_key(self, **options: Any) -> MjsKey:
        """Add a keyframe."""
        return self._add("key", None, options)

    def add_numeric(self, **options: Any) -> MjsNumeric:
        """Add a custom array of numbers."""
        return self._add("numeric", None, options)

    def add_text(self, **options: Any) -> MjsText:
        """Add a custom string."""
        return self._add("text", None, options)

    def add_tuple(self, **options: Any) -> MjsTuple:
        """Add a custom tuple: a list of elements."""
        return self._add("tuple", None, options)

    def add_mesh(self, default: MjsDefault | None = None, **options: Any) -> MjsMesh:
        """Add a mesh."""
        return self._add("mesh", default, options)

    def add_hfield(self, **options: Any) -> MjsHField:
        """Add a height field."""
        return self._add("hfield", None, options)

    def add_texture(self, default: MjsDefault | None = None, **options: Any) -> MjsTexture:
        """Add a texture."""
        return self._add("texture", default, options)

    def add_material(self, default: MjsDefault | None = None, **options: Any) -> MjsMaterial:
        """Add a material."""
        return self._add("material", default, options)

    def add_skin(self, **options: Any) -> MjsSkin:
        """Add a skin."""
        return self._add("skin", None, options)

    def add_flex(self, **options: Any) -> MjsFlex:
        """Add a flexible object."""
        return self._add("flex", None, options)

    def add_plugin(self, **options: Any) -> MjsPlugin:
        """Add a plugin instance."""
        return self._add("plugin", None, options)
