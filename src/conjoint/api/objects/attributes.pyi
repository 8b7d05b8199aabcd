"""Written by tools/make_stubs.py from the schema: change the schema, not this file."""

from collections.abc import Iterator
from typing import Any, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conjoint.api.objects import scene, visual

T = TypeVar("T", bound=np.generic)
R = TypeVar("R", covariant=True)

class Array(Generic[T]):
    """A NumPy view; assigning to it copies into it."""

    def __get__(self, owner: object, cls: type) -> NDArray[T]: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Shown(Generic[T]):
    """A NumPy array that is made when it is read, and can only be read."""

    def __get__(self, owner: object, cls: type) -> NDArray[T]: ...

class Text:
    """A text, kept as bytes of UTF-8."""

    def __get__(self, owner: object, cls: type) -> str: ...
    def __set__(self, owner: object, value: str | bytes) -> None: ...

class RecordList(Protocol[R]):
    """Records by index."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __iter__(self) -> Iterator[R]: ...

class MjOption:
    """Options of the simulation."""

    timestep: float
    """length of a step (s)"""
    apirate: float
    """rate at which clients may refresh what they show (Hz)"""
    impratio: float
    """ratio of frictional to normal impedance in elliptic contacts"""
    tolerance: float
    """scaled improvement at which the main solver stops"""
    ls_tolerance: float
    """slope, relative to the start, at which the line search stops"""
    noslip_tolerance: float
    """scaled improvement at which the noslip solver stops"""
    ccd_tolerance: float
    """tolerance of collision detection between convex shapes"""
    sleep_tolerance: float
    """speed below which trees may fall asleep (m/s)"""
    gravity: Array[np.float64]
    """gravitational acceleration, world frame (3; m/s^2)"""
    wind: Array[np.float64]
    """velocity of the medium, world frame (3; m/s)"""
    magnetic: Array[np.float64]
    """magnetic flux, world frame (3; T)"""
    density: float
    """density of the medium; 0: no lift and drag (kg/m^3)"""
    viscosity: float
    """viscosity of the medium; 0: no viscous drag (Pa s)"""
    o_margin: float
    """contact margin of all contacts, if overridden (m)"""
    o_solref: Array[np.float64]
    """contact solref of all contacts, if overridden (2)"""
    o_solimp: Array[np.float64]
    """contact solimp of all contacts, if overridden (5)"""
    o_friction: Array[np.float64]
    """contact friction of all contacts, if overridden (5)"""
    integrator: int
    """integrator (mjtIntegrator)"""
    cone: int
    """type of friction cone (mjtCone)"""
    jacobian: int
    """storage of the constraint Jacobian (mjtJacobian)"""
    solver: int
    """constraint solver (mjtSolver, mjtImpulse)"""
    iterations: int
    """largest number of iterations of the main solver"""
    ls_iterations: int
    """largest number of iterations of its line search"""
    noslip_iterations: int
    """largest number of iterations of the noslip solver"""
    ccd_iterations: int
    """largest number of iterations of convex collision detection"""
    disableflags: int
    """what is disabled, a sum of mjtDisableBit"""
    enableflags: int
    """what is enabled, a sum of mjtEnableBit"""
    disableactuator: int
    """actuator groups that are disabled, one bit per group"""
    sdf_initpoints: int
    """starting points of collisions between signed distance fields"""
    sdf_iterations: int
    """largest number of iterations of such collisions"""

class MjStatistic:
    """Statistics of the model."""

    meaninertia: float
    """mean of the diagonal of the inertia matrix at qpos0 (kg m^2; written by mj_setConst)"""
    meanmass: float
    """mean mass of the moving bodies (kg; written by mj_setConst)"""
    meansize: float
    """mean size of the moving bodies (m; written by mj_setConst)"""
    extent: float
    """half the size of the model in space (m; written by mj_setConst)"""
    center: Array[np.float64]
    """centre of the model at qpos0 (3; m; written by mj_setConst)"""

class VisualGlobal:
    """Settings of the visualizer: global."""

    cameraid: int
    """initial camera: id of a fixed one, -1 for the free camera"""
    orthographic: int
    """whether the free camera is orthographic"""
    fovy: float
    """vertical field of view of the free camera; metres if orthographic (deg)"""
    ipd: float
    """distance of the free camera's eyes (m)"""
    azimuth: float
    """initial azimuth of the free camera (deg)"""
    elevation: float
    """initial elevation of the free camera (deg)"""
    linewidth: float
    """width of lines and ray wireframes (pixel)"""
    glow: float
    """emission that is added to the selected body"""
    realtime: float
    """initial rate of a viewer relative to real time"""
    offwidth: int
    """width of the offscreen framebuffer (pixel)"""
    offheight: int
    """height of the offscreen framebuffer (pixel)"""
    ellipsoidinertia: int
    """draw equivalent inertias as ellipsoids (1) or boxes (0)"""
    bvactive: int
    """mark active bounding volumes by colour"""

class VisualQuality:
    """Settings of the visualizer: quality."""

    shadowsize: int
    """side of the shadow texture (pixel)"""
    offsamples: int
    """samples per pixel of offscreen rendering"""
    numslices: int
    """slices around a builtin shape"""
    numstacks: int
    """stacks along a builtin shape"""
    numquads: int
    """quads along the side of a box"""

class VisualHeadlight:
    """Settings of the visualizer: headlight."""

    ambient: Array[np.float32]
    """ambient colour (3)"""
    diffuse: Array[np.float32]
    """diffuse colour (3)"""
    specular: Array[np.float32]
    """specular colour (3)"""
    active: int
    """whether the light at the camera is on"""

class VisualMap:
    """Settings of the visualizer: map."""

    stiffness: float
    """mouse spring: force per displacement, relative to mass (N/m)"""
    stiffnessrot: float
    """mouse spring: torque per rotation, relative to inertia (N m/rad)"""
    force: float
    """length of a contact force arrow per force, relative to mean mass (m/N)"""
    torque: float
    """length of a contact torque arrow per torque, relative to mean mass (m/(N m))"""
    alpha: float
    """opacity of geoms when drawn transparent"""
    fogstart: float
    """distance at which fog starts, relative to the extent"""
    fogend: float
    """distance at which fog is full, relative to the extent"""
    znear: float
    """distance of the near clipping plane, relative to the extent"""
    zfar: float
    """distance of the far clipping plane, relative to the extent"""
    haze: float
    """share of the distance over which haze fades in"""
    shadowclip: float
    """reach of a directional light's shadow, relative to the extent"""
    shadowscale: float
    """share of a spot light's cone that casts shadows"""
    actuatortendon: float
    """width of a tendon that is driven, relative to its own"""

class VisualScale:
    """Settings of the visualizer: scale."""

    forcewidth: float
    """width of force arrows, relative to the mean size"""
    contactwidth: float
    """radius of contact points, relative to the mean size"""
    contactheight: float
    """height of contact points, relative to the mean size"""
    connect: float
    """width of lines between connected bodies, relative to the mean size"""
    com: float
    """radius of centres of mass, relative to the mean size"""
    camera: float
    """size of cameras, relative to the mean size"""
    light: float
    """size of lights, relative to the mean size"""
    selectpoint: float
    """radius of the selected point, relative to the mean size"""
    jointlength: float
    """length of joint axes, relative to the mean size"""
    jointwidth: float
    """width of joint axes, relative to the mean size"""
    actuatorlength: float
    """length of actuators, relative to the mean size"""
    actuatorwidth: float
    """width of actuators, relative to the mean size"""
    framelength: float
    """length of frame axes, relative to the mean size"""
    framewidth: float
    """width of frame axes, relative to the mean size"""
    constraint: float
    """width of constraint violations, relative to the mean size"""
    slidercrank: float
    """width of slider-cranks, relative to the mean size"""
    frustum: float
    """distance of the far plane of camera frusta, relative to znear"""

class VisualRgba:
    """Settings of the visualizer: rgba."""

    fog: Array[np.float32]
    """fog (4)"""
    haze: Array[np.float32]
    """haze (4)"""
    force: Array[np.float32]
    """external forces (4)"""
    inertia: Array[np.float32]
    """equivalent inertia boxes (4)"""
    joint: Array[np.float32]
    """joints (4)"""
    actuator: Array[np.float32]
    """actuators at rest (4)"""
    actuatornegative: Array[np.float32]
    """actuators at the low end of their range (4)"""
    actuatorpositive: Array[np.float32]
    """actuators at the high end of their range (4)"""
    com: Array[np.float32]
    """centres of mass (4)"""
    camera: Array[np.float32]
    """cameras (4)"""
    light: Array[np.float32]
    """lights (4)"""
    selectpoint: Array[np.float32]
    """the selected point (4)"""
    connect: Array[np.float32]
    """lines between connected bodies (4)"""
    contactpoint: Array[np.float32]
    """contact points (4)"""
    contactforce: Array[np.float32]
    """contact forces (4)"""
    contactfriction: Array[np.float32]
    """friction part of contact forces (4)"""
    contacttorque: Array[np.float32]
    """contact torques (4)"""
    contactgap: Array[np.float32]
    """contacts inside the gap (4)"""
    rangefinder: Array[np.float32]
    """range finder rays (4)"""
    constraint: Array[np.float32]
    """constraint violations (4)"""
    slidercrank: Array[np.float32]
    """slider-cranks (4)"""
    crankbroken: Array[np.float32]
    """slider-cranks that cannot be assembled (4)"""
    frustum: Array[np.float32]
    """camera frusta (4)"""
    bv: Array[np.float32]
    """bounding volumes (4)"""
    bvactive: Array[np.float32]
    """active bounding volumes (4)"""

class MjVisual:
    """Settings of the visualizer, in groups."""

    global_: VisualGlobal
    quality: VisualQuality
    headlight: VisualHeadlight
    map: VisualMap
    scale: VisualScale
    rgba: VisualRgba

class MjContact:
    """A contact."""

    dist: float
    """distance between the surfaces; negative: penetration (ncon_capacity; m; written by mj_collision)"""
    pos: Array[np.float64]
    """midpoint between the surfaces (ncon_capacity x 3; m; written by mj_collision)"""
    frame: Array[np.float64]
    """rows: normal from the first geom to the second, two tangents (ncon_capacity x 9; written by mj_collision)"""
    includemargin: float
    """distance below which the contact produces force: margin - gap (ncon_capacity; m; written by mj_collision)"""
    friction: Array[np.float64]
    """friction: two tangents, torsion (m), two rolls (m) (ncon_capacity x 5; written by mj_collision)"""
    solref: Array[np.float64]
    """constraint reference of the normal direction (ncon_capacity x 2; written by mj_collision)"""
    solreffriction: Array[np.float64]
    """constraint reference of the frictional directions; 0: as the normal (ncon_capacity x 2; written by
    mj_collision)"""
    solimp: Array[np.float64]
    """constraint impedance (ncon_capacity x 5; written by mj_collision)"""
    adhesion: float
    """adhesive force along the normal (ncon_capacity; N; written by mj_collision)"""
    surfacevel: Array[np.float64]
    """velocity of the second surface less that of the first: along both tangents (m/s), spin (rad/s) (ncon_capacity
    x 3; written by mj_collision)"""
    mu: float
    """friction of the regularized cone (ncon_capacity; written by mj_collision, mj_makeConstraint)"""
    H: Array[np.float64]
    """Hessian of the cost of an elliptic cone, where it is quadratic (ncon_capacity x 36; written by
    mj_fwdConstraint)"""
    dim: int
    """dimensions: 1, 3, 4 or 6 (ncon_capacity; written by mj_collision)"""
    geom: Array[np.int32]
    """both geoms; -1: flex (ncon_capacity x 2; written by mj_collision)"""
    flex: Array[np.int32]
    """both flexes; -1: geom (ncon_capacity x 2; written by mj_collision)"""
    elem: Array[np.int32]
    """both flex elements; -1: geom or vertex (ncon_capacity x 2; written by mj_collision)"""
    vert: Array[np.int32]
    """both flex vertices; -1: geom or element (ncon_capacity x 2; written by mj_collision)"""
    exclude: int
    """0: included, 1: inside the gap, 2: fused, 3: no dofs (ncon_capacity; written by mj_collision)"""
    efc_address: int
    """first constraint row; -1: none (ncon_capacity; written by mj_collision, mj_makeConstraint)"""
    geom1: int
    geom2: int

class MjContactList(RecordList[MjContact]):
    dist: Array[np.float64]
    pos: Array[np.float64]
    frame: Array[np.float64]
    includemargin: Array[np.float64]
    friction: Array[np.float64]
    solref: Array[np.float64]
    solreffriction: Array[np.float64]
    solimp: Array[np.float64]
    adhesion: Array[np.float64]
    surfacevel: Array[np.float64]
    mu: Array[np.float64]
    H: Array[np.float64]
    dim: Array[np.int32]
    geom: Array[np.int32]
    flex: Array[np.int32]
    elem: Array[np.int32]
    vert: Array[np.int32]
    exclude: Array[np.int32]
    efc_address: Array[np.int32]
    geom1: Array[np.int32]
    geom2: Array[np.int32]

class MjWarningStat:
    """Statistics of a warning."""

    lastinfo: int
    """what the last warning of each kind was about (8; written by mj_warning)"""
    number: int
    """how often each kind was raised (8; written by mj_warning)"""

class MjWarningStatList(RecordList[MjWarningStat]):
    lastinfo: Array[np.int32]
    number: Array[np.int32]

class MjTimerStat:
    """Statistics of a timer."""

    duration: float
    """time spent in each part of the pipeline (15; s)"""
    number: int
    """how often each part ran (15)"""

class MjTimerStatList(RecordList[MjTimerStat]):
    duration: Array[np.float64]
    number: Array[np.int32]

class MjSolverStat:
    """Statistics of an iteration of the solver."""

    improvement: float
    """decrease of the cost in each iteration, scaled (nsolverstat; written by mj_fwdConstraint)"""
    gradient: float
    """norm of the gradient after each iteration, scaled (nsolverstat; written by mj_fwdConstraint)"""
    lineslope: float
    """slope at the end of the line search, relative to its start (nsolverstat; written by mj_fwdConstraint)"""
    nactive: int
    """number of active constraint rows (nsolverstat; written by mj_fwdConstraint)"""
    nchange: int
    """number of rows that changed their state (nsolverstat; written by mj_fwdConstraint)"""
    neval: int
    """number of cost evaluations of the line search (nsolverstat; written by mj_fwdConstraint)"""
    nupdate: int
    """number of updates of the Cholesky factor (nsolverstat; written by mj_fwdConstraint)"""

class MjSolverStatList(RecordList[MjSolverStat]):
    improvement: Array[np.float64]
    gradient: Array[np.float64]
    lineslope: Array[np.float64]
    nactive: Array[np.int32]
    nchange: Array[np.int32]
    neval: Array[np.int32]
    nupdate: Array[np.int32]

class MjvCamera:
    """A camera of the visualizer."""

    type: int
    """type of camera (mjtCamera)"""
    fixedcamid: int
    """id of the fixed camera"""
    trackbodyid: int
    """id of the body to track"""
    lookat: Array[np.float64]
    """point to look at (3; m)"""
    distance: float
    """distance to the point or body (m)"""
    azimuth: float
    """angle about the z axis (deg)"""
    elevation: float
    """angle above the horizon (deg)"""
    orthographic: int
    """1: no perspective"""

