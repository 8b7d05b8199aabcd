"""asset, custom and extension."""

from conjoint.schema.mjcf.shared import CLASS, GROUP, MATERIAL, NAME, OBJECT_TYPES, RGBA
from conjoint.schema.mjcf.table import choice, element, flag, integer, real, text, word

CONFIG = element(
    "config", "Setting of a plugin.", word("key", "Name.", required=True), text("value", "Value.", required=True)
)
PLUGIN = element(
    "plugin", "Plugin of the parent element.",
    word("plugin", "Name of the plugin."),
    word("instance", "Name of the instance."),
    CONFIG,
)  # fmt: skip

FILE = word("content_type", "Media type of the file."), text("file", "File to load.")
MESH_SHAPES = "sphere hemisphere cone supersphere supertorus wedge plate"
"""Simple shapes that a mesh may have."""
GRID_SHAPES = "grid box cylinder ellipsoid square disc"
"""Shapes of flexcomp that a mesh may have, since 3.16."""

MESH = element(
    "mesh", "Triangle mesh.", NAME, CLASS, FILE, MATERIAL,
    real("scale", (1.0, 1.0, 1.0), "Scale of each axis.", 3),
    choice("inertia", {"convex": 0, "exact": 1, "legacy": 2, "shell": 3}, "legacy", "How inertia is computed."),
    flag("smoothnormal", False, "Average normals also over sharp edges."),
    integer("maxhullvert", -1, "Most vertices of the convex hull."),
    real("vertex", (), "Vertices.", None, lands="uservert", unit="m"),
    real("normal", (), "Normals.", None, lands="usernormal"),
    real("texcoord", (), "Texture coordinates.", None, lands="usertexcoord"),
    integer("face", (), "Faces.", None, lands="userface"),
    real("refpos", (0.0, 0.0, 0.0), "Position subtracted from vertices.", 3, unit="m"),
    real("refquat", (1.0, 0.0, 0.0, 0.0), "Rotation undone.", 4),
    choice("builtin", f"{MESH_SHAPES} {GRID_SHAPES}", None, "Simple shape that it has.", lands=""),
    real("params", (), "Parameters of the simple shape.", None, lands=""),
    PLUGIN, kind="mesh",
)  # fmt: skip

HFIELD = element(
    "hfield", "Height field.", NAME, FILE,
    integer("nrow", 0, "Rows."),
    integer("ncol", 0, "Columns."),
    real("size", (0.0, 0.0, 0.0, 0.0), "Half sizes x y, elevation, base.", 4, unit="m", required=True),
    real("elevation", (), "Elevations, row by row.", None, lands="userdata"),
    kind="hfield",
)  # fmt: skip

SKIN = element(
    "skin", "Skin, for visualization.", NAME,
    text("file", "File to load."),
    MATERIAL, RGBA, GROUP,
    real("inflate", 0.0, "Offset along normals.", unit="m"),
    real("vertex", (), "Vertices.", None, lands="vert", unit="m"),
    real("texcoord", (), "Texture coordinates.", None),
    integer("face", (), "Faces.", None),
    element(
        "bone", "Body that carries vertices.",
        word("body", "Body.", lands="bodyname", required=True),
        real("bindpos", (0.0, 0.0, 0.0), "Position when bound.", 3, unit="m", required=True),
        real("bindquat", (1.0, 0.0, 0.0, 0.0), "Orientation when bound.", 4, required=True),
        integer("vertid", (), "Vertices.", None, required=True),
        real("vertweight", (), "Weights.", None, required=True),
        kind="bone",
    ),
    kind="skin",
)  # fmt: skip

TEXTURE_ROLES = "user rgb occlusion roughness metallic normal opacity emissive rgba orm"
"""Roles of a texture in a material, numbered as mjtTextureRole."""
CUBE_FACES = ["right", "left", "up", "down", "front", "back"]

TEXTURE = element(
    "texture", "Texture.", NAME, CLASS,
    choice("type", "2d cube skybox", "cube", "How it is mapped."),
    choice("colorspace", "auto linear sRGB", "auto", "Colour space of the file."),
    FILE,
    integer("gridsize", (1, 1), "Rows and columns of a composite image.", 2),
    word("gridlayout", "Faces in a composite image.", default="............"),
    tuple(text("file" + face, f"File of the {face} side.") for face in CUBE_FACES),
    choice("builtin", "none gradient checker flat", "none", "Procedural pattern."),
    real("rgb1", (0.8, 0.8, 0.8), "First colour.", 3),
    real("rgb2", (0.5, 0.5, 0.5), "Second colour.", 3),
    choice("mark", "none edge cross random", "none", "Marks over the pattern."),
    real("markrgb", (0.0, 0.0, 0.0), "Colour of marks.", 3),
    real("random", 0.01, "Probability of random marks."),
    integer("width", 0, "Columns of a procedural texture.", unit="pixel"),
    integer("height", 0, "Rows of a procedural texture.", unit="pixel"),
    flag("hflip", False, "Flip left and right."),
    flag("vflip", False, "Flip up and down."),
    integer("nchannel", 3, "Channels."),
    choice("embed", "false true auto", "auto", "Whether the model has the pixels; auto: as the compiler says."),
    kind="texture",
)  # fmt: skip

MATERIAL_ROW = element(
    "material", "Material, for rendering.", NAME, CLASS,
    word("texture", "Texture of colours."),
    flag("texuniform", False, "Map the texture to a unit object."),
    real("texrepeat", (1.0, 1.0), "Repetitions of a 2d texture.", 2),
    real("emission", 0.0, "Emission."),
    real("specular", 0.5, "Specularity."),
    real("shininess", 0.5, "Shininess."),
    real("reflectance", 0.0, "Reflectance."),
    real("metallic", -1.0, "Metallicity, for other renderers."),
    real("roughness", -1.0, "Roughness, for other renderers."),
    real("rgba", (1.0, 1.0, 1.0, 1.0), "Colour.", 4),
    element(
        "layer", "One texture of several.",
        word("texture", "Texture.", required=True),
        choice("role", TEXTURE_ROLES, "user", "What the texture is for.", required=True),
        kind="layer",
    ),
    kind="material",
)  # fmt: skip

ASSET = element(
    "asset", "Shared assets.", MESH, HFIELD, SKIN, TEXTURE, MATERIAL_ROW,
    element(
        "model", "Another model, to attach.", NAME,
        word("content_type", "Media type of the file."),
        text("file", "File to load.", required=True),
        kind="model",
    ),
)  # fmt: skip

CUSTOM = element(
    "custom", "Numbers, texts and tuples of the user.",
    element(
        "numeric", "Array of numbers.",
        word("name", "Name.", required=True),
        integer("size", None, "Length; more than written: padded with zeros."),
        real("data", (), "Values.", None),
        kind="numeric",
    ),
    element(
        "text", "Text.",
        word("name", "Name.", required=True),
        text("data", "The text.", required=True),
        kind="text",
    ),
    element(
        "tuple", "List of elements of the model.",
        word("name", "Name.", required=True),
        element(
            "element", "Member of a tuple.",
            word("objtype", "Type of the element.", required=True, choices=OBJECT_TYPES),
            word("objname", "Name of the element.", required=True),
            real("prm", 0.0, "A number."),
            kind="tupleelement",
        ),
        kind="tuple",
    ),
)  # fmt: skip

EXTENSION = element(
    "extension", "Extensions.",
    element(
        "plugin", "Plugin in use.",
        word("plugin", "Name of the plugin.", required=True),
        element("instance", "Instance of the plugin.", NAME, CONFIG, kind="plugin"),
    ),
)  # fmt: skip
