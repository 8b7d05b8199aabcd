"""Which list holds the elements of a kind, and all bodies of a tree."""

from collections.abc import Iterator

from conjoint.spec.element import Body

ATTACHED = {
    "joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights",
}  # fmt: skip
"""What is attached to bodies: kind, and the list of a body that holds it."""

TOP = {
    "flex": "flexes", "mesh": "meshes", "skin": "skins", "hfield": "hfields", "texture": "textures",
    "material": "materials", "pair": "pairs", "exclude": "excludes", "equality": "equalities", "tendon": "tendons",
    "actuator": "actuators", "sensor": "sensors", "numeric": "numerics", "text": "texts", "tuple": "tuples",
    "key": "keys", "plugin": "plugins",
}  # fmt: skip
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
