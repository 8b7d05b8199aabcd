"""Enumerations of model and simulation. The visualizer's enumerations are in `enums_visual.py`.

As in C, members are numbered one after the other, from zero unless a number is given. Members that were added after
3.3.5 are last in their class, and are listed in `schema.newer_names`. They have MuJoCo's number if it is free, and
otherwise another free number.
"""

# fmt: off
import enum


class MjEnum(enum.IntEnum):
    """An integer with a name. It prints as `mjtGeom.mjGEOM_SPHERE`, for example."""

    __str__ = enum.Enum.__str__


class mjtAlignFree(MjEnum):
    """Alignment of a free joint with the inertial frame of its body."""

    mjALIGNFREE_FALSE, mjALIGNFREE_TRUE, mjALIGNFREE_AUTO = range(3)


class mjtBias(MjEnum):
    """Types of actuator bias."""

    mjBIAS_NONE, mjBIAS_AFFINE, mjBIAS_MUSCLE, mjBIAS_USER = range(4)
    mjBIAS_SO3, mjBIAS_DCMOTOR = 4, 5


class mjtBuiltin(MjEnum):
    """Types of procedural texture."""

    mjBUILTIN_NONE, mjBUILTIN_GRADIENT, mjBUILTIN_CHECKER, mjBUILTIN_FLAT = range(4)


class mjtCamLight(MjEnum):
    """Tracking modes of cameras and lights."""

    mjCAMLIGHT_FIXED, mjCAMLIGHT_TRACK, mjCAMLIGHT_TRACKCOM, mjCAMLIGHT_TARGETBODY, mjCAMLIGHT_TARGETBODYCOM = range(5)


class mjtColorSpace(MjEnum):
    """Color spaces of a texture."""

    mjCOLORSPACE_AUTO, mjCOLORSPACE_LINEAR, mjCOLORSPACE_SRGB = range(3)


class mjtConDataField(MjEnum):
    """Quantities of a contact that a contact sensor can report."""

    (mjCONDATA_FOUND, mjCONDATA_FORCE, mjCONDATA_TORQUE, mjCONDATA_DIST, mjCONDATA_POS, mjCONDATA_NORMAL,
     mjCONDATA_TANGENT) = range(7)
    mjCONDATA_ANGVEL, mjCONDATA_LINVEL = 8, 9
    mjNCONDATA = 7


class mjtCone(MjEnum):
    """Types of friction cone."""

    mjCONE_PYRAMIDAL, mjCONE_ELLIPTIC = range(2)


class mjtConstraint(MjEnum):
    """Types of constraint row."""

    (mjCNSTR_EQUALITY, mjCNSTR_FRICTION_DOF, mjCNSTR_FRICTION_TENDON, mjCNSTR_LIMIT_JOINT, mjCNSTR_LIMIT_TENDON,
     mjCNSTR_CONTACT_FRICTIONLESS, mjCNSTR_CONTACT_PYRAMIDAL, mjCNSTR_CONTACT_ELLIPTIC) = range(8)


class mjtConstraintState(MjEnum):
    """States of a constraint row, which the solver determines."""

    (mjCNSTRSTATE_SATISFIED, mjCNSTRSTATE_QUADRATIC, mjCNSTRSTATE_LINEARNEG, mjCNSTRSTATE_LINEARPOS,
     mjCNSTRSTATE_CONE) = range(5)


class mjtDataType(MjEnum):
    """Types of sensor data."""

    mjDATATYPE_REAL, mjDATATYPE_POSITIVE, mjDATATYPE_AXIS, mjDATATYPE_QUATERNION = range(4)


class mjtDisableBit(MjEnum):
    """Features that can be disabled, as bits of `opt.disableflags`."""

    (mjDSBL_CONSTRAINT, mjDSBL_EQUALITY, mjDSBL_FRICTIONLOSS, mjDSBL_LIMIT, mjDSBL_CONTACT, mjDSBL_PASSIVE,
     mjDSBL_GRAVITY, mjDSBL_CLAMPCTRL, mjDSBL_WARMSTART, mjDSBL_FILTERPARENT, mjDSBL_ACTUATION, mjDSBL_REFSAFE,
     mjDSBL_SENSOR, mjDSBL_MIDPHASE, mjDSBL_EULERDAMP, mjDSBL_AUTORESET,
     mjDSBL_NATIVECCD) = (1 << bit for bit in range(17))
    mjDSBL_SPRING, mjDSBL_ISLAND, mjDSBL_MULTICCD, mjDSBL_DAMPER = (1 << bit for bit in range(17, 21))
    # last, as in MuJoCo, so that programs can skip it
    mjNDISABLE = 17