class MjvOption:
    """What the visualizer shows."""

    label: int
    """what labels show (mjtLabel)"""
    frame: int
    """which frames are shown (mjtFrame)"""
    geomgroup: Array[np.uint8]
    """which groups of geoms are shown (6)"""
    sitegroup: Array[np.uint8]
    """which groups of sites are shown (6)"""
    jointgroup: Array[np.uint8]
    """which groups of joints are shown (6)"""
    tendongroup: Array[np.uint8]
    """which groups of tendons are shown (6)"""
    actuatorgroup: Array[np.uint8]
    """which groups of actuators are shown (6)"""
    flexgroup: Array[np.uint8]
    """which groups of flexes are shown (6)"""
    skingroup: Array[np.uint8]
    """which groups of skins are shown (6)"""
    flags: Array[np.uint8]
    """what is shown (mjtVisFlag) (31)"""
    bvh_depth: int
    """depth of the bounding volumes that are shown"""
    flex_layer: int
    """layer of flexible bodies that is shown"""

class MjvPerturb:
    """What a user does to a body."""

    select: int
    """id of the selected body; 0: none"""
    flexselect: int
    """id of the selected flexible body; -1: none"""
    skinselect: int
    """id of the selected skin; -1: none"""
    active: int
    """perturbations that act (mjtPertBit)"""
    active2: int
    """a second set of them"""
    refpos: Array[np.float64]
    """position that the body shall have (3; m)"""
    refquat: Array[np.float64]
    """orientation that it shall have (4)"""
    refselpos: Array[np.float64]
    """position that the selected point shall have (3; m)"""
    localpos: Array[np.float64]
    """the selected point in the frame of the body (3; m)"""
    localmass: float
    """mass felt at the selected point (kg)"""
    scale: float
    """motion of the perturbation per motion of the mouse"""

class MjvFigure(visual.MjvFigure):
    """A plot of lines."""

    flg_legend: int
    """whether there is a legend"""
    flg_ticklabel: Array[np.int32]
    """whether there are labels along x and y (2)"""
    flg_extend: int
    """whether ranges grow as the data need"""
    flg_barplot: int
    """whether lines are bars"""
    flg_selection: int
    """whether the selection is marked by a vertical line"""
    flg_symmetric: int
    """whether the range of y is symmetric"""
    linewidth: float
    """width of lines (pixel)"""
    gridwidth: float
    """width of lines of the grid (pixel)"""
    gridsize: Array[np.int32]
    """points of the grid along x and y (2)"""
    gridrgb: Array[np.float32]
    """colour of the grid (3)"""
    figurergba: Array[np.float32]
    """background of the figure (4)"""
    panergba: Array[np.float32]
    """background of the pane (4)"""
    legendrgba: Array[np.float32]
    """background of the legend (4)"""
    textrgb: Array[np.float32]
    """colour of text (3)"""
    linergb: Array[np.float32]
    """colours of lines (100 x 3)"""
    range: Array[np.float32]
    """ranges of x and y; by the data where empty (2 x 2)"""
    xformat: Text
    """format of labels along x (20)"""
    yformat: Text
    """format of labels along y (20)"""
    minwidth: Text
    """text as wide as labels along y are at least (20)"""
    title: Text
    """title; two spaces separate subplots (1000)"""
    xlabel: Text
    """text below (100)"""
    linename: Array[np.bytes_]
    """names of lines in the legend (100 x 100)"""
    legendoffset: int
    """lines by which the legend is lower"""
    subplot: int
    """the selected subplot"""
    highlight: Array[np.int32]
    """point whose line in the legend is highlighted (2; pixel)"""
    highlightid: int
    """line that is highlighted, -1 for none"""
    selection: float
    """where the selection is along x"""
    linepnt: Array[np.int32]
    """number of points of each line (100)"""
    linedata: Array[np.float32]
    """points: x and y by turns (100 x 2002)"""
    xaxispixel: Array[np.int32]
    """range of x in the drawn picture (2; pixel)"""
    yaxispixel: Array[np.int32]
    """range of y in the drawn picture (2; pixel)"""
    xaxisdata: Array[np.float32]
    """range of x as drawn (2)"""
    yaxisdata: Array[np.float32]
    """range of y as drawn (2)"""

class MjvGeom:
    """A geom of a scene."""

    type: int
    """type of geom (mjtGeom) (geomroom)"""
    dataid: int
    """id of its mesh, hfield or plane, -1 for none; of a mesh twice that, one more for its hull (geomroom)"""
    objtype: int
    """type of the object shown (mjtObj), 0 for decor (geomroom)"""
    objid: int
    """id of that object, -1 for decor (geomroom)"""
    category: int
    """category (mjtCatBit) (geomroom)"""
    matid: int
    """id of the material with its texture, -1 for none (geomroom)"""
    texcoord: int
    """whether it has texture coordinates (geomroom)"""
    segid: int
    """number in a segmented image, -1 if not shown (geomroom)"""
    size: Array[np.float32]
    """size (geomroom x 3; m)"""
    pos: Array[np.float32]
    """position (geomroom x 3; m)"""
    mat: Array[np.float32]
    """orientation (geomroom x 3 x 3)"""
    rgba: Array[np.float32]
    """colour and opacity (geomroom x 4)"""
    emission: float
    """emission (geomroom)"""
    specular: float
    """specular reflection (geomroom)"""
    shininess: float
    """shininess (geomroom)"""
    reflectance: float
    """reflectance (geomroom)"""
    label: Text
    """text beside it (geomroom x 100)"""
    camdist: float
    """distance to the camera, by which geoms are sorted (geomroom; m)"""
    modelrbound: float
    """bounding radius of a geom of the model, 0 of others (geomroom; m)"""
    transparent: int
    """whether it is drawn as transparent (geomroom)"""

class MjvLight:
    """A light of a scene."""

    pos: Array[np.float32]
    """position (maxlight x 3; m)"""
    dir: Array[np.float32]
    """direction (maxlight x 3)"""
    type: int
    """type of light (mjtLightType) (maxlight)"""
    texid: int
    """id of the texture of an image light (maxlight)"""
    attenuation: Array[np.float32]
    """attenuation: constant, linear, quadratic (maxlight x 3)"""
    cutoff: float
    """half angle of the cone (maxlight; deg)"""
    exponent: float
    """how light falls off towards the rim of the cone (maxlight)"""
    ambient: Array[np.float32]
    """ambient colour (maxlight x 3)"""
    diffuse: Array[np.float32]
    """diffuse colour (maxlight x 3)"""
    specular: Array[np.float32]
    """specular colour (maxlight x 3)"""
    headlight: int
    """whether it moves with the camera (maxlight)"""
    castshadow: int
    """whether it casts shadows (maxlight)"""
    bulbradius: float
    """radius of the bulb, for soft shadows (maxlight; m)"""
    intensity: float
    """intensity (maxlight; cd)"""
    range: float
    """how far it reaches (maxlight; m)"""

class MjvGLCamera:
    """A camera as OpenGL takes it."""

    pos: Array[np.float32]
    """position (maxcamera x 3; m)"""
    forward: Array[np.float32]
    """direction of view (maxcamera x 3)"""
    up: Array[np.float32]
    """direction upwards (maxcamera x 3)"""
    frustum_center: float
    """horizontal centre of the near plane (maxcamera; m)"""
    frustum_width: float
    """half width of the near plane; 0: by the window (maxcamera; m)"""
    frustum_bottom: float
    """bottom of the near plane (maxcamera; m)"""
    frustum_top: float
    """top of the near plane (maxcamera; m)"""
    frustum_near: float
    """distance of the near plane (maxcamera; m)"""
    frustum_far: float
    """distance of the far plane (maxcamera; m)"""
    orthographic: int
    """1: no perspective (maxcamera)"""

class MjvGeomList(RecordList[MjvGeom]):
    type: Array[np.int32]
    dataid: Array[np.int32]
    objtype: Array[np.int32]
    objid: Array[np.int32]
    category: Array[np.int32]
    matid: Array[np.int32]
    texcoord: Array[np.int32]
    segid: Array[np.int32]
    size: Array[np.float32]
    pos: Array[np.float32]
    mat: Array[np.float32]
    rgba: Array[np.float32]
    emission: Array[np.float32]
    specular: Array[np.float32]
    shininess: Array[np.float32]
    reflectance: Array[np.float32]
    label: Array[np.bytes_]
    camdist: Array[np.float32]
    modelrbound: Array[np.float32]
    transparent: Array[np.uint8]

class MjvLightList(RecordList[MjvLight]):
    pos: Array[np.float32]
    dir: Array[np.float32]
    type: Array[np.int32]
    texid: Array[np.int32]
    attenuation: Array[np.float32]
    cutoff: Array[np.float32]
    exponent: Array[np.float32]
    ambient: Array[np.float32]
    diffuse: Array[np.float32]
    specular: Array[np.float32]
    headlight: Array[np.uint8]
    castshadow: Array[np.uint8]
    bulbradius: Array[np.float32]
    intensity: Array[np.float32]
    range: Array[np.float32]

class MjvGLCameraList(RecordList[MjvGLCamera]):
    pos: Array[np.float32]
    forward: Array[np.float32]
    up: Array[np.float32]
    frustum_center: Array[np.float32]
    frustum_width: Array[np.float32]
    frustum_bottom: Array[np.float32]
    frustum_top: Array[np.float32]
    frustum_near: Array[np.float32]
    frustum_far: Array[np.float32]
    orthographic: Array[np.int32]

class MjvScene(scene.MjvScene):
    """What the visualizer shows."""

    def __init__(self, model: Any = ..., maxgeom: int | None = ...) -> None: ...
    geoms: MjvGeomList
    lights: MjvLightList
    camera: MjvGLCameraList
    maxgeom: int
    """room for geoms"""
    ngeom: int
    """number of geoms"""
    geomorder: Array[np.int32]
    """geoms by their distance to the camera (maxgeom)"""
    nflex: int
    """number of flexes"""
    flexedgeadr: Array[np.int32]
    """first edge of each flex (nflex)"""
    flexedgenum: Array[np.int32]
    """number of edges (nflex)"""
    flexvertadr: Array[np.int32]
    """first vertex of each flex (nflex)"""
    flexvertnum: Array[np.int32]
    """number of vertices (nflex)"""
    flexfaceadr: Array[np.int32]
    """first triangle of each flex (nflex)"""
    flexfacenum: Array[np.int32]
    """room for triangles (nflex)"""
    flexfaceused: Array[np.int32]
    """number of triangles (nflex)"""
    flexedge: Array[np.int32]
    """the two vertices of each edge (nflexedge x 2)"""
    flexvert: Array[np.float32]
    """positions of vertices (nflexvert x 3; m)"""
    flexface: Array[np.float32]
    """the three corners of each triangle (nflexface x 9; m)"""
    flexnormal: Array[np.float32]
    """normals at the three corners (nflexface x 9)"""
    flextexcoord: Array[np.float32]
    """texture coordinates of the three corners (nflexface x 6)"""
    flexvertopt: int
    """whether vertices of flexes are shown, as in the options"""
    flexedgeopt: int
    """whether edges of flexes are shown, as in the options"""
    flexfaceopt: int
    """whether faces of flexes are shown, as in the options"""
    flexskinopt: int
    """whether skins of flexes are shown, as in the options"""
    nskin: int
    """number of skins"""
    skinfacenum: Array[np.int32]
    """number of triangles of each skin (nskin)"""
    skinvertadr: Array[np.int32]
    """first vertex of each skin (nskin)"""
    skinvertnum: Array[np.int32]
    """number of vertices (nskin)"""
    skinvert: Array[np.float32]
    """positions of vertices (nskinvert x 3; m)"""
    skinnormal: Array[np.float32]
    """normals of vertices (nskinvert x 3)"""
    nlight: int
    """number of lights"""
    enabletransform: int
    """whether the model is moved as a whole"""
    translate: Array[np.float32]
    """translation of the model (3; m)"""
    rotate: Array[np.float32]
    """rotation of the model (4)"""
    scale: float
    """scale of the model"""
    stereo: int
    """stereoscopic drawing (mjtStereo)"""
    flags: Array[np.uint8]
    """how it is drawn (mjtRndFlag) (10)"""
    framewidth: int
    """width of the frame around the picture; 0: none (pixel)"""
    framergb: Array[np.float32]
    """colour of the frame (3)"""

class ModelBodyViews:
    """One body."""

    id: int
    name: str
    parentid: Array
    rootid: Array
    weldid: Array
    mocapid: Array
    jntnum: Array
    jntadr: Array
    dofnum: Array
    dofadr: Array
    treeid: Array
    geomnum: Array
    geomadr: Array
    simple: Array
    sameframe: Array
    pos: Array
    quat: Array
    ipos: Array
    iquat: Array
    mass: Array
    subtreemass: Array
    inertia: Array
    invweight0: Array
    gravcomp: Array
    margin: Array
    user: Array
    plugin: Array
    contype: Array
    conaffinity: Array
    bvhadr: Array
    bvhnum: Array

class ModelJointViews:
    """One joint."""

    id: int
    name: str
    type: Array
    qposadr: Array
    dofadr: Array
    bodyid: Array
    group: Array
    limited: Array
    actfrclimited: Array
    actgravcomp: Array
    solref: Array
    solimp: Array
    pos: Array
    axis: Array
    stiffness: Array
    range: Array
    actfrcrange: Array
    margin: Array
    user: Array
    jntid: Array
    parentid: Array
    treeid: Array
    Madr: Array
    simplenum: Array
    frictionloss: Array
    armature: Array
    damping: Array
    invweight0: Array
    M0: Array
    qpos0: Array
    qpos_spring: Array

class ModelGeomViews:
    """One geom."""

    id: int
    name: str
    type: Array
    contype: Array
    conaffinity: Array
    condim: Array
    bodyid: Array
    dataid: Array
    matid: Array
    group: Array
    priority: Array
    plugin: Array
    sameframe: Array
    solmix: Array
    solref: Array
    solimp: Array
    size: Array
    aabb: Array
    rbound: Array
    pos: Array
    quat: Array
    friction: Array
    margin: Array
    gap: Array
    fluid: Array
    user: Array
    rgba: Array

class ModelSiteViews:
    """One site."""

    id: int
    name: str
    type: Array
    bodyid: Array
    matid: Array
    group: Array
    sameframe: Array
    size: Array
    pos: Array
    quat: Array
    user: Array
    rgba: Array

class ModelCameraViews:
    """One camera."""

    id: int
    name: str
    mode: Array
    bodyid: Array
    targetbodyid: Array
    pos: Array
    quat: Array
    poscom0: Array
    pos0: Array
    mat0: Array
    orthographic: Array
    fovy: Array
    ipd: Array
    resolution: Array
    sensorsize: Array
    intrinsic: Array
    user: Array

class ModelLightViews:
    """One light."""

    id: int
    name: str
    mode: Array
    bodyid: Array
    targetbodyid: Array
    type: Array
    texid: Array
    castshadow: Array
    bulbradius: Array
    intensity: Array
    range: Array
    active: Array
    pos: Array
    dir: Array
    poscom0: Array
    pos0: Array
    dir0: Array
    attenuation: Array
    cutoff: Array
    exponent: Array
    ambient: Array
    diffuse: Array
    specular: Array

class ModelFlexViews:
    """One flex."""

    id: int
    name: str
    contype: Array
    conaffinity: Array
    condim: Array
    priority: Array
    solmix: Array
    solref: Array
    solimp: Array
    friction: Array
    margin: Array
    gap: Array
    internal: Array
    selfcollide: Array
    activelayers: Array
    dim: Array
    matid: Array
    group: Array
    interp: Array
    nodeadr: Array
    nodenum: Array
    vertadr: Array
    vertnum: Array
    edgeadr: Array
    edgenum: Array
    elemadr: Array
    elemnum: Array
    elemdataadr: Array
    elemedgeadr: Array
    shellnum: Array
    shelldataadr: Array
    evpairadr: Array
    evpairnum: Array
    texcoordadr: Array
    radius: Array
    damping: Array
    edgestiffness: Array
    edgedamping: Array
    edgeequality: Array
    rigid: Array
    centered: Array
    flatskin: Array
    bvhadr: Array
    bvhnum: Array
    rgba: Array

