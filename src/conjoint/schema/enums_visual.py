"""Enumerations of visualizer, renderer and user interface."""

# fmt: off
from conjoint.schema.enums import MjEnum


class mjtButton(MjEnum):
    """Mouse buttons."""

    mjBUTTON_NONE, mjBUTTON_LEFT, mjBUTTON_RIGHT, mjBUTTON_MIDDLE = range(4)


class mjtCamera(MjEnum):
    """Types of abstract camera."""

    mjCAMERA_FREE, mjCAMERA_TRACKING, mjCAMERA_FIXED, mjCAMERA_USER = range(4)


class mjtCatBit(MjEnum):
    """Categories of abstract geom, as bits."""

    mjCAT_STATIC, mjCAT_DYNAMIC, mjCAT_DECOR = (1 << bit for bit in range(3))
    mjCAT_ALL = 7


class mjtDepthMap(MjEnum):
    """Depth conventions of the renderer."""

    mjDEPTH_ZERONEAR, mjDEPTH_ZEROFAR = range(2)


class mjtEvent(MjEnum):
    """Types of user-interface event."""

    (mjEVENT_NONE, mjEVENT_MOVE, mjEVENT_PRESS, mjEVENT_RELEASE, mjEVENT_SCROLL, mjEVENT_KEY, mjEVENT_RESIZE,
     mjEVENT_REDRAW, mjEVENT_FILESDROP) = range(9)


class mjtFont(MjEnum):
    """Types of font."""

    mjFONT_NORMAL, mjFONT_SHADOW, mjFONT_BIG = range(3)


class mjtFontScale(MjEnum):
    """Font scales, in percent."""

    mjFONTSCALE_50 = 50
    mjFONTSCALE_100 = 100
    mjFONTSCALE_150 = 150
    mjFONTSCALE_200 = 200
    mjFONTSCALE_250 = 250
    mjFONTSCALE_300 = 300


class mjtFrame(MjEnum):
    """Frames that the visualizer can draw."""

    (mjFRAME_NONE, mjFRAME_BODY, mjFRAME_GEOM, mjFRAME_SITE, mjFRAME_CAMERA, mjFRAME_LIGHT, mjFRAME_CONTACT,
     mjFRAME_WORLD, mjNFRAME) = range(9)


class mjtFramebuffer(MjEnum):
    """Framebuffers that the renderer can draw into."""

    mjFB_WINDOW, mjFB_OFFSCREEN = range(2)


class mjtGridPos(MjEnum):
    """Positions of text on the screen."""

    (mjGRID_TOPLEFT, mjGRID_TOPRIGHT, mjGRID_BOTTOMLEFT, mjGRID_BOTTOMRIGHT, mjGRID_TOP, mjGRID_BOTTOM, mjGRID_LEFT,
     mjGRID_RIGHT) = range(8)


class mjtItem(MjEnum):
    """Types of user-interface item."""

    (mjITEM_END, mjITEM_SECTION, mjITEM_SEPARATOR, mjITEM_STATIC, mjITEM_BUTTON, mjITEM_CHECKINT, mjITEM_CHECKBYTE,
     mjITEM_RADIO, mjITEM_RADIOLINE, mjITEM_SELECT, mjITEM_SLIDERINT, mjITEM_SLIDERNUM, mjITEM_EDITINT, mjITEM_EDITNUM,
     mjITEM_EDITFLOAT, mjITEM_EDITTXT, mjNITEM) = range(-2, 15)


class mjtLabel(MjEnum):
    """Objects that the visualizer labels."""

    (mjLABEL_NONE, mjLABEL_BODY, mjLABEL_JOINT, mjLABEL_GEOM, mjLABEL_SITE, mjLABEL_CAMERA, mjLABEL_LIGHT,
     mjLABEL_TENDON, mjLABEL_ACTUATOR, mjLABEL_CONSTRAINT, mjLABEL_FLEX, mjLABEL_SKIN, mjLABEL_SELECTION,
     mjLABEL_SELPNT, mjLABEL_CONTACTPOINT, mjLABEL_CONTACTFORCE, mjLABEL_ISLAND, mjNLABEL) = range(18)


class mjtMouse(MjEnum):
    """Mouse actions that move a camera or a perturbation."""

    (mjMOUSE_NONE, mjMOUSE_ROTATE_V, mjMOUSE_ROTATE_H, mjMOUSE_MOVE_V, mjMOUSE_MOVE_H, mjMOUSE_ZOOM,
     mjMOUSE_SELECT) = range(7)
    mjMOUSE_MOVE_H_REL, mjMOUSE_TURN_V, mjMOUSE_TURN_H, mjMOUSE_MOVE_V_REL = range(7, 11)


class mjtPertBit(MjEnum):
    """Types of perturbation, as bits."""

    mjPERT_TRANSLATE, mjPERT_ROTATE = (1 << bit for bit in range(2))


class mjtRndFlag(MjEnum):
    """Rendering flags."""

    (mjRND_SHADOW, mjRND_WIREFRAME, mjRND_REFLECTION, mjRND_ADDITIVE, mjRND_SKYBOX, mjRND_FOG, mjRND_HAZE,
     mjRND_SEGMENT, mjRND_IDCOLOR, mjRND_CULL_FACE, mjNRNDFLAG) = range(11)


class mjtSection(MjEnum):
    """States of a user-interface section."""

    mjSECT_CLOSED, mjSECT_OPEN, mjSECT_FIXED = range(3)


class mjtStereo(MjEnum):
    """Stereo modes."""

    mjSTEREO_NONE, mjSTEREO_QUADBUFFERED, mjSTEREO_SIDEBYSIDE = range(3)


class mjtVisFlag(MjEnum):
    """Visualization flags."""

    (mjVIS_CONVEXHULL, mjVIS_TEXTURE, mjVIS_JOINT, mjVIS_CAMERA, mjVIS_ACTUATOR, mjVIS_ACTIVATION, mjVIS_LIGHT,
     mjVIS_TENDON, mjVIS_RANGEFINDER, mjVIS_CONSTRAINT, mjVIS_INERTIA, mjVIS_SCLINERTIA, mjVIS_PERTFORCE, mjVIS_PERTOBJ,
     mjVIS_CONTACTPOINT, mjVIS_ISLAND, mjVIS_CONTACTFORCE, mjVIS_CONTACTSPLIT, mjVIS_TRANSPARENT, mjVIS_AUTOCONNECT,
     mjVIS_COM, mjVIS_SELECT, mjVIS_STATIC, mjVIS_SKIN, mjVIS_FLEXVERT, mjVIS_FLEXEDGE, mjVIS_FLEXFACE, mjVIS_FLEXSKIN,
     mjVIS_BODYBVH, mjVIS_MESHBVH, mjVIS_SDFITER, mjNVISFLAG) = range(32)
