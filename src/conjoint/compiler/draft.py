"""The model while it is compiled: the tree flattened to lists, ids by name."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.semantics import has
from conjoint.spec import Body, Element, Problems, Spec, choices
from conjoint.spec.lists import ATTACHED, TOP

NAMED = {"body": "bodies", **ATTACHED, **TOP}
"""Kinds whose elements have names and ids, and the lists that hold them."""

ASSETS = {row.kind for row in MUJOCO.children["asset"].children.values()}
"""Kinds whose elements are declared in <asset>."""


class Draft:
    """A model being compiled: copies of the elements of a Spec, which the stages of the compiler complete.

    Bodies come parents first, each followed by all that is below it; what is attached to bodies comes in the order of
    the bodies. Every element has an `id`, what is attached has a `bodyid`, a body has a `parentid`.
    """

    def __init__(self, spec: Spec):
        self.spec = spec
        self.problems = Problems()
        self.__dict__.update((name, []) for name in ("bodies", *ATTACHED.values()))
        self._flatten(spec.worldbody, 0)
        self.__dict__.update((name, _copies(getattr(spec, name))) for name in TOP.values())
        self.ids: dict[str, dict[str, int]] = {kind: {} for kind in NAMED}
        for kind, elements in NAMED.items():
            if getattr(self, elements):
                self.number(kind)
        # filled by the stages of the compiler
        self.nq = self.nv = self.na = self.nu = self.nout = self.nsensordata = self.nhistory = self.nplastic = 0
        self.qpos0: list[float] = []
        self.qpos_spring: list[float] = []
        self.spare_volumes = 0
        # factors by the id of what a frame scales, of what is in a frame, and of the places of frames in others
        self.scales: dict[int, Any] = {}
        self.frame_scales: dict[int, Any] = {}
        self.frame_factors: dict[int, Any] = {}
        # that assets took, by kind
        self.seconds: dict[str, float] = {}

    if TYPE_CHECKING:
        # lists of elements, by the table of kinds
        def __getattr__(self, name: str) -> list[Any]: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def _flatten(self, body: Body, parentid: int) -> None:
        """Add copies of `body`, of what is attached to it and of all below it."""
        (copy,) = _copies([body])
        values = copy.__dict__
        values["id"], values["parentid"] = len(self.bodies), parentid
        self.bodies.append(copy)
        for name in ATTACHED.values():
            # most lists are empty
            copies = values[name] = _copies(values[name]) if values[name] else []
            if copies:
                for element in copies:
                    element.__dict__["bodyid"] = values["id"]
                getattr(self, name).extend(copies)
        for child in body.bodies:
            self._flatten(child, copy.id)

    def settings(self, element: Element) -> Element:
        """Compiler settings for `element`."""
        return self.spec.settings(element)

    def has_rule(self, name: str) -> bool:
        """Whether the model is computed by a rule of newer versions (`schema.semantics`)."""
        return has(self.spec.rules, name)

    def number(self, kind: str) -> None:
        """Give every element of `kind` its id, and every name its element; names must differ."""
        ids: dict[str, int] = {}
        elements = getattr(self, NAMED[kind])
        for i, element in enumerate(elements):
            element.id = i
            if element.name:
                if element.name in ids:
                    first = elements[ids[element.name]].place
                    where = f", at {first.at('name')}" if first and not self.problems.full else ""
                    self.problems.about(element, f"another {kind} has the same name{where}", "name")
                ids[element.name] = i
        self.ids[kind] = ids

    def find(self, kind: str, name: str, user: Element, attribute: str | None = None) -> int:
        """Id of the element of `kind` called `name`; -1, and a problem of `user`, if there is none."""
        known = self.ids.get(kind, {})
        found = known.get(name)
        if found is None:
            hint = "" if self.problems.full else choices(name, known)
            if kind in ASSETS and "did you mean" not in hint:
                hint += "; declare it in <asset>"
            self.problems.about(user, f"there is no {kind} '{name}'{hint}", attribute or kind)
            return -1
        return found


def _copies(elements: Sequence[Element]) -> list[Any]:
    """Copies of elements, which share values with them and know them as their `origin`."""
    copies: list[Any] = []
    for element in elements:
        copy = element.copy()
        copy.__dict__["origin"] = element
        copies.append(copy)
    return copies
