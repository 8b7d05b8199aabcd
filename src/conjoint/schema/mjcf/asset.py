"""Grammar of asset, custom and extension."""

from conjoint.schema.mjcf.shared import CLASS, GROUP, MATERIAL, NAME, OBJECT_TYPES, RGBA
from conjoint.schema.mjcf.table import choice, element, flag, integer, real, text, word

CONFIG = element(
    "config",
    "A setting of a plugin, which the plugin reads when the model is compiled. The plugin's documentation lists the "
    "keys.",
    word("key", "Name of the setting.", required=True),
    text("value", "Value of the setting, as text.", required=True),
)  # fmt: skip
PLUGIN = element(
    "plugin",
    "Plugin of the enclosing element. Use it where the built-in elements do not suffice: for a custom "
    "actuator, sensor, passive force or shape. Give `plugin` with settings inside, or the `instance` of a plugin "
    "that `extension` lists.",
    word("plugin", "Name of the plugin, to create an instance for this element alone."),
    word("instance", "Name of an instance in `extension`, which several elements may share."),
    CONFIG,
)  # fmt: skip

CONTENT_TYPE = word(
    "content_type",
    "Media type of the file, such as `image/png` or `model/obj`; if absent, the file name extension determines it.",
)
FILE = (
    CONTENT_TYPE,
    text("file", "File to load, relative to the folder that `compiler` names, or to the model file."),
)  # fmt: skip
MESH_SHAPES = "sphere hemisphere cone supersphere supertorus wedge plate"
"""Simple shapes that a mesh may have."""
GRID_SHAPES = "grid box cylinder ellipsoid square disc"
"""Shapes of flexcomp that a mesh may have, since 3.16."""

MESH = element(
    "mesh",
    "Triangle mesh, for geoms, for sites, and as a source of flexes. Use it for shapes that no primitive fits. "
    "Collisions use its convex hull, so split a hollow shape into convex parts. The compiler re-expresses the "
    "vertices in a frame at the mesh's center of mass, aligned with its principal axes. It adjusts the geoms to "
    "compensate, so the shape stays where you placed it. A mesh with vertices and no faces becomes the hull of these "
    "points.",
    NAME, CLASS, *FILE,
    word("material", "Material of geoms that use this mesh and specify none."),
    real("scale", (1.0, 1.0, 1.0),
         "Scale factors along x, y and z. Use 0.001 for a file in millimeters. A negative factor mirrors the mesh.", 3),
    choice(
        "inertia", {"convex": 0, "exact": 1, "legacy": 2, "shell": 3}, "legacy",
        "How mass and inertia are computed: `convex` uses the convex hull; `exact` uses the exact volume and requires "
        "a closed mesh; `legacy` uses an older sum that overestimates non-convex shapes; `shell` puts the mass on the "
        "surface.",
    ),
    flag("smoothnormal", False, "Also average generated normals across sharp edges, so that the edges look smooth."),
    integer(
        "maxhullvert", -1,
        "Maximum number of vertices of the convex hull, at least 4; -1 means no limit. Fewer vertices make collision "
        "detection faster.",
    ),
    real("vertex", (), "Coordinates x, y, z of all vertices, instead of a file.", None, lands="uservert", unit="m"),
    real(
        "normal", (),
        "Normals x, y, z, one for each vertex; computed from the faces if absent.", None, lands="usernormal",
    ),
    real("texcoord", (), "Texture coordinates u, v, one pair for each vertex.", None, lands="usertexcoord"),
    integer(
        "face", (), "Three vertex numbers, from 0, for each triangle, counterclockwise as seen from outside.", None,
        lands="userface",
    ),
    real("refpos", (0.0, 0.0, 0.0),
         "Origin of the file's coordinates, which is subtracted from all vertices.", 3, unit="m"),
    real(
        "refquat", (1.0, 0.0, 0.0, 0.0),
        "Orientation (w, x, y, z) of the file's coordinates, whose inverse is applied to all vertices.", 4,
    ),
    choice(
        "builtin", f"{MESH_SHAPES} {GRID_SHAPES}", None,
        "Generated shape, instead of a file; `params` contains its parameters.",
        lands="",
    ),
    real(
        "params", (),
        "Parameters of the generated shape. sphere: subdivision; hemisphere: resolution; cone: edges, top radius; "
        "supersphere: resolution, e, n; supertorus: resolution, radius, s, t; plate: columns, rows; wedge: columns, "
        "rows, two angles (degrees), gamma.",
        None, lands="",
    ),
    PLUGIN, kind="mesh",
)  # fmt: skip

