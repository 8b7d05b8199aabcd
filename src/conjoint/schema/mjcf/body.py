"""worldbody and what is inside bodies."""

from __future__ import annotations

from dataclasses import replace

from conjoint.schema.mjcf.asset import PLUGIN
from conjoint.schema.mjcf.shared import (
    CAMLIGHT_MODE,
    CLASS,
    CONTACT,
    FRAME,
    GEOM_TYPES,
    GROUP,
    MATERIAL,
    NAME,
    ORIENTATION,
    RGBA,
    TARGET,
    USER,
    solver,
)
from conjoint.schema.mjcf.table import (
    Attribute,
    Element,
    choice,
    element,
    flag,
    integer,
    real,
    text,
    tristate,
    upto,
    word,
    words,
)

INERTIAL = element(
    "inertial",
    "Mass and inertia of the body.",
    real("pos", None, "Center of mass.", 3, unit="m", required=True, lands="ipos"),
    tuple(replace(row, lands="i" + row.lands) for row in ORIENTATION),
    real("mass", 0.0, "Mass.", unit="kg", required=True),
    real("diaginertia", (0.0, 0.0, 0.0), "Principal moments of inertia.", 3, unit="kg m^2", lands="inertia"),
    real("fullinertia", None, "Inertia matrix: xx yy zz xy xz yz.", 6, unit="kg m^2"),
    kind="inertial",
    once=True,
)

JOINT = element(
    "joint",
    "Joint between the body and its parent.",
    NAME,
    CLASS,
    choice("type", "free ball slide hinge", "hinge", "Type."),
    GROUP,
    real("pos", (0.0, 0.0, 0.0), "Position in the body.", 3, unit="m"),
    real("axis", (0.0, 0.0, 1.0), "Axis in the body.", 3),
    real("springdamper", (0.0, 0.0), "Time constant and damping ratio that set stiffness and damping.", 2, unit="s, 1"),
    tristate("limited", "Has limits."),
    tristate("actuatorfrclimited", "Actuator force is clamped.", lands="actfrclimited"),
    flag("actuatorgravcomp", False, "Gravity compensation acts as an actuator.", lands="actgravcomp"),
    *solver("limit", "_limit"),
    *solver("friction", "_friction"),
    real("stiffness", 0.0, "Stiffness.", unit="N/m or N m/rad"),
    real("range", (0.0, 0.0), "Limits.", 2, unit="angle"),
    real("actuatorfrcrange", (0.0, 0.0), "Range of the actuator force.", 2, lands="actfrcrange", unit="N or N m"),
    real("margin", 0.0, "Distance at which a limit becomes active.", unit="m or rad"),
    real("ref", 0.0, "Position in the initial configuration.", unit="angle"),
    real("springref", 0.0, "Position where the spring is at rest.", unit="angle"),
    real("armature", 0.0, "Rotor inertia.", unit="kg or kg m^2"),
    real("damping", 0.0, "Damping.", unit="N s/m or N m s/rad"),
    real("frictionloss", 0.0, "Dry friction.", unit="N or N m"),
    USER,
    kind="joint",
)

FREEJOINT = element("freejoint", "Free joint, without defaults.", NAME, GROUP, tristate("align", "Align with inertia."))

GEOM = element(
    "geom",
    "Shape attached to a body.",
    NAME,
    CLASS,
    choice("type", GEOM_TYPES, "sphere", "Type."),
    *CONTACT,
    GROUP,
    upto("size", (0.0, 0.0, 0.0), "Sizes, by type.", unit="m"),
    MATERIAL,
    RGBA,
    real("mass", None, "Mass; replaces density.", unit="kg"),
    real("density", 1000.0, "Density.", unit="kg/m^3"),
    flag("shellinertia", False, "Mass is on the surface.", lands="typeinertia"),
    real("fromto", None, "Ends of a long geom; sets size, pos and quat.", 6, unit="m"),
    *FRAME,
    word("hfield", "Height field.", lands="hfieldname"),
    word("mesh", "Mesh.", lands="meshname"),
    real("fitscale", 1.0, "Scale of a primitive fitted to a mesh."),
    choice("fluidshape", "none ellipsoid", "none", "Model of fluid forces.", lands="fluid_ellipsoid"),
    upto("fluidcoef", (0.5, 0.25, 1.5, 1.0, 1.0), "Coefficients of fluid forces.", lands="fluid_coefs"),
    USER,
    PLUGIN,
    kind="geom",
)

