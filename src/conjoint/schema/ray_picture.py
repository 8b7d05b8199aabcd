"""Fields for ray-traced pictures: the poses of a world, the camera, visible shapes, lights, and pixels.

Kernels read them as `d` (`ray_renderer`). Rows that have the same names as in a world have the same meaning, so that
kernels that trace rays can read both.
"""

from conjoint.lang.memory.layout import Field
from conjoint.schema.arena import ARENA_ROWS
from conjoint.schema.constants import mjMAXLIGHT, mjNGROUP
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.rows import Input, Structure

POSES: dict[str, str] = {
    "geom_xpos": "ngeom", "geom_xmat": "ngeom", "site_xpos": "nsite", "site_xmat": "nsite", "cam_xpos": "ncam",
    "cam_xmat": "ncam", "light_xpos": "nlight", "light_xdir": "nlight", "flexvert_xpos": "nflexvert",
    "wrap_xpos": "nwrap", "wrap_obj": "nwrap", "ten_wrapadr": "ntendon", "ten_wrapnum": "ntendon",
    "ten_length": "ntendon", "xpos": "nskin", "xquat": "nskin",
}  # fmt: skip
"""Fields of a world that pictures need, each with the model size that is zero if the field is not needed."""

PATCH = 16
"""Number of neighboring triangles of a skin that are tested together for shadows."""

CLUSTER = 16
"""Number of consecutive shapes that are tested together for shadows. The shapes of a body are often consecutive."""

LIGHTS = mjMAXLIGHT
"""Maximum number of lights in a ray-traced picture."""