HFIELD = element(
    "hfield",
    "Height field: terrain as a grid of elevations, for geoms of the type `hfield`. It is faster than a mesh and "
    "can contain valleys, unlike the convex hull of a mesh. Elevations are read from a grayscale PNG file (white is "
    "high), a binary file or `elevation`, or a program writes them to `hfield_data`. They are scaled to the range 0 "
    "to 1.",
    NAME, *FILE,
    integer("nrow", 0, "Number of rows (along y) of a grid without a file."),
    integer("ncol", 0, "Number of columns (along x) of a grid without a file."),
    real(
        "size", (0.0, 0.0, 0.0, 0.0),
        "Half length in x, half length in y, largest elevation, thickness of the base.", 4,
        unit="m", required=True,
    ),
    real("elevation", (), "Elevations, row by row; they are scaled to 0 to 1.", None, lands="userdata"),
    kind="hfield",
)  # fmt: skip

SKIN = element(
    "skin",
    "Skin: a mesh whose vertices follow several bodies (bones), for rendering only. Use it to draw a smooth surface "
    "over an articulated figure or a cable. It has no mass and no contacts.",
    NAME,
    text("file", "Binary SKN file to load, instead of the attributes and bones below."),
    MATERIAL, RGBA, GROUP,
    real("inflate", 0.0, "Distance by which vertices are moved along their normals.", unit="m"),
    real(
        "vertex", (),
        "Coordinates x, y, z of all vertices, in the bind pose.", None, lands="vert", unit="m",
    ),
    real("texcoord", (), "Texture coordinates u, v, one pair for each vertex.", None),
    integer("face", (), "Three vertex numbers, from 0, for each triangle.", None),
    element(
        "bone",
        "Body that carries vertices of a skin, with a weight for each. Every vertex needs at least one bone; where "
        "bones share a vertex, it moves with their weighted mean.",
        word("body", "Name of the bone's body.", lands="bodyname", required=True),
        real(
            "bindpos", (0.0, 0.0, 0.0),
            "Position of the body in the bind pose, in the frame of the vertices.",
            3, unit="m", required=True,
        ),
        real(
            "bindquat", (1.0, 0.0, 0.0, 0.0), "Orientation (w, x, y, z) of the body in the bind pose.", 4,
            required=True,
        ),
        integer("vertid", (), "Numbers, from 0, of the vertices that follow this bone.", None, required=True),
        real("vertweight", (), "Weights of these vertices; the weights of one vertex are scaled to a sum of 1.", None,
             required=True),
        kind="bone",
    ),
    kind="skin",
)  # fmt: skip

TEXTURE_ROLES = "user rgb occlusion roughness metallic normal opacity emissive rgba orm"
"""Roles of a texture in a material, numbered as mjtTextureRole."""
CUBE_FACES = ["right", "left", "up", "down", "front", "back"]

_SIDES = {"up": "top", "down": "bottom"}
"""Sides of cube textures whose descriptions use another word than their attributes."""
_PROCEDURAL = "of a procedural texture"
TEXTURE = element(
    "texture",
    "Image for materials and for the sky, from files or generated by the compiler (`builtin`). Use `2d` for planes "
    "and for meshes with texture coordinates, `cube` to wrap an image around any shape, and `skybox` for the "
    "background. If a model has several skyboxes, only the first is drawn.",
    NAME, CLASS,
    choice("type", "2d cube skybox", "cube", "Mapping: a flat image, six sides around an object, or the sky."),
    choice(
        "colorspace", "auto linear sRGB", "auto",
        "Color space of the file; `auto` uses the color space that the file specifies, else linear.",
    ),
    *FILE,
    integer(
        "gridsize", (1, 1),
        "Rows and columns of the grid, if one image file contains several sides. `1 1` uses the same image for every "
        "side.", 2,
    ),
    word(
        "gridlayout", "Side in each grid cell, row by row: R L U D F B, or a dot for an unused cell.",
        default="............",
    ),
    tuple(text(
        "file" + face,
        f"Image file for the {_SIDES.get(face, face)} side; if absent, the side has the color `rgb1`.",
    ) for face in CUBE_FACES),
    choice(
        "builtin", "none gradient checker flat", "none",
        "Generated pattern, instead of files: a `gradient` from `rgb1` to `rgb2`, a 2 by 2 `checker`, or a `flat` "
        "color.",
    ),
    real("rgb1", (0.8, 0.8, 0.8), f"First color {_PROCEDURAL} (red, green, blue), 0 to 1.", 3),
    real("rgb2", (0.5, 0.5, 0.5), f"Second color {_PROCEDURAL} (red, green, blue), 0 to 1.", 3),
    choice("mark", "none edge cross random", "none", "Marks, one pixel wide: along edges, a cross, or random pixels."),
    real("markrgb", (0.0, 0.0, 0.0), "Color of marks (red, green, blue), 0 to 1.", 3),
    real("random", 0.01, "Probability with which a pixel is marked if `mark` is `random`, like stars in a night sky."),
    integer("width", 0, f"Number of columns {_PROCEDURAL}.", unit="pixel"),
    integer("height", 0, f"Number of rows {_PROCEDURAL}; for cubes, it is six times the width.", unit="pixel"),
    flag("hflip", False, "Mirror images from files left to right."),
    flag("vflip", False, "Mirror images from files top to bottom."),
    integer("nchannel", 3, "Number of channels: 1 gray, 3 RGB, 4 RGB with opacity."),
    choice(
        "embed", "false true auto", "auto",
        "Store pixels in the model, or only the path of the file; `auto` follows `compiler/passthrough`.",
    ),
    kind="texture",
)  # fmt: skip

