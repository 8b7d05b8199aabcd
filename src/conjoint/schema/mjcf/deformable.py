"""Grammar of flexible objects, and of the macro that creates them."""

from conjoint.schema.mjcf.asset import PLUGIN, SKIN
from conjoint.schema.mjcf.shared import CONTACT, FRAME, GROUP, MATERIAL, NAME, RGBA, solver
from conjoint.schema.mjcf.table import choice, element, flag, integer, real, text, word, words

FLEX_CONTACT = element(
    "contact",
    "Contacts of a flex: whether it collides with other bodies and with itself, and the stiffness and friction of "
    "these contacts.",
    *CONTACT,
    flag(
        "internal", False,
        "Contacts within and between neighboring elements, which prevent elements from inverting.",
    ),
    flag(
        "vertcollide", False,
        "Give each point of a flexcomp a sphere geom with the radius of the flex, which collides like any geom.",
    ),
    choice(
        "selfcollide", "none narrow bvh sap auto", "auto",
        "Search for contacts between elements of this flex: none, all pairs (`narrow`), a volume hierarchy, sweep and "
        "prune; `auto` is `bvh` for solids, else `sap`.",
    ),
    integer(
        "activelayers", 1,
        "Number of outer layers of a solid's elements that collide. Increase it if small objects get inside.",
    ),
    kind="flex", once=True,
)  # fmt: skip
FLEX_ELASTICITY = element(
    "elasticity",
    "Elastic forces of the material, by finite elements. Give Young's modulus and Poisson's ratio of the material "
    "instead of tuning springs: results then hardly depend on the mesh. Soft rubber has about 1e6 Pa; soft robots and "
    "large timesteps need 1e3 to 1e5.",
    real("young", 0.0, "Young's modulus: stiffness of the material. 0 means no elastic force.", unit="Pa"),
    real("poisson", 0.0, "Poisson's ratio, at least 0 and below 0.5: lateral contraction relative to elongation."),
    real(
        "damping", 0.0, "Rayleigh damping coefficient: damping force = coefficient times stiffness times velocity.",
        unit="s",
    ),
    real("thickness", -1.0, "Thickness of a flex of dimension 2; its stiffness increases with it.", unit="m"),
    choice(
        "elastic2d", "none bend stretch both", "none",
        "Elastic forces of a flex of dimension 2: against bending, against stretching, or both.",
    ),
    kind="flex", once=True,
)  # fmt: skip

EDGE_EQUALITIES = {"false": 0, "true": 1, "strain": 3}
"""Quantities that a flexcomp can keep constant, with their numbers in `flex_edgeequality`."""

FLEXCOMP_TYPES = {
    "grid": 0, "box": 1, "cylinder": 2, "ellipsoid": 3, "square": 4, "disc": 5, "circle": 6, "mesh": 7, "gmsh": 8,
    "direct": 9,
}  # fmt: skip
"""Shapes that flexcomp creates or loads."""

_DIM = integer(
    "dim",
    2,
    "Dimension of the elements: 1 for ropes (segments), 2 for cloth (triangles), 3 for solids (tetrahedra).",
)
_RADIUS = real(
    "radius",
    0.005,
    "Radius around elements for contacts and drawing; it may be 0 for solids only.",
    unit="m",
)
_FLATSKIN = flag("flatskin", False, "Draw flat faces with visible edges instead of smooth faces.")

