"""Grammar of worldbody, bodies and frames, and of the macro `composite` for cables, cloths and the like."""

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
"""Numbers of the types of the macro composite. MuJoCo's compiler still has only the cable."""

JOINT_KINDS = "main twist stretch particle"
TENDON_KINDS = "main shear"

COMPOSITE = element(
    "composite",
    "Macro that generates a chain or grid of bodies with joints and geoms. Use the type `cable` for ropes and wires "
    "that bend and twist; for cloth and solids, a `flexcomp` is better. A saved model contains the bodies, not the "
    "macro.",
    word("prefix", "Prefix of all generated names; needed if a model has several composites."),
    choice(
        "type", COMPOSITE_TYPES, None, "Type of the generated object. All types except `cable` belong to earlier "
                                       "versions.", required=True,
    ),
    integer("count", (1, 1, 1), "Number of elements in x, y and z; missing numbers are 1.", None, most=3),
    real("spacing", 0.0, "Distance between the centers of neighboring elements; cables ignore it.", unit="m"),
    real("offset", (0.0, 0.0, 0.0), "Position of cables, particles and grids in the frame of the parent.", 3, unit="m"),
    real("quat", (1.0, 0.0, 0.0, 0.0), "Orientation (w, x, y, z) of a cable's curve in the frame of the parent.", 4),
    real(
        "size", (),
        "Cable: length of `s`, radius and number of half turns of `cos(s)` and `sin(s)` in `curve`.", None, most=3,
    ),
    text("curve", "Cable: functions for x, y and z, each `s`, `cos(s)`, `sin(s)` or 0; a helix is `cos(s) sin(s) s`."),
    real("vertex", (), "Cable: points x, y, z that it runs through, instead of `curve`.", None, unit="m"),
    text("initial", "Cable: joint of its first body, `free`, `ball` or `none`."),
    real(
        "flatinertia", 0.0,
        "Cloth: ratio of the thin to the wide side of the plates that determine inertia; 0: the geoms determine it.",
    ),
    *solver("smooth", "_smooth", "the equality that closes loops and smooths shells"),
    element(
        "joint",
        "Joints between the elements of a composite. Write it to give them damping or stiffness, and to add optional "
        "joints (`twist`, `stretch`).",
        choice(
            "kind", JOINT_KINDS, None,
            "Role of the joints: `main` joints always exist; `twist` and `stretch` are added; `particle` replaces "
            "the joints of particles.",
            required=True,
        ),
        *solver("fix", "_fix", "the equality that holds the joint"),
        _some(JOINT, "axis damping frictionloss group limited margin range stiffness type armature"),
        _some(JOINT, "solreflimit solimplimit solreffriction solimpfriction"),
    ),
    element(
        "geom", "Shape of every element of a composite: its size, density, contacts and appearance.",
        _some(GEOM, "conaffinity condim contype density friction gap group margin mass material priority rgba size"),
        _some(GEOM, "solimp solmix solref type"),
        once=True,
    ),
    element(
        "site", "Appearance of the sites of a composite, which its tendons run through.",
        _some(SITE, "group material rgba size"), once=True,
    ),
    element(
        "tendon",
        "Tendons between the elements of grids and cloths, whose length equality constraints keep constant. Write "
        "it to make them softer, or to add diagonal tendons against shear.",
        choice("kind", TENDON_KINDS, None,
               "Role of the tendons: `main` along the grid, `shear` along its diagonals.", required=True),
        *solver("fix", "_fix", "the equality that holds the length"),
        _some(SPATIAL, "group limited range solreflimit solimplimit solreffriction solimpfriction"),
        _some(SPATIAL, "margin stiffness damping frictionloss material rgba width"),
    ),
    element(
        "pin", "Element of a grid without joints, fixed to the parent. Pin corners to hang a cloth or a string.",
        replace(integer("coord", (), "Column and row of the element, from 0.", 2, required=True), least=1),
    ),
    element(
        "skin", "Smooth surface over the elements of a composite, for rendering.",
        flag("texcoord", False, "Generate texture coordinates, so that textures fit."),
        MATERIAL, RGBA, GROUP,
        real("inflate", 0.0, "Distance by which vertices are moved along their normals.", unit="m"),
        integer("subgrid", 0, "Number of extra vertices between neighbors, placed by cubic interpolation."),
        once=True,
    ),
    PLUGIN,
)  # fmt: skip

