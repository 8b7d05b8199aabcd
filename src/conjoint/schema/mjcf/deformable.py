"""Flexible objects, and the macro that makes them."""

from conjoint.schema.mjcf.asset import PLUGIN, SKIN
from conjoint.schema.mjcf.shared import CONTACT, FRAME, GROUP, MATERIAL, NAME, RGBA, solver
from conjoint.schema.mjcf.table import choice, element, flag, integer, real, text, word, words

FLEX_CONTACT = element(
    "contact", "Contact of a flex.", *CONTACT,
    flag("internal", False, "Collisions inside elements."),
    flag("vertcollide", False, "Collide vertices."),
    choice("selfcollide", "none narrow bvh sap auto", "auto", "Collisions between elements."),
    integer("activelayers", 1, "Layers of elements that collide."),
    kind="flex", once=True,
)  # fmt: skip
FLEX_ELASTICITY = element(
    "elasticity", "Elasticity of a flex.",
    real("young", 0.0, "Young's modulus.", unit="Pa"),
    real("poisson", 0.0, "Poisson's ratio."),
    real("damping", 0.0, "Rayleigh damping.", unit="s"),
    real("thickness", -1.0, "Thickness of a shell.", unit="m"),
    choice("elastic2d", "none bend stretch both", "none", "Forces of a shell."),
    kind="flex", once=True,
)  # fmt: skip

EDGE_EQUALITIES = {"false": 0, "true": 1, "strain": 3}
"""Quantities that a flexcomp can hold constant, and their numbers in `flex_edgeequality`."""

FLEXCOMP_TYPES = {
    "grid": 0, "box": 1, "cylinder": 2, "ellipsoid": 3, "square": 4, "disc": 5, "circle": 6, "mesh": 7, "gmsh": 8,
    "direct": 9,
}  # fmt: skip
"""Shapes that flexcomp makes or loads."""

FLEXCOMP = element(
    "flexcomp", "Macro for flexes.",
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
    word("mesh", "Mesh of the model that is used in place of a file."),
    real("point", (), "Points.", None, unit="m"),
    integer("element", (), "Elements.", None),
    real("texcoord", (), "Texture coordinates.", None),
    MATERIAL, RGBA,
    flag("flatskin", False, "Flat shading."),
    *FRAME,
    real("origin", (0.0, 0.0, 0.0), "Origin of generated elements.", 3, unit="m"),
    element(
        "edge", "Edges.",
        choice("equality", EDGE_EQUALITIES, "false", "Keep edge lengths, or the strain of a trilinear flex."),
        *solver(),
        real("stiffness", 0.0, "Stiffness.", unit="N/m"),
        real("damping", 0.0, "Damping.", unit="N s/m"),
        once=True,
    ),
    FLEX_ELASTICITY, FLEX_CONTACT,
    element(
        "pin", "Points fixed to the parent.",
        integer("id", (), "Points.", None),
        integer("range", (), "Ranges of points.", None),
        integer("grid", (), "Grid coordinates.", None),
        integer("gridrange", (), "Ranges of grid coordinates.", None),
    ),
    PLUGIN,
)  # fmt: skip

DEFORMABLE = element(
    "deformable", "Deformable objects.",
    element(
        "flex", "Flexible object.", NAME, GROUP,
        integer("dim", 2, "Dimension of elements."),
        real("radius", 0.005, "Radius of elements.", unit="m"),
        MATERIAL, RGBA,
        flag("flatskin", False, "Flat shading."),
        words("body", "Bodies of vertices.", lands="vertbody"),
        words("node", "Bodies of nodes.", lands="nodebody"),
        real("vertex", (), "Vertices.", None, lands="vert", unit="m"),
        integer("element", (), "Elements.", None, lands="elem", required=True),
        real("texcoord", (), "Texture coordinates.", None),
        integer("elemtexcoord", (), "Texture coordinates of elements.", None),
        FLEX_CONTACT,
        element(
            "edge", "Edges.",
            real("stiffness", 0.0, "Stiffness.", unit="N/m", lands="edgestiffness"),
            real("damping", 0.0, "Damping.", unit="N s/m", lands="edgedamping"),
            kind="flex", once=True,
        ),
        FLEX_ELASTICITY, kind="flex",
    ),
    SKIN,
)  # fmt: skip