class ModelMeshViews:
    """One mesh."""

    id: int
    name: str
    vertadr: Array
    vertnum: Array
    faceadr: Array
    facenum: Array
    bvhadr: Array
    bvhnum: Array
    octadr: Array
    octnum: Array
    normaladr: Array
    normalnum: Array
    texcoordadr: Array
    texcoordnum: Array
    graphadr: Array
    scale: Array
    pos: Array
    quat: Array
    pathadr: Array
    polynum: Array
    polyadr: Array

class ModelSkinViews:
    """One skin."""

    id: int
    name: str
    matid: Array
    group: Array
    rgba: Array
    inflate: Array
    vertadr: Array
    vertnum: Array
    texcoordadr: Array
    faceadr: Array
    facenum: Array
    boneadr: Array
    bonenum: Array
    pathadr: Array

class ModelHfieldViews:
    """One hfield."""

    id: int
    name: str
    size: Array
    nrow: Array
    ncol: Array
    adr: Array
    pathadr: Array
    data: Array

class ModelTextureViews:
    """One texture."""

    id: int
    name: str
    type: Array
    colorspace: Array
    height: Array
    width: Array
    nchannel: Array
    adr: Array
    pathadr: Array
    data: Array

class ModelMaterialViews:
    """One material."""

    id: int
    name: str
    texid: Array
    texuniform: Array
    texrepeat: Array
    emission: Array
    specular: Array
    shininess: Array
    reflectance: Array
    metallic: Array
    roughness: Array
    rgba: Array

class ModelPairViews:
    """One pair."""

    id: int
    name: str
    dim: Array
    geom1: Array
    geom2: Array
    signature: Array
    solref: Array
    solreffriction: Array
    solimp: Array
    margin: Array
    gap: Array
    friction: Array

class ModelExcludeViews:
    """One exclude."""

    id: int
    name: str
    signature: Array

class ModelEqualityViews:
    """One equality."""

    id: int
    name: str
    type: Array
    obj1id: Array
    obj2id: Array
    objtype: Array
    active0: Array
    solref: Array
    solimp: Array
    data: Array

class ModelTendonViews:
    """One tendon."""

    id: int
    name: str
    adr: Array
    num: Array
    matid: Array
    group: Array
    limited: Array
    actfrclimited: Array
    width: Array
    solref_lim: Array
    solimp_lim: Array
    solref_fri: Array
    solimp_fri: Array
    range: Array
    actfrcrange: Array
    margin: Array
    stiffness: Array
    damping: Array
    armature: Array
    frictionloss: Array
    lengthspring: Array
    length0: Array
    invweight0: Array
    user: Array
    rgba: Array

class ModelActuatorViews:
    """One actuator."""

    id: int
    name: str
    trntype: Array
    dyntype: Array
    gaintype: Array
    biastype: Array
    trnid: Array
    actadr: Array
    actnum: Array
    group: Array
    ctrllimited: Array
    forcelimited: Array
    actlimited: Array
    dynprm: Array
    gainprm: Array
    biasprm: Array
    actearly: Array
    ctrlrange: Array
    forcerange: Array
    actrange: Array
    gear: Array
    cranklength: Array
    acc0: Array
    length0: Array
    lengthrange: Array
    user: Array
    plugin: Array

class ModelSensorViews:
    """One sensor."""

    id: int
    name: str
    type: Array
    datatype: Array
    needstage: Array
    objtype: Array
    objid: Array
    reftype: Array
    refid: Array
    intprm: Array
    dim: Array
    adr: Array
    cutoff: Array
    noise: Array
    user: Array
    plugin: Array

class ModelNumericViews:
    """One numeric."""

    id: int
    name: str
    adr: Array
    size: Array
    data: Array

class ModelTextViews:
    """One text."""

    id: int
    name: str
    adr: Array
    size: Array
    data: Array

class ModelTupleViews:
    """One tuple."""

    id: int
    name: str
    adr: Array
    size: Array
    objtype: Array
    objid: Array
    objprm: Array

class ModelKeyframeViews:
    """One keyframe."""

    id: int
    name: str
    time: Array
    qpos: Array
    qvel: Array
    act: Array
    mpos: Array
    mquat: Array
    ctrl: Array

class DataBodyViews:
    """One body."""

    id: int
    name: str
    xfrc_applied: Array
    xpos: Array
    xquat: Array
    xmat: Array
    xipos: Array
    ximat: Array
    subtree_com: Array
    cinert: Array
    crb: Array
    cvel: Array
    subtree_linvel: Array
    subtree_angmom: Array
    cacc: Array
    cfrc_int: Array
    cfrc_ext: Array

class DataJointViews:
    """One joint."""

    id: int
    name: str
    xanchor: Array
    xaxis: Array
    qpos: Array
    qvel: Array
    qacc_warmstart: Array
    qfrc_applied: Array
    qacc: Array
    cdof: Array
    qLDiagInv: Array
    cdof_dot: Array
    qfrc_bias: Array
    qfrc_spring: Array
    qfrc_damper: Array
    qfrc_gravcomp: Array
    qfrc_fluid: Array
    qfrc_passive: Array
    qHDiagInv: Array
    qfrc_actuator: Array
    qfrc_smooth: Array
    qacc_smooth: Array
    qfrc_constraint: Array
    qfrc_adhesion: Array
    qfrc_inverse: Array

class DataGeomViews:
    """One geom."""

    id: int
    name: str
    xpos: Array
    xmat: Array

class DataSiteViews:
    """One site."""

    id: int
    name: str
    xpos: Array
    xmat: Array

class DataCameraViews:
    """One camera."""

    id: int
    name: str
    xpos: Array
    xmat: Array

class DataLightViews:
    """One light."""

    id: int
    name: str
    xpos: Array
    xdir: Array

class DataTendonViews:
    """One tendon."""

    id: int
    name: str
    wrapadr: Array
    wrapnum: Array
    J_rownnz: Array
    J_rowadr: Array
    J_colind: Array
    J: Array
    length: Array
    velocity: Array

class DataActuatorViews:
    """One actuator."""

    id: int
    name: str
    ctrl: Array
    length: Array
    velocity: Array
    force: Array
    moment: Array

class DataSensorViews:
    """One sensor."""

    id: int
    name: str
    data: Array

