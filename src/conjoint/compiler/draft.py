"""Intermediate form of a model during compilation: the tree flattened to lists, ids by name, and results of passes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conjoint.compiler import kinds
from conjoint.compiler.arrays import Arrays
from conjoint.lang.memory.layout import Buffer
from conjoint.runtime.structure import Structure
from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.semantics import EDITION_4
from conjoint.spec import Body, Element, Problems, Spec, choices
from conjoint.spec.element import ATTACHED, TOP
from conjoint.spec.kinds import Key, Numeric, Text, Tuple

NAMED = {"body": "bodies", **ATTACHED, **TOP}
"""Names of the draft's element lists, by type, for element types with names and ids."""

ASSETS = {row.kind for row in MUJOCO.children["asset"].children.values()}
"""Types of elements that are declared in <asset>."""


@dataclass
class Tree:
    """Dofs and the numbers that describe the kinematic tree.

    Attributes:
        dofs: (body id, joint id) of every dof.
        depth: number of ancestors of every dof, including itself.
        dof_parentid, dof_treeid, dof_Madr, dof_simplenum: fields of the model.
        ntree, nmocap, nM, nB, nC, nD: sizes of the model.
    """

    dofs: list[tuple[int, int]] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    dof_parentid: list[int] = field(default_factory=list)
    dof_treeid: list[int] = field(default_factory=list)
    dof_Madr: list[int] = field(default_factory=list)
    dof_simplenum: list[int] = field(default_factory=list)
    ntree: int = 0
    nmocap: int = 0
    nM: int = 0
    nB: int = 0
    nC: int = 0
    nD: int = 0


@dataclass
class Names:
    """All names of a model.

    Attributes:
        text: concatenated names, starting with the name of the model.
        addresses: start addresses of names in `text`, by model field.
        table: concatenated hash tables that map names to ids, one per element type.
    """

    text: bytes = b""
    addresses: dict[str, list[int]] = field(default_factory=dict)
    table: list[int] = field(default_factory=list)


class Draft:
    """A model being compiled: copies of the elements of a Spec, which the passes of the compiler complete.

    Bodies are in depth-first order, parents first. Their elements are in the order of the bodies. Every element has an
    `id`, elements of bodies have a `bodyid`, and bodies have a `parentid`.
    """

    bodies: list[kinds.Body]
    joints: list[kinds.Joint]
    geoms: list[kinds.Geom]
    sites: list[kinds.Site]
    cameras: list[kinds.Camera]
    lights: list[kinds.Light]
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
    numerics: list[Numeric]
    texts: list[Text]
    tuples: list[Tuple]
    keys: list[Key]
    plugins: list[kinds.Plugin]
    model: Buffer
    arrays: Arrays
    structure: Structure

    def __init__(self, spec: Spec):
        self.spec = spec
        self.problems = Problems()
        values = self.__dict__
        values.update((name, []) for name in ("bodies", *ATTACHED.values()))
        self._flatten(spec.worldbody, 0)
        self.ids: dict[str, dict[str, int]] = {}
        for name in TOP.values():
            values[name] = _copies(found) if (found := spec.__dict__[name]) else []
        for kind, name in NAMED.items():
            self.ids[kind] = self._numbered(kind, values[name]) if values[name] else {}
        # filled by the stages of the compiler
        self.nq = self.nv = self.na = self.nu = self.nout = self.nsensordata = self.nhistory = self.nplastic = 0
        self.qpos0: list[float] = []
        self.qpos_spring: list[float] = []
        self.spare_volumes = 0
        # scale factors by Python id of an element: of scaled elements, of contents of frames, and of nested frames
        self.scales: dict[int, Any] = {}
        self.frame_scales: dict[int, Any] = {}
        self.frame_factors: dict[int, Any] = {}
        # seconds spent on loading assets, by kind
        self.seconds: dict[str, float] = {}
        # data of the whole model
        self.tree, self.names, self.sizes = Tree(), Names(), dict[str, int]()
        self.sleep_policy: list[int] = []

    def _flatten(self, body: Body, parentid: int) -> None:
        """Add copies of `body`, its elements and its descendants to the lists of the draft."""
        number, lists = len(self.bodies), self.__dict__
        copies = _copies([body], parentid=parentid)
        self.bodies += copies
        values = copies[0].__dict__
        for name in ATTACHED.values():
            # most lists are empty
            found = values[name] = _copies(values[name], bodyid=number) if values[name] else []
            if found:
                lists[name] += found
        for child in body.bodies:
            self._flatten(child, number)

    def settings(self, element: Element) -> Element:
        """Return the compiler settings that apply to `element`."""
        settings: Element = element.__dict__.get("settings", self.spec.compiler)
        return settings

    @property
    def newer(self) -> bool:
        """True if the model uses the semantics of MuJoCo 4.0 (`schema.semantics`)."""
        return bool(self.spec.edition == EDITION_4)

    def number(self, kind: str) -> None:
        """Assign ids to the elements of type `kind`, and register their names, which must be unique."""
        self.ids[kind] = self._numbered(kind, self.__dict__[NAMED[kind]])

    def _numbered(self, kind: str, elements: list[Any]) -> dict[str, int]:
        """Assign ids to `elements`, and return the ids by name."""
        ids: dict[str, int] = {}
        for i, element in enumerate(elements):
            element.id, name = i, element.name
            if name:
                if name in ids:
                    first = elements[ids[name]].place
                    where = f", at {first.at('name')}" if first and not self.problems.full else ""
                    self.problems.about(element, f"another {kind} has the same name{where}", "name")
                ids[name] = i
        return ids

    def find(self, kind: str, name: str, user: Element, attribute: str | None = None) -> int:
        """Return the id of the element of type `kind` called `name`.

        If there is none, report a problem of `user`, and return -1.
        """
        known = self.ids.get(kind, {})
        found = known.get(name)
        if found is None:
            hint = "" if self.problems.full else choices(name, known)
            if kind in ASSETS and "did you mean" not in hint:
                hint += "; declare it in <asset>"
            self.problems.about(user, f"there is no {kind} '{name}'{hint}", attribute or kind)
            return -1
        return found


def _copies(elements: Sequence[Element], **more: int) -> list[Any]:
    """Return shallow copies of elements with additional attributes. Each copy's `origin` is the original element."""
    copies: list[Any] = []
    for element in elements:
        copy = object.__new__(type(element))
        values = copy.__dict__ = element.__dict__.copy()
        values["origin"] = element
        values.update(more)
        copies.append(copy)
    return copies