class mjtDyn(MjEnum):
    """Types of activation dynamics."""

    mjDYN_NONE, mjDYN_INTEGRATOR, mjDYN_FILTER, mjDYN_FILTEREXACT, mjDYN_MUSCLE, mjDYN_USER = range(6)
    mjDYN_PID, mjDYN_DCMOTOR = 6, 7


class mjtEnableBit(MjEnum):
    """Features that can be enabled, as bits of `opt.enableflags`."""

    (mjENBL_OVERRIDE, mjENBL_ENERGY, mjENBL_FWDINV, mjENBL_INVDISCRETE, mjENBL_MULTICCD,
     mjENBL_ISLAND) = (1 << bit for bit in range(6))
    mjENBL_IPC, mjENBL_SPECULATIVE, mjENBL_SLEEP, mjENBL_DIAGEXACT = (1 << bit for bit in range(6, 10))
    mjNENABLE = 6


class mjtEq(MjEnum):
    """Types of equality constraint."""

    mjEQ_CONNECT, mjEQ_WELD, mjEQ_JOINT, mjEQ_TENDON, mjEQ_FLEX, mjEQ_DISTANCE = range(6)
    mjEQ_FLEXSTRAIN, mjEQ_FLEXVERT = 6, 7


class mjtFlexSelf(MjEnum):
    """Methods of finding self-collisions of a flex."""

    mjFLEXSELF_NONE, mjFLEXSELF_NARROW, mjFLEXSELF_BVH, mjFLEXSELF_SAP, mjFLEXSELF_AUTO = range(5)


class mjtGain(MjEnum):
    """Types of actuator gain."""

    mjGAIN_FIXED, mjGAIN_AFFINE, mjGAIN_MUSCLE, mjGAIN_USER = range(4)
    mjGAIN_SO3, mjGAIN_PID, mjGAIN_DCMOTOR = 4, 5, 6


class mjtGeom(MjEnum):
    """Types of geom. Types from mjGEOM_ARROW on are only for the visualizer."""

    (mjGEOM_PLANE, mjGEOM_HFIELD, mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_ELLIPSOID, mjGEOM_CYLINDER, mjGEOM_BOX,
     mjGEOM_MESH, mjGEOM_SDF, mjNGEOMTYPES) = range(10)
    (mjGEOM_ARROW, mjGEOM_ARROW1, mjGEOM_ARROW2, mjGEOM_LINE, mjGEOM_LINEBOX, mjGEOM_FLEX, mjGEOM_SKIN, mjGEOM_LABEL,
     mjGEOM_TRIANGLE) = range(100, 109)
    mjGEOM_NONE = 1001


class mjtGeomInertia(MjEnum):
    """Distribution of a geom's mass, in its volume or on its surface."""

    mjINERTIA_VOLUME, mjINERTIA_SHELL = range(2)


class mjtInertiaFromGeom(MjEnum):
    """Conditions under which the inertia of a body is inferred from its geoms."""

    mjINERTIAFROMGEOM_FALSE, mjINERTIAFROMGEOM_TRUE, mjINERTIAFROMGEOM_AUTO = range(3)


class mjtIntegrator(MjEnum):
    """Numerical integrators."""

    mjINT_EULER, mjINT_RK4, mjINT_IMPLICIT, mjINT_IMPLICITFAST = range(4)
    mjINT_DISCRETE = 4


class mjtJacobian(MjEnum):
    """Storage of the constraint Jacobian."""

    mjJAC_DENSE, mjJAC_SPARSE, mjJAC_AUTO = range(3)


class mjtJoint(MjEnum):
    """Types of joint."""

    mjJNT_FREE, mjJNT_BALL, mjJNT_SLIDE, mjJNT_HINGE = range(4)


class mjtLRMode(MjEnum):
    """Sets of actuators whose length ranges the compiler computes."""

    mjLRMODE_NONE, mjLRMODE_MUSCLE, mjLRMODE_MUSCLEUSER, mjLRMODE_ALL = range(4)


class mjtLightType(MjEnum):
    """Types of light."""

    mjLIGHT_SPOT, mjLIGHT_DIRECTIONAL, mjLIGHT_POINT, mjLIGHT_IMAGE = range(4)


class mjtLimited(MjEnum):
    """Values of `limited`: false, true, or true if a range is given."""

    mjLIMITED_FALSE, mjLIMITED_TRUE, mjLIMITED_AUTO = range(3)


class mjtMark(MjEnum):
    """Marks on a procedural texture."""

    mjMARK_NONE, mjMARK_EDGE, mjMARK_CROSS, mjMARK_RANDOM = range(4)