SITE = element(
    "site",
    "Place of interest on a body.",
    NAME,
    CLASS,
    choice("type", GEOM_TYPES, "sphere", "Type, for rendering and touch sensors."),
    GROUP,
    MATERIAL,
    upto("size", (0.005, 0.005, 0.005), "Sizes, by type.", unit="m"),
    real("fromto", None, "Ends of a long site; sets size, pos and quat.", 6, unit="m"),
    *FRAME,
    RGBA,
    USER,
    kind="site",
)

CAMERA = element(
    "camera",
    "Camera.",
    NAME,
    CLASS,
    CAMLIGHT_MODE,
    TARGET,
    flag("orthographic", False, "Orthographic projection."),
    real("fovy", 45.0, "Vertical field of view.", unit="degree"),
    real("ipd", 0.068, "Distance between the eyes.", unit="m"),
    real("resolution", (1.0, 1.0), "Width and height.", 2, unit="pixel"),
    real("sensorsize", (0.0, 0.0), "Width and height of the sensor.", 2, unit="m", lands="sensor_size"),
    real("focal", (0.0, 0.0), "Focal lengths.", 2, unit="m", lands="focal_length"),
    real("focalpixel", (0.0, 0.0), "Focal lengths.", 2, unit="pixel", lands="focal_pixel"),
    real("principal", (0.0, 0.0), "Principal point.", 2, unit="m", lands="principal_length"),
    real("principalpixel", (0.0, 0.0), "Principal point.", 2, unit="pixel", lands="principal_pixel"),
    *FRAME,
    USER,
    kind="camera",
)

LIGHT = element(
    "light",
    "Light.",
    NAME,
    CLASS,
    CAMLIGHT_MODE,
    TARGET,
    choice("type", "spot directional point image", "spot", "Type."),
    flag("directional", None, "Deprecated: directional or spot.", implied=0, lands=""),
    word("texture", "Texture of an image light."),
    flag("castshadow", True, "Casts shadows."),
    flag("active", True, "Is on."),
    real("pos", (0.0, 0.0, 0.0), "Position.", 3, unit="m"),
    real("dir", (0.0, 0.0, -1.0), "Direction.", 3),
    real("bulbradius", 0.02, "Radius, for soft shadows.", unit="m"),
    real("intensity", 0.0, "Intensity.", unit="cd"),
    real("range", 10.0, "Reach.", unit="m"),
    real("attenuation", (1.0, 0.0, 0.0), "Constant, linear, quadratic attenuation.", 3),
    real("cutoff", 45.0, "Angle of a spot.", unit="degree"),
    real("exponent", 10.0, "Softness of a spot."),
    real("ambient", (0.0, 0.0, 0.0), "Ambient colour.", 3),
    real("diffuse", (0.7, 0.7, 0.7), "Diffuse colour.", 3),
    real("specular", (0.3, 0.3, 0.3), "Specular colour.", 3),
    kind="light",
)


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
    "composite",
    "Macro for cables and the like.",
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
        "joint",
        "Joint of each element.",
        choice("kind", JOINT_KINDS, None, "What the joint is for.", required=True),
        *solver("fix", "_fix"),
        _some(JOINT, "axis damping frictionloss group limited margin range stiffness type armature"),
        _some(JOINT, "solreflimit solimplimit solreffriction solimpfriction"),
    ),
    element(
        "geom",
        "Geom of each element.",
        _some(GEOM, "conaffinity condim contype density friction gap group margin mass material priority rgba size"),
        _some(GEOM, "solimp solmix solref type"),
        once=True,
    ),
    element("site", "Site of each element.", _some(SITE, "group material rgba size"), once=True),
    element(
        "tendon",
        "Tendons between elements, which keep their length.",
        choice("kind", TENDON_KINDS, None, "What the tendon is for.", required=True),
        *solver("fix", "_fix"),
        GROUP,
        tristate("limited", "Has limits."),
        real("range", (0.0, 0.0), "Limits of the length.", 2),
        *solver("limit", "_limit"),
        *solver("friction", "_friction"),
        real("margin", 0.0, "Distance at which a limit becomes active."),
        real("stiffness", 0.0, "Stiffness."),
        real("damping", 0.0, "Damping."),
        real("frictionloss", 0.0, "Dry friction."),
        MATERIAL,
        RGBA,
        real("width", 0.003, "Radius, for rendering.", unit="m"),
    ),
    element(
        "pin",
        "Element of a grid that is fixed to the parent.",
        replace(integer("coord", (), "Place in the grid.", 2, required=True), least=1),
    ),
    element(
        "skin",
        "Skin over the elements.",
        flag("texcoord", False, "Make texture coordinates."),
        MATERIAL,
        RGBA,
        GROUP,
        real("inflate", 0.0, "Offset along normals.", unit="m"),
        integer("subgrid", 0, "Subdivisions."),
        once=True,
    ),
    PLUGIN,
)

