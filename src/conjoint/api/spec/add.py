"""Adding what is not attached to bodies to an editable model."""

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
    MjsText,
    MjsTuple,
)
from conjoint.api.spec.new import CLASSED, new_element
from conjoint.api.spec.register import SpecRegister
from conjoint.api.spec.relations import MjsActuator, MjsSensor, MjsTendon
from conjoint.schema.mjcf import defaults
from conjoint.spec.lists import TOP


class SpecAdditions(SpecRegister):
    """The part of an editable model that adds actuators, sensors, assets ...; keywords are values of the element."""

    def _add(self, kind: str, default: MjsDefault | None, options: Mapping[str, Any]) -> Any:
        """Add an element to a list of the model."""
        if default is not None and not isinstance(default, MjsDefault):
            raise TypeError(f"add_{kind}: default should be an MjsDefault, not {default!r}")
        self._lent_defaults.store()
        classname = "main" if default is None else default.name
        base = self._spec.classes[classname].of(kind) if kind in CLASSED else defaults(kind)
        element = new_element(kind, base, classname)
        handle = self._handle(element)
        try:
            handle._set(options)
        except (TypeError, ValueError):
            self._forget(element)
            raise
        getattr(self._spec, TOP[kind]).append(element)
        self._named(handle)
        return handle

    def add_actuator(self, default: MjsDefault | None = None, **options: Any) -> MjsActuator:
        """Add an actuator; keywords are its values. It needs a `trntype`."""
        made: MjsActuator = self._add("actuator", default, options)
        return made

    def add_sensor(self, **options: Any) -> MjsSensor:
        """Add a sensor."""
        made: MjsSensor = self._add("sensor", None, options)
        return made

    def add_tendon(self, default: MjsDefault | None = None, **options: Any) -> MjsTendon:
        """Add a tendon; its path is made with `wrap_site`, `wrap_geom`, `wrap_joint` and `wrap_pulley`."""
        made: MjsTendon = self._add("tendon", default, options)
        return made

    def add_equality(self, default: MjsDefault | None = None, **options: Any) -> MjsEquality:
        """Add an equality constraint."""
        made: MjsEquality = self._add("equality", default, options)
        return made

    def add_pair(self, default: MjsDefault | None = None, **options: Any) -> MjsPair:
        """Add a pair of geoms that may collide."""
        made: MjsPair = self._add("pair", default, options)
        return made

    def add_exclude(self, **options: Any) -> MjsExclude:
        """Add a pair of bodies that do not collide."""
        made: MjsExclude = self._add("exclude", None, options)
        return made

    def add_key(self, **options: Any) -> MjsKey:
        """Add a keyframe."""
        made: MjsKey = self._add("key", None, options)
        return made

    def add_numeric(self, **options: Any) -> MjsNumeric:
        """Add an array of numbers."""
        made: MjsNumeric = self._add("numeric", None, options)
        return made

    def add_text(self, **options: Any) -> MjsText:
        """Add a text."""
        made: MjsText = self._add("text", None, options)
        return made

    def add_tuple(self, **options: Any) -> MjsTuple:
        """Add a list of elements."""
        made: MjsTuple = self._add("tuple", None, options)
        return made

    def add_mesh(self, default: MjsDefault | None = None, **options: Any) -> MjsMesh:
        """Add a mesh."""
        made: MjsMesh = self._add("mesh", default, options)
        return made

    def add_hfield(self, **options: Any) -> MjsHField:
        """Add a height field."""
        made: MjsHField = self._add("hfield", None, options)
        return made

    def add_texture(self, **options: Any) -> MjsTexture:
        """Add a texture."""
        made: MjsTexture = self._add("texture", None, options)
        return made

    def add_material(self, default: MjsDefault | None = None, **options: Any) -> MjsMaterial:
        """Add a material."""
        made: MjsMaterial = self._add("material", default, options)
        return made

    def add_skin(self, **options: Any) -> MjsSkin:
        """Add a skin."""
        made: MjsSkin = self._add("skin", None, options)
        return made

    def add_flex(self, **options: Any) -> MjsFlex:
        """Add a flexible object."""
        made: MjsFlex = self._add("flex", None, options)
        return made

    def add_plugin(self, **options: Any) -> MjsPlugin:
        """Add an instance of a plugin."""
        made: MjsPlugin = self._add("plugin", None, options)
        return made