class mjtMeshBuiltin(MjEnum):
    """Types of procedural mesh."""

    (mjMESH_BUILTIN_NONE, mjMESH_BUILTIN_SPHERE, mjMESH_BUILTIN_HEMISPHERE, mjMESH_BUILTIN_CONE,
     mjMESH_BUILTIN_SUPERSPHERE, mjMESH_BUILTIN_SUPERTORUS, mjMESH_BUILTIN_WEDGE, mjMESH_BUILTIN_PLATE) = range(8)
    (mjMESH_BUILTIN_GRID, mjMESH_BUILTIN_BOX, mjMESH_BUILTIN_CYLINDER, mjMESH_BUILTIN_ELLIPSOID, mjMESH_BUILTIN_SQUARE,
     mjMESH_BUILTIN_DISC) = range(8, 14)


class mjtMeshInertia(MjEnum):
    """Methods of computing the inertia of a mesh."""

    mjMESH_INERTIA_CONVEX, mjMESH_INERTIA_EXACT, mjMESH_INERTIA_LEGACY, mjMESH_INERTIA_SHELL = range(4)


class mjtObj(MjEnum):
    """Types of model elements. Types from mjNOBJECT on are meta elements, which a compiled model does not contain."""

    (mjOBJ_UNKNOWN, mjOBJ_BODY, mjOBJ_XBODY, mjOBJ_JOINT, mjOBJ_DOF, mjOBJ_GEOM, mjOBJ_SITE, mjOBJ_CAMERA, mjOBJ_LIGHT,
     mjOBJ_FLEX, mjOBJ_MESH, mjOBJ_SKIN, mjOBJ_HFIELD, mjOBJ_TEXTURE, mjOBJ_MATERIAL, mjOBJ_PAIR, mjOBJ_EXCLUDE,
     mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR, mjOBJ_SENSOR, mjOBJ_NUMERIC, mjOBJ_TEXT, mjOBJ_TUPLE, mjOBJ_KEY,
     mjOBJ_PLUGIN, mjNOBJECT) = range(27)
    mjOBJ_FRAME, mjOBJ_DEFAULT, mjOBJ_MODEL = range(100, 103)


class mjtOrientation(MjEnum):
    """Representations of an orientation."""

    (mjORIENTATION_QUAT, mjORIENTATION_AXISANGLE, mjORIENTATION_XYAXES, mjORIENTATION_ZAXIS,
     mjORIENTATION_EULER) = range(5)


class mjtPluginCapabilityBit(MjEnum):
    """Capabilities of a plugin, as bits."""

    mjPLUGIN_ACTUATOR, mjPLUGIN_SENSOR, mjPLUGIN_PASSIVE, mjPLUGIN_SDF = (1 << bit for bit in range(4))


class mjtSDFType(MjEnum):
    """Operations that combine signed distance functions."""

    mjSDFTYPE_SINGLE, mjSDFTYPE_INTERSECTION, mjSDFTYPE_MIDSURFACE, mjSDFTYPE_COLLISION = range(4)


class mjtSameFrame(MjEnum):
    """Frame of the body (its own or inertial) with which the frame of an element coincides."""

    mjSAMEFRAME_NONE, mjSAMEFRAME_BODY, mjSAMEFRAME_INERTIA, mjSAMEFRAME_BODYROT, mjSAMEFRAME_INERTIAROT = range(5)


class mjtSensor(MjEnum):
    """Types of sensor."""

    (mjSENS_TOUCH, mjSENS_ACCELEROMETER, mjSENS_VELOCIMETER, mjSENS_GYRO, mjSENS_FORCE, mjSENS_TORQUE,
     mjSENS_MAGNETOMETER, mjSENS_RANGEFINDER, mjSENS_CAMPROJECTION, mjSENS_JOINTPOS, mjSENS_JOINTVEL, mjSENS_TENDONPOS,
     mjSENS_TENDONVEL, mjSENS_ACTUATORPOS, mjSENS_ACTUATORVEL, mjSENS_ACTUATORFRC, mjSENS_JOINTACTFRC,
     mjSENS_TENDONACTFRC, mjSENS_BALLQUAT, mjSENS_BALLANGVEL, mjSENS_JOINTLIMITPOS, mjSENS_JOINTLIMITVEL,
     mjSENS_JOINTLIMITFRC, mjSENS_TENDONLIMITPOS, mjSENS_TENDONLIMITVEL, mjSENS_TENDONLIMITFRC, mjSENS_FRAMEPOS,
     mjSENS_FRAMEQUAT, mjSENS_FRAMEXAXIS, mjSENS_FRAMEYAXIS, mjSENS_FRAMEZAXIS, mjSENS_FRAMELINVEL, mjSENS_FRAMEANGVEL,
     mjSENS_FRAMELINACC, mjSENS_FRAMEANGACC, mjSENS_SUBTREECOM, mjSENS_SUBTREELINVEL, mjSENS_SUBTREEANGMOM,
     mjSENS_INSIDESITE, mjSENS_GEOMDIST, mjSENS_GEOMNORMAL, mjSENS_GEOMFROMTO, mjSENS_CONTACT, mjSENS_E_POTENTIAL,
     mjSENS_E_KINETIC, mjSENS_CLOCK, mjSENS_TACTILE, mjSENS_PLUGIN, mjSENS_USER) = range(49)


