"""The editable model: what a file says, before it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.option import VISUAL_GROUPS
from conjoint.schema.semantics import DEFAULT, EDITION_3
from conjoint.spec.element import Body, Element, Place
from conjoint.spec.lists import TOP
from conjoint.spec.semantics import take_edition


class DefaultsClass:
    """Values that elements of a class start from: kind of element to values.

    Attributes:
        shortcut: what its actuators are written as (motor, position, general ...); "" if it says nothing of actuators.
    """

    def __init__(self, name: str, parent: DefaultsClass | None = None):
        self.name = name
        self.parent = parent
        self.shortcut = ""
        self.values: dict[str, dict[str, Any]] = dict(parent.values) if parent else {}

    def of(self, kind: str) -> dict[str, Any]:
        """Values of `kind` in this class."""
        values = self.values.get(kind)
        return defaults(kind) if values is None else values

    def update(self, kind: str, values: dict[str, Any]) -> None:
        """Set some values of `kind`; classes made before from this one keep theirs."""
        self.values[kind] = {**self.of(kind), **values}


class Spec:
    """A model that can be edited and compiled.

    Attributes:
        modelname: name of the model.
        directory: folder that relative file names start from.
        assets: contents of files by name, looked at before the disk.
        compiler, option, size, statistic: settings; None where a statistic is not given.
        visual: settings of visualization, by group.
        memory: bytes of the arena, -1: automatic.
        classes: defaults classes by name; "main" is the root.
        worldbody: the tree of bodies.
        models: other models, to attach, by name.
        extensions: names of the plugins in use; `plugins` are their named instances.
        places: where plugins were declared, by their names.
        edition: number of the edition of the physics that it is computed by (`schema.semantics`).
        chosen: whether they were chosen for this model, by a file or a program.
        last_compiled: what it was compiled to when it was saved last (`compiler.last_compiled`).
        late: states of what is not attached yet, for keyframes that are: keyframe, vector, element, numbers.
        materials, textures, pairs, ...: other elements, in the order of the file.
    """

    def __init__(self) -> None:
        self.modelname = "MuJoCo Model"
        self.directory = ""
        self.assets: dict[str, bytes | str] = {}
        self.compiler = Element("compiler", defaults("compiler"))
        self.lengthrange = Element("lengthrange", defaults("lengthrange"))
        self.option = Element(
            "option", {**defaults("option"), "disableflags": 0, "enableflags": 0, "disableactuator": 0}
        )
        self.size = Element("size", defaults("size"))
        self.statistic = Element("statistic", defaults("statistic"))
        self.visual = {group: Element(group, defaults(group)) for group in VISUAL_GROUPS}
        self.memory = -1
        self.classes = {"main": DefaultsClass("main")}
        self.worldbody = Body({**defaults("body"), "name": "world"})
        self.__dict__.update((name, []) for name in TOP.values())
        self.models: dict[str, Spec] = {}
        self.extensions: list[str] = []
        self.places: dict[str, Place] = {}
        self.late: list[tuple[Any, str, Element, tuple]] = []
        self.last_compiled: Any = None
        self.edition, self.chosen = EDITION_3, False
        take_edition(self, DEFAULT.edition)

    if TYPE_CHECKING:
        # lists of elements, by the table of kinds
        def __getattr__(self, name: str) -> list[Element]: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def element(
        self, kind: str, values: dict[str, Any], place: Place | None = None, classname: str = "main"
    ) -> Element:
        """A new element of `kind`, starting from a defaults class; the caller puts it where it belongs."""
        made = Element(kind, self.classes[classname].of(kind), place)
        made.__dict__.update(values)
        made.written = frozenset(values)
        return made

    def settings(self, owner: Element | DefaultsClass) -> Element:
        """Compiler settings for an element or class: those of the model that it was attached from."""
        return owner.__dict__.get("settings", self.compiler)