FLEX_CONTACT = element(
    "contact",
    "Contact of a flex.",
    *CONTACT,
    flag("internal", False, "Collisions inside elements."),
    flag("vertcollide", False, "Collide vertices."),
    choice("selfcollide", "none narrow bvh sap auto", "auto", "Collisions between elements."),
    integer("activelayers", 1, "Layers of elements that collide."),
    kind="flex",
    once=True,
)
FLEX_ELASTICITY = element(
    "elasticity",
    "Elasticity of a flex.",
    real("young", 0.0, "Young's modulus.", unit="Pa"),
    real("poisson", 0.0, "Poisson's ratio."),
    real("damping", 0.0, "Rayleigh damping.", unit="s"),
    real("thickness", -1.0, "Thickness of a shell.", unit="m"),
    choice("elastic2d", "none bend stretch both", "none", "Forces of a shell."),
    kind="flex",
    once=True,
)

FLEXCOMP_TYPES = {
    "grid": 0, "box": 1, "cylinder": 2, "ellipsoid": 3, "square": 4, "disc": 5, "circle": 6, "mesh": 7, "gmsh": 8,
    "direct": 9,
}  # fmt: skip
"""Shapes that flexcomp makes or loads."""

FLEXCOMP = element(
    "flexcomp",
    "Macro for flexes.",
    word("name", "Name, which names of bodies and of the flex start with.", required=True),
    choice("type", FLEXCOMP_TYPES, "grid", "Type."),
    GROUP,
    integer("dim", 2, "Dimension of elements."),
    choice("dof", "full radial trilinear", "full", "Degrees of freedom."),
    integer("count", (10, 10, 10), "Points in each dimension.", 3),
    real("spacing", (0.02, 0.02, 0.02), "Distance of points.", 3, unit="m"),
    real("radius", 0.005, "Radius of elements.", unit="m"),
    flag("rigid", False, "All vertices on the parent."),
    real("mass", 1.0, "Mass.", unit="kg"),
    real("inertiabox", 0.005, "Size of the box that gives inertia.", unit="m"),
    real("scale", (1.0, 1.0, 1.0), "Scale.", 3),
    text("file", "File to load."),
    real("point", (), "Points.", None, unit="m"),
    integer("element", (), "Elements.", None),
    real("texcoord", (), "Texture coordinates.", None),
    MATERIAL,
    RGBA,
    flag("flatskin", False, "Flat shading."),
    *FRAME,
    real("origin", (0.0, 0.0, 0.0), "Origin of generated elements.", 3, unit="m"),
    element(
        "edge",
        "Edges.",
        flag("equality", False, "Keep edge lengths."),
        *solver(),
        real("stiffness", 0.0, "Stiffness.", unit="N/m"),
        real("damping", 0.0, "Damping.", unit="N s/m"),
        once=True,
    ),
    FLEX_ELASTICITY,
    FLEX_CONTACT,
    element(
        "pin",
        "Points fixed to the parent.",
        integer("id", (), "Points.", None),
        integer("range", (), "Ranges of points.", None),
        integer("grid", (), "Grid coordinates.", None),
        integer("gridrange", (), "Ranges of grid coordinates.", None),
    ),
    PLUGIN,
)

