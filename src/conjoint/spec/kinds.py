"""Types of elements for annotations.

The values of elements are declared in `kinds.pyi`, generated from the schema (`make stubs`). This file declares only
values without an attribute in the schema, which the reader computes from other values. All elements are instances of
`Element`, bodies of `Body`.
"""

from __future__ import annotations

from typing import Any

from conjoint.spec.element import Body as BodyElement
from conjoint.spec.element import Element


class Frame(Element):
    """Frame of a body. Its value `frame` is the enclosing frame."""

    frame: Frame | None


class Attached(Element):
    """Element attached to a body, optionally inside one of the body's frames."""

    frame: Frame | None


class Joint(Attached):
    """A joint."""

    align: int


class Geom(Attached):
    """A geom."""

    plugin: Plugin | None


class Site(Attached):
    """A site."""


class Camera(Attached):
    """A camera."""


class Light(Attached):
    """A light."""


class Inertial(Element):
    """The inertial element of a body."""


class Body(BodyElement):
    """A body, with its elements."""

    frame: Frame | None
    frames: list[Frame]
    inertial: Inertial | None
    bodies: list[Any]
    joints: list[Joint]
    geoms: list[Geom]
    sites: list[Site]
    cameras: list[Camera]
    lights: list[Light]
    plugin: Plugin | None
    explicitinertial: int


class Plugin(Element):
    """A plugin instance, or the use of a plugin by an element."""

    plugin_name: str
    config: dict[str, str]


class Flex(Element):
    """A flex."""

    node: tuple[float, ...]


class Mesh(Element):
    """A mesh."""

    plugin: Plugin | None
    userfacetexcoord: tuple[int, ...]


class Bone(Element):
    """A bone of a skin."""


class Skin(Element):
    """A skin."""

    bones: list[Bone]


class Hfield(Element):
    """A height field."""


class Texture(Element):
    """A texture."""

    data: bytes


class Layer(Element):
    """A texture of a material, with its role."""


class Material(Element):
    """A material."""

    texture: str
    layers: list[Layer]


class Pair(Element):
    """A pair of geoms that may collide."""


class Exclude(Element):
    """A pair of bodies that do not collide."""


class Equality(Element):
    """An equality constraint."""

    type: int
    objtype: int
    name1: str
    name2: str
    data: tuple[float, ...]


class Wrap(Element):
    """Element of a tendon path."""

    type: int


class Tendon(Element):
    """A tendon."""

    wraps: list[Any]


class Actuator(Element):
    """An actuator. Its value `shortcut` is the tag with which it was created."""

    trntype: int
    target: str
    plugin: Plugin | None
    shortcut: str


class Sensor(Element):
    """A sensor."""

    type: int
    objtype: int
    objname: str
    reftype: int
    refname: str
    intprm: tuple[int, int, int]
    plugin: Plugin | None


class Numeric(Element):
    """A custom array of numbers."""


class Text(Element):
    """A custom string."""


class Tupleelement(Element):
    """A member of a tuple."""


class Tuple(Element):
    """A custom tuple: a list of elements."""

    elements: list[Any]


class Key(Element):
    """A keyframe.

    Attributes:
        states: owners and their numbers, by name of the vector that they replace.
        layout: owners of the numbers in each vector, by name of the vector.
        pending: whether some of the owners are not yet attached.
        placed: names of the vectors that the compiler created from states.
    """

    states: dict[str, list[tuple[Element, tuple[float, ...]]]]
    layout: dict[str, Any]
    pending: bool
    placed: tuple[str, ...]


class Compiler(Element):
    """Settings of the reader and the compiler."""


class Lengthrange(Element):
    """Settings for the search for the length ranges of actuators."""


class Option(Element):
    """Options of the simulation."""

    disableflags: int
    enableflags: int
    disableactuator: int


class Size(Element):
    """Sizes of the model."""


class Statistic(Element):
    """Statistics of the model. Values that are not given are None."""
