"""Editable model: the contents of a file before it is compiled, and the semantics version of the physics."""

from __future__ import annotations

from typing import Any

from conjoint.schema import semantics
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.option import VISUAL_GROUPS
from conjoint.schema.semantics import DEFAULT, EDITION_3, EDITION_4, EDITIONS
from conjoint.spec import kinds
from conjoint.spec.element import TOP, Body, Element, Place

CCD_ITERATIONS = "ccd_iterations"
FEWER_ITERATIONS = 35
"""Default of `ccd_iterations` with the semantics of MuJoCo 4.0."""


def choose(spec: Any, chosen: str) -> None:
    """Select the semantics of a model, by name.

    Raises:
        TypeError, ValueError: as in `schema.semantics.read`.
    """
    take_edition(spec, semantics.read(chosen))
    spec.chosen = True


def take_edition(spec: Any, edition: int) -> None:
    """Set the edition number (semantics) of a model. Options that are not set get the edition's defaults."""
    spec.edition = edition
    if CCD_ITERATIONS not in spec.option.written:
        spec.option.ccd_iterations = ccd_iterations(edition)


def ccd_iterations(edition: int) -> int:
    """Return the default of `ccd_iterations` for an edition number of `schema.semantics`."""
    usual: Any = defaults("option")[CCD_ITERATIONS]
    return FEWER_ITERATIONS if edition == EDITION_4 else int(usual)


def disabled(spec: Any) -> int:
    """Return the disable flags of a model, including default features of MuJoCo 4.0 that its file disables."""
    option = spec.option
    off = "multiccd" in option.written and not option.enableflags & mjtEnableBit.mjENBL_MULTICCD
    by_file = mjtDisableBit.mjDSBL_MULTICCD if off and spec.edition == EDITION_4 else 0
    return int(option.disableflags | by_file)


def said(spec: Any) -> str:
    """Return the name of the model's semantics for a saved file, or "" if the file need not name them."""
    return EDITIONS[spec.edition] if spec.chosen or spec.edition else ""


class DefaultsClass:
    """Initial values of the elements of a defaults class, by element type.

    Attributes:
        shortcut: tag of its actuators (motor, position, general ...); "" if the class has none.
    """

    def __init__(self, name: str, parent: DefaultsClass | None = None):
        self.name = name
        self.parent = parent
        self.shortcut = ""
        self.values: dict[str, dict[str, Any]] = dict(parent.values) if parent else {}

    def of(self, kind: str) -> dict[str, Any]:
        """Return the values for elements of type `kind` in this class."""
        values = self.values.get(kind)
        return defaults(kind) if values is None else values

    def update(self, kind: str, values: dict[str, Any]) -> None:
        """Set some values for elements of type `kind`. Classes that were derived from this one before do not change."""
        self.values[kind] = {**self.of(kind), **values}


SETTINGS = ("compiler", "lengthrange", "option", "size", "statistic")
"""Types of elements that occur once in a model."""


class Spec:
    """A model that can be edited and compiled.

    Attributes:
        modelname: name of the model.
        directory: base folder of relative file names.
        assets: contents of files by name, looked up before the disk.
        compiler, option, size, statistic: settings; a statistic that is not given is None.
        visual: settings of visualization, by group.
        memory: size of the arena in bytes; -1 for automatic.
        classes: defaults classes by name; "main" is the root.
        worldbody: the tree of bodies.
        models: other models that can be attached, by name.
        extensions: names of the plugins in use; their named instances are in `plugins`.
        places: locations of plugin declarations, by plugin name.
        edition: number of the edition of the physics (`schema.semantics`).
        chosen: whether a file or a program chose the edition.
        last_compiled: cached compiled form (`compiler.last_compiled`).
        late: numbers in attached keyframes for elements that are not attached yet, as tuples (keyframe, vector,
            element, numbers).
        materials, textures, pairs, ...: other elements, in the order of the file.
    """

    compiler: kinds.Compiler
    lengthrange: kinds.Lengthrange
    option: kinds.Option
    size: kinds.Size
    statistic: kinds.Statistic
    flexes: list[kinds.Flex]
    meshes: list[kinds.Mesh]
    skins: list[kinds.Skin]
    hfields: list[kinds.Hfield]
    textures: list[kinds.Texture]
    materials: list[kinds.Material]
    pairs: list[kinds.Pair]
    excludes: list[kinds.Exclude]
    equalities: list[kinds.Equality]
    tendons: list[kinds.Tendon]
    actuators: list[kinds.Actuator]
    sensors: list[kinds.Sensor]
    numerics: list[kinds.Numeric]
    texts: list[kinds.Text]
    tuples: list[kinds.Tuple]
    keys: list[kinds.Key]
    plugins: list[kinds.Plugin]

    def __init__(self) -> None:
        self.modelname = "MuJoCo Model"
        self.directory = ""
        self.assets: dict[str, bytes | str] = {}
        self.__dict__.update((kind, Element(kind, defaults(kind))) for kind in SETTINGS)
        self.option.disableflags = self.option.enableflags = self.option.disableactuator = 0
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

    def element(self, kind: str, values: dict[str, Any], place: Place | None = None, classname: str = "main") -> Any:
        """Return a new element of type `kind` with the values of a defaults class.

        The caller adds the element to a list.
        """
        made = Element(kind, self.classes[classname].of(kind), place)
        made.__dict__.update(values)
        made.written = frozenset(values)
        return made

    def settings(self, owner: Element | DefaultsClass) -> Element:
        """Return the compiler settings that apply to an element or class.

        For an attached element or class, these are the settings of its original model.
        """
        return owner.__dict__.get("settings", self.compiler)
