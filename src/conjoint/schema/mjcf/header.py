"""compiler, option, size, visual and statistic: settings of the whole model."""

from conjoint.schema.enums import mjtDisableBit, mjtEnableBit
from conjoint.schema.mjcf.shared import SOLIMP, SOLREF
from conjoint.schema.mjcf.table import Attribute, choice, element, flag, integer, real, text, tristate, upto, word
from conjoint.schema.visual import VISUAL_FIELDS

COMPILER = element(
    "compiler", "Settings of the reader and the compiler.",
    flag("autolimits", True, "Infer `limited` attributes from the presence of a range."),
    real("boundmass", 0.0, "Least mass of a body.", unit="kg"),
    real("boundinertia", 0.0, "Least diagonal inertia of a body.", unit="kg m^2"),
    real("settotalmass", -1.0, "Scale all masses to this total, if positive.", unit="kg"),
    flag("balanceinertia", False, "Replace an impossible inertia A + B < C by its mean."),
    flag("strippath", False, "Remove folders from file names."),
    choice("coordinate", {"local": 0, "global": 1}, "local", "Frame of positions; global was removed."),
    choice("angle", {"radian": 0, "degree": 1}, "degree", "Unit of angles in the file.", lands="degree"),
    flag("fitaabb", False, "Fit primitives to the bounding box of a mesh."),
    word("eulerseq", "Sequence of Euler rotations; capitals are fixed axes.", default="xyz"),
    text("meshdir", "Folder of meshes and height fields."),
    text("texturedir", "Folder of textures."),
    text("assetdir", "Folder of both.", lands=""),
    flag("discardvisual", False, "Leave out elements without effect on physics."),
    flag("usethread", True, "Use several threads."),
    flag("fusestatic", False, "Fuse static bodies with their parent."),
    tristate("inertiafromgeom", "Infer body inertias from geoms."),
    integer("inertiagrouprange", (0, 5), "Groups of geoms that inertias are inferred from.", 2),
    flag("alignfree", False, "Align the frame of free bodies with their inertial frame."),
    flag("saveinertial", False, "Write explicit inertials."),
    element(
        "lengthrange", "How actuator length ranges are computed.",
        choice("mode", "none muscle muscleuser all", "muscle", "Which actuators to process."),
        flag("useexisting", True, "Keep ranges that are written."),
        flag("uselimit", False, "Take joint and tendon limits where defined."),
        real("accel", 20.0, "Target acceleration.", unit="m/s^2 or rad/s^2"),
        real("maxforce", 0.0, "Greatest force; 0: no limit.", unit="N or N m"),
        real("timeconst", 1.0, "Time constant of velocity reduction.", unit="s"),
        real("timestep", 0.01, "Time step; 0: that of the model.", unit="s"),
        real("inttotal", 10.0, "Time simulated.", unit="s"),
        real("interval", 2.0, "Time observed at the end.", unit="s"),
        real("tolrange", 0.05, "Convergence tolerance, relative to the range."),
        kind="lengthrange", once=True,
    ),
    kind="compiler",
)  # fmt: skip


DISABLE_FLAGS = [bit.name.removeprefix("mjDSBL_").lower() for bit in mjtDisableBit if bit.name.startswith("mjDSBL_")]
"""Features on by default, in the order of their bits in `opt.disableflags`."""
ENABLE_FLAGS = [bit.name.removeprefix("mjENBL_").lower() for bit in mjtEnableBit if bit.name.startswith("mjENBL_")]
"""Features off by default, in the order of their bits in `opt.enableflags`."""


def _switches() -> tuple[Attribute, ...]:
    """One disable/enable attribute per bit."""
    keywords = "disable enable"
    on = [choice(name, keywords, None, f"Switch of {name}.", implied=1, lands="") for name in DISABLE_FLAGS]
    off = [choice(name, keywords, None, f"Switch of {name}.", implied=0, lands="") for name in ENABLE_FLAGS]
    return (*on, *off)


