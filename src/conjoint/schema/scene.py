"""Records of the abstract visualizer: cameras, options, perturbations, scenes with their geoms and lights, figures.

They are the interface between a simulation and whatever draws it (Programming chapter, Visualization). Kernels that
make scenes see them as groups of `d` (`viz.view`). A row whose first dimension is `geomroom`, `maxlight` or `maxcamera`
has an element for each geom, light or camera of a scene. There is room for one geom more than a scene shows.
"""

from conjoint.lang.memory.layout import Field
from conjoint.schema.constants import mjMAXLIGHT, mjMAXLINE, mjMAXLINEPNT, mjNGROUP, mjRNDSTRING, mjVISSTRING
from conjoint.schema.enums import mjtGeom
from conjoint.schema.enums_visual import mjtCamera
from conjoint.schema.rows import Input, Structure

GROUPS = (1, 1, 1, 0, 0, 0)
"""Groups of elements that are shown."""

SCENE_CAPACITIES = {"maxlight": mjMAXLIGHT, "maxcamera": 2}
"""Elements of a scene whose number is the same in all: lights, and the cameras of the left and the right eye."""

# fmt: off
CAMERA_FIELDS: tuple[Field, ...] = (
    Input("type", "int", (), int(mjtCamera.mjCAMERA_FREE), "", "type of camera (mjtCamera)"),
    Input("fixedcamid", "int", (), -1, "", "id of the fixed camera"),
    Input("trackbodyid", "int", (), -1, "", "id of the body to track"),
    Input("lookat", "vec3", (), 0, "m", "point to look at"),
    Input("distance", "real", (), 2.0, "m", "distance to the point or body"),
    Input("azimuth", "real", (), 90.0, "deg", "angle about the z axis"),
    Input("elevation", "real", (), -45.0, "deg", "angle above the horizon"),
    Input("orthographic", "int", (), 0, "", "1: no perspective"),
)
VISUAL_OPTION_FIELDS: tuple[Field, ...] = (
    Input("label", "int", (), 0, "", "what labels show (mjtLabel)"),
    Input("frame", "int", (), 0, "", "which frames are shown (mjtFrame)"),
    *(
        Input(f"{kind}group", "byte", (mjNGROUP,), GROUPS, "", f"which groups of {plural} are shown")
        for kind, plural in (
            ("geom", "geoms"), ("site", "sites"), ("joint", "joints"), ("tendon", "tendons"),
            ("actuator", "actuators"), ("flex", "flexes"), ("skin", "skins"),
        )
    ),
    Input("flags", "byte", (len(mjVISSTRING),), tuple(int(on) for _, on, _ in mjVISSTRING), "",
          "what is shown (mjtVisFlag)"),
    Input("bvh_depth", "int", (), 1, "", "depth of the bounding volumes that are shown"),
    Input("flex_layer", "int", (), 0, "", "layer of flexible bodies that is shown"),
)
PERTURB_FIELDS: tuple[Field, ...] = (
    Input("select", "int", (), 0, "", "id of the selected body; 0: none"),
    Input("flexselect", "int", (), -1, "", "id of the selected flexible body; -1: none"),
    Input("skinselect", "int", (), -1, "", "id of the selected skin; -1: none"),
    Input("active", "int", (), 0, "", "perturbations that act (mjtPertBit)"),
    Input("active2", "int", (), 0, "", "a second set of them"),
    Input("refpos", "vec3", (), 0, "m", "position that the body shall have"),
    Input("refquat", "quat", (), (1.0, 0.0, 0.0, 0.0), "", "orientation that it shall have"),
    Input("refselpos", "vec3", (), 0, "m", "position that the selected point shall have"),
    Input("localpos", "vec3", (), 0, "m", "the selected point in the frame of the body"),
    Input("localmass", "real", (), 0, "kg", "mass felt at the selected point"),
    Input("scale", "real", (), 1.0, "", "motion of the perturbation per motion of the mouse"),
)
GEOM_FIELDS: tuple[Field, ...] = (
    Input("geoms.type", "int", ("geomroom",), int(mjtGeom.mjGEOM_NONE), "", "type of geom (mjtGeom)"),
    Input("geoms.dataid", "int", ("geomroom",), -1, "",
          "id of its mesh, hfield or plane, -1 for none; of a mesh twice that, one more for its hull"),
    Input("geoms.objtype", "int", ("geomroom",), 0, "", "type of the object shown (mjtObj), 0 for decor"),
    Input("geoms.objid", "int", ("geomroom",), 0, "", "id of that object, -1 for decor"),
    Input("geoms.category", "int", ("geomroom",), 0, "", "category (mjtCatBit)"),
    Input("geoms.matid", "int", ("geomroom",), -1, "", "id of the material with its texture, -1 for none"),
    Input("geoms.texcoord", "int", ("geomroom",), 0, "", "whether it has texture coordinates"),
    Input("geoms.segid", "int", ("geomroom",), 0, "", "number in a segmented image, -1 if not shown"),
    Input("geoms.size", "float", ("geomroom", 3), (0.1, 0.1, 0.1), "m", "size"),
    Input("geoms.pos", "float", ("geomroom", 3), 0, "m", "position"),
    Input("geoms.mat", "float", ("geomroom", 3, 3), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), "",
          "orientation"),
    Input("geoms.rgba", "float", ("geomroom", 4), (0.5, 0.5, 0.5, 1.0), "", "colour and opacity"),
    Input("geoms.emission", "float", ("geomroom",), 0.0, "", "emission"),
    Input("geoms.specular", "float", ("geomroom",), 0.5, "", "specular reflection"),
    Input("geoms.shininess", "float", ("geomroom",), 0.5, "", "shininess"),
    Input("geoms.reflectance", "float", ("geomroom",), 0.0, "", "reflectance"),
    Input("geoms.label", "char", ("geomroom", 100), "", "", "text beside it"),
    Input("geoms.camdist", "float", ("geomroom",), 0.0, "m", "distance to the camera, by which geoms are sorted"),
    Input("geoms.modelrbound", "float", ("geomroom",), 0.0, "m", "bounding radius of a geom of the model, 0 of others"),
    Input("geoms.transparent", "byte", ("geomroom",), 0, "", "whether it is drawn as transparent"),
)
LIGHT_FIELDS: tuple[Field, ...] = (
    Input("lights.pos", "float", ("maxlight", 3), 0, "m", "position"),
    Input("lights.dir", "float", ("maxlight", 3), 0, "", "direction"),
    Input("lights.type", "int", ("maxlight",), 0, "", "type of light (mjtLightType)"),
    Input("lights.texid", "int", ("maxlight",), 0, "", "id of the texture of an image light"),
    Input("lights.attenuation", "float", ("maxlight", 3), 0, "", "attenuation: constant, linear, quadratic"),
    Input("lights.cutoff", "float", ("maxlight",), 0, "deg", "half angle of the cone"),
    Input("lights.exponent", "float", ("maxlight",), 0, "", "how light falls off towards the rim of the cone"),
    Input("lights.ambient", "float", ("maxlight", 3), 0, "", "ambient colour"),
    Input("lights.diffuse", "float", ("maxlight", 3), 0, "", "diffuse colour"),
    Input("lights.specular", "float", ("maxlight", 3), 0, "", "specular colour"),
    Input("lights.headlight", "byte", ("maxlight",), 0, "", "whether it moves with the camera"),
    Input("lights.castshadow", "byte", ("maxlight",), 0, "", "whether it casts shadows"),
    Input("lights.bulbradius", "float", ("maxlight",), 0, "m", "radius of the bulb, for soft shadows"),
    Input("lights.intensity", "float", ("maxlight",), 0, "cd", "intensity"),
    Input("lights.range", "float", ("maxlight",), 0, "m", "how far it reaches"),
)
GL_CAMERA_FIELDS: tuple[Field, ...] = (
    Input("camera.pos", "float", ("maxcamera", 3), 0, "m", "position"),
    Input("camera.forward", "float", ("maxcamera", 3), 0, "", "direction of view"),
    Input("camera.up", "float", ("maxcamera", 3), 0, "", "direction upwards"),
    Input("camera.frustum_center", "float", ("maxcamera",), 0, "m", "horizontal centre of the near plane"),
    Input("camera.frustum_width", "float", ("maxcamera",), 0, "m", "half width of the near plane; 0: by the window"),
    Input("camera.frustum_bottom", "float", ("maxcamera",), 0, "m", "bottom of the near plane"),
    Input("camera.frustum_top", "float", ("maxcamera",), 0, "m", "top of the near plane"),
    Input("camera.frustum_near", "float", ("maxcamera",), 0, "m", "distance of the near plane"),
    Input("camera.frustum_far", "float", ("maxcamera",), 0, "m", "distance of the far plane"),
    Input("camera.orthographic", "int", ("maxcamera",), 0, "", "1: no perspective"),
)
SCENE_FIELDS: tuple[Field, ...] = (
    Structure("maxgeom", "int", (), "room for geoms"),
    Input("ngeom", "int", (), 0, "", "number of geoms"),
    Input("geomorder", "int", ("maxgeom",), 0, "", "geoms by their distance to the camera"),
    # flexes
    Structure("nflex", "int", (), "number of flexes"),
    Structure("flexedgeadr", "int", ("nflex",), "first edge of each flex"),
    Structure("flexedgenum", "int", ("nflex",), "number of edges"),
    Structure("flexvertadr", "int", ("nflex",), "first vertex of each flex"),
    Structure("flexvertnum", "int", ("nflex",), "number of vertices"),
    Structure("flexfaceadr", "int", ("nflex",), "first triangle of each flex"),
    Structure("flexfacenum", "int", ("nflex",), "room for triangles"),
    Input("flexfaceused", "int", ("nflex",), 0, "", "number of triangles"),
    Structure("flexedge", "int", ("nflexedge", 2), "the two vertices of each edge"),
    Input("flexvert", "float", ("nflexvert", 3), 0, "m", "positions of vertices"),
    Input("flexface", "float", ("nflexface", 9), 0, "m", "the three corners of each triangle"),
    Input("flexnormal", "float", ("nflexface", 9), 0, "", "normals at the three corners"),
    Input("flextexcoord", "float", ("nflexface", 6), 0, "", "texture coordinates of the three corners"),
    *(
        Input(f"flex{part}opt", "byte", (), 0, "", f"whether {shown} of flexes are shown, as in the options")
        for part, shown in (("vert", "vertices"), ("edge", "edges"), ("face", "faces"), ("skin", "skins"))
    ),
    # skins
    Structure("nskin", "int", (), "number of skins"),
    Structure("skinfacenum", "int", ("nskin",), "number of triangles of each skin"),
    Structure("skinvertadr", "int", ("nskin",), "first vertex of each skin"),
    Structure("skinvertnum", "int", ("nskin",), "number of vertices"),
    Input("skinvert", "float", ("nskinvert", 3), 0, "m", "positions of vertices"),
    Input("skinnormal", "float", ("nskinvert", 3), 0, "", "normals of vertices"),
    # lights, and how all of it is drawn
    Input("nlight", "int", (), 0, "", "number of lights"),
    Input("enabletransform", "byte", (), 0, "", "whether the model is moved as a whole"),
    Input("translate", "float", (3,), 0, "m", "translation of the model"),
    Input("rotate", "float", (4,), (1.0, 0.0, 0.0, 0.0), "", "rotation of the model"),
    Input("scale", "float", (), 1.0, "", "scale of the model"),
    Input("stereo", "int", (), 0, "", "stereoscopic drawing (mjtStereo)"),
    Input("flags", "byte", (len(mjRNDSTRING),), tuple(int(on) for _, on, _ in mjRNDSTRING), "",
          "how it is drawn (mjtRndFlag)"),
    Input("framewidth", "int", (), 0, "pixel", "width of the frame around the picture; 0: none"),
    Input("framergb", "float", (3,), 0, "", "colour of the frame"),
)
FIGURE_FIELDS: tuple[Field, ...] = (
    Input("flg_legend", "int", (), 1, "", "whether there is a legend"),
    Input("flg_ticklabel", "int", (2,), 1, "", "whether there are labels along x and y"),
    Input("flg_extend", "int", (), 1, "", "whether ranges grow as the data need"),
    Input("flg_barplot", "int", (), 0, "", "whether lines are bars"),
    Input("flg_selection", "int", (), 0, "", "whether the selection is marked by a vertical line"),
    Input("flg_symmetric", "int", (), 0, "", "whether the range of y is symmetric"),
    Input("linewidth", "float", (), 3.0, "pixel", "width of lines"),
    Input("gridwidth", "float", (), 1.0, "pixel", "width of lines of the grid"),
    Input("gridsize", "int", (2,), 2, "", "points of the grid along x and y"),
    Input("gridrgb", "float", (3,), 0.4, "", "colour of the grid"),
    Input("figurergba", "float", (4,), (0.0, 0.0, 0.0, 1.0), "", "background of the figure"),
    Input("panergba", "float", (4,), (0.0, 0.0, 0.0, 1.0), "", "background of the pane"),
    Input("legendrgba", "float", (4,), (0.0, 0.0, 0.0, 0.3), "", "background of the legend"),
    Input("textrgb", "float", (3,), 1.0, "", "colour of text"),
    Input("linergb", "float", (mjMAXLINE, 3), 0, "", "colours of lines"),
    Input("range", "float", (2, 2), (0.0, 1.0), "", "ranges of x and y; by the data where empty"),
    Input("xformat", "char", (20,), "%.0f", "", "format of labels along x"),
    Input("yformat", "char", (20,), "%.2g", "", "format of labels along y"),
    Input("minwidth", "char", (20,), "XXX", "", "text as wide as labels along y are at least"),
    Input("title", "char", (1000,), "", "", "title; two spaces separate subplots"),
    Input("xlabel", "char", (100,), "", "", "text below"),
    Input("linename", "char", (mjMAXLINE, 100), "", "", "names of lines in the legend"),
    Input("legendoffset", "int", (), 0, "", "lines by which the legend is lower"),
    Input("subplot", "int", (), 0, "", "the selected subplot"),
    Input("highlight", "int", (2,), 0, "pixel", "point whose line in the legend is highlighted"),
    Input("highlightid", "int", (), -1, "", "line that is highlighted, -1 for none"),
    Input("selection", "float", (), 0.0, "", "where the selection is along x"),
    Input("linepnt", "int", (mjMAXLINE,), 0, "", "number of points of each line"),
    Input("linedata", "float", (mjMAXLINE, 2 * mjMAXLINEPNT), 0, "", "points: x and y by turns"),
    Input("xaxispixel", "int", (2,), 0, "pixel", "range of x in the drawn picture"),
    Input("yaxispixel", "int", (2,), 0, "pixel", "range of y in the drawn picture"),
    Input("xaxisdata", "float", (2,), 0, "", "range of x as drawn"),
    Input("yaxisdata", "float", (2,), 0, "", "range of y as drawn"),
)
RECT_FIELDS: tuple[Field, ...] = (
    Structure("left", "int", (), "left edge", "pixel"),
    Structure("bottom", "int", (), "lower edge", "pixel"),
    Structure("width", "int", (), "width", "pixel"),
    Structure("height", "int", (), "height", "pixel"),
)
# fmt: on

TALLY_FIELDS: tuple[Field, ...] = (Input("missing", "int", (), 0, "", "whether there was no room for a geom"),)
"""Results of kernels that make a scene."""

LINE_COLORS = (
    (1.0, 0.3, 0.3), (0.1, 1.0, 0.1), (0.3, 0.3, 1.0), (0.1, 1.0, 1.0), (1.0, 0.2, 1.0), (1.0, 1.0, 0.1),
    (1.0, 0.6, 0.2), (0.6, 0.7, 0.4),
)  # fmt: skip
"""Colours of the first lines of a figure."""