class ModelAttributes:
    """Attributes of `MjModel`."""

    opt: MjOption
    stat: MjStatistic
    vis: MjVisual
    nq: int
    """number of position coordinates"""
    nv: int
    """number of degrees of freedom (dofs)"""
    nu: int
    """number of controls: of most models that of actuators"""
    na: int
    """number of actuator activations"""
    nbody: int
    """number of bodies, the world included"""
    nbvh: int
    """number of bounding volumes"""
    nbvhstatic: int
    """number of bounding volumes that are fixed in their body"""
    nbvhdynamic: int
    """number of bounding volumes of flexes, which move"""
    noct: int
    """number of octree cells"""
    njnt: int
    """number of joints"""
    ngeom: int
    """number of geoms"""
    nsite: int
    """number of sites"""
    ncam: int
    """number of cameras"""
    nlight: int
    """number of lights"""
    nflex: int
    """number of flexes"""
    nflexnode: int
    """number of control nodes of all flexes"""
    nflexvert: int
    """number of vertices of all flexes"""
    nflexedge: int
    """number of edges of all flexes"""
    nflexelem: int
    """number of elements of all flexes"""
    nflexelemdata: int
    """number of vertex ids of all flex elements"""
    nflexelemedge: int
    """number of edge ids of all flex elements"""
    nflexshelldata: int
    """number of vertex ids of all flex shells"""
    nflexevpair: int
    """number of element-vertex pairs of all flexes"""
    nflextexcoord: int
    """number of texture coordinates of all flexes"""
    nmesh: int
    """number of meshes"""
    nmeshvert: int
    """number of vertices of all meshes"""
    nmeshnormal: int
    """number of normals of all meshes"""
    nmeshtexcoord: int
    """number of texture coordinates of all meshes"""
    nmeshface: int
    """number of triangles of all meshes"""
    nmeshgraph: int
    """number of ints of all convex hull graphs"""
    nmeshpoly: int
    """number of polygons of all convex hulls"""
    nmeshpolyvert: int
    """number of vertex ids of all hull polygons"""
    nmeshpolymap: int
    """number of polygon ids of all hull vertices"""
    nskin: int
    """number of skins"""
    nskinvert: int
    """number of vertices of all skins"""
    nskintexvert: int
    """number of vertices with texture coordinates of all skins"""
    nskinface: int
    """number of triangles of all skins"""
    nskinbone: int
    """number of bones of all skins"""
    nskinbonevert: int
    """number of vertices of all skin bones"""
    nhfield: int
    """number of height fields"""
    nhfielddata: int
    """number of elevations of all height fields"""
    ntex: int
    """number of textures"""
    ntexdata: int
    """number of bytes of all textures"""
    nmat: int
    """number of materials"""
    npair: int
    """number of explicit contact pairs"""
    nexclude: int
    """number of excluded body pairs"""
    neq: int
    """number of equality constraints"""
    ntendon: int
    """number of tendons"""
    nwrap: int
    """number of path elements of all tendons"""
    nsensor: int
    """number of sensors"""
    nnumeric: int
    """number of custom numeric fields"""
    nnumericdata: int
    """number of reals of all numeric fields"""
    ntext: int
    """number of custom text fields"""
    ntextdata: int
    """number of bytes of all text fields"""
    ntuple: int
    """number of custom tuples"""
    ntupledata: int
    """number of elements of all tuples"""
    nkey: int
    """number of keyframes"""
    nmocap: int
    """number of motion capture bodies"""
    nplugin: int
    """number of plugin instances"""
    npluginattr: int
    """number of bytes of all plugin attributes"""
    nuser_body: int
    """user parameters per body"""
    nuser_jnt: int
    """user parameters per joint"""
    nuser_geom: int
    """user parameters per geom"""
    nuser_site: int
    """user parameters per site"""
    nuser_cam: int
    """user parameters per camera"""
    nuser_tendon: int
    """user parameters per tendon"""
    nuser_actuator: int
    """user parameters per actuator"""
    nuser_sensor: int
    """user parameters per sensor"""
    nnames: int
    """number of bytes of all names"""
    npaths: int
    """number of bytes of all paths"""
    nnames_map: int
    """number of slots of the hash tables of names"""
    nM: int
    """elements of the inertia matrix, lower triangle"""
    nB: int
    """elements of the body-dof matrix"""
    nC: int
    """elements of the inertia matrix, lower triangle, without those that are always zero"""
    nD: int
    """elements of the inertia matrix, both triangles"""
    nJmom: int
    """elements of the actuator moment matrix"""
    ntree: int
    """number of kinematic trees"""
    ngravcomp: int
    """number of bodies with gravity compensation"""
    nemax: int
    """largest number of rows of equality constraints"""
    njmax: int
    """legacy limit on constraint rows; -1: none"""
    nconmax: int
    """legacy limit on contacts; -1: none"""
    nuserdata: int
    """number of reals of user data"""
    nsensordata: int
    """number of reals of all sensors"""
    npluginstate: int
    """number of reals of plugin state"""
    nactuator: int
    """number of actuators"""
    nout: int
    """number of outputs of actuators: lengths and forces"""
    nhistory: int
    """number of reals of the history of controls and readings"""
    nplastic: int
    """number of reals of where springs that yield are at rest"""
    narena: int
    """memory that the model asks for contacts, constraint rows and temporaries; ours grows (bytes)"""
    nbuffer: int
    """memory of the fields of fixed size (bytes)"""
    nJten: int
    """number of elements of ten_J with compressed rows"""
    nJfe: int
    """number of elements of flexedge_J with compressed rows"""
    nflexbending: int
    """number of bending parameters of all flexes; 0 if none resists bending"""
    nflexstiffness: int
    """number of stiffness parameters of all flexes"""
    nmeshdegmax: int
    """largest number of neighbors of a vertex of a hull"""
    npolygonmax: int
    """largest number of vertices of a polygon of a hull"""
    nefm0L: int
    """not used here: always 0"""
    nefm0dof: int
    """not used here: always 0"""
    nefmCvert: int
    """not used here: always 0"""
    nJfv: int
    """not used here: always 0"""
    qpos0: Array[np.float64]
    """reference configuration (nq)"""
    qpos_spring: Array[np.float64]
    """configuration in which joint springs are at rest (nq)"""
    body_parentid: Array[np.int32]
    """parent body; the world is its own parent (nbody)"""
    body_rootid: Array[np.int32]
    """top body of the kinematic tree (nbody)"""
    body_weldid: Array[np.int32]
    """topmost body to which this one is fixed (nbody)"""
    body_mocapid: Array[np.int32]
    """motion capture id; -1: none (nbody)"""
    body_jntnum: Array[np.int32]
    """number of joints (nbody)"""
    body_jntadr: Array[np.int32]
    """first joint; -1: none (nbody)"""
    body_dofnum: Array[np.int32]
    """number of dofs (nbody)"""
    body_dofadr: Array[np.int32]
    """first dof; -1: none (nbody)"""
    body_treeid: Array[np.int32]
    """kinematic tree; -1: static (nbody)"""
    body_geomnum: Array[np.int32]
    """number of geoms (nbody)"""
    body_geomadr: Array[np.int32]
    """first geom; -1: none (nbody)"""
    body_simple: Array[np.uint8]
    """1: diagonal rows of the inertia matrix, 2: also only sliding joints (nbody)"""
    body_sameframe: Array[np.uint8]
    """frame that the inertial frame shares (mjtSameFrame) (nbody)"""
    body_pos: Array[np.float64]
    """position in the parent's frame at qpos0 (nbody x 3; m)"""
    body_quat: Array[np.float64]
    """orientation in the parent's frame at qpos0 (nbody x 4)"""
    body_ipos: Array[np.float64]
    """centre of mass in the body's frame (nbody x 3; m)"""
    body_iquat: Array[np.float64]
    """orientation of the principal axes of inertia in the body's frame (nbody x 4)"""
    body_mass: Array[np.float64]
    """mass (nbody; kg)"""
    body_subtreemass: Array[np.float64]
    """mass of the body and all below it (nbody; kg; written by mj_setConst)"""
    body_inertia: Array[np.float64]
    """principal moments of inertia (nbody x 3; kg m^2)"""
    body_invweight0: Array[np.float64]
    """mean inverse inertia at qpos0: of translation, of rotation (1/(kg m^2)) (nbody x 2; 1/kg; written by
    mj_setConst)"""
    body_gravcomp: Array[np.float64]
    """share of the weight that is compensated (nbody)"""
    body_margin: Array[np.float64]
    """largest margin of the body's geoms (nbody; m)"""
    body_user: Array[np.float64]
    """user parameters (nbody x nuser_body)"""
    body_plugin: Array[np.int32]
    """plugin instance; -1: none (nbody)"""
    body_contype: Array[np.int32]
    """all contact types of the body's geoms (nbody)"""
    body_conaffinity: Array[np.int32]
    """all contact affinities of the body's geoms (nbody)"""
    tree_sleep_policy: Array[np.int32]
    """whether each tree may sleep (mjtSleepPolicy) (ntree)"""
    body_bvhadr: Array[np.int32]
    """first bounding volume; -1: none (nbody)"""
    body_bvhnum: Array[np.int32]
    """number of bounding volumes (nbody)"""
    bvh_depth: Array[np.int32]
    """depth in the tree (nbvh)"""
    bvh_child: Array[np.int32]
    """the two children; -1: leaf (nbvh x 2)"""
    bvh_nodeid: Array[np.int32]
    """geom, element or face of a leaf; -1: inner node (nbvh)"""
    bvh_aabb: Array[np.float64]
    """box in the frame of the body or mesh: centre, half sizes (nbvhstatic x 6; m)"""
    oct_depth: Array[np.int32]
    """depth in the tree (noct)"""
    oct_child: Array[np.int32]
    """the eight children; -1: none (noct x 8)"""
    oct_aabb: Array[np.float64]
    """box: centre, half sizes (noct x 6; m)"""
    oct_coeff: Array[np.float64]
    """interpolation coefficients (noct x 8)"""
    jnt_type: Array[np.int32]
    """type (mjtJoint) (njnt)"""
    jnt_qposadr: Array[np.int32]
    """first coordinate in qpos (njnt)"""
    jnt_dofadr: Array[np.int32]
    """first dof (njnt)"""
    jnt_bodyid: Array[np.int32]
    """body that the joint moves (njnt)"""
    jnt_group: Array[np.int32]
    """group for showing and hiding (njnt)"""
    jnt_limited: Array[np.uint8]
    """whether the range is enforced (njnt)"""
    jnt_actfrclimited: Array[np.uint8]
    """whether the total actuator force is limited (njnt)"""
    jnt_actgravcomp: Array[np.uint8]
    """whether gravity compensation acts as an actuator force (njnt)"""
    jnt_solref: Array[np.float64]
    """constraint reference of the limit (njnt x 2)"""
    jnt_solimp: Array[np.float64]
    """constraint impedance of the limit (njnt x 5)"""
    jnt_pos: Array[np.float64]
    """anchor in the body's frame (njnt x 3; m)"""
    jnt_axis: Array[np.float64]
    """axis in the body's frame (njnt x 3)"""
    jnt_stiffness: Array[np.float64]
    """spring stiffness; N/m if it slides (njnt; N m/rad)"""
    jnt_stiffnesspoly: Array[np.float64]
    """spring stiffness of second and third order (njnt x 2)"""
    jnt_springyield: Array[np.float64]
    """displacement at which the spring yields; m if it slides (njnt; rad)"""
    jnt_plasticadr: Array[np.int32]
    """place in the plastic state; -1: none (njnt)"""
    jnt_actuatorid: Array[np.int32]
    """actuator whose motor has damping or armature; -1: none, -2: several (njnt)"""
    jnt_range: Array[np.float64]
    """lower and upper limit; m if it slides (njnt x 2; rad)"""
    jnt_actfrcrange: Array[np.float64]
    """limits of the total actuator force; N if it slides (njnt x 2; N m)"""
    jnt_margin: Array[np.float64]
    """distance from the limit at which it becomes active; m if it slides (njnt; rad)"""
    jnt_user: Array[np.float64]
    """user parameters (njnt x nuser_jnt)"""
    dof_bodyid: Array[np.int32]
    """body that the dof moves (nv)"""
    dof_jntid: Array[np.int32]
    """joint (nv)"""
    dof_parentid: Array[np.int32]
    """parent dof in the tree; -1: none (nv)"""
    dof_treeid: Array[np.int32]
    """kinematic tree (nv)"""
    dof_Madr: Array[np.int32]
    """address of the diagonal element in `qM` (nv)"""
    dof_simplenum: Array[np.int32]
    """number of dofs, from this one on, whose rows of the inertia matrix are diagonal (nv)"""
    dof_solref: Array[np.float64]
    """constraint reference of friction loss (nv x 2)"""
    dof_solimp: Array[np.float64]
    """constraint impedance of friction loss (nv x 5)"""
    dof_frictionloss: Array[np.float64]
    """dry friction; N if it slides (nv; N m)"""
    dof_armature: Array[np.float64]
    """inertia that is added to the dof; kg if it slides (nv; kg m^2)"""
    dof_damping: Array[np.float64]
    """damping; N s/m if it slides (nv; N m s/rad)"""
    dof_dampingpoly: Array[np.float64]
    """damping of second and third order (nv x 2)"""
    dof_invweight0: Array[np.float64]
    """diagonal of the inverse inertia matrix at qpos0 (nv; written by mj_setConst)"""
    dof_M0: Array[np.float64]
    """diagonal of the inertia matrix at qpos0 (nv; written by mj_setConst)"""
    geom_type: Array[np.int32]
    """type (mjtGeom) (ngeom)"""
    geom_contype: Array[np.int32]
    """contact type bits (ngeom)"""
    geom_conaffinity: Array[np.int32]
    """bits of contact types that it collides with (ngeom)"""
    geom_condim: Array[np.int32]
    """dimensions of contacts: 1, 3, 4 or 6 (ngeom)"""
    geom_bodyid: Array[np.int32]
    """body (ngeom)"""
    geom_dataid: Array[np.int32]
    """mesh or height field; -1: none (ngeom)"""
    geom_matid: Array[np.int32]
    """material; -1: none (ngeom)"""
    geom_group: Array[np.int32]
    """group for showing and hiding (ngeom)"""
    geom_priority: Array[np.int32]
    """contact parameters come from the geom with the higher priority (ngeom)"""
    geom_plugin: Array[np.int32]
    """plugin instance; -1: none (ngeom)"""
    geom_sameframe: Array[np.uint8]
    """frame of the body that it shares (mjtSameFrame) (ngeom)"""
    geom_solmix: Array[np.float64]
    """weight when contact parameters are mixed (ngeom)"""
    geom_surfacevel: Array[np.float64]
    """velocity of the surface in the geom's frame: linear, then angular (rad/s) (ngeom x 6; m/s)"""
    geom_adhesion: Array[np.float64]
    """adhesive force of contacts (ngeom; N)"""
    geom_solref: Array[np.float64]
    """constraint reference of contacts (ngeom x 2)"""
    geom_solimp: Array[np.float64]
    """constraint impedance of contacts (ngeom x 5)"""
    geom_size: Array[np.float64]
    """sizes; which depends on the type (ngeom x 3; m)"""
    geom_aabb: Array[np.float64]
    """box around it in its frame: centre, half sizes (ngeom x 6; m)"""
    geom_rbound: Array[np.float64]
    """radius of the sphere around it; 0: unbounded (ngeom; m)"""
    geom_pos: Array[np.float64]
    """position in the body's frame (ngeom x 3; m)"""
    geom_quat: Array[np.float64]
    """orientation in the body's frame (ngeom x 4)"""
    geom_friction: Array[np.float64]
    """friction: sliding, torsional (m), rolling (m) (ngeom x 3)"""
    geom_margin: Array[np.float64]
    """distance at which contacts are detected (ngeom; m)"""
    geom_gap: Array[np.float64]
    """contacts at more than margin - gap produce no force (ngeom; m)"""
    geom_fluid: Array[np.float64]
    """parameters of interaction with the medium (ngeom x 12)"""
    geom_user: Array[np.float64]
    """user parameters (ngeom x nuser_geom)"""
    geom_rgba: Array[np.float32]
    """colour where there is no material (ngeom x 4)"""
    site_type: Array[np.int32]
    """type (mjtGeom), for drawing and touch sensors (nsite)"""
    site_dataid: Array[np.int32]
    """mesh of the shape; -1: none (nsite)"""
    site_bodyid: Array[np.int32]
    """body (nsite)"""
    site_matid: Array[np.int32]
    """material; -1: none (nsite)"""
    site_group: Array[np.int32]
    """group for showing and hiding (nsite)"""
    site_sameframe: Array[np.uint8]
    """frame of the body that it shares (mjtSameFrame) (nsite)"""
    site_size: Array[np.float64]
    """sizes; which depends on the type (nsite x 3; m)"""
    site_pos: Array[np.float64]
    """position in the body's frame (nsite x 3; m)"""
    site_quat: Array[np.float64]
    """orientation in the body's frame (nsite x 4)"""
    site_user: Array[np.float64]
    """user parameters (nsite x nuser_site)"""
    site_rgba: Array[np.float32]
    """colour where there is no material (nsite x 4)"""
    cam_mode: Array[np.int32]
    """how it follows its body (mjtCamLight) (ncam)"""
    cam_bodyid: Array[np.int32]
    """body (ncam)"""
    cam_targetbodyid: Array[np.int32]
    """body that it looks at; -1: none (ncam)"""
    cam_pos: Array[np.float64]
    """position in the body's frame (ncam x 3; m)"""
    cam_quat: Array[np.float64]
    """orientation in the body's frame (ncam x 4)"""
    cam_poscom0: Array[np.float64]
    """position relative to the subtree's centre of mass at qpos0, world axes (ncam x 3; m; written by
    mj_setConst)"""
    cam_pos0: Array[np.float64]
    """position relative to the body at qpos0, world axes (ncam x 3; m; written by mj_setConst)"""
    cam_mat0: Array[np.float64]
    """orientation at qpos0, world frame (ncam x 9; written by mj_setConst)"""
    cam_orthographic: Array[np.int32]
    """whether the projection is orthographic (ncam)"""
    cam_fovy: Array[np.float64]
    """vertical field of view; metres if orthographic (ncam; deg)"""
    cam_ipd: Array[np.float64]
    """distance of the eyes (ncam; m)"""
    cam_resolution: Array[np.int32]
    """width and height (ncam x 2; pixel)"""
    cam_output: Array[np.int32]
    """pictures that it gives (mjtCamOutBit) (ncam)"""
    cam_sensorsize: Array[np.float32]
    """size of the sensor (ncam x 2; m)"""
    cam_intrinsic: Array[np.float32]
    """focal length and principal point (ncam x 4; m)"""
    cam_user: Array[np.float64]
    """user parameters (ncam x nuser_cam)"""
    light_mode: Array[np.int32]
    """how it follows its body (mjtCamLight) (nlight)"""
    light_bodyid: Array[np.int32]
    """body (nlight)"""
    light_targetbodyid: Array[np.int32]
    """body that it shines at; -1: none (nlight)"""
    light_type: Array[np.int32]
    """type (mjtLightType) (nlight)"""
    light_texid: Array[np.int32]
    """texture of an image light; -1: none (nlight)"""
    light_castshadow: Array[np.uint8]
    """whether it casts shadows (nlight)"""
    light_bulbradius: Array[np.float32]
    """radius, for soft shadows (nlight; m)"""
    light_intensity: Array[np.float32]
    """intensity, for physically based renderers (nlight; cd)"""
    light_range: Array[np.float32]
    """reach (nlight; m)"""
    light_active: Array[np.uint8]
    """whether it is on (nlight)"""
    light_pos: Array[np.float64]
    """position in the body's frame (nlight x 3; m)"""
    light_dir: Array[np.float64]
    """direction in the body's frame (nlight x 3)"""
    light_poscom0: Array[np.float64]
    """position relative to the subtree's centre of mass at qpos0, world axes (nlight x 3; m; written by
    mj_setConst)"""
    light_pos0: Array[np.float64]
    """position relative to the body at qpos0, world axes (nlight x 3; m; written by mj_setConst)"""
    light_dir0: Array[np.float64]
    """direction at qpos0, world frame (nlight x 3; written by mj_setConst)"""
    light_attenuation: Array[np.float32]
    """constant, linear, quadratic attenuation with distance (nlight x 3)"""
    light_cutoff: Array[np.float32]
    """angle at which a spot light ends (nlight; deg)"""
    light_exponent: Array[np.float32]
    """how sharply a spot light fades (nlight)"""
    light_ambient: Array[np.float32]
    """ambient colour (nlight x 3)"""
    light_diffuse: Array[np.float32]
    """diffuse colour (nlight x 3)"""
    light_specular: Array[np.float32]
    """specular colour (nlight x 3)"""
    flex_contype: Array[np.int32]
    """contact type bits (nflex)"""
    flex_conaffinity: Array[np.int32]
    """bits of contact types that it collides with (nflex)"""
    flex_condim: Array[np.int32]
    """dimensions of contacts: 1, 3, 4 or 6 (nflex)"""
    flex_priority: Array[np.int32]
    """contact parameters come from the one with the higher priority (nflex)"""
    flex_solmix: Array[np.float64]
    """weight when contact parameters are mixed (nflex)"""
    flex_solref: Array[np.float64]
    """constraint reference of contacts (nflex x 2)"""
    flex_solimp: Array[np.float64]
    """constraint impedance of contacts (nflex x 5)"""
    flex_friction: Array[np.float64]
    """friction: sliding, torsional (m), rolling (m) (nflex x 3)"""
    flex_margin: Array[np.float64]
    """distance at which contacts are detected (nflex; m)"""
    flex_gap: Array[np.float64]
    """contacts at more than margin - gap produce no force (nflex; m)"""
    flex_internal: Array[np.uint8]
    """whether it collides internally (nflex)"""
    flex_selfcollide: Array[np.int32]
    """how it collides with itself (mjtFlexSelf) (nflex)"""
    flex_activelayers: Array[np.int32]
    """layers of elements that collide (nflex)"""
    flex_dim: Array[np.int32]
    """1: lines, 2: triangles, 3: tetrahedra (nflex)"""
    flex_matid: Array[np.int32]
    """material; -1: none (nflex)"""
    flex_group: Array[np.int32]
    """group for showing and hiding (nflex)"""
    flex_interp: Array[np.int32]
    """order of interpolation between nodes; 0: vertices move on their own (nflex)"""
    flex_nodeadr: Array[np.int32]
    """first node (nflex)"""
    flex_nodenum: Array[np.int32]
    """number of nodes (nflex)"""
    flex_vertadr: Array[np.int32]
    """first vertex (nflex)"""
    flex_vertnum: Array[np.int32]
    """number of vertices (nflex)"""
    flex_edgeadr: Array[np.int32]
    """first edge (nflex)"""
    flex_edgenum: Array[np.int32]
    """number of edges (nflex)"""
    flex_elemadr: Array[np.int32]
    """first element (nflex)"""
    flex_elemnum: Array[np.int32]
    """number of elements (nflex)"""
    flex_elemdataadr: Array[np.int32]
    """first vertex id of its elements (nflex)"""
    flex_elemedgeadr: Array[np.int32]
    """first edge id of its elements (nflex)"""
    flex_shellnum: Array[np.int32]
    """number of shell fragments (nflex)"""
    flex_shelldataadr: Array[np.int32]
    """first vertex id of its shell; -1: none (nflex)"""
    flex_evpairadr: Array[np.int32]
    """first element-vertex pair; -1: none (nflex)"""
    flex_evpairnum: Array[np.int32]
    """number of element-vertex pairs (nflex)"""
    flex_texcoordadr: Array[np.int32]
    """first texture coordinate; -1: none (nflex)"""
    flex_nodebodyid: Array[np.int32]
    """body of each node (nflexnode)"""
    flex_vertbodyid: Array[np.int32]
    """body of each vertex (nflexvert)"""
    flex_edge: Array[np.int32]
    """the two vertices of each edge (nflexedge x 2)"""
    flex_edgeflap: Array[np.int32]
    """the vertices opposite each edge in two dimensions; -1: none (nflexedge x 2)"""
    flex_elem: Array[np.int32]
    """vertices of each element, dim + 1 of them (nflexelemdata)"""
    flex_elemtexcoord: Array[np.int32]
    """texture coordinates of each element (nflexelemdata)"""
    flex_elemedge: Array[np.int32]
    """edges of each element (nflexelemedge)"""
    flex_elemlayer: Array[np.int32]
    """distance of each element from the surface (nflexelem)"""
    flex_shell: Array[np.int32]
    """vertices of each shell fragment, dim of them (nflexshelldata)"""
    flex_evpair: Array[np.int32]
    """an element and a vertex that can collide (nflexevpair x 2)"""
    flex_vert: Array[np.float64]
    """vertices in their bodies' frames (nflexvert x 3; m)"""
    flex_vert0: Array[np.float64]
    """vertices at qpos0, in units of the flex's box (nflexvert x 3)"""
    flex_node: Array[np.float64]
    """nodes in their bodies' frames (nflexnode x 3; m)"""
    flex_node0: Array[np.float64]
    """nodes at qpos0 (nflexnode x 3; m)"""
    flexedge_length0: Array[np.float64]
    """length of each edge at qpos0 (nflexedge; m; written by mj_setConst)"""
    flexedge_invweight0: Array[np.float64]
    """inverse inertia of each edge at qpos0 (nflexedge; written by mj_setConst)"""
    flex_radius: Array[np.float64]
    """radius of the skin around vertices, edges and elements (nflex; m)"""
    flex_stiffness: Array[np.float64]
    """stiffness of each element (nflexelem x 21)"""
    flex_bending: Array[np.float64]
    """bending stiffness of each edge (nflexedge x 16)"""
    flex_damping: Array[np.float64]
    """Rayleigh damping (nflex; s)"""
    flex_edgestiffness: Array[np.float64]
    """spring stiffness of edges (nflex; N/m)"""
    flex_edgedamping: Array[np.float64]
    """damping of edges (nflex; N s/m)"""
    flex_edgeequality: Array[np.uint8]
    """what is constrained; 0: nothing, 1: edges, 3: the strain (nflex)"""
    flex_rigid: Array[np.uint8]
    """whether all vertices are in one body (nflex)"""
    flexedge_rigid: Array[np.uint8]
    """whether both vertices of the edge are in one body (nflexedge)"""
    flex_centered: Array[np.uint8]
    """whether all vertices are at their bodies' origins (nflex)"""
    flex_flatskin: Array[np.uint8]
    """whether it is drawn with flat shading (nflex)"""
    flex_bvhadr: Array[np.int32]
    """first bounding volume; -1: none (nflex)"""
    flex_bvhnum: Array[np.int32]
    """number of bounding volumes (nflex)"""
    flex_rgba: Array[np.float32]
    """colour where there is no material (nflex x 4)"""
    flex_texcoord: Array[np.float32]
    """texture coordinates (nflextexcoord x 2)"""
    mesh_vertadr: Array[np.int32]
    """first vertex (nmesh)"""
    mesh_vertnum: Array[np.int32]
    """number of vertices (nmesh)"""
    mesh_faceadr: Array[np.int32]
    """first triangle (nmesh)"""
    mesh_facenum: Array[np.int32]
    """number of triangles (nmesh)"""
    mesh_bvhadr: Array[np.int32]
    """first bounding volume (nmesh)"""
    mesh_bvhnum: Array[np.int32]
    """number of bounding volumes (nmesh)"""
    mesh_octadr: Array[np.int32]
    """first octree cell; -1: none (nmesh)"""
    mesh_octnum: Array[np.int32]
    """number of octree cells (nmesh)"""
    mesh_normaladr: Array[np.int32]
    """first normal (nmesh)"""
    mesh_normalnum: Array[np.int32]
    """number of normals (nmesh)"""
    mesh_texcoordadr: Array[np.int32]
    """first texture coordinate; -1: none (nmesh)"""
    mesh_texcoordnum: Array[np.int32]
    """number of texture coordinates (nmesh)"""
    mesh_graphadr: Array[np.int32]
    """address of the convex hull's graph; -1: none (nmesh)"""
    mesh_vert: Array[np.float32]
    """vertices in the mesh's frame (nmeshvert x 3; m)"""
    mesh_normal: Array[np.float32]
    """normals in the mesh's frame (nmeshnormal x 3)"""
    mesh_texcoord: Array[np.float32]
    """texture coordinates (nmeshtexcoord x 2)"""
    mesh_face: Array[np.int32]
    """the three vertices of each triangle, counted within the mesh (nmeshface x 3)"""
    mesh_facenormal: Array[np.int32]
    """the three normals of each triangle (nmeshface x 3)"""
    mesh_facetexcoord: Array[np.int32]
    """the three texture coordinates of each triangle (nmeshface x 3)"""
    mesh_graph: Array[np.int32]
    """graph of the convex hull: counts, edge lists, triangles (nmeshgraph)"""
    mesh_scale: Array[np.float64]
    """scale that was applied to the asset (nmesh x 3)"""
    mesh_pos: Array[np.float64]
    """translation that was applied to the asset (nmesh x 3; m)"""
    mesh_quat: Array[np.float64]
    """rotation that was applied to the asset (nmesh x 4)"""
    mesh_pathadr: Array[np.int32]
    """address of the asset's path; -1: none (nmesh)"""
    mesh_polynum: Array[np.int32]
    """number of polygons of the convex hull (nmesh)"""
    mesh_polyadr: Array[np.int32]
    """first polygon (nmesh)"""
    mesh_polynormal: Array[np.float64]
    """normal of each polygon (nmeshpoly x 3)"""
    mesh_polyvertadr: Array[np.int32]
    """first vertex id of each polygon (nmeshpoly)"""
    mesh_polyvertnum: Array[np.int32]
    """number of vertices of each polygon (nmeshpoly)"""
    mesh_polyvert: Array[np.int32]
    """vertices of the polygons (nmeshpolyvert)"""
    mesh_polymapadr: Array[np.int32]
    """first polygon id of each vertex (nmeshvert)"""
    mesh_polymapnum: Array[np.int32]
    """number of polygons at each vertex (nmeshvert)"""
    mesh_polymap: Array[np.int32]
    """polygons at the vertices (nmeshpolymap)"""
    skin_matid: Array[np.int32]
    """material; -1: none (nskin)"""
    skin_group: Array[np.int32]
    """group for showing and hiding (nskin)"""
    skin_rgba: Array[np.float32]
    """colour where there is no material (nskin x 4)"""
    skin_inflate: Array[np.float32]
    """outward displacement of the vertices (nskin; m)"""
    skin_vertadr: Array[np.int32]
    """first vertex (nskin)"""
    skin_vertnum: Array[np.int32]
    """number of vertices (nskin)"""
    skin_texcoordadr: Array[np.int32]
    """first texture coordinate; -1: none (nskin)"""
    skin_faceadr: Array[np.int32]
    """first triangle (nskin)"""
    skin_facenum: Array[np.int32]
    """number of triangles (nskin)"""
    skin_boneadr: Array[np.int32]
    """first bone (nskin)"""
    skin_bonenum: Array[np.int32]
    """number of bones (nskin)"""
    skin_vert: Array[np.float32]
    """vertices at qpos0 (nskinvert x 3; m)"""
    skin_texcoord: Array[np.float32]
    """texture coordinates (nskintexvert x 2)"""
    skin_face: Array[np.int32]
    """the three vertices of each triangle (nskinface x 3)"""
    skin_bonevertadr: Array[np.int32]
    """first vertex of each bone (nskinbone)"""
    skin_bonevertnum: Array[np.int32]
    """number of vertices of each bone (nskinbone)"""
    skin_bonebindpos: Array[np.float32]
    """position of each bone when bound (nskinbone x 3; m)"""
    skin_bonebindquat: Array[np.float32]
    """orientation of each bone when bound (nskinbone x 4)"""
    skin_bonebodyid: Array[np.int32]
    """body of each bone (nskinbone)"""
    skin_bonevertid: Array[np.int32]
    """vertices of the bones (nskinbonevert)"""
    skin_bonevertweight: Array[np.float32]
    """weights of the vertices of the bones (nskinbonevert)"""
    skin_pathadr: Array[np.int32]
    """address of the asset's path; -1: none (nskin)"""
    hfield_size: Array[np.float64]
    """half sizes in x and y, height of elevation 1, depth of the base (nhfield x 4; m)"""
    hfield_nrow: Array[np.int32]
    """number of rows (nhfield)"""
    hfield_ncol: Array[np.int32]
    """number of columns (nhfield)"""
    hfield_adr: Array[np.int32]
    """first elevation (nhfield)"""
    hfield_data: Array[np.float32]
    """elevations between 0 and 1, by rows (nhfielddata)"""
    hfield_pathadr: Array[np.int32]
    """address of the asset's path; -1: none (nhfield)"""
    tex_type: Array[np.int32]
    """type (mjtTexture) (ntex)"""
    tex_colorspace: Array[np.int32]
    """colour space (mjtColorSpace) (ntex)"""
    tex_height: Array[np.int32]
    """number of rows (ntex; pixel)"""
    tex_width: Array[np.int32]
    """number of columns (ntex; pixel)"""
    tex_nchannel: Array[np.int32]
    """bytes per pixel (ntex)"""
    tex_adr: Array[np.int32]
    """first byte (ntex)"""
    tex_data: Array[np.uint8]
    """pixels (ntexdata)"""
    tex_pathadr: Array[np.int32]
    """address of the asset's path; -1: none (ntex)"""
    mat_texid: Array[np.int32]
    """texture of each role (mjtTextureRole); -1: none (nmat x 10)"""
    mat_texuniform: Array[np.uint8]
    """whether textures repeat per metre instead of per object (nmat)"""
    mat_texrepeat: Array[np.float32]
    """repetitions of a plane texture (nmat x 2)"""
    mat_emission: Array[np.float32]
    """emission, in units of the colour (nmat)"""
    mat_specular: Array[np.float32]
    """specular reflection (nmat)"""
    mat_shininess: Array[np.float32]
    """how sharp the specular reflection is (nmat)"""
    mat_reflectance: Array[np.float32]
    """share of light that planes and boxes reflect as mirrors (nmat)"""
    mat_metallic: Array[np.float32]
    """metallic look, for physically based renderers; -1: unset (nmat)"""
    mat_roughness: Array[np.float32]
    """roughness, for physically based renderers; -1: unset (nmat)"""
    mat_rgba: Array[np.float32]
    """colour (nmat x 4)"""
    pair_dim: Array[np.int32]
    """dimensions of contacts: 1, 3, 4 or 6 (npair)"""
    pair_geom1: Array[np.int32]
    """first geom (npair)"""
    pair_geom2: Array[np.int32]
    """second geom (npair)"""
    pair_signature: Array[np.int32]
    """both bodies: the first in the upper 16 bits (npair)"""
    pair_solref: Array[np.float64]
    """constraint reference of the normal direction (npair x 2)"""
    pair_solreffriction: Array[np.float64]
    """constraint reference of the frictional directions; 0: as the normal (npair x 2)"""
    pair_solimp: Array[np.float64]
    """constraint impedance (npair x 5)"""
    pair_adhesion: Array[np.float64]
    """adhesive force of contacts (npair; N)"""
    pair_margin: Array[np.float64]
    """distance at which contacts are detected (npair; m)"""
    pair_gap: Array[np.float64]
    """contacts at more than margin - gap produce no force (npair; m)"""
    pair_friction: Array[np.float64]
    """friction: two tangents, torsion (m), two rolls (m) (npair x 5)"""
    exclude_signature: Array[np.int32]
    """both bodies: the first in the upper 16 bits (nexclude)"""
    eq_type: Array[np.int32]
    """type (mjtEq) (neq)"""
    eq_obj1id: Array[np.int32]
    """first object (neq)"""
    eq_obj2id: Array[np.int32]
    """second object; -1: none (neq)"""
    eq_objtype: Array[np.int32]
    """type of the objects (mjtObj) (neq)"""
    eq_active0: Array[np.uint8]
    """whether it is active at first (neq)"""
    eq_solref: Array[np.float64]
    """constraint reference (neq x 2)"""
    eq_solimp: Array[np.float64]
    """constraint impedance (neq x 5)"""
    eq_data: Array[np.float64]
    """parameters; which depends on the type (neq x 11; written by mj_setConst)"""
    tendon_adr: Array[np.int32]
    """first path element (ntendon)"""
    tendon_num: Array[np.int32]
    """number of path elements (ntendon)"""
    tendon_matid: Array[np.int32]
    """material; -1: none (ntendon)"""
    tendon_group: Array[np.int32]
    """group for showing and hiding (ntendon)"""
    tendon_limited: Array[np.uint8]
    """whether the range is enforced (ntendon)"""
    tendon_actfrclimited: Array[np.uint8]
    """whether the total actuator force is limited (ntendon)"""
    tendon_width: Array[np.float64]
    """radius when drawn (ntendon; m)"""
    tendon_solref_lim: Array[np.float64]
    """constraint reference of the limit (ntendon x 2)"""
    tendon_solimp_lim: Array[np.float64]
    """constraint impedance of the limit (ntendon x 5)"""
    tendon_solref_fri: Array[np.float64]
    """constraint reference of friction loss (ntendon x 2)"""
    tendon_solimp_fri: Array[np.float64]
    """constraint impedance of friction loss (ntendon x 5)"""
    tendon_range: Array[np.float64]
    """lower and upper limit of the length (ntendon x 2; m)"""
    tendon_actfrcrange: Array[np.float64]
    """limits of the total actuator force (ntendon x 2; N)"""
    tendon_margin: Array[np.float64]
    """distance from the limit at which it becomes active (ntendon; m)"""
    tendon_stiffness: Array[np.float64]
    """spring stiffness (ntendon; N/m)"""
    tendon_damping: Array[np.float64]
    """damping (ntendon; N s/m)"""
    tendon_stiffnesspoly: Array[np.float64]
    """spring stiffness of second and third order (ntendon x 2)"""
    tendon_dampingpoly: Array[np.float64]
    """damping of second and third order (ntendon x 2)"""
    tendon_springyield: Array[np.float64]
    """displacement at which the spring yields (ntendon; m)"""
    tendon_plasticadr: Array[np.int32]
    """place in the plastic state; -1: none (ntendon)"""
    tendon_actuatorid: Array[np.int32]
    """actuator whose motor has damping or armature; -1: none, -2: several (ntendon)"""
    tendon_armature: Array[np.float64]
    """inertia of changes in length (ntendon; kg)"""
    tendon_frictionloss: Array[np.float64]
    """dry friction (ntendon; N)"""
    tendon_lengthspring: Array[np.float64]
    """lengths between which the spring is at rest (ntendon x 2; m; written by mj_setConst)"""
    tendon_length0: Array[np.float64]
    """length at qpos0 (ntendon; m; written by mj_setConst)"""
    tendon_invweight0: Array[np.float64]
    """inverse inertia at qpos0 (ntendon; 1/kg; written by mj_setConst)"""
    tendon_user: Array[np.float64]
    """user parameters (ntendon x nuser_tendon)"""
    tendon_rgba: Array[np.float32]
    """colour where there is no material (ntendon x 4)"""
    wrap_type: Array[np.int32]
    """type (mjtWrap) (nwrap)"""
    wrap_objid: Array[np.int32]
    """joint, site or geom; -1: pulley (nwrap)"""
    wrap_prm: Array[np.float64]
    """joint: coefficient, pulley: divisor, geom: side site or -1 (nwrap)"""
    actuator_trntype: Array[np.int32]
    """type of transmission (mjtTrn) (nactuator)"""
    actuator_dyntype: Array[np.int32]
    """type of activation dynamics (mjtDyn) (nactuator)"""
    actuator_gaintype: Array[np.int32]
    """type of gain (mjtGain) (nactuator)"""
    actuator_biastype: Array[np.int32]
    """type of bias (mjtBias) (nactuator)"""
    actuator_trnid: Array[np.int32]
    """joint, tendon, site, or body, and a second one for some types; -1: none (nactuator x 2)"""
    actuator_actadr: Array[np.int32]
    """first activation; -1: none (nactuator)"""
    actuator_actnum: Array[np.int32]
    """number of activations (nactuator)"""
    actuator_ctrladr: Array[np.int32]
    """first control; -1: none (nactuator)"""
    actuator_ctrlnum: Array[np.int32]
    """number of controls (nactuator)"""
    actuator_ctrlspec: Array[np.int32]
    """what the controls are (mjtCtrlInput); 0: not said (nactuator)"""
    actuator_outadr: Array[np.int32]
    """first output: length, velocity, force (nactuator)"""
    actuator_outnum: Array[np.int32]
    """number of outputs (nactuator)"""
    actuator_history: Array[np.int32]
    """samples of the history of its controls, and how they are interpolated: 0 not, 1 linearly, 2 cubically
    (nactuator x 2)"""
    actuator_historyadr: Array[np.int32]
    """place in the history; -1: none (nactuator)"""
    actuator_delay: Array[np.float64]
    """delay of the controls; 0: none (nactuator; s)"""
    actuator_damping: Array[np.float64]
    """damping of the joint or tendon by the motor, times gear^2; N s/m if it slides (nactuator; N m s/rad)"""
    actuator_dampingpoly: Array[np.float64]
    """the same of second and third order (nactuator x 2)"""
    actuator_armature: Array[np.float64]
    """inertia of the motor, which is added to its joint or tendon times gear^2; kg if it slides (nactuator; kg
    m^2)"""
    actuator_group: Array[np.int32]
    """group for showing, hiding and disabling (nactuator)"""
    actuator_ctrllimited: Array[np.uint8]
    """whether the control is clamped (nu)"""
    actuator_forcelimited: Array[np.uint8]
    """whether the force is clamped (nactuator)"""
    actuator_actlimited: Array[np.uint8]
    """whether the activation is clamped (nactuator)"""
    actuator_dynprm: Array[np.float64]
    """parameters of the activation dynamics (nactuator x 10)"""
    actuator_gainprm: Array[np.float64]
    """parameters of the gain (nactuator x 10)"""
    actuator_biasprm: Array[np.float64]
    """parameters of the bias (nactuator x 10; written by mj_setConst)"""
    actuator_actearly: Array[np.uint8]
    """whether the force uses the activation at the end of the step (nactuator)"""
    actuator_ctrlrange: Array[np.float64]
    """limits of the control (nu x 2)"""
    actuator_forcerange: Array[np.float64]
    """limits of the force (nactuator x 2; N)"""
    actuator_actrange: Array[np.float64]
    """limits of the activation (nactuator x 2)"""
    actuator_gear: Array[np.float64]
    """scale of length and moment arms (nout x 6)"""
    actuator_cranklength: Array[np.float64]
    """length of the crank of a slider-crank (nactuator; m)"""
    actuator_acc0: Array[np.float64]
    """norm of the acceleration that a unit force causes at qpos0 (nout; written by mj_setConst)"""
    actuator_length0: Array[np.float64]
    """length at qpos0 (nout; written by mj_setConst)"""
    actuator_lengthrange: Array[np.float64]
    """lengths that are feasible (nout x 2)"""
    actuator_user: Array[np.float64]
    """user parameters (nactuator x nuser_actuator)"""
    actuator_plugin: Array[np.int32]
    """plugin instance; -1: none (nactuator)"""
    sensor_type: Array[np.int32]
    """type (mjtSensor) (nsensor)"""
    sensor_datatype: Array[np.int32]
    """what the numbers are (mjtDataType) (nsensor)"""
    sensor_needstage: Array[np.int32]
    """stage after which it can be computed (mjtStage) (nsensor)"""
    sensor_objtype: Array[np.int32]
    """type of the sensed object (mjtObj) (nsensor)"""
    sensor_objid: Array[np.int32]
    """sensed object (nsensor)"""
    sensor_reftype: Array[np.int32]
    """type of the reference frame (mjtObj) (nsensor)"""
    sensor_refid: Array[np.int32]
    """reference frame; -1: world (nsensor)"""
    sensor_intprm: Array[np.int32]
    """integer parameters (nsensor x 3)"""
    sensor_dim: Array[np.int32]
    """number of reals (nsensor)"""
    sensor_adr: Array[np.int32]
    """first real in sensordata (nsensor)"""
    sensor_cutoff: Array[np.float64]
    """values are clamped to this; 0: not (nsensor)"""
    sensor_noise: Array[np.float64]
    """standard deviation of noise, for users (nsensor)"""
    sensor_history: Array[np.int32]
    """samples of the history of its readings, and how they are interpolated, as of actuators (nsensor x 2)"""
    sensor_historyadr: Array[np.int32]
    """place in the history; -1: none (nsensor)"""
    sensor_delay: Array[np.float64]
    """delay of the readings; 0: none (nsensor; s)"""
    sensor_interval: Array[np.float64]
    """time between readings, 0: every step; and when the last one was before the beginning (nsensor x 2; s)"""
    sensor_user: Array[np.float64]
    """user parameters (nsensor x nuser_sensor)"""
    sensor_plugin: Array[np.int32]
    """plugin instance; -1: none (nsensor)"""
    plugin: Array[np.int32]
    """slot of each instance's plugin (nplugin)"""
    plugin_stateadr: Array[np.int32]
    """first state of each instance (nplugin)"""
    plugin_statenum: Array[np.int32]
    """number of states of each instance (nplugin)"""
    plugin_attr: Array[np.uint8]
    """attributes of all instances, zero-terminated texts (npluginattr)"""
    plugin_attradr: Array[np.int32]
    """first attribute of each instance (nplugin)"""
    numeric_adr: Array[np.int32]
    """first real (nnumeric)"""
    numeric_size: Array[np.int32]
    """number of reals (nnumeric)"""
    numeric_data: Array[np.float64]
    """values (nnumericdata)"""
    text_adr: Array[np.int32]
    """first byte (ntext)"""
    text_size: Array[np.int32]
    """number of bytes, the terminating zero included (ntext)"""
    text_data: bytes
    """texts (ntextdata)"""
    tuple_adr: Array[np.int32]
    """first element (ntuple)"""
    tuple_size: Array[np.int32]
    """number of elements (ntuple)"""
    tuple_objtype: Array[np.int32]
    """type of each element (mjtObj) (ntupledata)"""
    tuple_objid: Array[np.int32]
    """id of each element (ntupledata)"""
    tuple_objprm: Array[np.float64]
    """number that goes with each element (ntupledata)"""
    key_time: Array[np.float64]
    """time (nkey; s)"""
    key_qpos: Array[np.float64]
    """positions (nkey x nq)"""
    key_qvel: Array[np.float64]
    """velocities (nkey x nv)"""
    key_act: Array[np.float64]
    """activations (nkey x na)"""
    key_mpos: Array[np.float64]
    """positions of motion capture bodies (nkey x nmocap x 3; m)"""
    key_mquat: Array[np.float64]
    """orientations of motion capture bodies (nkey x nmocap x 4)"""
    key_ctrl: Array[np.float64]
    """controls (nkey x nu)"""
    key_plastic: Array[np.float64]
    """where springs that yield are at rest (nkey x nplastic)"""
    name_bodyadr: Array[np.int32]
    """of bodies (nbody)"""
    name_jntadr: Array[np.int32]
    """of joints (njnt)"""
    name_geomadr: Array[np.int32]
    """of geoms (ngeom)"""
    name_siteadr: Array[np.int32]
    """of sites (nsite)"""
    name_camadr: Array[np.int32]
    """of cameras (ncam)"""
    name_lightadr: Array[np.int32]
    """of lights (nlight)"""
    name_flexadr: Array[np.int32]
    """of flexes (nflex)"""
    name_meshadr: Array[np.int32]
    """of meshes (nmesh)"""
    name_skinadr: Array[np.int32]
    """of skins (nskin)"""
    name_hfieldadr: Array[np.int32]
    """of hfields (nhfield)"""
    name_texadr: Array[np.int32]
    """of textures (ntex)"""
    name_matadr: Array[np.int32]
    """of materials (nmat)"""
    name_pairadr: Array[np.int32]
    """of pairs (npair)"""
    name_excludeadr: Array[np.int32]
    """of excludes (nexclude)"""
    name_eqadr: Array[np.int32]
    """of equalities (neq)"""
    name_tendonadr: Array[np.int32]
    """of tendons (ntendon)"""
    name_actuatoradr: Array[np.int32]
    """of actuators (nactuator)"""
    name_sensoradr: Array[np.int32]
    """of sensors (nsensor)"""
    name_numericadr: Array[np.int32]
    """of numerics (nnumeric)"""
    name_textadr: Array[np.int32]
    """of texts (ntext)"""
    name_tupleadr: Array[np.int32]
    """of tuples (ntuple)"""
    name_keyadr: Array[np.int32]
    """of keys (nkey)"""
    name_pluginadr: Array[np.int32]
    """of plugins (nplugin)"""
    names: bytes
    """all names, zero-terminated (nnames)"""
    names_map: Array[np.int32]
    """hash tables from names to ids (nnames_map)"""
    paths: bytes
    """all paths, zero-terminated (npaths)"""
    signature: int
    """number that tells whether a Spec is that of this model"""
    M_rownnz: Shown[np.int32]
    M_rowadr: Shown[np.int32]
    M_colind: Shown[np.int32]
    D_rownnz: Shown[np.int32]
    D_rowadr: Shown[np.int32]
    D_diag: Shown[np.int32]
    D_colind: Shown[np.int32]
    B_rownnz: Shown[np.int32]
    B_rowadr: Shown[np.int32]
    B_colind: Shown[np.int32]
    mapM2M: Shown[np.int32]
    flg_gravcomp: bool
    """whether any body has gravity compensation"""
    flg_adhesion: bool
    """whether anything adheres"""
    flg_surfacevel: bool
    """whether any surface moves"""
    mapM2D: Shown[np.int32]
    """address in M of each element of D; -1: none (nD)"""
    mapD2M: Shown[np.int32]
    """address in D of each element of M (nC)"""
    ten_J_rownnz: Shown[np.int32]
    """number of dofs that can move each tendon (ntendon)"""
    ten_J_rowadr: Shown[np.int32]
    """first of them in ten_J_colind (ntendon)"""
    ten_J_colind: Shown[np.int32]
    """those dofs, ascending (nJten)"""
    flexedge_J_rownnz: Shown[np.int32]
    """number of dofs that can move each edge of a flex (nflexedge)"""
    flexedge_J_rowadr: Shown[np.int32]
    """first of them in flexedge_J_colind (nflexedge)"""
    flexedge_J_colind: Shown[np.int32]
    """those dofs, ascending (nJfe)"""
    tendon_type: Shown[np.int32]
    """type (mjtTendon) (ntendon)"""
    tendon_treenum: Shown[np.int32]
    """number of trees along the path (ntendon)"""
    tendon_treeid: Shown[np.int32]
    """the first two of them; -1: none (ntendon x 2)"""
    cam_projection: Shown[np.int32]
    """type of projection (mjtProjection) (ncam)"""
    tree_bodyadr: Shown[np.int32]
    """first body of each tree (ntree)"""
    tree_bodynum: Shown[np.int32]
    """number of bodies (ntree)"""
    tree_dofadr: Shown[np.int32]
    """first dof (ntree)"""
    tree_dofnum: Shown[np.int32]
    """number of dofs (ntree)"""
    mesh_extrema: Shown[np.int32]
    """farthest vertices of the hull in directions of components -1, 0 and 1 (nmesh x 27)"""
    flex_bendingadr: Shown[np.int32]
    """first bending parameter; -1: it does not resist bending (nflex)"""
    flex_stiffnessadr: Shown[np.int32]
    """first stiffness parameter; -1: none (nflex)"""
    tex_contenttypeadr: Shown[np.int32]
    """address in `paths` of the type of the file; -1: none (ntex)"""
    dof_length: Shown[np.float64]
    """1 for translations, about the reach of the body from the joint for rotations (nv)"""
    flex_size: Shown[np.float64]
    """half sizes of the box around the vertices at qpos0 (nflex x 3)"""
    flex_plasticadr: Shown[np.int32]
    """not used here: always -1 (nflex)"""
    flex_vertcell: Shown[np.int32]
    """not used here: always -1 (nflexvert)"""
    flex_cellnum: Shown[np.int32]
    """not used here: always 0 (nflex x 3)"""
    flex_passive: Shown[np.int32]
    """not used here: always 0 (nflex)"""
    flex_plasticmode: Shown[np.int32]
    """not used here: always 0 (nflex)"""
    flex_yield: Shown[np.float64]
    """not used here: always 0 (nflex x 2)"""
    flex_bandwidth: Shown[np.int32]
    """not used here: always 0 (nflex)"""
    flex_vertedge: Shown[np.int32]
    """not used here: always 0 (nflexedge x 2)"""
    flex_vertedgeadr: Shown[np.int32]
    """not used here: always 0 (nflexvert)"""
    flex_vertedgenum: Shown[np.int32]
    """not used here: always 0 (nflexvert)"""
    flex_vertmetric: Shown[np.float64]
    """not used here: always 0 (nflexvert x 4)"""
    flexvert_J_colind: Shown[np.int32]
    """not used here: always 0 (nJfv x 2)"""
    flexvert_J_rowadr: Shown[np.int32]
    """not used here: always 0 (nflexvert x 2)"""
    flexvert_J_rownnz: Shown[np.int32]
    """not used here: always 0 (nflexvert x 2)"""
    efm0_L: Shown[np.float64]
    """not used here: always 0 (nefm0L)"""
    efm0_L_colind: Shown[np.int32]
    """not used here: always 0 (nefm0L)"""
    efm0_L_rowadr: Shown[np.int32]
    """not used here: always 0 (nefm0dof)"""
    efm0_L_rownnz: Shown[np.int32]
    """not used here: always 0 (nefm0dof)"""
    efm0_dofid: Shown[np.int32]
    """not used here: always 0 (nefm0dof)"""
    efmC_perm: Shown[np.int32]
    """not used here: always 0 (nefmCvert)"""
    geom_castshadow: Shown[np.bool_]
    """not used here: always 1 (ngeom)"""
    light_softness: Shown[np.float32]
    """not used here: always 0.2 (nlight)"""
    def body(self, key: int | str = ...) -> ModelBodyViews: ...
    def joint(self, key: int | str = ...) -> ModelJointViews: ...
    def jnt(self, key: int | str = ...) -> ModelJointViews: ...
    def geom(self, key: int | str = ...) -> ModelGeomViews: ...
    def site(self, key: int | str = ...) -> ModelSiteViews: ...
    def camera(self, key: int | str = ...) -> ModelCameraViews: ...
    def cam(self, key: int | str = ...) -> ModelCameraViews: ...
    def light(self, key: int | str = ...) -> ModelLightViews: ...
    def flex(self, key: int | str = ...) -> ModelFlexViews: ...
    def mesh(self, key: int | str = ...) -> ModelMeshViews: ...
    def skin(self, key: int | str = ...) -> ModelSkinViews: ...
    def hfield(self, key: int | str = ...) -> ModelHfieldViews: ...
    def texture(self, key: int | str = ...) -> ModelTextureViews: ...
    def tex(self, key: int | str = ...) -> ModelTextureViews: ...
    def material(self, key: int | str = ...) -> ModelMaterialViews: ...
    def mat(self, key: int | str = ...) -> ModelMaterialViews: ...
    def pair(self, key: int | str = ...) -> ModelPairViews: ...
    def exclude(self, key: int | str = ...) -> ModelExcludeViews: ...
    def equality(self, key: int | str = ...) -> ModelEqualityViews: ...
    def eq(self, key: int | str = ...) -> ModelEqualityViews: ...
    def tendon(self, key: int | str = ...) -> ModelTendonViews: ...
    def ten(self, key: int | str = ...) -> ModelTendonViews: ...
    def actuator(self, key: int | str = ...) -> ModelActuatorViews: ...
    def sensor(self, key: int | str = ...) -> ModelSensorViews: ...
    def numeric(self, key: int | str = ...) -> ModelNumericViews: ...
    def text(self, key: int | str = ...) -> ModelTextViews: ...
    def tuple(self, key: int | str = ...) -> ModelTupleViews: ...
    def key(self, key: int | str = ...) -> ModelKeyframeViews: ...
    def keyframe(self, key: int | str = ...) -> ModelKeyframeViews: ...