OPTION = element(
    "option", "Options of the simulation: `opt.NAME` of the model.",
    real("timestep", 0.002, "Time step.", unit="s"),
    real("apirate", 100.0, "Rate of a remote interface.", unit="Hz"),
    real("impratio", 1.0, "Ratio of frictional to normal impedance, elliptic cones."),
    real("gravity", (0.0, 0.0, -9.81), "Gravity.", 3, unit="m/s^2"),
    real("wind", (0.0, 0.0, 0.0), "Velocity of the medium.", 3, unit="m/s"),
    real("magnetic", (0.0, -0.5, 0.0), "Magnetic flux.", 3, unit="T"),
    real("density", 0.0, "Density of the medium.", unit="kg/m^3"),
    real("viscosity", 0.0, "Viscosity of the medium.", unit="Pa s"),
    real("o_margin", 0.0, "Contact override: margin.", unit="m"),
    upto("o_solref", SOLREF, "Contact override: solref."),
    upto("o_solimp", SOLIMP, "Contact override: solimp."),
    upto("o_friction", (1.0, 1.0, 0.005, 0.0001, 0.0001), "Contact override: friction."),
    choice("integrator", "Euler RK4 implicit implicitfast", "Euler", "Numerical integrator."),
    choice("cone", "pyramidal elliptic", "pyramidal", "Friction cone."),
    choice("jacobian", "dense sparse auto", "auto", "Storage of constraint Jacobians."),
    choice("solver", "PGS CG Newton", "Newton", "Constraint solver."),
    integer("iterations", 100, "Most iterations of the solver."),
    real("tolerance", 1e-8, "Tolerance of the solver."),
    integer("ls_iterations", 50, "Most iterations of the line search."),
    real("ls_tolerance", 0.01, "Tolerance of the line search."),
    integer("noslip_iterations", 0, "Most iterations of the noslip solver."),
    real("noslip_tolerance", 1e-6, "Tolerance of the noslip solver."),
    integer("ccd_iterations", 50, "Most iterations of convex collision."),
    real("ccd_tolerance", 1e-6, "Tolerance of convex collision."),
    integer("sdf_iterations", 10, "Iterations of SDF collision."),
    integer("sdf_initpoints", 40, "Starting points of SDF collision."),
    integer("actuatorgroupdisable", (), "Groups of actuators that are off, 0 to 30.", None, most=31, lands=""),
    element("flag", "Switches of features.", _switches(), once=True),
    kind="option",
)  # fmt: skip

SIZE = element(
    "size", "Sizes that cannot be inferred from the elements.",
    word("memory", "Arena in bytes, with an optional letter K M G T P E; -1: automatic.", default="-1", lands=""),
    integer("njmax", -1, "Legacy: most constraint rows."),
    integer("nconmax", -1, "Legacy: most contacts."),
    integer("nstack", -1, "Legacy: stack, in reals."),
    integer("nuserdata", 0, "Length of `userdata`."),
    integer("nkey", 0, "Least number of keyframes."),
    integer("nuser_body", -1, "User parameters of a body; -1: as many as written."),
    integer("nuser_jnt", -1, "User parameters of a joint."),
    integer("nuser_geom", -1, "User parameters of a geom."),
    integer("nuser_site", -1, "User parameters of a site."),
    integer("nuser_cam", -1, "User parameters of a camera."),
    integer("nuser_tendon", -1, "User parameters of a tendon."),
    integer("nuser_actuator", -1, "User parameters of an actuator."),
    integer("nuser_sensor", -1, "User parameters of a sensor."),
    kind="size",
)  # fmt: skip

STATISTIC = element(
    "statistic", "Statistics that replace computed ones: `stat.NAME` of the model.",
    real("meaninertia", None, "Mean diagonal inertia.", unit="kg m^2"),
    real("meanmass", None, "Mean body mass.", unit="kg"),
    real("meansize", None, "Mean body size.", unit="m"),
    real("extent", None, "Half the size of the model.", unit="m"),
    real("center", None, "Center of the model.", 3, unit="m"),
    kind="statistic",
)  # fmt: skip


