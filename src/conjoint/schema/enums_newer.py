"""Enumerations that MuJoCo added after 3.3.5, with the numbers that they have in 4.0.0."""

# fmt: off
from conjoint.schema.enums import MjEnum


class mjtActuator(MjEnum):
    """MJCF elements from which actuators are created."""

    (mjACTUATOR_GENERAL, mjACTUATOR_MOTOR, mjACTUATOR_POSITION, mjACTUATOR_VELOCITY, mjACTUATOR_INTVELOCITY,
     mjACTUATOR_DAMPER, mjACTUATOR_CYLINDER, mjACTUATOR_MUSCLE, mjACTUATOR_ADHESION, mjACTUATOR_PID,
     mjACTUATOR_ORIENTATION, mjACTUATOR_DCMOTOR) = range(12)


class mjtCTimer(MjEnum):
    """Timers of the compiler."""

    (mjCTIMER_TOTAL, mjCTIMER_ASSETS, mjCTIMER_TEXTURE, mjCTIMER_MESH_LOAD, mjCTIMER_MESH_HULL, mjCTIMER_MESH_POLYGON,
     mjCTIMER_MESH_INERTIA, mjCTIMER_MESH_BVH, mjCTIMER_MESH_OCTREE, mjNCTIMER) = range(10)


class mjtCamOutBit(MjEnum):
    """Images that a camera can produce, as bits."""

    mjCAMOUT_RGB, mjCAMOUT_DEPTH, mjCAMOUT_DIST, mjCAMOUT_NORMAL, mjCAMOUT_SEG = (1 << bit for bit in range(5))
    mjNCAMOUT = 5


class mjtConflict(MjEnum):
    """Reactions to conflicting settings of a model and a model that is attached to it."""

    mjCONFLICT_WARNING, mjCONFLICT_MERGE, mjCONFLICT_ERROR = range(3)


class mjtCtrlChart(MjEnum):
    """Representations of a rotation as a control."""

    mjCHART_EXPMAP, mjCHART_QUAT = 1, 2


class mjtCtrlInput(MjEnum):
    """Quantities that are inputs of an actuator, as bits."""

    (mjINPUT_POS, mjINPUT_VEL, mjINPUT_FF, mjINPUT_VOLTAGE, mjINPUT_NONE,
     mjINPUT_PRESSURE) = (1 << bit for bit in range(6))


class mjtEmbed(MjEnum):
    """Policies for storing the contents of a file in a model."""

    mjEMBED_FALSE, mjEMBED_TRUE, mjEMBED_AUTO = range(3)


class mjtFlexSection(MjEnum):
    """Cross-sections of rods."""

    mjFLEXSECTION_CIRCLE, mjFLEXSECTION_BOX = range(2)


class mjtLogLevel(MjEnum):
    """Severity levels of messages."""

    mjLOG_DEBUG, mjLOG_INFO, mjLOG_WARNING, mjLOG_ERROR = range(4)


class mjtLogTopic(MjEnum):
    """Topics of log messages."""

    mjTOPIC_NONE, mjTOPIC_TIME_STP, mjTOPIC_TIME_CMP, mjTOPIC_SLEEP = range(4)
    mjNTOPIC = 3


class mjtPassthrough(MjEnum):
    """Types of assets that a model can refer to without storing their data."""

    mjPASSTHROUGH_NONE, mjPASSTHROUGH_TEXTURES = range(2)


class mjtProjection(MjEnum):
    """Projections of cameras."""

    mjPROJ_PERSPECTIVE, mjPROJ_ORTHOGRAPHIC = range(2)


class mjtRayDataField(MjEnum):
    """Data that a rangefinder can report."""

    (mjRAYDATA_DIST, mjRAYDATA_DIR, mjRAYDATA_ORIGIN, mjRAYDATA_POINT, mjRAYDATA_NORMAL, mjRAYDATA_DEPTH,
     mjNRAYDATA) = range(7)


class mjtScaling(MjEnum):
    """Quantities to which the scale of a frame applies."""

    mjSCALING_SIMILAR, mjSCALING_GEOMETRY = range(2)


class mjtSleepPolicy(MjEnum):
    """Sleep policies of a tree."""

    (mjSLEEP_AUTO, mjSLEEP_AUTO_NEVER, mjSLEEP_AUTO_ALLOWED, mjSLEEP_NEVER, mjSLEEP_ALLOWED,
     mjSLEEP_INIT) = range(6)


class mjtSleepState(MjEnum):
    """Sleep states of an object."""

    mjS_STATIC, mjS_ASLEEP, mjS_AWAKE = range(-1, 2)


class mjtTendon(MjEnum):
    """Types of tendon."""

    mjTENDON_FIXED, mjTENDON_SPATIAL = range(2)
