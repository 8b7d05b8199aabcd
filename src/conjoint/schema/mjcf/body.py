"""worldbody, bodies and frames, and the macro `composite` for cables, cloths and the like."""

from dataclasses import replace

from conjoint.schema.mjcf.asset import PLUGIN
from conjoint.schema.mjcf.deformable import FLEXCOMP
from conjoint.schema.mjcf.parts import CAMERA, FREEJOINT, GEOM, INERTIAL, JOINT, LIGHT, SITE
from conjoint.schema.mjcf.relation import SPATIAL
from conjoint.schema.mjcf.shared import FRAME, GROUP, MATERIAL, NAME, RGBA, USER, solver
from conjoint.schema.mjcf.table import Attribute, Element, choice, element, flag, integer, real, text, upto, word


def _some(row: Element, names: str) -> tuple[Attribute, ...]:
    """Return the rows of the attributes `names` of `row`."""
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

ATTACH = element(
    "attach", "A body or frame of another model, or of this one.",
    word("model", "Model; this one if it is not given."),
    word("body", "Body; if neither it nor a frame is given, all that is in the world of the other model."),
    word("frame", "Frame, with what is in it."),
    word("prefix", "Prefix of names.", required=True),
)  # fmt: skip

CHILDCLASS = word("childclass", "Defaults class of what is inside.")


def _holder(name: str, meaning: str, *rows, **more) -> Element:
    """Return an element that holds bodies and what is in them."""
    return element(name, meaning, *rows, GEOM, SITE, CAMERA, LIGHT, ATTACH, COMPOSITE, FLEXCOMP, **more)


SCALE = (
    upto("scale", (1.0, 1.0, 1.0), "Factor of all lengths inside, or one for each axis.", fill="first"),
    choice("scaling", "similar geometry", "similar", "Whether forces follow: similar, or geometry alone."),
    real("massscale", 0.0, "Factor of all masses inside; 0: that of volumes."),
)
SLEEP = {"auto": 0, "never": 3, "allowed": 4, "init": 5}
"""Words of `sleep`, and their numbers in mjtSleepPolicy."""

FRAME_ROW = _holder(
    "frame", "Frame that is resolved at compile time.", NAME, CHILDCLASS, *FRAME, *SCALE, INERTIAL, JOINT, FREEJOINT,
    kind="frame", recursive=True,
)  # fmt: skip
REPLICATE = _holder(
    "replicate", "Copies of what is inside.",
    integer("count", 0, "Number of copies.", required=True),
    real("offset", (0.0, 0.0, 0.0), "Translation from copy to copy.", 3, unit="m"),
    real("euler", (0.0, 0.0, 0.0), "Rotation from copy to copy.", 3, unit="angle"),
    word("sep", "Separator of names."),
    word("prefix", "Not used: names of copies have suffixes."),
    CHILDCLASS, INERTIAL, JOINT, FREEJOINT, recursive=True,
)  # fmt: skip
BODY = _holder(
    "body", "Rigid body.", NAME, CHILDCLASS, *FRAME,
    flag("mocap", False, "Moved by motion capture."),
    real("gravcomp", 0.0, "Gravity compensation, times weight."),
    flag("fuse", True, "May be fused with its parent."),
    choice("sleep", SLEEP, "auto", "Whether the tree below may sleep."),
    choice("simple", "false auto", "auto", "Whether a part of the inertia matrix that is diagonal is stored so."),
    USER, INERTIAL, JOINT, FREEJOINT, PLUGIN, kind="body", recursive=True,
)  # fmt: skip
WORLDBODY = _holder("worldbody", "The world, which has no attributes.", kind="body")

for _row in (BODY, FRAME_ROW, REPLICATE, WORLDBODY):
    for _inner in (BODY, FRAME_ROW, REPLICATE):
        _row.children[_inner.name] = _inner  # type: ignore[index]  # the grammar is recursive here
