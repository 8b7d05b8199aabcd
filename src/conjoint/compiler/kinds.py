"""Types of elements during compilation, for annotations. They declare the values that compiler passes add to elements.

At run time, all elements are instances of `Element`. Their initial values are declared in `spec.kinds`. An id of -1
means that there is no such object.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.physics.plugin.plugin import mjpPlugin
from conjoint.spec import kinds
from conjoint.spec.rotation import Quaternion, Vector

Pose = tuple[tuple[float, ...], Quaternion]


class Body(kinds.Body):
    """Body during compilation, with its position in the tree, its mass, and the collision settings of its geoms."""

    parentid: int
    pluginid: int
    written_pose: tuple[Vector, Quaternion]
    mass: float
    inertia: Vector
    ipos: Vector
    iquat: Quaternion
    rootid: int
    weldid: int
    mocapid: int
    treeid: int
    dofadr: int
    dofnum: int
    jntadr: int
    jntnum: int
    geomadr: int
    geomnum: int
    simplicity: int
    sameframe: int
    contype: int
    conaffinity: int
    margin: float
    joints: list[Joint]  # type: ignore[assignment]
    geoms: list[Geom]  # type: ignore[assignment]
    sites: list[Site]  # type: ignore[assignment]


class Joint(kinds.Joint):
    """Joint during compilation, with its addresses, and the polynomial coefficients after the first."""

    bodyid: int
    qposadr: int
    dofadr: int
    plasticadr: int
    actuatorid: int
    stiffness: float  # type: ignore[assignment]
    damping: float  # type: ignore[assignment]
    stiffnesspoly: tuple[float, ...]
    dampingpoly: tuple[float, ...]


class Geom(kinds.Geom):
    """Geom during compilation: its asset, mass, bounds and material."""

    bodyid: int
    dataid: int
    pluginid: int
    matid: int
    asset: Any
    mass: float
    mesh_pose: Pose
    written_pose: Pose
    centred_pose: Pose
    stretch: Any
    inertia: Vector
    look: str
    aabb: tuple[float, ...]
    rbound: float
    fluid: tuple[float, ...]
    sameframe: int


class Site(kinds.Site):
    """Site during compilation: its mesh and material."""

    bodyid: int
    dataid: int
    matid: int
    sameframe: int


class Camera(kinds.Camera):
    """Camera during compilation: its target and optics."""

    bodyid: int
    targetbodyid: int
    intrinsic: tuple[float, ...]


class Light(kinds.Light):
    """Light during compilation: its target and texture."""

    bodyid: int
    targetbodyid: int
    texid: int


class Flex(kinds.Flex):
    """Flex during compilation: its parts as arrays (`compiler.flex`)."""

    matid: int
    interp: int
    nvert: int
    bodyids: np.ndarray
    nodeids: np.ndarray
    local: np.ndarray
    node_local: np.ndarray
    points: np.ndarray
    nodes: np.ndarray
    vert0: np.ndarray
    elements: np.ndarray
    edges: np.ndarray
    element_edges: np.ndarray
    edgeflap: np.ndarray
    coordinates: np.ndarray
    coordinate_ids: np.ndarray
    stiffness: np.ndarray
    bending: np.ndarray
    strain: np.ndarray
    surface: Any
    rigid: bool
    centered: bool


class Mesh(kinds.Mesh):
    """Mesh during compilation: the compiled mesh (`assets.mesh.Mesh`), and the path of its file."""

    pluginid: int
    compiled: Any
    path: str


class Tendon(kinds.Tendon):
    """Tendon during compilation, with its address in the list of paths, and polynomial coefficients after the first."""

    adr: int
    num: int
    matid: int
    plasticadr: int
    actuatorid: int
    power: int
    stiffness: float  # type: ignore[assignment]
    damping: float  # type: ignore[assignment]
    stiffnesspoly: tuple[float, ...]
    dampingpoly: tuple[float, ...]


class Wrap(kinds.Wrap):
    """Element of a tendon path during compilation, with the id of its joint, site or geom."""

    objid: int
    prm: float


class Equality(kinds.Equality):
    """Equality constraint during compilation: the ids of its objects."""

    obj1id: int
    obj2id: int
    active0: int


class Actuator(kinds.Actuator):
    """Actuator during compilation: its targets, controls, outputs and activations."""

    pluginid: int
    trnid: tuple[int, int]
    ctrlnum: int
    ctrladr: int
    ctrllimits: list[bool]
    ctrlranges: list[tuple[float, float]]
    outnum: int
    outadr: int
    actnum: int
    actadr: int
    history: tuple[int, int]
    historyadr: int
    damping: float  # type: ignore[assignment]
    dampingpoly: tuple[float, ...]
    measure: Any


class Sensor(kinds.Sensor):
    """Sensor during compilation: its objects, and the address of its numbers."""

    pluginid: int
    objid: int
    refid: int
    adr: int
    history: tuple[int, int]
    historyadr: int


class Plugin(kinds.Plugin):
    """Plugin instance during compilation, with the plugin, its slot, and the stored settings."""

    slot: int
    found: mjpPlugin | None
    attr: bytes
    statenum: int


class Skin(kinds.Skin):
    """Skin during compilation: the compiled skin (`assets.skin.Skin`), and the ids of its bones."""

    compiled: Any
    path: str
    matid: int
    bodyids: list[int]


class Hfield(kinds.Hfield):
    """Height field during compilation: its elevations, and the path of its file."""

    compiled: Any
    path: str


class Texture(kinds.Texture):
    """Texture during compilation: its pixels, and the path of its file."""

    compiled: Any
    path: str


class Material(kinds.Material):
    """Material during compilation: the ids of its textures, by role."""

    texid: list[int]


class Pair(kinds.Pair):
    """Pair of geoms during compilation, with their ids, and the signature of their bodies."""

    geom1: int
    geom2: int
    signature: int


class Exclude(kinds.Exclude):
    """Excluded pair of bodies during compilation, with its signature."""

    signature: int


class Tupleelement(kinds.Tupleelement):
    """Member of a tuple during compilation: its id."""

    objid: int
