"""Grammar of the parts of bodies: inertia, joints, geoms, sites, cameras, lights."""

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
    "inertial",
    "Mass and inertia of the body, instead of those inferred from its geoms. Use it for measured or CAD values, and "
    "if the geoms do not show how the mass is distributed. The inertia is given about the center of mass.",
    real("pos", None, "Center of mass, in the frame of the body.", 3, unit="m", required=True, lands="ipos"),
    tuple(replace(row, lands="i" + row.lands) for row in ORIENTATION),
    real("mass", 0.0, "Mass of the body; cannot be negative.", unit="kg", required=True),
    real(
        "diaginertia", (0.0, 0.0, 0.0), "Principal moments of inertia, about the axes of the inertial frame.", 3,
        unit="kg m^2", lands="inertia",
    ),
    real(
        "fullinertia", None,
        "Inertia matrix in the frame of the body, as xx, yy, zz, xy, xz, yz; it determines the orientation of the "
        "inertial frame.",
        6, unit="kg m^2",
    ),
    kind="inertial", once=True,
)  # fmt: skip

_BY_JOINT = "N or N m"
JOINT = element(
    "joint",
    "Degree of freedom between a body and its parent; a body without joints is welded to its parent. Several joints in "
    "a body act one after the other, in the order of the file. Give joints of stiff or light mechanisms `damping` and "
    "`armature`: both make a simulation stable.",
    NAME, CLASS,
    choice(
        "type", "free ball slide hinge", "hinge",
        "Motion: `free` (6 degrees of freedom, only in a body of the world), `ball` (3 rotations), `slide` along or "
        "`hinge` about `axis`.",
    ),
    GROUP,
    real(
        "pos", (0.0, 0.0, 0.0),
        "Center of rotation of the joint, in the frame of the body; ignored by free joints.", 3, unit="m",
    ),
    real(
        "axis", (0.0, 0.0, 1.0),
        "Axis of a hinge or direction of a slide, in the frame of the body; it is normalized.", 3,
    ),
    real(
        "springdamper", (0.0, 0.0),
        "Time constant and damping ratio of the joint. If both are positive, `stiffness` and `damping` are computed "
        "from them and the inertia at `qpos0`.",
        2, unit="s, 1",
    ),
    tristate("limited", "Enforce `range`; `auto` enforces it if a range is given and `compiler/autolimits` is true."),
    tristate(
        "actuatorfrclimited",
        "Clamp the total actuator force to `actuatorfrcrange`; `auto` does so if this range is given.",
        lands="actfrclimited",
    ),
    flag(
        "actuatorgravcomp", False,
        "Count gravity compensation as an actuator force, so that `actuatorfrcrange` limits it, too.",
        lands="actgravcomp",
    ),
    *solver("limit", "_limit", "the limit"),
    *solver("friction", "_friction", "dry friction"),
    upto(
        "stiffness", (0.0, 0.0, 0.0),
        "Spring stiffness a, b, c: the force at a displacement x from `springref` is a x + b x^2 + c x^3.",
        unit="N/m or N m/rad",
    ),
    real(
        "range", (0.0, 0.0),
        "Lower and upper limits of the position. For ball joints: 0 and the largest angle. Free joints have no limits.",
        2, unit="angle",
    ),
    real(
        "actuatorfrcrange", (0.0, 0.0), "Lower and upper limits of the total force of all actuators on this hinge or "
                                        "slide.", 2,
        lands="actfrcrange", unit=_BY_JOINT,
    ),
    real("margin", 0.0, "Distance from a limit at which its constraint becomes active.", unit="m or rad"),
    real("ref", 0.0, "Position (`qpos0`) of this joint in the pose that the file describes.", unit="angle"),
    real("springref", 0.0, "Position at which the spring exerts no force.", unit="angle"),
    real(
        "springyield", 0.0,
        "Displacement beyond which the spring yields, so that its rest position changes permanently. 0 means never.",
        unit="angle",
    ),
    real(
        "armature", 0.0,
        "Inertia added to the joint, such as the inertia of a motor's rotor times the gear ratio squared. It makes "
        "the simulation more stable.",
        unit="kg or kg m^2",
    ),
    upto(
        "damping", (0.0, 0.0, 0.0),
        "Damping a, b, c: the force against a velocity v is a v + b v|v| + c v^3.", unit="N s/m or N m s/rad",
    ),
    real("frictionloss", 0.0, "Dry friction: largest force that opposes motion, at any speed.", unit=_BY_JOINT),
    USER, kind="joint",
)  # fmt: skip