# fmt: off
SIGHT_FIELDS: tuple[Field, ...] = (
    *(field for field in DATA_ROWS if field.name in POSES),
    # trees that the rays of a lidar traverse
    *(field for field in ARENA_ROWS if field.name in ("node_box", "node_low", "node_high")),
    # requested outputs
    Input("npose", "int", (), 0, "", "sizes of the poses of a world, in the order of `POSES`"),
    Input("wanted", "int", (), 0, "", "bit mask of the requested pictures (`ray_renderer.view.see`)"),
    Input("camera", "int", (), -1, "", "camera of the model; -1: the camera of `view`"),
    Input("view", "real", (7,), 0, "",
          "abstract camera: lookat point, distance, azimuth, elevation, and 1 if its rays are parallel"),
    *(Input(f"{kind}group", "byte", (mjNGROUP,), 1, "", f"1: the {kind}s of each group are visible")
      for kind in ("geom", "site", "tendon", "flex", "skin")),
    Input("start", "int", (), 0, "", "site where the rays of a lidar start"),
    Input("nray", "int", (), 0, "", "number of rays of the lidar"),
    Input("static", "int", (), 1, "",
          "1: rays of the lidar hit geoms that are fixed to the world; 0: they pass through them"),
    Input("exclude", "int", (), -1, "", "body whose geoms the rays of the lidar pass through; -1: none"),
    Input("cutoff", "real", (), 0, "m", "maximum distance of the rays of the lidar"),
    # the camera
    Structure("height", "int", (), "number of rows of pixels"),
    Structure("width", "int", (), "number of columns of pixels"),
    Input("eye_pos", "vec3", (), 0, "m", "position of the camera"),
    Input("eye_right", "vec3", (), 0, "", "unit vector along rows of pixels"),
    Input("eye_up", "vec3", (), 0, "", "unit vector upwards along columns of pixels"),
    Input("eye_forward", "vec3", (), 0, "", "unit vector along which distances are measured"),
    Input("eye_parallel", "int", (), 0, "", "1: rays are parallel; 0: they leave the eye"),
    Input("window_left", "real", (), 0, "", "left edge of the window 1 m in front of the eye (m if rays are parallel)"),
    Input("window_right", "real", (), 0, "", "right edge of the window"),
    Input("window_bottom", "real", (), 0, "", "lower edge of the window"),
    Input("window_top", "real", (), 0, "", "upper edge of the window"),
    Input("near", "real", (), 0, "m", "distance of the near clipping plane: nothing nearer is visible"),
    Input("far", "real", (), 0, "m", "distance of the far clipping plane: nothing beyond it is visible"),
    # visible shapes
    Input("nshape", "int", (), 0, "", "number of visible shapes"),
    Input("shape_type", "int", ("shaperoom",), 0, "", "type of each shape (mjtGeom)"),
    Input("shape_data", "int", ("shaperoom",), -1, "", "mesh, height field or flex of each shape; -1: none"),
    Input("shape_objtype", "int", ("shaperoom",), 0, "", "type of the object that each shape belongs to (mjtObj)"),
    Input("shape_objid", "int", ("shaperoom",), -1, "", "id of the object that each shape belongs to"),
    Input("shape_pos", "vec3", ("shaperoom",), 0, "m", "position"),
    Input("shape_frame", "mat3", ("shaperoom",), 0, "", "axes"),
    Input("shape_size", "vec3", ("shaperoom",), 0, "m", "size of each shape, as of a geom"),
    Input("shape_matid", "int", ("shaperoom",), -1, "", "material of each shape, for its texture; -1: none"),
    Input("shape_rgba", "float", ("shaperoom", 4), 0, "", "color and opacity of each shape"),
    Input("shape_finish", "float", ("shaperoom", 3), 0, "", "emission, specular and shininess of each shape"),
    Input("shape_center", "vec3", ("shaperoom",), 0, "m", "center of the bounding sphere of each shape"),
    Input("shape_radius", "real", ("shaperoom",), 0, "m",
          "radius of the bounding sphere of each shape; -1: the shape is unbounded"),
    Input("cluster_center", "vec3", ("clusterroom",), 0, "m", "centers of the bounding spheres of clusters of shapes"),
    Input("cluster_radius", "real", ("clusterroom",), 0, "m",
          "radii of the bounding spheres of clusters of shapes; -1: no shape of the cluster casts a shadow"),
    Input("flex_normal", "vec3", ("nflexvert",), 0, "", "unit normals at the vertices of flexes"),
    Input("flex_texcoord_row", "int", ("nflexvert",), 0, "",
          "texture coordinates of each flex vertex, a row of `flex_texcoord`; -1: none"),
    Input("skin_point", "float", ("nskinvert", 3), 0, "m", "positions of the vertices of skins"),
    Input("skin_normal", "float", ("nskinvert", 3), 0, "", "unit normals at the vertices of skins"),
    Input("patch_center", "vec3", ("patchroom",), 0, "m", "centers of the bounding spheres of patches of skins"),
    Input("patch_radius", "real", ("patchroom",), 0, "m", "radii of the bounding spheres of patches of skins"),
    # lights
    Input("nlamp", "int", (), 0, "", "number of lights"),
    Input("lamp_kind", "int", ("lightroom",), 0, "", "type of each light (mjtLightType)"),
    Input("lamp_pos", "vec3", ("lightroom",), 0, "m", "position"),
    Input("lamp_dir", "vec3", ("lightroom",), 0, "", "direction of each light, a unit vector"),
    Input("lamp_ambient", "vec3", ("lightroom",), 0, "", "ambient color of each light"),
    Input("lamp_diffuse", "vec3", ("lightroom",), 0, "", "diffuse color of each light"),
    Input("lamp_specular", "vec3", ("lightroom",), 0, "", "specular color of each light"),
    Input("lamp_attenuation", "vec3", ("lightroom",), 0, "",
          "attenuation coefficients of each light: constant, linear, quadratic"),
    Input("lamp_cone", "vec2", ("lightroom",), 0, "",
          "cosine of the half angle of each light's cone, -2 for none; and the exponent of its falloff"),
    Input("lamp_shadows", "int", ("lightroom",), 0, "", "1: the light casts shadows"),
    # pixels, by rows from the top
    Input("distance", "real", ("pixelroom",), 0, "m", "depth of each pixel: distance along the viewing direction"),
    Input("seen", "int", ("pixelroom",), -1, "", "index of the visible shape at each pixel; -1: none"),
    Input("part", "int", ("pixelroom",), -1, "",
          "index of the visible triangle of a mesh or skin, or of the visible part of a flex, at each pixel"),
    Input("behind", "real", ("pixelroom",), 0, "m", "distance from the camera to the first opaque shape at each pixel"),
    Input("color", "vec3", ("pixelroom",), 0, "", "color of each pixel: red, green, blue from 0 to 1"),
)
# fmt: on

# fmt: off
DEVICE_SIGHT_FIELDS: tuple[Field, ...] = (
    *SIGHT_FIELDS,
    Input("poses", "real", ("poseroom",), 0, "", "poses of the world, in the order of `POSES`"),
    Input("image_depth", "float", ("depthroom",), 0, "m", "distances along the viewing direction"),
    Input("image_numbers", "int", ("numberroom",), 0, "", "id and type of the object in each pixel, -1 for none"),
    Input("image_normals", "float", ("normalroom",), 0, "", "unit normals toward the camera"),
    Input("image_colors", "byte", ("colorroom",), 0, "", "red, green and blue of each pixel"),
    Input("ray_directions", "real", ("directionroom",), 0, "", "unit vectors along the rays, in the frame of the site"),
    Input("ray_distances", "real", ("rayroom",), 0, "m", "distance along each ray, -1 for a miss"),
    Input("ray_geoms", "int", ("rayroom",), 0, "", "id of the geom that each ray hits, -1 for a miss"),
)
"""Fields of ray-traced pictures on a device, where each world has its own picture."""
# fmt: on
