"""The root of the grammar, and what defaults classes may set."""

from conjoint.schema.mjcf.actuator import ACTUATOR
from conjoint.schema.mjcf.asset import ASSET, CUBE_FACES, CUSTOM, EXTENSION, MATERIAL_ROW, MESH, TEXTURE
from conjoint.schema.mjcf.body import BODY, WORLDBODY
from conjoint.schema.mjcf.deformable import DEFORMABLE
from conjoint.schema.mjcf.header import COMPILER, OPTION, SIZE, STATISTIC, VISUAL
from conjoint.schema.mjcf.parts import CAMERA, GEOM, JOINT, LIGHT, SITE
from conjoint.schema.mjcf.relation import CONTACT, EQUALITY, KEYFRAME, PAIR, SPATIAL, TENDON
from conjoint.schema.mjcf.sensor import SENSOR
from conjoint.schema.mjcf.table import Element, element, text, without, word

_NAMES = ("name", "class")
_REFERENCES = (
    "lengthrange", "joint", "jointinparent", "tendon", "slidersite", "cranksite", "site", "refsite", "body",
    "tausmooth",
)  # fmt: skip


def _default(row: Element, *names: str, tag: str = "") -> Element:
    """Row of `row` inside a defaults class: without what names or refers to one element."""
    kept = without(row, *_NAMES, *names)
    return element(tag or row.name, "Defaults. " + row.meaning, kept, kind=row.kind, once=True)


DEFAULT = element(
    "default", "Defaults class.",
    word("class", "Name of the class."),
    _default(MESH, *(set(MESH.attributes) - {"scale", "inertia", "maxhullvert"})),
    _default(TEXTURE, "content_type", "file", *("file" + face for face in CUBE_FACES)),
    _default(MATERIAL_ROW),
    _default(JOINT),
    _default(GEOM),
    _default(SITE),
    _default(CAMERA, "target"),
    _default(LIGHT, "target", "texture"),
    _default(PAIR, "geom1", "geom2"),
    element(
        "equality", "Defaults. Equality constraints.",
        without(EQUALITY.children["flex"], *_NAMES, "flex"),
        kind="equality", once=True,
    ),
    _default(SPATIAL, tag="tendon"),
    tuple(_default(row, *_REFERENCES) for tag, row in ACTUATOR.children.items() if tag != "plugin"),
    recursive=True,
)  # fmt: skip

INCLUDE = element("include", "Contents of another file.", text("file", "File.", required=True))

MUJOCO = element(
    "mujoco", "A model.",
    text("model", "Name of the model.", implied="MuJoCo Model"),
    COMPILER, OPTION, SIZE, VISUAL, STATISTIC, DEFAULT, EXTENSION, CUSTOM, ASSET, WORLDBODY, BODY, DEFORMABLE, CONTACT,
    EQUALITY, TENDON, ACTUATOR, SENSOR, KEYFRAME,
)  # fmt: skip
"""The whole grammar.

A `body` at the top is accepted and has no effect, as in the official reader. `include` is allowed everywhere and is
resolved before the grammar is looked at.
"""
