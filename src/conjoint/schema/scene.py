"""Records of the abstract visualizer: cameras, options, perturbations, scenes with their geoms and lights, figures.

They are the interface between a simulation and the program that draws it (Programming chapter, Visualization). Kernels
that create scenes read them as groups of `d` (`viz.view`). A row whose first dimension is `geomroom`, `maxlight` or
`maxcamera` has an element for each geom, light or camera of a scene. There is memory for one more geom than a scene
shows.
"""

from conjoint.lang.memory.layout import Field
from conjoint.schema.constants import mjMAXLIGHT, mjMAXLINE, mjMAXLINEPNT, mjNGROUP, mjRNDSTRING, mjVISSTRING
from conjoint.schema.enums import mjtGeom
from conjoint.schema.enums_visual import mjtCamera
from conjoint.schema.rows import Input, Structure

GROUPS = (1, 1, 1, 0, 0, 0)
"""Default visibility of the six element groups."""

SCENE_CAPACITIES = {"maxlight": mjMAXLIGHT, "maxcamera": 2}
"""Capacities that are the same for all scenes: lights, and the cameras of the left and the right eye."""

# fmt: off
CAMERA_FIELDS: tuple[Field, ...] = (
    Input("type", "int", (), int(mjtCamera.mjCAMERA_FREE), "",
          "kind of camera (mjtCamera): free, tracking, fixed, or set by a program"),
    Input("fixedcamid", "int", (), -1, "", "id of the fixed camera, if the type is fixed; -1: none"),
    Input("trackbodyid", "int", (), -1, "", "id of the body to follow, if the type is tracking; -1: none"),
    Input("lookat", "vec3", (), 0, "m", "point that the camera looks at, world frame"),
    Input("distance", "real", (), 2.0, "m", "distance from the camera to the point or body that it looks at"),
    Input("azimuth", "real", (), 90.0, "deg", "viewing direction about the z axis: 0 is along x, 90 along y"),
    Input("elevation", "real", (), -45.0, "deg",
          "angle of the viewing direction above the horizon; negative looks down"),
    Input("orthographic", "int", (), 0, "", "1: orthographic projection, 0: perspective"),
)
VISUAL_OPTION_FIELDS: tuple[Field, ...] = (
    Input("label", "int", (), 0, "", "type of the objects that get a label (mjtLabel)"),
    Input("frame", "int", (), 0, "", "type of the objects whose frames are drawn (mjtFrame)"),
    *(
        Input(f"{kind}group", "byte", (mjNGROUP,), GROUPS, "", f"1: the group of {plural} with this number is drawn")
        for kind, plural in (
            ("geom", "geoms"), ("site", "sites"), ("joint", "joints"), ("tendon", "tendons"),
            ("actuator", "actuators"), ("flex", "flexes"), ("skin", "skins"),
        )
    ),
    Input("flags", "byte", (len(mjVISSTRING),), tuple(int(on) for _, on, _ in mjVISSTRING), "",
          "visualization flags: elements of the model that are drawn (mjtVisFlag)"),
    Input("bvh_depth", "int", (), 1, "", "depth of the bounding volumes that are drawn, in their tree"),
    Input("flex_layer", "int", (), 0, "", "layer of the elements of solid flexes that is drawn"),
)
PERTURB_FIELDS: tuple[Field, ...] = (
    Input("select", "int", (), 0, "", "id of the selected body; 0: none"),
    Input("flexselect", "int", (), -1, "", "id of the selected flex; -1: none"),
    Input("skinselect", "int", (), -1, "", "id of the selected skin; -1: none"),
    Input("active", "int", (), 0, "", "bit mask of the perturbations of the selected body (mjtPertBit)"),
    Input("active2", "int", (), 0, "", "second bit mask of perturbations (mjtPertBit)"),
    Input("refpos", "vec3", (), 0, "m",
          "target position of the body's center of mass, world frame"),
    Input("refquat", "quat", (), (1.0, 0.0, 0.0, 0.0), "",
          "target orientation of the body's principal axes, world frame (w, x, y, z)"),
    Input("refselpos", "vec3", (), 0, "m", "target position of the selected point, world frame"),
    Input("localpos", "vec3", (), 0, "m", "selected point, in the frame of the body"),
    Input("localmass", "real", (), 0, "kg", "effective mass at the selected point"),
    Input("scale", "real", (), 1.0, "", "motion of the perturbation per unit of mouse motion"),
)
GEOM_FIELDS: tuple[Field, ...] = (
    Input("geoms.type", "int", ("geomroom",), int(mjtGeom.mjGEOM_NONE), "", "shape of the geom (mjtGeom)"),
    Input("geoms.dataid", "int", ("geomroom",), -1, "",
          "id of the geom's data: plane or height field; 2 id of a mesh, 2 id + 1 of its hull; -1: none"),
    Input("geoms.objtype", "int", ("geomroom",), 0, "",
          "type of the object that the geom belongs to (mjtObj); 0: decoration"),
    Input("geoms.objid", "int", ("geomroom",), 0, "", "id of the object that the geom belongs to; -1: decoration"),
    Input("geoms.category", "int", ("geomroom",), 0, "", "category of the geom (mjtCatBit)"),
    Input("geoms.matid", "int", ("geomroom",), -1, "", "material of the geom, for its texture; -1: none"),
    Input("geoms.texcoord", "int", ("geomroom",), 0, "", "1: the geom has texture coordinates"),
    Input("geoms.segid", "int", ("geomroom",), 0, "", "id of the geom in segmentation pictures; -1: not drawn there"),
    Input("geoms.size", "float", ("geomroom", 3), (0.1, 0.1, 0.1), "m",
          "sizes of the geom, which depend on its type: radius, half lengths"),
    Input("geoms.pos", "float", ("geomroom", 3), 0, "m", "position of the geom, world frame"),
    Input("geoms.mat", "float", ("geomroom", 3, 3), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), "",
          "orientation of the geom, world frame; columns are its axes"),
    Input("geoms.rgba", "float", ("geomroom", 4), (0.5, 0.5, 0.5, 1.0), "", "color and opacity, 0 to 1"),
    Input("geoms.emission", "float", ("geomroom",), 0.0, "", "emission, as a multiple of the color"),
    Input("geoms.specular", "float", ("geomroom",), 0.5, "", "strength of highlights, 0 to 1"),
    Input("geoms.shininess", "float", ("geomroom",), 0.5, "", "sharpness of highlights, 0 to 1"),
    Input("geoms.reflectance", "float", ("geomroom",), 0.0, "", "strength of reflections, 0 to 1"),
    Input("geoms.label", "char", ("geomroom", 100), "", "", "text next to the geom"),
    Input("geoms.camdist", "float", ("geomroom",), 0.0, "m",
          "distance from the geom to the camera, by which geoms are sorted"),
    Input("geoms.modelrbound", "float", ("geomroom",), 0.0, "m",
          "radius of the bounding sphere of a model geom; 0: decoration"),
    Input("geoms.transparent", "byte", ("geomroom",), 0, "", "1: the geom is drawn as transparent"),
)
LIGHT_FIELDS: tuple[Field, ...] = (
    Input("lights.pos", "float", ("maxlight", 3), 0, "m", "position of the light, world frame"),
    Input("lights.dir", "float", ("maxlight", 3), 0, "", "unit direction of the light, world frame"),
    Input("lights.type", "int", ("maxlight",), 0, "", "kind of light (mjtLightType)"),
    Input("lights.texid", "int", ("maxlight",), 0, "", "texture of an image light; -1: none"),
    Input("lights.attenuation", "float", ("maxlight", 3), 0, "",
          "constant, linear and quadratic attenuation with distance"),
    Input("lights.cutoff", "float", ("maxlight",), 0, "deg",
          "cutoff angle of a spot light: the half angle of its cone"),
    Input("lights.exponent", "float", ("maxlight",), 0, "",
          "falloff of a spot light towards the edge of its cone; larger is narrower"),
    Input("lights.ambient", "float", ("maxlight", 3), 0, "", "ambient color (red, green, blue), 0 to 1"),
    Input("lights.diffuse", "float", ("maxlight", 3), 0, "", "diffuse color (red, green, blue), 0 to 1"),
    Input("lights.specular", "float", ("maxlight", 3), 0, "", "specular color (red, green, blue), 0 to 1"),
    Input("lights.headlight", "byte", ("maxlight",), 0, "", "1: the light moves with the camera"),
    Input("lights.castshadow", "byte", ("maxlight",), 0, "", "1: the light casts shadows"),
    Input("lights.bulbradius", "float", ("maxlight",), 0, "m", "radius of the bulb, for soft shadows"),
    Input("lights.intensity", "float", ("maxlight",), 0, "cd", "intensity, for physically based renderers"),
    Input("lights.range", "float", ("maxlight",), 0, "m",
          "distance at which the light ends, for physically based renderers"),
)
GL_CAMERA_FIELDS: tuple[Field, ...] = (
    Input("camera.pos", "float", ("maxcamera", 3), 0, "m", "position of the camera, world frame"),
    Input("camera.forward", "float", ("maxcamera", 3), 0, "", "unit viewing direction, world frame"),
    Input("camera.up", "float", ("maxcamera", 3), 0, "", "unit direction that points up in the picture, world frame"),
    Input("camera.frustum_center", "float", ("maxcamera",), 0, "m", "horizontal center of the near plane"),
    Input("camera.frustum_width", "float", ("maxcamera",), 0, "m",
          "half width of the near plane; 0: determined by the aspect ratio of the viewport"),
    Input("camera.frustum_bottom", "float", ("maxcamera",), 0, "m", "lower edge of the near plane"),
    Input("camera.frustum_top", "float", ("maxcamera",), 0, "m", "upper edge of the near plane"),
    Input("camera.frustum_near", "float", ("maxcamera",), 0, "m", "distance to the near plane"),
    Input("camera.frustum_far", "float", ("maxcamera",), 0, "m", "distance to the far plane"),
    Input("camera.orthographic", "int", ("maxcamera",), 0, "", "1: orthographic projection, 0: perspective"),
)
SCENE_FIELDS: tuple[Field, ...] = (
    Structure("maxgeom", "int", (), "maximum number of geoms in the scene"),
    Input("ngeom", "int", (), 0, "", "number of geoms in the scene"),
    Input("geomorder", "int", ("maxgeom",), 0, "", "indices of geoms, sorted by their distance to the camera"),
    # flexes
    Structure("nflex", "int", (), "number of flexes"),
    Structure("flexedgeadr", "int", ("nflex",), "first edge of each flex"),
    Structure("flexedgenum", "int", ("nflex",), "number of edges of each flex"),
    Structure("flexvertadr", "int", ("nflex",), "first vertex of each flex"),
    Structure("flexvertnum", "int", ("nflex",), "number of vertices of each flex"),
    Structure("flexfaceadr", "int", ("nflex",), "first triangle of each flex"),
    Structure("flexfacenum", "int", ("nflex",), "maximum number of triangles of each flex"),
    Input("flexfaceused", "int", ("nflex",), 0, "", "number of triangles of each flex that are in use"),
    Structure("flexedge", "int", ("nflexedge", 2), "two vertices of each edge"),
    Input("flexvert", "float", ("nflexvert", 3), 0, "m", "position of each vertex, world frame"),
    Input("flexface", "float", ("nflexface", 9), 0, "m", "three corners of each triangle, world frame"),
    Input("flexnormal", "float", ("nflexface", 9), 0, "",
          "unit normals at the three corners of each triangle, world frame"),
    Input("flextexcoord", "float", ("nflexface", 6), 0, "",
          "texture coordinates u, v at the three corners of each triangle"),
    *(
        Input(f"flex{part}opt", "byte", (), 0, "", f"1: draw the {drawn} of flexes, copied from the options")
        for part, drawn in (("vert", "vertices"), ("edge", "edges"), ("face", "faces"), ("skin", "skins"))
    ),
    # skins
    Structure("nskin", "int", (), "number of skins"),
    Structure("skinfacenum", "int", ("nskin",), "number of triangles of each skin"),
    Structure("skinvertadr", "int", ("nskin",), "first vertex of each skin"),
    Structure("skinvertnum", "int", ("nskin",), "number of vertices of each skin"),
    Input("skinvert", "float", ("nskinvert", 3), 0, "m", "position of each vertex, world frame"),
    Input("skinnormal", "float", ("nskinvert", 3), 0, "", "unit normal of each vertex, world frame"),
    # lights, and how all of it is drawn
    Input("nlight", "int", (), 0, "", "number of lights in the scene"),
    Input("enabletransform", "byte", (), 0, "",
          "1: the whole model is transformed by `translate`, `rotate` and `scale`"),
    Input("translate", "float", (3,), 0, "m", "translation of the whole model"),
    Input("rotate", "float", (4,), (1.0, 0.0, 0.0, 0.0), "", "rotation of the whole model, a quaternion (w, x, y, z)"),
    Input("scale", "float", (), 1.0, "", "scale factor of the whole model"),
    Input("stereo", "int", (), 0, "", "kind of stereoscopic picture (mjtStereo)"),
    Input("flags", "byte", (len(mjRNDSTRING),), tuple(int(on) for _, on, _ in mjRNDSTRING), "",
          "rendering flags (mjtRndFlag)"),
    Input("framewidth", "int", (), 0, "pixel", "width of the colored frame around the picture; 0: none"),
    Input("framergb", "float", (3,), 0, "", "color of the frame around the picture (red, green, blue), 0 to 1"),
)
FIGURE_FIELDS: tuple[Field, ...] = (
    Input("flg_legend", "int", (), 1, "", "1: draw a legend"),
    Input("flg_ticklabel", "int", (2,), 1, "", "1: draw tick labels along the axis, for x and y"),
    Input("flg_extend", "int", (), 1, "", "1: extend the ranges to fit the data"),
    Input("flg_barplot", "int", (), 0, "", "1: draw bars instead of lines"),
    Input("flg_selection", "int", (), 0, "", "1: mark the selection by a vertical line"),
    Input("flg_symmetric", "int", (), 0, "", "1: make the range of y symmetric about 0"),
    Input("linewidth", "float", (), 3.0, "pixel", "width of the lines"),
    Input("gridwidth", "float", (), 1.0, "pixel", "width of the grid lines"),
    Input("gridsize", "int", (2,), 2, "", "number of grid points along x and y"),
    Input("gridrgb", "float", (3,), 0.4, "", "color of the grid (red, green, blue), 0 to 1"),
    Input("figurergba", "float", (4,), (0.0, 0.0, 0.0, 1.0), "", "background color and opacity of the figure, 0 to 1"),
    Input("panergba", "float", (4,), (0.0, 0.0, 0.0, 1.0), "",
          "background color and opacity of the pane with the data, 0 to 1"),
    Input("legendrgba", "float", (4,), (0.0, 0.0, 0.0, 0.3), "", "background color and opacity of the legend, 0 to 1"),
    Input("textrgb", "float", (3,), 1.0, "", "color of text (red, green, blue), 0 to 1"),
    Input("linergb", "float", (mjMAXLINE, 3), 0, "", "color of each line (red, green, blue), 0 to 1"),
    Input("range", "float", (2, 2), (0.0, 1.0), "",
          "ranges of x and y; the data determines a range whose first number is not below the second"),
    Input("xformat", "char", (20,), "%.0f", "", "format of tick labels along x, as in C"),
    Input("yformat", "char", (20,), "%.2g", "", "format of tick labels along y, as in C"),
    Input("minwidth", "char", (20,), "XXX", "", "text whose width is the minimum width of tick labels along y"),
    Input("title", "char", (1000,), "", "", "title of the figure; two spaces separate the titles of subplots"),
    Input("xlabel", "char", (100,), "", "", "text below the x axis"),
    Input("linename", "char", (mjMAXLINE, 100), "", "", "name of each line in the legend"),
    Input("legendoffset", "int", (), 0, "", "number of lines by which the legend is moved down"),
    Input("subplot", "int", (), 0, "", "index of the selected subplot"),
    Input("highlight", "int", (2,), 0, "pixel",
          "position in the picture; the line whose legend entry is there is highlighted"),
    Input("highlightid", "int", (), -1, "", "index of the highlighted line; -1: none"),
    Input("selection", "float", (), 0.0, "", "x coordinate of the selection"),
    Input("linepnt", "int", (mjMAXLINE,), 0, "", "number of points of each line"),
    Input("linedata", "float", (mjMAXLINE, 2 * mjMAXLINEPNT), 0, "", "points of each line: alternating x and y"),
    Input("xaxispixel", "int", (2,), 0, "pixel", "range of pixels along x in the drawn picture"),
    Input("yaxispixel", "int", (2,), 0, "pixel", "range of pixels along y in the drawn picture"),
    Input("xaxisdata", "float", (2,), 0, "", "range of x that was drawn"),
    Input("yaxisdata", "float", (2,), 0, "", "range of y that was drawn"),
)
RECT_FIELDS: tuple[Field, ...] = (
    Structure("left", "int", (), "left edge of the rectangle", "pixel"),
    Structure("bottom", "int", (), "lower edge of the rectangle", "pixel"),
    Structure("width", "int", (), "width of the rectangle", "pixel"),
    Structure("height", "int", (), "height of the rectangle", "pixel"),
)
# fmt: on

TALLY_FIELDS: tuple[Field, ...] = (
    Input("missing", "int", (), 0, "", "1: there was no space in the scene for at least one geom"),
)
"""Results of kernels that create a scene."""

LINE_COLORS = (
    (1.0, 0.3, 0.3), (0.1, 1.0, 0.1), (0.3, 0.3, 1.0), (0.1, 1.0, 1.0), (1.0, 0.2, 1.0), (1.0, 1.0, 0.1),
    (1.0, 0.6, 0.2), (0.6, 0.7, 0.4),
)  # fmt: skip
"""Default colors of the first lines of a figure."""