def _fields(prefix: str, what: str) -> tuple[Attribute, ...]:
    """One attribute of real numbers for every visual field whose name starts with `prefix`."""
    rows = []
    for row in VISUAL_FIELDS:
        if row.name.startswith(prefix):
            name = row.name[len(prefix) :]
            count = row.shape[0] if row.shape else 1
            rows.append(real(name, row.default, f"{what} of {name}.", int(count)))
    return tuple(rows)


VISUAL = element(
    "visual", "Settings of visualization: `vis.GROUP.NAME` of the model.",
    element(
        "global", "Settings of the view.",
        integer("cameraid", -1, "First camera; -1: the free one."),
        flag("orthographic", False, "Projection of the free camera."),
        real("fovy", 45.0, "Vertical field of view of the free camera.", unit="degree"),
        real("ipd", 0.068, "Distance between the eyes.", unit="m"),
        real("azimuth", 90.0, "Azimuth of the free camera.", unit="degree"),
        real("elevation", -45.0, "Elevation of the free camera.", unit="degree"),
        real("linewidth", 1.0, "Width of lines.", unit="pixel"),
        real("glow", 0.3, "Emission added to the selected body."),
        integer("offwidth", 640, "Width of the offscreen buffer.", unit="pixel"),
        integer("offheight", 480, "Height of the offscreen buffer.", unit="pixel"),
        real("realtime", 1.0, "Speed relative to real time."),
        flag("ellipsoidinertia", False, "Show inertias as ellipsoids."),
        flag("bvactive", True, "Show active bounding volumes."),
        kind="global", once=True,
    ),
    element(
        "quality", "Quality of rendering.",
        integer("shadowsize", 4096, "Size of the shadow map.", unit="pixel"),
        integer("offsamples", 4, "Samples per pixel of the offscreen buffer."),
        integer("numslices", 28, "Slices of round geoms."),
        integer("numstacks", 16, "Stacks of round geoms."),
        integer("numquads", 4, "Rectangles of boxes."),
        kind="quality", once=True,
    ),
    element(
        "headlight", "Light at the camera.",
        real("ambient", (0.1, 0.1, 0.1), "Ambient colour.", 3),
        real("diffuse", (0.4, 0.4, 0.4), "Diffuse colour.", 3),
        real("specular", (0.5, 0.5, 0.5), "Specular colour.", 3),
        integer("active", 1, "1 if it is on."),
        kind="headlight", once=True,
    ),
    element(
        "map", "From model quantities to what is shown.",
        real("stiffness", 100.0, "Mouse perturbation, translation."),
        real("stiffnessrot", 500.0, "Mouse perturbation, rotation."),
        real("force", 0.005, "Length of force arrows.", unit="m/N"),
        real("torque", 0.1, "Length of torque arrows.", unit="m/Nm"),
        real("alpha", 0.3, "Opacity of transparent geoms."),
        real("fogstart", 3.0, "Start of fog, times extent."),
        real("fogend", 10.0, "End of fog, times extent."),
        real("znear", 0.01, "Near plane, times extent."),
        real("zfar", 50.0, "Far plane, times extent."),
        real("haze", 0.3, "Ratio of haze at the horizon."),
        real("shadowclip", 1.0, "Volume of directional shadows, times extent."),
        real("shadowscale", 0.6, "Part of the spot light that casts shadows."),
        real("actuatortendon", 2.0, "Width of actuated tendons."),
        kind="map", once=True,
    ),
    element("scale", "Sizes of decor, times mean body size.", _fields("vis.scale.", "Size"), kind="scale", once=True),
    element("rgba", "Colours of decor.", _fields("vis.rgba.", "Colour"), kind="rgba", once=True),
)  # fmt: skip