FREEJOINT = element(
    "freejoint",
    "Free joint that ignores defaults classes: a floating body has no damping, armature or friction. Write it for "
    "every loose object and for the base of a mobile robot. It is allowed only in bodies of the world.",
    NAME, GROUP,
    tristate(
        "align",
        "Move the body's frame to its principal axes, if it has no children. This is faster, but `qpos` then refers "
        "to the new frame. `auto`: as `compiler/alignfree`.",
    ),
)  # fmt: skip

_SIZES = (
    "Sizes by type: sphere radius; capsule, cylinder radius and half length; ellipsoid radii; box half sizes; plane "
    "half sizes (0: infinite) and grid spacing."
)
GEOM = element(
    "geom",
    "Shape fixed to a body. It collides, gives the body mass, and is drawn. Primitives (sphere, capsule, box) are much "
    "faster than meshes, so use them for contacts and add meshes only for rendering (`contype=\"0\" "
    "conaffinity=\"0\"`, `mass=\"0\"`).",
    NAME, CLASS,
    choice(
        "type", GEOM_TYPES, "sphere",
        "Shape. `plane` and `hfield` are allowed only in the world or in bodies that cannot move; `mesh` needs `mesh`, "
        "`sdf` a plugin.",
    ),
    *CONTACT,
    replace(GROUP, meaning=GROUP.meaning + " `compiler/inertiagrouprange` also selects by it."),
    upto("size", (0.0, 0.0, 0.0), _SIZES, unit="m"),
    MATERIAL, RGBA,
    real("mass", None, "Mass, instead of `density`; use 0 for shapes that are only drawn.", unit="kg"),
    real(
        "density", 1000.0,
        "Density, from which the mass is computed; surface density (kg/m^2) if `shellinertia` is true.", unit="kg/m^3",
    ),
    flag("shellinertia", False, "Distribute the mass over the surface, as in a hollow shell.", lands="typeinertia"),
    real(
        "fromto", None,
        "Two end points of a capsule, cylinder, box or ellipsoid, in the frame of the body. They replace `pos`, "
        "orientation and length; `size` is the radius.",
        6, unit="m",
    ),
    *FRAME,
    word("hfield", "Name of the height field, for the type `hfield`.", lands="hfieldname"),
    word(
        "mesh",
        "Mesh of a geom of the type `mesh`. With any other type, a primitive is fitted to the mesh.", lands="meshname",
    ),
    flag("castshadow", True,
         "Cast shadows. The setting is stored for other renderers; the renderers of Conjoint ignore it."),
    real(
        "surfacevel", (0.0,) * 6,
        "Velocity of the surface in the frame of the geom: linear, then angular. It simulates conveyor belts and "
        "turntables without a joint.",
        6, unit="m/s, rad/s",
    ),
    real("adhesion", 0.0, "Maximum tensile force that each contact can exert before it breaks.", unit="N"),
    real("fitscale", 1.0, "Scale factor of the sizes of a primitive that is fitted to `mesh`."),
    choice(
        "fluidshape", "none ellipsoid", "none",
        "Model of the fluid forces on this geom: `ellipsoid` computes them from its shape, and replaces the model "
        "that uses the inertia of the body.",
        lands="fluid_ellipsoid",
    ),
    upto(
        "fluidcoef", (0.5, 0.25, 1.5, 1.0, 1.0),
        "Coefficients of `ellipsoid`: blunt drag, slender drag, angular drag, Kutta lift, Magnus lift.",
        lands="fluid_coefs",
    ),
    USER, PLUGIN, kind="geom",
)  # fmt: skip

SITE = element(
    "site",
    "Point with axes on a body, without mass and contacts. Sensors are mounted on sites, tendons run through sites, "
    "actuators apply forces at sites, and programs use them as markers: fingertips, tool frames, targets.",
    NAME, CLASS,
    choice(
        "type", GEOM_TYPES, "sphere",
        "Shape of the site, which is drawn and defines the zone of `touch`, `contact` and `insidesite` sensors.",
    ),
    word("mesh", "Mesh whose convex hull is the shape of the site.", lands="meshname"),
    GROUP, MATERIAL,
    upto("size", (0.005, 0.005, 0.005),
         "Sizes of the site, which depend on its type as for geoms: radius, half length, half sizes.", unit="m"),
    real(
        "fromto", None,
        "Two end points of a capsule, cylinder, box or ellipsoid; they replace `pos`, orientation and length.",
        6, unit="m",
    ),
    *FRAME, RGBA, USER, kind="site",
)  # fmt: skip

