"""Which list holds the elements of a kind, and all bodies of a tree."""

from collections.abc import Iterator

from conjoint.schema.kinds import KINDS
from conjoint.spec.element import Body

ATTACHED = {kind.name: kind.plural for kind in KINDS if kind.name in ("joint", "geom", "site", "camera", "light")}
"""What is attached to bodies: kind, and the list of a body that holds it."""

BODY_CONTENTS = (*ATTACHED.values(), "bodies")
"""Lists of what is in a body."""

TOP = {kind.name: kind.plural for kind in KINDS if kind.name not in ("body", *ATTACHED)}
"""What is not attached to bodies: kind, and the list of a Spec that holds it."""

PARTS = {"tendon": "wraps", "material": "layers", "tuple": "elements", "skin": "bones"}
"""Kinds that consist of other elements, and the list that holds these."""


def bodies(body: Body) -> Iterator[Body]:
    """`body` and all below it, parents first."""
    left = [body]
    while left:
        here = left.pop()
        yield here
        left += reversed(here.bodies)