class DataAttributes:
    """Attributes of `MjData`."""

    @property
    def contact(self) -> MjContactList: ...
    warning: MjWarningStatList
    timer: MjTimerStatList
    solver: MjSolverStatList
    narena: int
    """memory that the model asks for contacts, constraint rows and temporaries; ours grows (bytes)"""
    nbuffer: int
    """memory of the fields of fixed size (bytes)"""
    nplugin: int
    """number of plugin instances"""
    pstack: int
    """use of the stack of temporaries; always 0: kernels need none (bytes)"""
    pbase: int
    """start of the current stack frame; always 0 (bytes)"""
    parena: int
    """use of the arena (bytes)"""
    maxuse_stack: int
    """largest use of the stack (bytes)"""
    maxuse_threadstack: Array[np.int64]
    """largest use of each thread's stack (128; bytes)"""
    maxuse_arena: int
    """largest use of the arena (bytes)"""
    maxuse_con: int
    """largest number of contacts (written by mj_collision)"""
    maxuse_efc: int
    """largest number of constraint rows (written by mj_makeConstraint)"""
    solver_niter: Array[np.int32]
    """number of iterations, per island (20; written by mj_fwdConstraint)"""
    solver_nnz: Array[np.int32]
    """number of elements of the Hessian and its factor, or of efc_AR, per island (20; written by
    mj_fwdConstraint)"""
    solver_fwdinv: Array[np.float64]
    """difference of forward and inverse dynamics: in qfrc_constraint, in applied forces (2; written by
    mj_compareFwdInv)"""
    ncon: int
    """number of contacts (written by mj_collision)"""
    ne: int
    """number of equality rows (written by mj_makeConstraint)"""
    nf: int
    """number of friction loss rows (written by mj_makeConstraint)"""
    nl: int
    """number of limit rows (written by mj_makeConstraint)"""
    nefc: int
    """number of constraint rows (written by mj_makeConstraint)"""
    nJ: int
    """number of elements of efc_J (written by mj_makeConstraint)"""
    nA: int
    """number of elements of efc_AR (written by mj_makeConstraint, mj_fwdConstraint, mj_projectConstraint)"""
    nisland: int
    """number of islands (written by mj_makeConstraint, mj_island)"""
    nidof: int
    """number of dofs in islands (written by mj_makeConstraint, mj_island)"""
    time: float
    """simulation time (s; written by mj_Euler, mj_implicit, mj_RungeKutta)"""
    energy: Array[np.float64]
    """potential and kinetic energy (2; J; written by mj_energyPos, mj_energyVel, mj_sensorPos)"""
    qpos: Array[np.float64]
    """positions: m, unit quaternions, rad (nq; written by mj_Euler, mj_implicit, mj_RungeKutta, mj_sleep)"""
    qvel: Array[np.float64]
    """velocities: m/s, rad/s (nv; written by mj_Euler, mj_implicit, mj_RungeKutta, mj_setLengthRange, mj_sleep)"""
    act: Array[np.float64]
    """actuator activations (na; written by mj_Euler, mj_implicit, mj_RungeKutta, mj_sleep)"""
    history: Array[np.float64]
    """controls and readings before now; of each actuator and sensor two numbers, all times, all samples (nhistory;
    written by mj_Euler, mj_implicit, mj_RungeKutta, mj_sleep)"""
    qacc_warmstart: Array[np.float64]
    """acceleration that the solver starts from: that of the last step (nv; written by mj_fwdConstraint,
    mj_inversePosthoc, mj_Euler, mj_implicit, mj_RungeKutta)"""
    plastic: Array[np.float64]
    """where springs that yield are at rest: of a joint its position, of a tendon two lengths (nplastic; written by
    mj_Euler, mj_implicit, mj_RungeKutta)"""
    plugin_state: Array[np.float64]
    """state of plugins (npluginstate; written by mj_Euler, mj_implicit, mj_RungeKutta)"""
    ctrl: Array[np.float64]
    """controls (nu)"""
    qfrc_applied: Array[np.float64]
    """generalized forces that the user applies: N, N m (nv; written by mj_setLengthRange)"""
    xfrc_applied: Array[np.float64]
    """force (N) and torque (N m) on each body at its centre of mass, world frame, force first (nbody x 6)"""
    eq_active: Array[np.uint8]
    """whether each equality constraint is active (neq)"""
    mocap_pos: Array[np.float64]
    """positions of motion capture bodies (nmocap x 3; m)"""
    mocap_quat: Array[np.float64]
    """orientations of motion capture bodies (nmocap x 4)"""
    qacc: Array[np.float64]
    """accelerations: m/s^2, rad/s^2 (nv; written by mj_fwdConstraint, mj_inverse, mj_compareFwdInv,
    mj_forwardPosthoc, mj_inversePosthoc, mj_RungeKutta, mj_sleep)"""
    act_dot: Array[np.float64]
    """time derivatives of the activations (na; written by mj_fwdActuation)"""
    userdata: Array[np.float64]
    """anything that the user keeps here (nuserdata)"""
    sensordata: Array[np.float64]
    """readings of all sensors (nsensordata; written by mj_sensorPos, mj_sensorVel, mj_sensorAcc)"""
    plugin: Array[np.int32]
    """slot of each instance's plugin (nplugin)"""
    plugin_data: Array[np.int64]
    """memory of plugin instances (nplugin)"""
    xpos: Array[np.float64]
    """position of each body's frame (nbody x 3; m; written by mj_kinematics)"""
    xquat: Array[np.float64]
    """orientation of each body's frame (nbody x 4; written by mj_kinematics)"""
    xmat: Array[np.float64]
    """orientation of each body's frame (nbody x 9; written by mj_kinematics)"""
    xipos: Array[np.float64]
    """position of each body's centre of mass (nbody x 3; m; written by mj_kinematics)"""
    ximat: Array[np.float64]
    """orientation of each body's principal axes of inertia (nbody x 9; written by mj_kinematics)"""
    xanchor: Array[np.float64]
    """position of each joint's anchor (njnt x 3; m; written by mj_kinematics)"""
    xaxis: Array[np.float64]
    """direction of each joint's axis (njnt x 3; written by mj_kinematics)"""
    geom_xpos: Array[np.float64]
    """position of each geom (ngeom x 3; m; written by mj_kinematics)"""
    geom_xmat: Array[np.float64]
    """orientation of each geom (ngeom x 9; written by mj_kinematics)"""
    site_xpos: Array[np.float64]
    """position of each site (nsite x 3; m; written by mj_kinematics)"""
    site_xmat: Array[np.float64]
    """orientation of each site (nsite x 9; written by mj_kinematics)"""
    cam_xpos: Array[np.float64]
    """position of each camera (ncam x 3; m; written by mj_camlight)"""
    cam_xmat: Array[np.float64]
    """orientation of each camera (ncam x 9; written by mj_camlight)"""
    light_xpos: Array[np.float64]
    """position of each light (nlight x 3; m; written by mj_camlight)"""
    light_xdir: Array[np.float64]
    """direction of each light (nlight x 3; written by mj_camlight)"""
    subtree_com: Array[np.float64]
    """centre of mass of each body and all below it (nbody x 3; m; written by mj_comPos)"""
    cdof: Array[np.float64]
    """motion axis of each dof (nv x 6; written by mj_comPos)"""
    cinert: Array[np.float64]
    """inertia of each body: six of the rotational matrix, mass times offset, mass (nbody x 10; written by
    mj_comPos)"""
    flexvert_xpos: Array[np.float64]
    """position of each flex vertex (nflexvert x 3; m; written by mj_flex)"""
    flexelem_aabb: Array[np.float64]
    """box around each element: centre, half sizes (nflexelem x 6; m; written by mj_flex)"""
    flexedge_J_rownnz: Array[np.int32]
    """number of elements in each row of flexedge_J (nflexedge; written by mj_flex)"""
    flexedge_J_rowadr: Array[np.int32]
    """first element of each row of flexedge_J (nflexedge; written by mj_flex)"""
    flexedge_J_colind: Array[np.int32]
    """columns of flexedge_J (nflexedge x nv; written by mj_flex)"""
    flexedge_J: Array[np.float64]
    """moment arms of each flex edge's length (nflexedge x nv; written by mj_flex)"""
    flexedge_length: Array[np.float64]
    """length of each flex edge (nflexedge; m; written by mj_flex)"""
    bvh_aabb_dyn: Array[np.float64]
    """bounding volumes of flexes: centre, half sizes (nbvhdynamic x 6; m; written by mj_flex)"""
    ten_wrapadr: Array[np.int32]
    """first point of each tendon's path (ntendon; written by mj_tendon)"""
    ten_wrapnum: Array[np.int32]
    """number of points of each tendon's path (ntendon; written by mj_tendon)"""
    ten_J_rownnz: Array[np.int32]
    """number of elements in each row of ten_J (ntendon; written by mj_tendon)"""
    ten_J_rowadr: Array[np.int32]
    """first element of each row of ten_J (ntendon; written by mj_tendon)"""
    ten_J_colind: Array[np.int32]
    """columns of ten_J (ntendon x nv; written by mj_tendon)"""
    ten_J: Array[np.float64]
    """moment arms of the length of each tendon (ntendon x nv; written by mj_tendon)"""
    ten_length: Array[np.float64]
    """length of each tendon (ntendon; m; written by mj_tendon)"""
    wrap_obj: Array[np.int32]
    """geom at each point of the paths; -1: site, -2: pulley (nwrap x 2; written by mj_tendon)"""
    wrap_xpos: Array[np.float64]
    """points of the paths, world frame (nwrap x 2 x 3; m; written by mj_tendon)"""
    actuator_length: Array[np.float64]
    """length of each actuator (nout; written by mj_transmission)"""
    moment_rownnz: Array[np.int32]
    """dofs that each output of an actuator can move (nout)"""
    moment_rowadr: Array[np.int32]
    """address of the moment arms of each output (nout)"""
    moment_colind: Array[np.int32]
    """those dofs, ascending (nJmom)"""
    actuator_moment: Array[np.float64]
    """moment arms of the length of each actuator, sparse rows (nJmom; written by mj_transmission)"""
    crb: Array[np.float64]
    """inertia of each body and all below it (nbody x 10; written by mj_makeM, mj_setConst)"""
    qM: Array[np.float64]
    """inertia matrix, each row from the diagonal up the tree (nM; written by mj_makeM)"""
    M: Array[np.float64]
    """inertia matrix, lower triangle, sparse rows (nC; written by mj_makeM)"""
    qLD: Array[np.float64]
    """its factor: L' D L = M, in the order of M (nC; written by mj_factorM)"""
    qLDiagInv: Array[np.float64]
    """inverse of the diagonal D (nv; written by mj_factorM, mj_setConst)"""
    bvh_active: Array[np.uint8]
    """whether each bounding volume was reached by collision detection or, of meshes, by a ray (nbvh; written by
    mj_collision, mj_sensorPos)"""
    flexedge_velocity: Array[np.float64]
    """velocity of each flex edge's length (nflexedge; m/s; written by mj_fwdVelocity)"""
    ten_velocity: Array[np.float64]
    """velocity of each tendon's length (ntendon; m/s; written by mj_fwdVelocity)"""
    actuator_velocity: Array[np.float64]
    """velocity of each actuator's length (nout; written by mj_fwdVelocity)"""
    cvel: Array[np.float64]
    """velocity of each body: angular (rad/s), linear (m/s) (nbody x 6; written by mj_comVel)"""
    cdof_dot: Array[np.float64]
    """time derivative of each dof's motion axis (nv x 6; written by mj_comVel)"""
    qfrc_bias: Array[np.float64]
    """Coriolis, centrifugal, gravitational forces (nv; written by mj_rne, mj_fwdVelocity)"""
    qfrc_spring: Array[np.float64]
    """forces of springs (nv; written by mj_passive)"""
    qfrc_damper: Array[np.float64]
    """forces of dampers (nv; written by mj_passive)"""
    qfrc_gravcomp: Array[np.float64]
    """forces of gravity compensation (nv; written by mj_passive)"""
    qfrc_fluid: Array[np.float64]
    """forces of the medium (nv; written by mj_passive)"""
    qfrc_passive: Array[np.float64]
    """sum of the passive forces (nv; written by mj_passive)"""
    subtree_linvel: Array[np.float64]
    """velocity of the centre of mass of each body and all below it (nbody x 3; m/s; written by mj_subtreeVel,
    mj_sensorVel)"""
    subtree_angmom: Array[np.float64]
    """angular momentum of each body and all below it about their centre of mass (nbody x 3; kg m^2/s; written by
    mj_subtreeVel, mj_sensorVel)"""
    qH: Array[np.float64]
    """factor of the inertia matrix with implicit damping; implicitfast: of M - timestep * qDeriv (nC; written by
    mj_Euler, mj_implicit)"""
    qHDiagInv: Array[np.float64]
    """inverse of its diagonal (nv; written by mj_Euler, mj_implicit)"""
    B_rownnz: Array[np.int32]
    """dofs of the ancestors and of the subtree of each body (nbody)"""
    B_rowadr: Array[np.int32]
    """address of each row of B (nbody)"""
    B_colind: Array[np.int32]
    """those dofs, ascending (nB)"""
    M_rownnz: Array[np.int32]
    """non-zeros in the lower triangle of each row of M (nv)"""
    M_rowadr: Array[np.int32]
    """address of each row of M; the diagonal comes last (nv)"""
    M_colind: Array[np.int32]
    """columns of M, ascending: the ancestors of the dof (nC)"""
    mapM2M: Array[np.int32]
    """address in `qM` of each element of M (nC)"""
    D_rownnz: Array[np.int32]
    """non-zeros in each row of D: both triangles (nv)"""
    D_rowadr: Array[np.int32]
    """address of each row of D (nv)"""
    D_diag: Array[np.int32]
    """place of the diagonal in each row of D (nv)"""
    D_colind: Array[np.int32]
    """columns of D, ascending (nD)"""
    mapM2D: Array[np.int32]
    """address in `qM` of each element of D (nD)"""
    mapD2M: Array[np.int32]
    """address in D of each element of `qM` (nM)"""
    qDeriv: Array[np.float64]
    """derivative of passive and actuator forces, minus bias, by velocity, in the order of D (nD; written by
    mj_implicit, mj_inverse)"""
    qLU: Array[np.float64]
    """factors of M - timestep * qDeriv, with `implicit` (nD; written by mj_implicit, mj_inverse)"""
    actuator_force: Array[np.float64]
    """force of each actuator: N, N m (nout; written by mj_fwdActuation)"""
    qfrc_actuator: Array[np.float64]
    """forces of actuators (nv; written by mj_fwdActuation)"""
    qfrc_smooth: Array[np.float64]
    """sum of all forces but those of constraints (nv; written by mj_fwdAcceleration, mj_forwardPosthoc,
    mj_inversePosthoc)"""
    qacc_smooth: Array[np.float64]
    """acceleration without constraints (nv; written by mj_fwdAcceleration, mj_forwardPosthoc, mj_inversePosthoc)"""
    qfrc_constraint: Array[np.float64]
    """forces of constraints (nv; written by mj_fwdConstraint, mj_invConstraint, mj_compareFwdInv)"""
    qfrc_adhesion: Array[np.float64]
    """forces of adhesion (nv; written by mj_passive)"""
    qfrc_inverse: Array[np.float64]
    """forces that the acceleration requires (nv; written by mj_inverse, mj_inversePosthoc, mj_compareFwdInv)"""
    cacc: Array[np.float64]
    """acceleration of each body: angular (rad/s^2), linear (m/s^2) (nbody x 6; written by mj_rnePostConstraint)"""
    cfrc_int: Array[np.float64]
    """force between each body and its parent: torque (N m), force (N) (nbody x 6; written by
    mj_rnePostConstraint)"""
    cfrc_ext: Array[np.float64]
    """force of contacts and applied forces on each body: torque (N m), force (N) (nbody x 6; written by
    mj_rnePostConstraint)"""
    threadpool: int
    """always 0: worlds are spread over threads by `batch`"""
    signature: int
    """number that tells whether a Spec is that of this model"""
    nbody_awake: int
    """number of bodies that are awake or static"""
    ntree_awake: int
    """number of trees that are awake"""
    nv_awake: int
    """number of dofs that are awake"""
    nparent_awake: int
    """number of bodies whose parent is awake or static"""
    nY: int
    """not used here: always 0"""
    nefmA: int
    """not used here: always 0"""
    nefmK: int
    """not used here: always 0"""
    nefmL: int
    """not used here: always 0"""
    nefmT: int
    """not used here: always 0"""
    nefmcon: int
    """not used here: always 0"""
    nefmdof: int
    """not used here: always 0"""
    efm_active: int
    """not used here: always 0"""
    flg_energypos: bool
    """not used here: always 0"""
    flg_energyvel: bool
    """not used here: always 0"""
    flg_rnepost: bool
    """not used here: always 0"""
    flg_subtreevel: bool
    """not used here: always 0"""
    xiquat: Shown[np.float64]
    """orientation of each body's principal axes of inertia (nbody x 4)"""
    geom_xquat: Shown[np.float64]
    """orientation of each geom (ngeom x 4)"""
    site_xquat: Shown[np.float64]
    """orientation of each site (nsite x 4)"""
    body_awake: Shown[np.int32]
    """whether it is awake (mjtSleepState); -1: static (nbody)"""
    body_awake_ind: Shown[np.int32]
    """bodies that are awake or static (nbody)"""
    parent_awake_ind: Shown[np.int32]
    """bodies with a parent that is awake or static, then the world (nbody)"""
    dof_awake_ind: Shown[np.int32]
    """dofs that are awake (nv)"""
    tree_island: Shown[np.int32]
    """island of each tree; -1: none (ntree)"""
    island_ntree: Shown[np.int32]
    """number of trees of each island (nisland)"""
    island_itreeadr: Shown[np.int32]
    """first of them in map_itree2tree (nisland)"""
    map_itree2tree: Shown[np.int32]
    """trees by island (ntree)"""
    efc_diagA: Shown[np.float64]
    """diagonal of the matrix of constraints, approximate (efc_diagApprox) (nefc)"""
    tree_awake: Shown[np.int32]
    """whether it is awake (ntree)"""
    tree_asleep: Shown[np.int32]
    """negative: awake, -1: ready to sleep; else the next tree of those that sleep together (ntree)"""
    flexvert_J: Shown[np.float64]
    """not used here: always 0 (nJfv x 2)"""
    flexvert_length: Shown[np.float64]
    """not used here: always 0 (nflexvert x 2)"""
    efc_Y: Shown[np.float64]
    """not used here: always 0 (nY)"""
    efc_Y_colind: Shown[np.int32]
    """not used here: always 0 (nY)"""
    efc_Y_rowadr: Shown[np.int32]
    """not used here: always 0 (nefc)"""
    efc_Y_rownnz: Shown[np.int32]
    """not used here: always 0 (nefc)"""
    efm_K_val: Shown[np.float64]
    """not used here: always 0 (nefmK)"""
    efm_K_colind: Shown[np.int32]
    """not used here: always 0 (nefmK)"""
    efm_K_rowadr: Shown[np.int32]
    """not used here: always 0 (nv)"""
    efm_K_rownnz: Shown[np.int32]
    """not used here: always 0 (nv)"""
    efm_L: Shown[np.float64]
    """not used here: always 0 (nefmL)"""
    efm_L_colind: Shown[np.int32]
    """not used here: always 0 (nefmL)"""
    efm_L_rowadr: Shown[np.int32]
    """not used here: always 0 (nefmdof)"""
    efm_L_rownnz: Shown[np.int32]
    """not used here: always 0 (nefmdof)"""
    efm_ak: Shown[np.float64]
    """not used here: always 0 (nactuator)"""
    efm_as: Shown[np.float64]
    """not used here: always 0 (nactuator)"""
    efm_aid: Shown[np.int32]
    """not used here: always 0 (nactuator)"""
    efm_c: Shown[np.float64]
    """not used here: always 0 (nv)"""
    efm_ca: Shown[np.float64]
    """not used here: always 0 (nv)"""
    efm_ck: Shown[np.float64]
    """not used here: always 0 (nv)"""
    efm_diag: Shown[np.float64]
    """not used here: always 0 (nv)"""
    efm_sdiag: Shown[np.float64]
    """not used here: always 0 (nv)"""
    efm_con_val: Shown[np.float64]
    """not used here: always 0 (nefmcon)"""
    efm_con_ind: Shown[np.int32]
    """not used here: always 0 (nefmcon)"""
    efm_dofid: Shown[np.int32]
    """not used here: always 0 (nefmdof)"""
    efm_fluid: Shown[np.float64]
    """not used here: always 0 (nC)"""
    efm_tk: Shown[np.float64]
    """not used here: always 0 (ntendon)"""
    efm_ts: Shown[np.float64]
    """not used here: always 0 (ntendon)"""
    efm_tid: Shown[np.int32]
    """not used here: always 0 (ntendon)"""
    flexedge_hessian: Shown[np.float64]
    """not used here: always 0 (nflexedge x 9)"""
    flexelem_krot: Shown[np.float64]
    """not used here: always 0 (nflexstiffness)"""
    flexvert_hessian: Shown[np.float64]
    """not used here: always 0 (nflexvert x 6)"""
    flexvert_lambda: Shown[np.float64]
    """not used here: always 0 (nflexvert)"""
    flexvert_conage: Shown[np.int32]
    """not used here: always 0 (nflexvert)"""
    flex_hessian_valid: Shown[np.bool_]
    """not used here: always 0 (nflex)"""
    efc_type: Array[np.int32]
    """type of the constraint (mjtConstraint) (nefc_capacity; written by mj_makeConstraint)"""
    efc_id: Array[np.int32]
    """object that the constraint comes from (nefc_capacity; written by mj_makeConstraint)"""
    efc_J: Array[np.float64]
    """Jacobian by rows; compressed, the elements of a row from `efc_J_rowadr` on (nJ_rows x nv; written by
    mj_makeConstraint)"""
    efc_pos: Array[np.float64]
    """violation of the constraint: m, rad (nefc_capacity; written by mj_makeConstraint)"""
    efc_margin: Array[np.float64]
    """distance at which it becomes active: m, rad (nefc_capacity; written by mj_makeConstraint)"""
    efc_frictionloss: Array[np.float64]
    """largest force of dry friction: N, N m (nefc_capacity; written by mj_makeConstraint)"""
    efc_diagApprox: Array[np.float64]
    """approximation of the diagonal of J M^-1 J' (nefc_capacity; written by mj_makeConstraint)"""
    efc_KBIP: Array[np.float64]
    """stiffness, damping, impedance and its derivative (nefc_capacity x 4; written by mj_makeConstraint)"""
    efc_D: Array[np.float64]
    """constraint mass: 1 / R (nefc_capacity; written by mj_makeConstraint)"""
    efc_R: Array[np.float64]
    """regularization: what is added to the diagonal of J M^-1 J' (nefc_capacity; written by mj_makeConstraint)"""
    efc_vel: Array[np.float64]
    """velocity along the row: J qvel (nefc_capacity; written by mj_referenceConstraint)"""
    efc_aref: Array[np.float64]
    """reference acceleration (nefc_capacity; written by mj_referenceConstraint)"""
    efc_b: Array[np.float64]
    """acceleration without constraint forces, minus the reference: J qacc_smooth - aref (nefc_capacity; written by
    mj_fwdConstraint)"""
    efc_state: Array[np.int32]
    """state found by the solver (mjtConstraintState) (nefc_capacity; written by mj_fwdConstraint,
    mj_invConstraint)"""
    efc_force: Array[np.float64]
    """constraint force (nefc_capacity; written by mj_fwdConstraint, mj_invConstraint, mj_compareFwdInv)"""
    efc_AR: Array[np.float64]
    """J M^-1 J' + R (nefc_dual x nefc_dual; written by mj_fwdConstraint, mj_projectConstraint)"""
    efc_J_rownnz: Array[np.int32]
    """number of elements in each row of efc_J (nefc_sparse; written by mj_makeConstraint)"""
    efc_J_rowadr: Array[np.int32]
    """first element of each row of efc_J (nefc_sparse; written by mj_makeConstraint)"""
    efc_J_rowsuper: Array[np.int32]
    """number of following rows with the same columns (nefc_sparse; written by mj_makeConstraint)"""
    efc_J_colind: Array[np.int32]
    """columns of efc_J (nJ_sparse x nv; written by mj_makeConstraint)"""
    efc_JT_rownnz: Array[np.int32]
    """number of elements in each row of efc_JT (nv_sparse; written by mj_makeConstraint)"""
    efc_JT_rowadr: Array[np.int32]
    """first element of each row of efc_JT (nv_sparse; written by mj_makeConstraint)"""
    efc_JT_rowsuper: Array[np.int32]
    """number of following rows with the same columns (nv_sparse; written by mj_makeConstraint)"""
    efc_JT_colind: Array[np.int32]
    """columns of efc_JT (nJT_rows x nv; written by mj_makeConstraint)"""
    efc_JT: Array[np.float64]
    """Jacobian, transposed (nJT_rows x nv; written by mj_makeConstraint)"""
    tendon_efcadr: Array[np.int32]
    """first row of each tendon, of one in equalities its first equality; -1: none (ntendon_sparse; written by
    mj_makeConstraint)"""
    efc_AR_rownnz: Array[np.int32]
    """number of elements in each row of efc_AR (nefc_sparse; written by mj_projectConstraint)"""
    efc_AR_rowadr: Array[np.int32]
    """first element of each row of efc_AR (nefc_sparse; written by mj_projectConstraint)"""
    efc_AR_colind: Array[np.int32]
    """columns of efc_AR (nA_sparse; written by mj_projectConstraint)"""
    dof_island: Array[np.int32]
    """island of each dof; -1: none (nv_island; written by mj_island)"""
    island_nv: Array[np.int32]
    """number of dofs (nisland_capacity; written by mj_island)"""
    island_idofadr: Array[np.int32]
    """first dof, in the order of islands (nisland_capacity; written by mj_island)"""
    island_dofadr: Array[np.int32]
    """first dof, in the order of the model (nisland_capacity; written by mj_island)"""
    map_dof2idof: Array[np.int32]
    """place of each dof in the order of islands (nv_island; written by mj_island)"""
    map_idof2dof: Array[np.int32]
    """dof at each place of the order of islands (nv_island; written by mj_island)"""
    ifrc_smooth: Array[np.float64]
    """qfrc_smooth, in the order of islands (nidof_capacity; written by mj_fwdConstraint)"""
    iacc_smooth: Array[np.float64]
    """qacc_smooth, in the order of islands (nidof_capacity; written by mj_fwdConstraint)"""
    iM_rownnz: Array[np.int32]
    """number of elements in each row of iM (nidof_capacity; written by mj_island)"""
    iM_rowadr: Array[np.int32]
    """first element of each row of iM (nidof_capacity; written by mj_island)"""
    iM_colind: Array[np.int32]
    """columns of iM (nC_island; written by mj_island)"""
    iM: Array[np.float64]
    """M, in the order of islands (nC_island; written by mj_island)"""
    iLD: Array[np.float64]
    """qLD, in the order of islands (nC_island; written by mj_island)"""
    iLDiagInv: Array[np.float64]
    """qLDiagInv, in the order of islands (nidof_capacity; written by mj_island)"""
    iacc: Array[np.float64]
    """qacc, in the order of islands (nidof_capacity; written by mj_fwdConstraint)"""
    efc_island: Array[np.int32]
    """island of each constraint row (nefc_island; written by mj_island)"""
    island_ne: Array[np.int32]
    """number of equality rows (nisland_capacity; written by mj_island)"""
    island_nf: Array[np.int32]
    """number of friction loss rows (nisland_capacity; written by mj_island)"""
    island_nefc: Array[np.int32]
    """number of constraint rows (nisland_capacity; written by mj_island)"""
    island_iefcadr: Array[np.int32]
    """first constraint row, in the order of islands (nisland_capacity; written by mj_island)"""
    map_efc2iefc: Array[np.int32]
    """place of each row in the order of islands (nefc_island; written by mj_island)"""
    map_iefc2efc: Array[np.int32]
    """row at each place of the order of islands (nefc_island; written by mj_island)"""
    iefc_type: Array[np.int32]
    """efc_type, in the order of islands (nefc_island; written by mj_island)"""
    iefc_id: Array[np.int32]
    """efc_id, in the order of islands (nefc_island; written by mj_island)"""
    iefc_J_rownnz: Array[np.int32]
    """efc_J_rownnz, in the order of islands (nefc_island; written by mj_island)"""
    iefc_J_rowadr: Array[np.int32]
    """efc_J_rowadr, in the order of islands (nefc_island; written by mj_island)"""
    iefc_J_rowsuper: Array[np.int32]
    """efc_J_rowsuper, in the order of islands (nefc_island; written by mj_island)"""
    iefc_J_colind: Array[np.int32]
    """efc_J_colind, in the order of islands (nJ_isparse x nv; written by mj_island)"""
    iefc_JT_rownnz: Array[np.int32]
    """efc_JT_rownnz, in the order of islands (nidof_capacity; written by mj_island)"""
    iefc_JT_rowadr: Array[np.int32]
    """efc_JT_rowadr, in the order of islands (nidof_capacity; written by mj_island)"""
    iefc_JT_rowsuper: Array[np.int32]
    """efc_JT_rowsuper, in the order of islands (nidof_capacity; written by mj_island)"""
    iefc_JT_colind: Array[np.int32]
    """efc_JT_colind, in the order of islands (nJ_isparse x nv; written by mj_island)"""
    iefc_J: Array[np.float64]
    """efc_J, in the order of islands (nJ_island x nv; written by mj_island)"""
    iefc_JT: Array[np.float64]
    """efc_JT, in the order of islands (nJ_isparse x nv; written by mj_island)"""
    iefc_frictionloss: Array[np.float64]
    """efc_frictionloss, in the order of islands (nefc_island; written by mj_island)"""
    iefc_D: Array[np.float64]
    """efc_D, in the order of islands (nefc_island; written by mj_island)"""
    iefc_R: Array[np.float64]
    """efc_R, in the order of islands (nefc_island; written by mj_island)"""
    iefc_aref: Array[np.float64]
    """efc_aref, in the order of islands (nefc_island; written by mj_fwdConstraint)"""
    iefc_state: Array[np.int32]
    """efc_state, in the order of islands (nefc_island; written by mj_fwdConstraint)"""
    iefc_force: Array[np.float64]
    """efc_force, in the order of islands (nefc_island; written by mj_fwdConstraint)"""
    ifrc_constraint: Array[np.float64]
    """qfrc_constraint, in the order of islands (nidof_capacity; written by mj_fwdConstraint)"""
    def body(self, key: int | str = ...) -> DataBodyViews: ...
    def joint(self, key: int | str = ...) -> DataJointViews: ...
    def jnt(self, key: int | str = ...) -> DataJointViews: ...
    def geom(self, key: int | str = ...) -> DataGeomViews: ...
    def site(self, key: int | str = ...) -> DataSiteViews: ...
    def camera(self, key: int | str = ...) -> DataCameraViews: ...
    def cam(self, key: int | str = ...) -> DataCameraViews: ...
    def light(self, key: int | str = ...) -> DataLightViews: ...
    def tendon(self, key: int | str = ...) -> DataTendonViews: ...
    def ten(self, key: int | str = ...) -> DataTendonViews: ...
    def actuator(self, key: int | str = ...) -> DataActuatorViews: ...
    def sensor(self, key: int | str = ...) -> DataSensorViews: ...
