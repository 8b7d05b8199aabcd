"""Parts of bodies: inertia, joints, geoms, sites, cameras, lights."""

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
from conjoint.schema.mjcf.table import bits, choice, element, flag, real, tristate, upto, word

INERTIAL = element(
    "inertial", "Mass and inertia of the body.",
    real("pos", None, "Center of mass.", 3, unit="m", required=True, lands="ipos"),
    tuple(replace(row, lands="i" + row.lands) for row in ORIENTATION),
    real("mass", 0.0, "Mass.", unit="kg", required=True),
    real("diaginertia", (0.0, 0.0, 0.0), "Principal moments of inertia.", 3, unit="kg m^2", lands="inertia"),
    real("fullinertia", None, "Inertia matrix: xx yy zz xy xz yz.", 6, unit="kg m^2"),
    kind="inertial", once=True,
)  # fmt: skip

JOINT = element(
    "joint", "Joint between the body and its parent.", NAME, CLASS,
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
    upto("stiffness", (0.0, 0.0, 0.0), "Stiffness of first, second and third order.", unit="N/m or N m/rad"),
    real("range", (0.0, 0.0), "Limits.", 2, unit="angle"),
    real("actuatorfrcrange", (0.0, 0.0), "Range of the actuator force.", 2, lands="actfrcrange", unit="N or N m"),
    real("margin", 0.0, "Distance at which a limit becomes active.", unit="m or rad"),
    real("ref", 0.0, "Position in the initial configuration.", unit="angle"),
    real("springref", 0.0, "Position where the spring is at rest.", unit="angle"),
    real("springyield", 0.0, "Displacement at which the spring yields; 0: it does not.", unit="angle"),
    real("armature", 0.0, "Rotor inertia.", unit="kg or kg m^2"),
    upto("damping", (0.0, 0.0, 0.0), "Damping of first, second and third order.", unit="N s/m or N m s/rad"),
    real("frictionloss", 0.0, "Dry friction.", unit="N or N m"),
    USER, kind="joint",
)  # fmt: skip

FREEJOINT = element("freejoint", "Free joint, without defaults.", NAME, GROUP, tristate("align", "Align with inertia."))

GEOM = element(
    "geom", "Shape attached to a body.", NAME, CLASS,
    choice("type", GEOM_TYPES, "sphere", "Type."),
    *CONTACT, GROUP,
    upto("size", (0.0, 0.0, 0.0), "Sizes, by type.", unit="m"),
    MATERIAL, RGBA,
    real("mass", None, "Mass; replaces density.", unit="kg"),
    real("density", 1000.0, "Density.", unit="kg/m^3"),
    flag("shellinertia", False, "Mass is on the surface.", lands="typeinertia"),
    real("fromto", None, "Ends of a long geom; sets size, pos and quat.", 6, unit="m"),
    *FRAME,
    word("hfield", "Height field.", lands="hfieldname"),
    word("mesh", "Mesh.", lands="meshname"),
    flag("castshadow", True, "Casts shadows; it is kept, and what draws here does not ask."),
    real("surfacevel", (0.0,) * 6, "Velocity of the surface: linear, then angular.", 6, unit="m/s, rad/s"),
    real("adhesion", 0.0, "Adhesive force of contacts.", unit="N"),
    real("fitscale", 1.0, "Scale of a primitive fitted to a mesh."),
    choice("fluidshape", "none ellipsoid", "none", "Model of fluid forces.", lands="fluid_ellipsoid"),
    upto("fluidcoef", (0.5, 0.25, 1.5, 1.0, 1.0), "Coefficients of fluid forces.", lands="fluid_coefs"),
    USER, PLUGIN, kind="geom",
)  # fmt: skip

SITE = element(
    "site", "Place of interest on a body.", NAME, CLASS,
    choice("type", GEOM_TYPES, "sphere", "Type, for rendering, touch sensors and what is inside."),
    word("mesh", "Mesh, whose hull is the shape.", lands="meshname"),
    GROUP, MATERIAL,
    upto("size", (0.005, 0.005, 0.005), "Sizes, by type.", unit="m"),
    real("fromto", None, "Ends of a long site; sets size, pos and quat.", 6, unit="m"),
    *FRAME, RGBA, USER, kind="site",
)  # fmt: skip

CAMERA = element(
    "camera", "Camera.", NAME, CLASS, CAMLIGHT_MODE, TARGET,
    flag("orthographic", False, "Orthographic projection; before projection."),
    choice("projection", "perspective orthographic", None, "Projection.", implied=0, lands=""),
    real("fovy", 45.0, "Vertical field of view.", unit="degree"),
    real("ipd", 0.068, "Distance between the eyes.", unit="m"),
    real("resolution", (1.0, 1.0), "Width and height.", 2, unit="pixel"),
    bits("output", "rgb depth distance normal segmentation", "rgb", "Pictures that it gives, for programs that ask."),
    real("sensorsize", (0.0, 0.0), "Width and height of the sensor.", 2, unit="m", lands="sensor_size"),
    real("focal", (0.0, 0.0), "Focal lengths.", 2, unit="m", lands="focal_length"),
    real("focalpixel", (0.0, 0.0), "Focal lengths.", 2, unit="pixel", lands="focal_pixel"),
    real("principal", (0.0, 0.0), "Principal point.", 2, unit="m", lands="principal_length"),
    real("principalpixel", (0.0, 0.0), "Principal point.", 2, unit="pixel", lands="principal_pixel"),
    *FRAME, USER, kind="camera",
)  # fmt: skip

LIGHT = element(
    "light", "Light.", NAME, CLASS, CAMLIGHT_MODE, TARGET,
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
    real("softness", 0.2, "Softness of its edge; it is kept, and what draws here does not ask."),
    real("ambient", (0.0, 0.0, 0.0), "Ambient colour.", 3),
    real("diffuse", (0.7, 0.7, 0.7), "Diffuse colour.", 3),
    real("specular", (0.3, 0.3, 0.3), "Specular colour.", 3),
    kind="light",
)  # fmt: skip