class mjtSolver(MjEnum):
    """Constraint solvers."""

    mjSOL_PGS, mjSOL_CG, mjSOL_NEWTON = range(3)


class mjtImpulse(MjEnum):
    """Solvers of Todorov, Erez and Tassa (2012): values of `opt.solver` in addition to mjtSolver.

    MuJoCo has none of them.
    """

    mjIMP_COMPLEMENTARITY, mjIMP_DIAGONAL = 3, 4


class mjtStage(MjEnum):
    """Stages of forward dynamics on which results depend."""

    mjSTAGE_NONE, mjSTAGE_POS, mjSTAGE_VEL, mjSTAGE_ACC = range(4)


class mjtState(MjEnum):
    """Components of the state, as bits that can be combined."""

    (mjSTATE_TIME, mjSTATE_QPOS, mjSTATE_QVEL, mjSTATE_ACT, mjSTATE_WARMSTART, mjSTATE_CTRL, mjSTATE_QFRC_APPLIED,
     mjSTATE_XFRC_APPLIED, mjSTATE_EQ_ACTIVE, mjSTATE_MOCAP_POS, mjSTATE_MOCAP_QUAT, mjSTATE_USERDATA,
     mjSTATE_PLUGIN) = (1 << bit for bit in range(13))
    mjNSTATE = 0xD
    mjSTATE_PHYSICS = 0xE
    mjSTATE_FULLPHYSICS = 0x100F
    mjSTATE_USER = 0xFE0
    mjSTATE_INTEGRATION = 0x1FFF
    mjSTATE_PLASTIC, mjSTATE_HISTORY = 1 << 14, 1 << 15


class mjtTaskStatus(MjEnum):
    """States of a task of the thread pool."""

    mjTASK_NEW, mjTASK_QUEUED, mjTASK_COMPLETED = range(3)


class mjtTexture(MjEnum):
    """Types of texture."""

    mjTEXTURE_2D, mjTEXTURE_CUBE, mjTEXTURE_SKYBOX = range(3)


class mjtTextureRole(MjEnum):
    """Roles of a texture in a material."""

    (mjTEXROLE_USER, mjTEXROLE_RGB, mjTEXROLE_OCCLUSION, mjTEXROLE_ROUGHNESS, mjTEXROLE_METALLIC, mjTEXROLE_NORMAL,
     mjTEXROLE_OPACITY, mjTEXROLE_EMISSIVE, mjTEXROLE_RGBA, mjTEXROLE_ORM, mjNTEXROLE) = range(11)


class mjtTimer(MjEnum):
    """Timers of the pipeline. Members are indices in `d.timer`."""

    (mjTIMER_STEP, mjTIMER_FORWARD, mjTIMER_INVERSE, mjTIMER_POSITION, mjTIMER_VELOCITY, mjTIMER_ACTUATION,
     mjTIMER_CONSTRAINT, mjTIMER_ADVANCE, mjTIMER_POS_KINEMATICS, mjTIMER_POS_INERTIA, mjTIMER_POS_COLLISION,
     mjTIMER_POS_MAKE, mjTIMER_POS_PROJECT, mjTIMER_COL_BROAD, mjTIMER_COL_NARROW, mjNTIMER) = range(16)


class mjtTrn(MjEnum):
    """Types of actuator transmission."""

    mjTRN_JOINT, mjTRN_JOINTINPARENT, mjTRN_SLIDERCRANK, mjTRN_TENDON, mjTRN_SITE, mjTRN_BODY = range(6)
    mjTRN_UNDEFINED = 1000
    mjTRN_SO3 = 6


class mjtWarning(MjEnum):
    """Types of warnings. Members are indices in `d.warning`."""

    (mjWARN_INERTIA, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_VGEOMFULL, mjWARN_BADQPOS, mjWARN_BADQVEL,
     mjWARN_BADQACC, mjWARN_BADCTRL, mjNWARNING) = range(9)


class mjtWrap(MjEnum):
    """Types of path element of a tendon."""

    mjWRAP_NONE, mjWRAP_JOINT, mjWRAP_PULLEY, mjWRAP_SITE, mjWRAP_SPHERE, mjWRAP_CYLINDER = range(6)
