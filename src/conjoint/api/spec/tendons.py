"""Handles of the tendons of an editable model, and of the pieces of their paths."""

from typing import Any

from conjoint.api.arguments import checked
from conjoint.api.spec.base import ElementHandle, MjsDefault
from conjoint.api.spec.field_types import Field
from conjoint.api.spec.handle import Handle, member, with_members
from conjoint.lang.text import as_text
from conjoint.schema.enums import mjtGeom, mjtWrap
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import Element


class MjsWrap(Handle):
    """One piece of the path of a tendon; `info` is what messages about it start with."""

    info = member(Field("info", "text", missing=""))

    @property
    def type(self) -> mjtWrap:
        """What it is; around a geom a sphere or a cylinder, as the geom is."""
        kind = mjtWrap(self.values["type"])
        around = self.target if kind == mjtWrap.mjWRAP_SPHERE else None
        cylinder = around is not None and around.type == mjtGeom.mjGEOM_CYLINDER
        return mjtWrap.mjWRAP_CYLINDER if cylinder else kind

    @property
    def target(self) -> Any:
        """The site, geom or joint; None of a pulley, and if there is none of its name."""
        kind = _TARGETS.get(self.values["type"])
        return None if kind is None else getattr(self.spec, kind)(self.values["target"])

    @property
    def sidesite(self) -> Any:
        """The site on whose side a geom is passed; None if none is named."""
        name = self.values["sidesite"]
        return self.spec.site(name) if name else None

    @property
    def coef(self) -> float:
        """What the position of a joint is multiplied with."""
        return float(self.values["prm"])

    @property
    def divisor(self) -> float:
        """What the length of the branch behind a pulley is divided by."""
        return float(self.values["prm"])


_TARGETS = {
    int(mjtWrap.mjWRAP_SITE): "site", int(mjtWrap.mjWRAP_SPHERE): "geom", int(mjtWrap.mjWRAP_CYLINDER): "geom",
    int(mjtWrap.mjWRAP_JOINT): "joint",
}  # fmt: skip
"""Kinds of what a piece of a path goes to."""


@with_members("tendon")
class MjsTendon(ElementHandle):
    """A tendon; its path is made piece by piece."""

    def default(self) -> MjsDefault:
        """The defaults class."""
        return self.spec.find_default(self.values.get("classname", "main")) or self.spec.default

    @property
    def path(self) -> tuple[MjsWrap, ...]:
        """The pieces of its path, in order."""
        return tuple(self._piece(wrap) for wrap in self.values.get("wraps", ()))

    def _piece(self, wrap: Element) -> MjsWrap:
        """The handle of a piece, always the same one."""
        known = self.spec.handles.get(id(wrap))
        if known is None or known.values is not wrap.__dict__:
            known = self.spec.handles[id(wrap)] = MjsWrap(self.spec, wrap.__dict__)
        return known

    @checked
    def wrap_site(self, name: str) -> MjsWrap:
        """Go through a site.

        Args:
            name: name of the site.
        """
        return self._wrap(mjtWrap.mjWRAP_SITE, name)

    @checked
    def wrap_geom(self, name: str, sidesite: str) -> MjsWrap:
        """Go around a sphere or cylinder, on the side of a site if one is named.

        Args:
            name: name of the geom.
            sidesite: name of the site; "": none.
        """
        return self._wrap(mjtWrap.mjWRAP_SPHERE, name, sidesite=sidesite)

    @checked
    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """Add a joint position, times `coef`.

        Args:
            name: name of the joint.
            coef: moment arm, by which its position is multiplied.
        """
        return self._wrap(mjtWrap.mjWRAP_JOINT, name, coef)

    @checked
    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """Start another branch, whose length is divided.

        Args:
            divisor: what the length of the branch is divided by.
        """
        return self._wrap(mjtWrap.mjWRAP_PULLEY, "", divisor)

    def _wrap(self, kind: mjtWrap, target: str, number: float = 0.0, sidesite: str = "") -> MjsWrap:
        values = {
            "type": int(kind), "prm": float(number), "target": as_text(target, "MjsTendon: what it goes through"),
            "sidesite": as_text(sidesite, "MjsTendon: sidesite"),
        }  # fmt: skip
        wrap = Element("wrap", {**defaults("wrap"), **values})
        self.values.setdefault("wraps", []).append(wrap)
        return self._piece(wrap)
