"""`MjSpec`: a model that can be edited and compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from conjoint.api.spec_assets import MjsHField, MjsMaterial, MjsMesh, MjsSkin, MjsTexture, complete_hfield
from conjoint.api.spec_base import ElementHandle, MjsDefault, MjsPlugin
from conjoint.api.spec_body import LISTS, MjsBody, MjsFrame, bodies, frames_of, handle_class
from conjoint.api.spec_elements import (
    MjsEquality,
    MjsExclude,
    MjsFlex,
    MjsKey,
    MjsNumeric,
    MjsPair,
    MjsSite,
    MjsText,
    MjsTuple,
    new_element,
)
from conjoint.api.spec_handle import FORMS, Lent, MjsOrientation
from conjoint.api.spec_relations import MjsActuator, MjsSensor, MjsTendon, complete_sensor
from conjoint.api.spec_settings import MjsVisual, SpecSettings
from conjoint.schema.mjcf import defaults
from conjoint.spec import DefaultsClass, Spec
from conjoint.spec.filename import default_name
from conjoint.spec.rotation import orientation

if TYPE_CHECKING:
    from conjoint.api.data import MjData
    from conjoint.api.model import MjModel

TOP = {
    "actuator": "actuators", "sensor": "sensors", "tendon": "tendons", "equality": "equalities", "pair": "pairs",
    "exclude": "excludes", "key": "keys", "numeric": "numerics", "text": "texts", "tuple": "tuples", "mesh": "meshes",
    "hfield": "hfields", "texture": "textures", "material": "materials", "skin": "skins", "flex": "flexes",
    "plugin": "plugins",
}  # fmt: skip
"""What is not attached to bodies, and the list of the Spec that holds it."""

CLASSED = ("actuator", "equality", "pair", "tendon", "mesh", "material")
"""Kinds of those that have defaults."""

_FILES = ("mesh", "hfield", "texture")
"""Kinds that a file may name."""


class MjSpec(SpecSettings):
    """A model that can be edited, compiled and saved.

    Elements are added with `worldbody.add_body(...)`, `body.add_geom(...)`, `spec.add_actuator(...)` and found by name
    with `spec.body("x")`, `spec.geom("x")` ...; `spec.bodies`, `spec.geoms` ... list them. What these return are
    handles: their attributes are the values of the element, and lists can be changed in place
    (`spec.geom("x").size[0] = 0.1`).

    Attributes:
        assets: contents of files by name, looked at before the disk.
        parent: the model that this one is attached to, or None.
        comment: a note; it is not saved.
    """

    def __init__(self) -> None:
        """An empty model."""
        self._adopt(Spec())

    def _adopt(self, spec: Spec) -> None:
        """Show `spec`."""
        self._spec = spec
        self._lent, self._lent_defaults = Lent(), Lent()
        self._handles: dict[int, Any] = {}
        self._defaults: dict[int, MjsDefault] = {}
        self._names: dict[str, dict[str, ElementHandle]] | None = None
        self._numbers: dict[Any, int] | None = None
        self._massive: dict[int, MjsBody] = {}
        self._idle: list[Any] = []
        self._children: list[MjSpec] = []
        self._visual: MjsVisual | None = None
        self._copies = False
        self.parent: MjSpec | None = None
        self.assets: dict[str, bytes | str] = dict(spec.assets)
        self.comment = ""

    @property
    def _address(self) -> int:
        """A number that no other model has."""
        return id(self._spec)

    # --- where it comes from, where it goes ---

    @classmethod
    def from_string(
        cls,
        xml: str,
        include: Mapping[str, bytes] | None = None,
        assets: Mapping[str, bytes | str] | None = None,
    ) -> MjSpec:
        """The model in a string of MJCF or URDF.

        Args:
            xml: the text.
            include: contents of the files that the text includes, by name.
            assets: contents of meshes, textures and height fields, by name.

        Raises:
            ModelError: (a ValueError) when the text breaks a rule; the message says where and what to do.
        """
        from conjoint.compiler.compile import read_string

        return cls._read(read_string(xml, _bytes({**(include or {}), **(assets or {})})), assets)

    @classmethod
    def from_file(
        cls,
        filename: str | os.PathLike[str],
        include: Mapping[str, bytes] | None = None,
        assets: Mapping[str, bytes | str] | None = None,
    ) -> MjSpec:
        """The model in a file of MJCF or URDF; the other arguments and errors are those of `from_string`."""
        from conjoint.compiler.compile import read_path

        return cls._read(read_path(os.fspath(filename), _bytes({**(include or {}), **(assets or {})})), assets)

    @classmethod
    def from_zip(cls, file: str | os.PathLike[str] | IO[bytes]) -> MjSpec:
        """The model in a zip archive; see `conjoint.api.spec_zip.read_zip`."""
        from conjoint.api.spec_zip import read_zip

        return read_zip(file)

    @classmethod
    def _read(cls, spec: Spec, assets: Mapping[str, bytes | str] | None) -> MjSpec:
        made = cls.__new__(cls)
        made._adopt(spec)
        made.assets = dict(assets or {})
        return made

    def to_xml(self) -> str:
        """The model as MJCF text, which compiles to the same model.

        Raises:
            ModelError: the model cannot be written.
        """
        from conjoint.mjcf.writer import write_string

        self._store()
        if any(key.__dict__.get("states") for key in self._spec.keys):
            self.compile()
        return write_string(self._spec)

    def to_file(self, filename: str | os.PathLike[str]) -> None:
        """Write `to_xml` to a file."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_xml())

    def to_zip(self, file: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the model and its assets to a zip archive; see `conjoint.api.spec_zip.write_zip`."""
        from conjoint.api.spec_zip import write_zip

        write_zip(self, file)

    def copy(self) -> MjSpec:
        """A copy that shares nothing that can be changed."""
        from conjoint.api.spec_copy import copy_spec

        self._store()
        copied = type(self).__new__(type(self))
        copied._adopt(copy_spec(self._spec))
        copied.assets, copied.comment = dict(self.assets), self.comment
        return copied

    def __copy__(self) -> MjSpec:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> MjSpec:
        return self.copy()

    def __repr__(self) -> str:
        return f"<MjSpec '{self.modelname}'>"

    # --- compiling ---

    def compile(self) -> MjModel:
        """The compiled model.

        Raises:
            ModelError: (a ValueError) when the model breaks a rule; all that are found are listed.
        """
        from conjoint.api.model import MjModel
        from conjoint.compiler.compile import compile_draft

        if self.parent is not None and not self._copies:
            raise ValueError("this model is attached to another one and shares elements with it: compile the other one")
        self._store()
        draft, buffer = compile_draft(self._spec)
        self._take_keys(draft)
        model = MjModel._wrap(buffer)
        self._numbers = self._count()
        return model

    def recompile(self, m: MjModel, d: MjData) -> tuple[MjModel, MjData]:
        """Compile again, and carry the state over.

        Args:
            m: the model that was compiled last.
            d: a state of it.

        Returns:
            The new model, and data with the time and, for every joint, actuator and mocap body that is still there,
            the positions, velocities, activations, controls and mocap poses of `d`.

        Raises:
            ModelError: the model breaks a rule.
            ValueError: `m` is not the model that was compiled last.
        """
        from conjoint.api.spec_state import carry_state

        before = self._numbers
        if before is None or sum(element.kind == "joint" for element in before) != m.njnt:
            raise ValueError("recompile: the model is not the one that was compiled from this MjSpec last")
        model = self.compile()
        assert self._numbers is not None
        return model, carry_state(m, d, before, model, self._numbers)

    def _take_keys(self, draft: Any) -> None:
        """Replace the states of keyframes by the vectors that they make in this model."""
        for key in draft.keys:
            original = key.__dict__.get("origin")
            if original is not None and original.__dict__.pop("states", None):
                for name in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
                    setattr(original, name, tuple(getattr(key, name)))

    def _store(self) -> None:
        """Bring the Spec up to date with what users changed in place."""
        for child in self._children:
            child._store()
        self._lent.store()
        self._lent_defaults.store()
        for body in self._massive.values():
            body._make_inertial()
        for handle in self._idle:
            plugin = handle._values.get("plugin")
            if plugin is not None and not (plugin.name or plugin.plugin_name):
                handle._values["plugin"] = None
        for sensor in self._spec.sensors:
            complete_sensor(sensor.__dict__)
        for hfield in self._spec.hfields:
            complete_hfield(hfield.__dict__)
        self._spec.assets = _bytes(self.assets)

    # --- handles ---

    def _handle(self, element: Any, parent: Any = None) -> Any:
        """The handle of an element, always the same one."""
        handle = self._handles.get(id(element))
        if handle is None:
            handle = handle_class(element.kind)(self, element.__dict__, element, parent)
            self._handles[id(element)] = handle
        return handle

    def _forget(self, handle: Any) -> None:
        """Let go of the handle of an element that is no longer part of the model."""
        self._handles.pop(id(handle._element), None)
        self._massive.pop(id(handle._element), None)
        self._names = None

    def _named(self, handle: ElementHandle) -> None:
        """Note the name of a new element."""
        if self._names is not None:
            self._names.setdefault(handle._kind, {}).setdefault(self._key(handle), handle)

    def _renamed(self, handle: ElementHandle) -> None:
        """Note that an element has a new name."""
        if self._names is None or handle._element is None:
            return
        names = self._names.setdefault(handle._kind, {})
        if handle.name in names:
            self._names = None
        else:
            names[handle.name] = handle

    @staticmethod
    def _key(handle: ElementHandle) -> str:
        """Name of an element; that of its file if it has none."""
        if handle._kind in _FILES and not handle.name:
            return default_name(handle._values["file"])
        return handle.name

    def _find(self, kind: str, name: str) -> Any:
        """The element of a kind called `name`, or None."""
        if not isinstance(name, str):
            raise TypeError(f"{kind}: a name is a string, not {name!r}")
        for _ in range(2):
            if self._names is None:
                self._names = {}
                for handle in (handle for kind in (*LISTS, *TOP) for handle in self._list(kind)):
                    self._names.setdefault(handle._kind, {}).setdefault(self._key(handle), handle)
            found = self._names.get(kind, {}).get(name)
            if found is None or self._key(found) == name:
                return found
            # renamed since
            self._names = None
        return None

    def _elements(self, kind: str) -> Iterator[Any]:
        """Elements of a kind, in the order of their ids."""
        if kind in TOP:
            yield from getattr(self._spec, TOP[kind])
            return
        for body in bodies(self._spec.worldbody):
            if kind == "body":
                yield body
            elif kind == "frame":
                yield from frames_of(body)
            else:
                yield from getattr(body, LISTS[kind])

    def _count(self) -> dict[Any, int]:
        """Ids of all elements."""
        lists: dict[str, list[Any]] = {kind: [] for kind in LISTS}
        for body in bodies(self._spec.worldbody):
            lists["body"].append(body)
            lists["frame"] += frames_of(body)
            for kind in ("geom", "site", "joint", "light", "camera"):
                lists[kind] += getattr(body, LISTS[kind])
        lists.update((kind, getattr(self._spec, name)) for kind, name in TOP.items())
        return {element: i for elements in lists.values() for i, element in enumerate(elements)}

    def _list(self, kind: str) -> list[Any]:
        """Handles of all elements of a kind."""
        if kind in TOP:
            return [self._handle(element) for element in getattr(self._spec, TOP[kind])]
        below = list(self.worldbody._below())
        return below if kind == "body" else [member for body in below for member in body._members(kind)]

    def _id(self, handle: Any) -> int:
        """Id of an element in the compiled model."""
        element = handle._element
        if self._numbers is not None and element in self._numbers:
            return self._numbers[element]
        if handle._kind in TOP:
            return next((i for i, other in enumerate(self._elements(handle._kind)) if other is element), -1)
        return 0 if element is self._spec.worldbody else -1

    # --- the tree ---

    @property
    def worldbody(self) -> MjsBody:
        """The world."""
        world: MjsBody = self._handle(self._spec.worldbody)
        return world

    def attach(
        self,
        child: MjSpec,
        prefix: str | None = None,
        suffix: str | None = None,
        site: MjsSite | str | None = None,
        frame: MjsFrame | str | None = None,
    ) -> MjsFrame:
        """Attach all that is in the world of another model, with its assets, defaults and what refers to it.

        The elements belong to both models from then on: changes of them show here. `child` can no longer be compiled.

        Args:
            child: the other model.
            prefix, suffix: what is put around all names.
            site, frame: where in this model, a handle or a name; one of them.

        Returns:
            The frame that holds what was attached.
        """
        from conjoint.api.spec_attach import attach_spec

        return attach_spec(self, child, prefix, suffix, site, frame)

    def delete(self, element: Any) -> None:
        """Remove an element; a body with all below it and all that refers to that.

        Raises:
            ValueError: it is not part of this model, or is the world.
        """
        from conjoint.api.spec_delete import delete

        delete(self, element)

    # --- defaults ---

    @property
    def default(self) -> MjsDefault:
        """The main defaults class."""
        main = self.find_default("main")
        assert main is not None
        return main

    def find_default(self, name: str) -> MjsDefault | None:
        """The defaults class called `name`, or None."""
        found = self._spec.classes.get(name)
        if found is None:
            return None
        handle = self._defaults.get(id(found))
        if handle is None:
            handle = self._defaults[id(found)] = MjsDefault(self, found)
        return handle

    def add_default(self, name: str, parent: MjsDefault | None = None) -> MjsDefault | None:
        """A new defaults class that starts from the values of `parent`; None if there is one called `name`."""
        if name in self._spec.classes:
            return None
        self._store()
        above = self.default if parent is None else parent
        made = self._spec.classes[name] = DefaultsClass(name, above._class)
        made.values = {kind: dict(values) for kind, values in made.values.items()}
        return self.find_default(name)

    # --- what is not attached to bodies ---

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
            self._forget(handle)
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

    def activate_plugin(self, name: str) -> None:
        """Note that the model uses a plugin."""
        if name not in self._spec.extensions:
            self._spec.extensions.append(name)

    @staticmethod
    def resolve_orientation(
        degree: bool, sequence: Any = None, orientation: MjsOrientation | None = None
    ) -> list[float]:
        """Quaternion of an orientation.

        Args:
            degree: whether angles are in degrees, else in radians.
            sequence: three of x y z X Y Z, for Euler angles.
            orientation: the orientation.
        """
        return _quaternion(bool(degree), "".join(sequence or "xyz"), orientation)


def _quaternion(degree: bool, sequence: str, alt: Any) -> list[float]:
    """Quaternion of an orientation; that without rotation if it has no form but `quat`."""
    form = FORMS[int(alt.type)]
    if form == "quat":
        return [1.0, 0.0, 0.0, 0.0]
    return list(orientation(form, tuple(getattr(alt, form).tolist()), degree, sequence))


def _bytes(assets: Mapping[str, bytes | str]) -> dict[str, bytes]:
    """Contents of files; texts are encoded."""
    return {name: data.encode() if isinstance(data, str) else data for name, data in assets.items()}


def _finder(kind: str) -> Any:
    def find(self: MjSpec, name: str) -> Any:
        """The element called `name`; None if there is none."""
        return self._find(kind, name)

    find.__name__ = kind
    return find


def _lister(kind: str, name: str) -> property:
    return property(lambda spec: spec._list(kind), doc=f"Handles of all {name}.")


for _kind, _name in {**LISTS, **TOP}.items():
    setattr(MjSpec, _kind, _finder(_kind))
    setattr(MjSpec, _name, _lister(_kind, _name))
