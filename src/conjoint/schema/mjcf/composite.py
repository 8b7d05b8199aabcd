"""The macro for cables, cloths and the like."""

from dataclasses import replace

from conjoint.schema.mjcf.asset import PLUGIN
from conjoint.schema.mjcf.parts import GEOM, JOINT, SITE
from conjoint.schema.mjcf.relation import SPATIAL
from conjoint.schema.mjcf.shared import GROUP, MATERIAL, RGBA, solver
from conjoint.schema.mjcf.table import Attribute, Element, choice, element, flag, integer, real, text, word


def _some(row: Element, names: str) -> tuple[Attribute, ...]:
    """Rows of the attributes `names` of `row`."""
    return tuple(row.attributes[name] for name in names.split())


COMPOSITE_TYPES = {
    "particle": 0, "grid": 1, "rope": 2, "loop": 3, "cloth": 4, "box": 5, "cylinder": 6, "ellipsoid": 7, "cable": 8,
}  # fmt: skip
"""Macros of bodies; the official compiler has only the cable left."""

JOINT_KINDS = "main twist stretch particle"
TENDON_KINDS = "main shear"

COMPOSITE = element(
    "composite", "Macro for cables and the like.",
    word("prefix", "Prefix of names."),
    choice("type", COMPOSITE_TYPES, None, "Type.", required=True),
    integer("count", (1, 1, 1), "Elements in each dimension.", None, most=3),
    real("spacing", 0.0, "Distance of neighbouring elements; not used by cables.", unit="m"),
    real("offset", (0.0, 0.0, 0.0), "Offset of cables, particles and grids.", 3, unit="m"),
    real("quat", (1.0, 0.0, 0.0, 0.0), "Orientation of the curve.", 4),
    real("size", (), "Length, radius and turns of the curve.", None, most=3),
    text("curve", "Shape of the curve in x, y, z."),
    real("vertex", (), "Vertices of a cable.", None, unit="m"),
    text("initial", "Joint of the first body of a cable: free, ball or none."),
    real("flatinertia", 0.0, "Thickness of cloths, for their inertia, as a part of the spacing; 0: that of the geoms."),
    *solver("smooth", "_smooth"),
    element(
        "joint", "Joint of each element.",
        choice("kind", JOINT_KINDS, None, "What the joint is for.", required=True),
        *solver("fix", "_fix"),
        _some(JOINT, "axis damping frictionloss group limited margin range stiffness type armature"),
        _some(JOINT, "solreflimit solimplimit solreffriction solimpfriction"),
    ),
    element(
        "geom", "Geom of each element.",
        _some(GEOM, "conaffinity condim contype density friction gap group margin mass material priority rgba size"),
        _some(GEOM, "solimp solmix solref type"),
        once=True,
    ),
    element("site", "Site of each element.", _some(SITE, "group material rgba size"), once=True),
    element(
        "tendon", "Tendons between elements, which keep their length.",
        choice("kind", TENDON_KINDS, None, "What the tendon is for.", required=True),
        *solver("fix", "_fix"),
        _some(SPATIAL, "group limited range solreflimit solimplimit solreffriction solimpfriction"),
        _some(SPATIAL, "margin stiffness damping frictionloss material rgba width"),
    ),
    element(
        "pin", "Element of a grid that is fixed to the parent.",
        replace(integer("coord", (), "Place in the grid.", 2, required=True), least=1),
    ),
    element(
        "skin", "Skin over the elements.",
        flag("texcoord", False, "Make texture coordinates."),
        MATERIAL, RGBA, GROUP,
        real("inflate", 0.0, "Offset along normals.", unit="m"),
        integer("subgrid", 0, "Subdivisions."),
        once=True,
    ),
    PLUGIN,
)  # fmt: skip