ATTACH = element(
    "attach",
    "A body of another model.",
    word("model", "Model.", required=True),
    word("body", "Body."),
    word("prefix", "Prefix of names.", required=True),
)

CHILDCLASS = word("childclass", "Defaults class of what is inside.")


def _holder(name: str, meaning: str, *rows, **more) -> Element:
    """An element that holds bodies and what is in them."""
    return element(name, meaning, *rows, GEOM, SITE, CAMERA, LIGHT, ATTACH, COMPOSITE, FLEXCOMP, **more)


FRAME_ROW = _holder(
    "frame",
    "Frame that is resolved at compile time.",
    NAME,
    CHILDCLASS,
    *FRAME,
    INERTIAL,
    JOINT,
    FREEJOINT,
    kind="frame",
    recursive=True,
)
REPLICATE = _holder(
    "replicate",
    "Copies of what is inside.",
    integer("count", 0, "Number of copies.", required=True),
    real("offset", (0.0, 0.0, 0.0), "Translation from copy to copy.", 3, unit="m"),
    real("euler", (0.0, 0.0, 0.0), "Rotation from copy to copy.", 3, unit="angle"),
    word("sep", "Separator of names."),
    CHILDCLASS,
    INERTIAL,
    JOINT,
    FREEJOINT,
    recursive=True,
)
BODY = _holder(
    "body",
    "Rigid body.",
    NAME,
    CHILDCLASS,
    *FRAME,
    flag("mocap", False, "Moved by motion capture."),
    real("gravcomp", 0.0, "Gravity compensation, times weight."),
    USER,
    INERTIAL,
    JOINT,
    FREEJOINT,
    PLUGIN,
    kind="body",
    recursive=True,
)
WORLDBODY = _holder("worldbody", "The world, which has no attributes.", kind="body")

for _row in (BODY, FRAME_ROW, REPLICATE, WORLDBODY):
    for _inner in (BODY, FRAME_ROW, REPLICATE):
        _row.children[_inner.name] = _inner  # type: ignore[index]  # the grammar is recursive here

DEFORMABLE = element(
    "deformable",
    "Deformable objects.",
    element(
        "flex",
        "Flexible object.",
        NAME,
        GROUP,
        integer("dim", 2, "Dimension of elements."),
        real("radius", 0.005, "Radius of elements.", unit="m"),
        MATERIAL,
        RGBA,
        flag("flatskin", False, "Flat shading."),
        words("body", "Bodies of vertices.", lands="vertbody"),
        words("node", "Bodies of nodes.", lands="nodebody"),
        real("vertex", (), "Vertices.", None, lands="vert", unit="m"),
        integer("element", (), "Elements.", None, lands="elem", required=True),
        real("texcoord", (), "Texture coordinates.", None),
        integer("elemtexcoord", (), "Texture coordinates of elements.", None),
        FLEX_CONTACT,
        element(
            "edge",
            "Edges.",
            real("stiffness", 0.0, "Stiffness.", unit="N/m", lands="edgestiffness"),
            real("damping", 0.0, "Damping.", unit="N s/m", lands="edgedamping"),
            kind="flex",
            once=True,
        ),
        FLEX_ELASTICITY,
        kind="flex",
    ),
)