ATTACH = element(
    "attach",
    "Copy of a body or frame, with all elements that refer to it, from another model or from this one. Use it to "
    "put a gripper on an arm, or one robot into a scene several times; `prefix` keeps names distinct.",
    word("model", "Name of a `model` in `asset`; if absent, this model."),
    word("body",
         "Body to copy, with all bodies below it. Without `body` and `frame`, the whole world of the other model is "
         "copied."),
    word("frame", "Frame to copy, with its contents."),
    word("prefix", "Text before all names of the copy.", required=True),
)  # fmt: skip

CHILDCLASS = word(
    "childclass", "Defaults class of all elements inside, unless they or an inner body specify another class."
)


def _holder(name: str, meaning: str, *rows, **more) -> Element:
    """Return an element that may contain the contents of bodies, such as geoms, sites and cameras."""
    return element(name, meaning, *rows, GEOM, SITE, CAMERA, LIGHT, ATTACH, COMPOSITE, FLEXCOMP, **more)


SCALE = (
    upto(
        "scale",
        (1.0, 1.0, 1.0),
        "Scale factor of all lengths inside; either one factor, or one for each axis of the frame.",
        fill="first",
    ),
    choice(
        "scaling",
        "similar geometry",
        "similar",
        "Quantities that `scale` applies to: also forces, stiffnesses and gains (`similar`), or only shapes and "
        "masses.",
    ),
    real("massscale", 0.0, "Scale factor of all masses inside; 0 scales masses in proportion to volume."),
)
SLEEP = {"auto": 0, "never": 3, "allowed": 4, "init": 5}
"""Keywords of the attribute `sleep`, with their numbers in mjtSleepPolicy."""

FRAME_ROW = _holder(
    "frame",
    "Coordinate frame that moves everything inside it. Use it to place or rotate several elements together, or to "
    "scale a part, without creating a body. It has no cost at run time: the compiler adds its pose to the elements.",
    NAME, CHILDCLASS, *FRAME, *SCALE, INERTIAL, JOINT, FREEJOINT,
    kind="frame", recursive=True,
)  # fmt: skip
REPLICATE = _holder(
    "replicate",
    "Copies of the contents, each moved and rotated relative to the previous copy. Use it for spokes, tiles, fences "
    "and piles of objects. Names get numbers as suffixes; sensors and actuators of copied elements are copied, too.",
    integer("count", 0, "Number of copies, positive.", required=True),
    real("offset", (0.0, 0.0, 0.0),
         "Translation from one copy to the next, in the frame of the previous copy.", 3, unit="m"),
    real("euler", (0.0, 0.0, 0.0),
         "Rotation from one copy to the next, in the format of `euler` in frames.", 3, unit="angle"),
    word("sep", "Text between a name and its number."),
    word("prefix", "Ignored, with a warning: names of copies have suffixes."),
    CHILDCLASS, INERTIAL, JOINT, FREEJOINT, recursive=True,
)  # fmt: skip
BODY = _holder(
    "body",
    "Rigid body: a frame that moves relative to its parent body, according to the joints inside. Nest bodies to "
    "build a mechanism, from its base outwards. Geoms inside determine its shape and mass, and sites mark points.",
    NAME, CHILDCLASS, *FRAME,
    flag(
        "mocap", False,
        "Motion capture body: a program sets its pose (`mocap_pos`, `mocap_quat`). It must be a child of the world, "
        "without joints.",
    ),
    real("gravcomp", 0.0, "Upward force at the center of mass, as a fraction of the weight; 1 cancels gravity."),
    flag("fuse", True, "Allow `compiler/fusestatic` to merge this body with its parent."),
    choice(
        "sleep", SLEEP, "auto",
        "Sleep policy of the tree whose root is this body, if the flag `sleep` is enabled. `auto`: may sleep unless "
        "actuators act on it; `allowed`: may sleep in any case; `init`: asleep from the start.",
    ),
    choice(
        "simple", "false auto", "auto",
        "Use of shortcuts for bodies with a diagonal inertia matrix; `false` lets programs move the inertia later.",
    ),
    USER, INERTIAL, JOINT, FREEJOINT, PLUGIN, kind="body", recursive=True,
)  # fmt: skip
WORLDBODY = _holder(
    "worldbody",
    "The world: origin of all coordinates, and parent of the first bodies. Elements directly inside it, such as "
    "floors, lights and cameras, do not move.",
    kind="body",
)  # fmt: skip

for _row in (BODY, FRAME_ROW, REPLICATE, WORLDBODY):
    for _inner in (BODY, FRAME_ROW, REPLICATE):
        _row.children[_inner.name] = _inner  # type: ignore[index]  # the grammar is recursive here