FLEXCOMP = element(
    "flexcomp",
    "Macro that generates a flex with a moving body at each of its points: rope, cloth, or a soft solid, from a "
    "grid, a shape or a mesh file. Use it instead of writing `flex` and its bodies. `pin` fixes points, "
    "`elasticity` or `edge` makes it elastic.",
    word("name", "Name of the flex; names of its bodies start with it.", required=True),
    choice(
        "type", FLEXCOMP_TYPES, "grid",
        "Source of the points: a generated shape; a surface file (`mesh`); a GMSH file; or `point` and `element` "
        "(`direct`).",
    ),
    GROUP, _DIM,
    choice(
        "dof", "full radial trilinear", "full",
        "Degrees of freedom: three for each point (`full`); one for each point, along its radius (`radial`); or 24 "
        "for the whole flex, at the 8 corners of a box (`trilinear`), which is fast.",
    ),
    integer("count", (10, 10, 10), "Number of points of a generated shape in x, y and z.", 3),
    real(
        "spacing", (0.02, 0.02, 0.02),
        "Distance between neighboring points in x, y and z; larger than twice the radius.", 3, unit="m",
    ),
    _RADIUS,
    flag("rigid", False, "Fix all points to the parent, as a rigid shape that may be hollow, without new bodies."),
    real("mass", 1.0, "Total mass, shared equally by all points.", unit="kg"),
    real("inertiabox", 0.005,
         "Side length of the boxes that determine the rotational inertia of the bodies at points.", unit="m"),
    real("scale", (1.0, 1.0, 1.0), "Scale factors of the coordinates from a file or from `point`.", 3),
    text("file", "Mesh or GMSH file to load, for the types `mesh` and `gmsh`."),
    word("mesh", "Mesh of `asset` to use instead of a file."),
    real("point", (), "Coordinates x, y, z of all points, for the type `direct`.", None, unit="m"),
    integer("element", (), "Point numbers, from 0, of each element (`dim` + 1 of them), for the type `direct`.", None),
    real("texcoord", (), "Texture coordinates u, v, one pair for each point.", None),
    MATERIAL, RGBA, _FLATSKIN, *FRAME,
    real(
        "origin", (0.0, 0.0, 0.0),
        "Inner point for tetrahedra within a closed surface: each triangle is connected to it.", 3, unit="m",
    ),
    element(
        "edge",
        "Edges between points: springs, dampers, or equality constraints that keep their length constant. Use "
        "`equality` for ropes and inextensible cloth, and preferably `elasticity` for elastic materials.",
        choice(
            "equality", EDGE_EQUALITIES, "false",
            'Keep the length of every edge constant (`true`), or the strain of a flex with `dof="trilinear"` '
            "(`strain`).",
        ),
        *solver(what="that equality"),
        real("stiffness", 0.0, "Stiffness of each edge, for ropes (dimension 1).", unit="N/m"),
        real("damping", 0.0, "Damping of each edge.", unit="N s/m"),
        once=True,
    ),
    FLEX_ELASTICITY, FLEX_CONTACT,
    element(
        "pin",
        "Points that are fixed to the parent: the corners of a flag, the end of a rope. Points of several elements "
        "and attributes add up. Viewers can show the numbers of bodies to find the points.",
        integer("id", (), "Numbers, from 0, of points.", None),
        integer("range", (), "Pairs of numbers: first and last point of each range.", None),
        integer("grid", (), "Grid coordinates of points, `dim` numbers each, for the type `grid`.", None),
        integer("gridrange", (), "Ranges of grid coordinates: `dim` lower, then `dim` upper numbers each.", None),
    ),
    PLUGIN,
)  # fmt: skip

DEFORMABLE = element(
    "deformable",
    "Deformable objects: flexes, which have physics, and skins, which are only drawn.",
    element(
        "flex",
        "Flexible object of segments, triangles or tetrahedra between vertices that are fixed to different bodies. "
        "The flex provides elastic forces and contacts; the mass belongs to the bodies. It is usually generated by "
        "`flexcomp`. Write it by hand to connect existing bodies, or to make a hollow rigid shape (a single "
        "`body`).",
        NAME, GROUP, _DIM, _RADIUS, MATERIAL, RGBA, _FLATSKIN,
        words(
            "body",
            "Names of the bodies of the vertices, one for each vertex; a single body for all vertices makes the "
            "flex rigid.", lands="vertbody",
        ),
        words(
            "node",
            "Names of the bodies of the control nodes of a trilinear flex, instead of `body`.", lands="nodebody",
        ),
        real(
            "vertex", (),
            "Coordinates x, y, z of each vertex in the frame of its body; 0 if absent.", None, lands="vert", unit="m",
        ),
        integer(
            "element", (), "Vertex numbers, from 0, of each element (`dim` + 1 of them); triangles counterclockwise.",
            None, lands="elem", required=True,
        ),
        real("texcoord", (),
             "Texture coordinates u, v, one pair for each vertex, or as indexed by `elemtexcoord`.", None),
        integer("elemtexcoord", (), "Indices in `texcoord` of the corners of each element.", None),
        FLEX_CONTACT,
        element(
            "edge", "Springs along the edges of ropes, and dampers along the edges of any flex.",
            real("stiffness", 0.0, "Stiffness of each edge, for dimension 1.", unit="N/m", lands="edgestiffness"),
            real("damping", 0.0, "Damping of each edge.", unit="N s/m", lands="edgedamping"),
            kind="flex", once=True,
        ),
        FLEX_ELASTICITY, kind="flex",
    ),
    SKIN,
)  # fmt: skip