CAMERA = element(
    "camera",
    "Camera that moves with its body and looks along its -z axis; x points right, y up. Use it for images that a "
    "robot sees, and for fixed views of a scene (in the world). `xyaxes` is the easiest way to aim it.",
    NAME, CLASS, CAMLIGHT_MODE, TARGET,
    flag("orthographic", False, "Orthographic projection, for files of earlier versions: use `projection`."),
    choice(
        "projection", "perspective orthographic", None,
        "Type of projection, which determines whether `fovy` is an angle or a length.", implied=0, lands="",
    ),
    real("fovy", 45.0, "Vertical field of view: an angle, or meters if the projection is orthographic.", unit="degree"),
    real("ipd", 0.068, "Distance between the eyes, for stereo images.", unit="m"),
    real(
        "resolution", (1.0, 1.0),
        "Width and height of images. Rays and sensors use it; a `Renderer` has its own size.", 2, unit="pixel",
    ),
    bits(
        "output", "rgb depth distance normal segmentation", "rgb",
        "Types of images that this camera provides, for programs that read it.",
    ),
    real(
        "sensorsize", (0.0, 0.0),
        "Width and height of the sensor, instead of `fovy`; needs `resolution` and a focal length.",
        2, unit="m", lands="sensor_size",
    ),
    real(
        "focal", (0.0, 0.0),
        "Horizontal and vertical focal length, if `sensorsize` is given.", 2, unit="m", lands="focal_length",
    ),
    real(
        "focalpixel", (0.0, 0.0),
        "Focal lengths in pixels; they override `focal`.", 2, unit="pixel", lands="focal_pixel",
    ),
    real(
        "principal", (0.0, 0.0), "Offset of the principal point from the center of the sensor.", 2, unit="m",
        lands="principal_length",
    ),
    real(
        "principalpixel", (0.0, 0.0), "Offset of the principal point in pixels; it overrides `principal`.", 2,
        unit="pixel", lands="principal_pixel",
    ),
    *FRAME, USER, kind="camera",
)  # fmt: skip

LIGHT = element(
    "light",
    "Light that moves with its body. One directional light with shadows, from above and to the side, suits most "
    "scenes. Lights add up with the headlight at the camera, so make that darker if a scene is too bright.",
    NAME, CLASS, CAMLIGHT_MODE, TARGET,
    choice(
        "type", "spot directional point image", "spot",
        "Type of light: a cone, parallel rays like those of the sun, light in all directions, or an image around "
        "the scene.",
    ),
    flag("directional", None,
         'Attribute of earlier versions: true is `type="directional"`, false `type="spot"`.', implied=0, lands=""),
    word("texture", "Texture of an image light."),
    flag("castshadow", True, "Cast shadows; for each light with shadows, the scene is drawn once more."),
    flag("active", True, "Switch the light on."),
    real("pos", (0.0, 0.0, 0.0), "Position, in the frame of the body.", 3, unit="m"),
    real("dir", (0.0, 0.0, -1.0), "Direction of the light, in the frame of the body; it is normalized.", 3),
    real("bulbradius", 0.02, "Radius of the bulb, for renderers with soft shadows.", unit="m"),
    real("intensity", 0.0, "Intensity, for physically based renderers; 0: not set.", unit="cd"),
    real("range", 10.0, "Distance beyond which the light has no effect, for physically based renderers.", unit="m"),
    real(
        "attenuation", (1.0, 0.0, 0.0),
        "Factors a, b, c: at a distance r the light is divided by a + b r + c r^2.", 3,
    ),
    real("cutoff", 45.0, "Angle from `dir` at which the cone of a spot light ends, always in degrees.", unit="degree"),
    real("exponent", 10.0, "Falloff from the middle of a spot light to its edge; larger concentrates the light."),
    real("softness", 0.2,
         "Softness of the edge of a spot light. The setting is stored for other renderers; the renderers of "
         "Conjoint ignore it."),
    real("ambient", (0.0, 0.0, 0.0), "Ambient light from all directions (red, green, blue), 0 to 1.", 3),
    real("diffuse", (0.7, 0.7, 0.7), "Diffuse light that shades surfaces (red, green, blue), 0 to 1.", 3),
    real("specular", (0.3, 0.3, 0.3), "Specular light that causes highlights (red, green, blue), 0 to 1.", 3),
    kind="light",
)  # fmt: skip