MATERIAL_ROW = element(
    "material",
    "Appearance: color, texture and how a surface reflects light. All geoms, sites, tendons, skins and flexes that use "
    "a material share its appearance, which you can change in one place. It has no effect on the physics.",
    NAME, CLASS,
    word("texture", "Texture of the color, multiplied by `rgba`."),
    flag(
        "texuniform", False,
        "If true, `texrepeat` counts repetitions of a 2d texture per meter instead of per object, and a cube texture "
        "is projected onto the actual shape, instead of onto a unit shape and then scaled with it.",
    ),
    real("texrepeat", (1.0, 1.0), "Repetitions of a 2d texture in x and y.", 2),
    real("emission", 0.0, "Light that the surface emits, as a multiple of its color."),
    real("specular", 0.5, "Strength of highlights, 0 to 1."),
    real("shininess", 0.5, "Sharpness of highlights, 0 to 1; larger values give smaller spots."),
    real("reflectance", 0.0, "Strength of reflections, 0 to 1, on planes and on the top of boxes."),
    real("metallic", -1.0, "Metallicity, 0 to 1, for physically based renderers; negative: not set."),
    real("roughness", -1.0, "Roughness, 0 to 1, for physically based renderers; negative: not set."),
    real("rgba", (1.0, 1.0, 1.0, 1.0), "Color and opacity, each 0 to 1.", 4),
    element(
        "layer",
        "One of several textures of a material, for physically based renderers. Use layers, not `texture`, for normal "
        "maps, roughness and the like.",
        word("texture", "Name of the texture.", required=True),
        choice(
            "role", TEXTURE_ROLES, "user",
            "What the channels of the texture represent: color, normals, opacity, ...; `orm` packs occlusion, "
            "roughness and metallicity.",
            required=True,
        ),
        kind="layer",
    ),
    kind="material",
)  # fmt: skip

ASSET = element(
    "asset",
    "Meshes, height fields, textures, materials and other models, which elements refer to by name. An asset that "
    "many geoms share is loaded and stored once.",
    MESH, HFIELD, SKIN, TEXTURE, MATERIAL_ROW,
    element(
        "model",
        "Another model file, for `attach`. Use it to build a scene from parts: a robot, a gripper, a table, each in "
        "its own file.",
        NAME, CONTENT_TYPE,
        text("file", "Model file, relative to this file.", required=True),
        kind="model",
    ),
)  # fmt: skip

CUSTOM = element(
    "custom",
    "Numbers, texts and lists of elements for programs. They are stored in the model; the engine reads only a few "
    "of them, such as the text `conjoint.semantics`.",
    element(
        "numeric", "Named array of numbers for programs: gains, limits, parameters of a task.",
        word("name", "Name, which `model.numeric(name)` looks up.", required=True),
        integer("size", None,
                "Length of the array; elements without a value are zero. If absent, the number of values."),
        real("data", (), "Elements of the array.", None),
        kind="numeric",
    ),
    element(
        "text", "Named text for programs: a description, a license, a setting.",
        word("name", "Name, which `model.text(name)` looks up.", required=True),
        text("data", "Characters of the text.", required=True),
        kind="text",
    ),
    element(
        "tuple",
        "Named list of elements of the model, each with a number. Programs use it to mark elements that belong "
        "together, such as the joints of a hand.",
        word("name", "Name, which `model.tuple(name)` looks up.", required=True),
        element(
            "element", "One member of a tuple: an element of the model and a number for programs.",
            word("objtype", "Type of the element.", required=True, choices=OBJECT_TYPES),
            word("objname", "Name of the element.", required=True),
            real("prm", 0.0, "Number for programs, such as a weight."),
            kind="tupleelement",
        ),
        kind="tuple",
    ),
)  # fmt: skip

EXTENSION = element(
    "extension",
    "List of the plugins that a model needs. Loading fails if no program has registered a plugin that the model uses.",
    element(
        "plugin", "A plugin that the model uses, with instances that several elements may share.",
        word("plugin", "Name with which the plugin is registered.", required=True),
        element(
            "instance",
            "Named instance of a plugin, with its own settings and state. Elements that refer to it share both.",
            NAME, CONFIG, kind="plugin",
        ),
    ),
)  # fmt: skip
