"""Base classes of element handles of an editable model: names, defaults classes, plugins, frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conjoint.api.objects.bind import Bindable
from conjoint.api.spec.field_types import Field
from conjoint.api.spec.fields import ORIENTATIONS, fields
from conjoint.api.spec.handle import EditableModel, ExposedLists, Handle, MjsOrientation, part, with_members
from conjoint.api.spec.settings import MjsCompiler
from conjoint.lang.text import as_text, is_text
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import DefaultsClass, Element, suggestion

_NAME = Field("name", "text")
MOST_SIZES = 3
"""Length of the attribute `size` of a geom or site."""


class Info:
    """Origin of an element, as described by the program that created the element."""

    def __init__(self, tag: str, text: str):
        self.tag = tag
        self.text = text
        self.line = 0
        self.attributes: dict[str, str] = {}

    def at(self, attribute: str | None = None) -> str:
        """Return the description of the origin, for messages."""
        return self.text


_OPTIONS = ("vertid", "vertweight", "plugin", "info", "proj")
"""Keyword arguments of some element types that are not attributes in the schema."""


def _filled(field: Field, size: Any) -> Any:
    """Return the size of a geom or site, padded with zeros. Raises ValueError if it is empty or too long."""
    if field.size != MOST_SIZES or is_text(size) or np.ndim(size) != 1:
        return size
    if not 1 <= len(size) <= field.size:
        raise ValueError(f"{field.name} should be a list/array of size 1 to {field.size}.")
    return [*size, *(0,) * (field.size - len(size))]


class ElementHandle(Handle, Bindable):
    """Handle of an element with a name.

    Attributes:
        element: the element; None if the handle represents values of a defaults class.
    """

    def __init__(self, spec: EditableModel, values: dict[str, Any], element: Any = None, parent: Any = None):
        super().__init__(spec, values)
        self.__dict__.update(element=element, above=parent)

    @property
    def exposed_lists(self) -> ExposedLists:
        # values of defaults classes are stored separately because they are also stored before elements are created from
        # them
        return self.spec.exposed_defaults if self.element is None else self.spec.exposed

    @property
    def name(self) -> str:
        """Name, which is unique among elements of the same type; '' if the element has no name.

        Assigning a name raises ValueError if another element has it. Names that are passed as keyword arguments are
        checked when the model is compiled.
        """
        return self.values.get("name") or ""

    @name.setter
    def name(self, value: str) -> None:
        value = _NAME.checked(self, value)
        if self.element is None:
            self.values["name"] = value
        else:
            self.spec.rename(self, value)

    @property
    def id(self) -> int:
        """Id in the last compiled model. Before the first compilation, elements of bodies have the id -1."""
        return self.spec.id_of(self)

    @property
    def _compiled(self) -> int | None:
        return self.spec.compiled_signature

    @property
    def _deleted(self) -> bool:
        return self.element is not None and self.spec.handles.get(id(self.element)) is not self

    @property
    def compiler(self) -> MjsCompiler:
        """Compiler settings for this element. For attached elements, these are the settings of their original model."""
        spec = self.spec.spec
        settings = spec.compiler if self.element is None else spec.settings(self.element)
        return MjsCompiler(self.spec, settings.__dict__)

    @property
    def info(self) -> str:
        """Prefix of error messages about this element; by default, its line in the XML file."""
        text: str | None = self.values.get("info")
        line = getattr(self.element.place, "line", 0) if text is None and self.element is not None else 0
        return text or (f"line {line}" if line else "")

    @info.setter
    def info(self, value: str) -> None:
        self.values["info"] = text = as_text(value, "info")
        if self.element is not None:
            self.element.place = Info(self.kind, text)

    @property
    def signature(self) -> int:
        """Number that identifies the element. In newer versions, the signature of the model compiled last."""
        if STANDS_FOR.moved:
            return int(self._compiled or 0) if self.spec.is_compiled(self.element) else 0
        return hash((self.kind, id(self.values)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}'>" if self.name else f"<{type(self).__name__}>"

    def set_options(self, options: Mapping[str, Any]) -> None:
        """Set attributes from keyword arguments. None leaves an attribute unchanged."""
        known = fields(self.kind)
        for name in (name for name, value in options.items() if value is None):
            if name not in self._keywords():
                raise TypeError(self._unknown(name))
        options = {name: value for name, value in options.items() if value is not None}
        for name, value in options.items():
            field = known.get(name)
            if field is not None:
                self._put(field, field.stored(_filled(field, value) if name == "size" else value))
            elif name in ("info", "vertid", "vertweight", "proj") and hasattr(type(self), name):
                setattr(self, name, value)
            elif name == "plugin" and hasattr(type(self), "plugin"):
                self.plugin = value
            elif not self._orient(name, value, options):
                raise TypeError(self._unknown(name))

    def _orient(self, name: str, value: Any, options: Mapping[str, Any]) -> bool:
        """Set the orientation if `name` is one of its representations, such as "euler". Return False if it is not."""
        own = name in ORIENTATIONS and hasattr(type(self), "alt")
        if not own and not (self.kind == "body" and name[:1] == "i" and name[1:] in ORIENTATIONS):
            return False
        prefix = "" if own else "i"
        forms = [prefix + form for form in ORIENTATIONS]
        if sum(form in options for form in forms) > 1:
            raise ValueError(f"Only one of: {', '.join(forms[:-1])}, or {forms[-1]} can be set.")
        field = ORIENTATIONS[name if own else name[1:]]
        alt = getattr(self, prefix + "alt")
        self.values[prefix + "alt"] = (field.name, field.stored(value))
        alt.changed()
        return True

    def _keywords(self) -> list[str]:
        """Return all keyword arguments that this type of element accepts."""
        known = list(fields(self.kind))
        known += [form for form in ORIENTATIONS if hasattr(type(self), "alt")]
        if self.kind == "body":
            known += ["i" + form for form in ORIENTATIONS]
        return known + [option for option in _OPTIONS if hasattr(type(self), option)]

    def _unknown(self, name: str) -> str:
        """Return the error message for an unknown keyword argument."""
        known = self._keywords()
        hint = suggestion(name, known).lstrip("; ").capitalize()
        return f"Invalid {name} keyword argument. {hint + ' ' if hint else ''}Valid options are: {', '.join(known)}."


class Plugged:
    """Mixin for elements that may use a plugin."""

    @property
    def plugin(self: Any) -> MjsPlugin:
        """Plugin that the element uses, or an inactive plugin without a name."""
        held = self.values.get("plugin") or self.values.get("idle_plugin")
        if held is None:
            held = Element("plugin", {"name": "", "plugin_name": "", "config": {}, "active": 0})
            self._hold(held)
        return self.spec.handle(held)

    @plugin.setter
    def plugin(self: Any, value: MjsPlugin) -> None:
        if not isinstance(value, MjsPlugin):
            raise TypeError(f"{type(self).__name__}: plugin should be an MjsPlugin, not {value!r}.")
        used = value.element.copy()
        if used.name:
            # the named plugin instance has the settings
            used.config = {}
        self._hold(used)

    def _hold(self: Any, plugin: Element) -> None:
        """Store a plugin, which the element uses as long as the plugin is active and has a name."""
        self.values["plugin"] = plugin
        self.spec.programmed.append(self)


class Classed:
    """Mixin for elements whose initial values come from a defaults class."""

    @property
    def classname(self: Any) -> MjsDefault:
        """Defaults class of the element. Assigning a class does not change the element's values."""
        found = self.spec.find_default(self.values.get("classname", "main"))
        return found if found is not None else self.spec.default

    @classname.setter
    def classname(self: Any, value: MjsDefault) -> None:
        if not isinstance(value, MjsDefault):
            raise TypeError(f"{type(self).__name__}: classname should be an MjsDefault, not {value!r}.")
        self.values["classname"] = value.name


class Attached(Classed):
    """Mixin for elements that belong to a body."""

    @property
    def parent(self: Any) -> ElementHandle:
        """Body that contains the element."""
        return self.above

    @property
    def frame(self: Any) -> ElementHandle | None:
        """Frame to which the element's pose is relative; None if it is relative to the body."""
        frame = self.values.get("frame")
        while frame is not None and frame.__dict__.get("unlisted"):
            frame = frame.frame
        return None if frame is None else self.spec.handle(frame, self.above)

    def set_frame(self: Any, frame: ElementHandle | None) -> None:
        """Move the element into a frame of its body. Raises TypeError or ValueError if it is not such a frame."""
        if frame is not None and not (isinstance(frame, ElementHandle) and frame.kind == "frame"):
            raise TypeError(f"set_frame: expected an MjsFrame or None, not {frame!r:.60}")
        if frame is not None and frame.above is not self.above:
            raise ValueError(f"{self!r}: the frame {frame!r} is not a frame of its parent {self.above!r}")
        self.values["frame"] = None if frame is None else frame.element


class Oriented:
    """Mixin for elements with an orientation."""

    @part
    def alt(self: Any) -> MjsOrientation:
        """Return the orientation in representations other than `quat`."""
        return MjsOrientation(self.spec, self.values)


@with_members("plugin")
class MjsPlugin(ElementHandle):
    """Plugin instance."""

    @property
    def config(self) -> dict[str, str]:
        """Settings of the plugin instance, by key."""
        return self.values.setdefault("config", {})

    @config.setter
    def config(self, value: Mapping[str, str]) -> None:
        if not isinstance(value, dict) or not all(map(is_text, (*value, *value.values()))):
            raise TypeError(f"MjsPlugin: config should be a dict of strings, not {value!r}.")
        self.values["config"] = {as_text(key, "config"): as_text(word, "config") for key, word in value.items()}


class MjsDefault(Handle):
    """Defaults class with the initial values of elements, such as `default.geom` and `default.joint`."""

    def __init__(self, spec: EditableModel, defaults_class: DefaultsClass):
        super().__init__(spec, defaults_class.__dict__)
        self.__dict__["defaults_class"] = defaults_class

    @property
    def name(self) -> str:
        """Name of the class."""
        return self.defaults_class.name

    @name.setter
    def name(self, value: str) -> None:
        classes = self.spec.spec.classes
        value = as_text(value, "MjsDefault: name")
        if self.defaults_class.parent is None:
            raise ValueError("the main defaults class cannot be renamed")
        if value in classes:
            raise ValueError(f"there is another defaults class '{value}'")
        renamed = {value if key == self.defaults_class.name else key: found for key, found in classes.items()}
        self.defaults_class.name = value
        classes.clear()
        classes.update(renamed)

    def values_of(self, kind: str, initial: Mapping[str, Any]) -> dict[str, Any]:
        """Return the class's own values for elements of type `kind`, with `initial` for values that XML cannot set."""
        own = self.defaults_class.__dict__.setdefault("own", set())
        if kind not in own:
            own.add(kind)
            self.defaults_class.values[kind] = {**initial, **self.defaults_class.of(kind)}
        return self.defaults_class.values[kind]

    def __repr__(self) -> str:
        return f"<MjsDefault '{self.name}'>"
