"""Typical mistakes in models, for tests of the doctor: each function adds one to a specification.

Each function returns the name of the affected element, or "".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import conjoint
from conjoint import MjModel, MjSpec, mjtBias, mjtGeom, mjtInertiaFromGeom, mjtJoint, mjtLimited, mjtTrn


def written(spec: MjSpec, model: MjModel, name: str, mass: float, inertia: object) -> None:
    """Set the mass and inertia of a body, and keep its inertial frame."""
    body, own = spec.body(name), model.body(name)
    spec.compiler.inertiafromgeom = mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    body.explicitinertial, body.fullinertia = 1, [np.nan, 0, 0, 0, 0, 0]
    body.mass, body.inertia, body.ipos, body.iquat = mass, inertia, own.ipos, own.iquat


def solids(model: MjModel) -> list[str]:
    """Return the names of moving bodies with geoms and with considerable mass and inertia."""
    bodies = [b for b in range(1, model.nbody) if model.body_weldid[b] and model.body_geomnum[b]]
    heavy = [b for b in bodies if model.body_mass[b] > 0.02 and model.body_inertia[b, 2] > 0]
    return [model.body(b).name for b in heavy if model.body(b).name]


def hinges(model: MjModel) -> list[str]:
    """Return the names of limited hinges with actuators, or of all limited hinges if none has an actuator."""
    driven = set(model.actuator_trnid[model.actuator_trntype == mjtTrn.mjTRN_JOINT, 0])
    joints = [j for j in range(model.njnt) if model.jnt_type[j] == mjtJoint.mjJNT_HINGE and model.jnt_limited[j]]
    return [model.joint(j).name for j in joints if j in driven] or [model.joint(j).name for j in joints]


def grams(spec: MjSpec, model: MjModel) -> str:
    """Multiply the mass and inertia of a body by 1000, as if g and g m^2 were mistaken for kg and kg m^2; return its name."""
    name = solids(model)[-1]
    written(spec, model, name, 1000 * float(model.body(name).mass[0]), 1000 * model.body(name).inertia)
    return name


def tons(spec: MjSpec, model: MjModel) -> str:
    """Divide the masses and inertias of all solid bodies by 10 000, as if they were in wrong units."""
    for name in solids(model):
        written(spec, model, name, 1e-4 * float(model.body(name).mass[0]), 1e-4 * model.body(name).inertia)
    return ""


def inverted(spec: MjSpec, model: MjModel) -> str:
    """Swap the largest and smallest principal moments of inertia of a long body."""
    name = max(solids(model), key=lambda name: np.divide(*model.body(name).inertia[[0, 2]]))
    written(spec, model, name, float(model.body(name).mass[0]), model.body(name).inertia[::-1])
    return name


def unphysical(spec: MjSpec, model: MjModel) -> str:
    """Make one moment of inertia larger than the sum of the two others."""
    name = solids(model)[0]
    written(spec, model, name, float(model.body(name).mass[0]), model.body(name).inertia * [5, 1, 1])
    return ""


def millimeters(spec: MjSpec, model: MjModel) -> str:
    """Change the inertia of a body to a value in kg mm^2, as if it were in kg m^2."""
    name = solids(model)[0]
    written(spec, model, name, float(model.body(name).mass[0]), 1e6 * model.body(name).inertia)
    return name


def feather(spec: MjSpec, model: MjModel) -> str:
    """Make the last link nearly massless, and its joints without armature."""
    moved = [each for each in solids(model) if model.body(each).jntnum[0] and model.body(each).parentid[0]]
    name = min(moved, key=lambda each: model.body(each).subtreemass[0])
    for each in solids(model):
        if each == name or model.body(each).parentid[0] == model.body(name).id:
            written(spec, model, each, 1e-7 * float(model.body(each).mass[0]), 1e-7 * model.body(each).inertia)
    for joint in spec.body(name).joints:
        joint.armature = 0
    return name


def inside(spec: MjSpec, model: MjModel) -> str:
    """Add a box to the world that penetrates a moving geom."""
    data = conjoint.MjData(model)
    if model.nkey:
        conjoint.mj_resetDataKeyframe(model, data, 0)
    conjoint.mj_forward(model, data)
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    geoms = np.flatnonzero(collides & (model.body_weldid[model.geom_bodyid] != 0))
    geom = max(geoms, key=lambda g: float(np.linalg.norm(data.geom_xpos[g] - data.xpos[1])))
    size = [0.8 * float(model.geom_rbound[geom])] * 3
    spec.worldbody.add_geom(
        name="crate", type=mjtGeom.mjGEOM_BOX, pos=data.geom_xpos[geom], size=size,
        contype=int(model.geom_conaffinity[geom]), conaffinity=int(model.geom_contype[geom]),
    )  # fmt: skip
    return "crate"


def unlimited(spec: MjSpec, model: MjModel) -> str:
    """Remove the limits of a joint."""
    name = hinges(model)[1]
    spec.joint(name).limited = mjtLimited.mjLIMITED_FALSE
    return name


def degrees(spec: MjSpec, model: MjModel) -> str:
    """Change the limits of a joint to values in degrees, as if they were radians."""
    name = hinges(model)[0]
    spec.joint(name).range = np.degrees(model.joint(name).range) * (180 / np.pi if spec.compiler.degree else 1)
    return name


def slow(spec: MjSpec, model: MjModel) -> str:
    """Make the timestep forty times as long."""
    spec.option.timestep *= 40
    return ""


def spare(spec: MjSpec, model: MjModel) -> str:
    """Add an unused mesh."""
    spec.add_mesh(name="spare", uservert=CUBE.ravel())
    return "spare"


def bottomless(spec: MjSpec, model: MjModel) -> str:
    """Delete the floor."""
    for geom in list(spec.worldbody.geoms):
        spec.delete(geom)
    return ""


def weak(spec: MjSpec, model: MjModel) -> str:
    """Limit the force of each actuator to a hundredth of its maximum."""
    for u, actuator in enumerate(spec.actuators):
        most = np.abs(model.actuator_forcerange[u]).max() if model.actuator_forcelimited[u] else 20.0
        if model.actuator_ctrllimited[u] and model.actuator_biastype[u] == mjtBias.mjBIAS_NONE:
            most = min(most, abs(model.actuator_gainprm[u, 0]) * np.abs(model.actuator_ctrlrange[u]).max())
        actuator.forcelimited, actuator.forcerange = mjtLimited.mjLIMITED_TRUE, [-most / 100, most / 100]
    return ""


def horseshoe(spec: MjSpec, model: MjModel) -> str:
    """Add a colliding nonconvex mesh."""
    boxes = ((4.5, 0.5, 1), (0, 0, 0)), ((0.5, 4, 1), (4, 4, 0)), ((0.5, 4, 1), (-4, 4, 0))
    parts = [CUBE * size + pos for size, pos in boxes]
    added(spec, model, "horseshoe", np.concatenate(parts), np.concatenate([CUBE_FACES + 8 * k for k in range(3)]))
    return "horseshoe"


def fine(spec: MjSpec, model: MjModel) -> str:
    """Add a colliding round mesh with 22 000 vertices."""
    around, along = np.meshgrid(np.linspace(0, 2 * np.pi, 150, endpoint=False), np.linspace(0.05, np.pi - 0.05, 151))
    points = np.stack([np.sin(along) * np.cos(around), np.sin(along) * np.sin(around), np.cos(along)], -1).reshape(
        -1, 3
    )
    corner = np.arange(150 * 150)
    right = corner // 150 * 150 + (corner + 1) % 150
    faces = np.concatenate(
        [np.stack([corner, corner + 150, right], 1), np.stack([right, corner + 150, right + 150], 1)]
    )
    added(spec, model, "fine", points, faces)
    return "fine"


def added(spec: MjSpec, model: MjModel, name: str, points: np.ndarray, faces: np.ndarray) -> None:
    """Add a mesh to the last body, with a twentieth of the model's extent."""
    size = float(model.stat.extent) / 20 / np.abs(points).max()
    spec.add_mesh(name=name, uservert=(points * size).ravel(), userface=faces.ravel())
    spec.body(solids(model)[-1]).add_geom(type=mjtGeom.mjGEOM_MESH, meshname=name, mass=0, contype=1, conaffinity=1)


def undriven(spec: MjSpec, model: MjModel) -> str:
    """Delete the actuators."""
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    return ""


def upward(spec: MjSpec, model: MjModel) -> str:
    """Reverse gravity, so that it points up."""
    spec.option.gravity = [0, 0, 9.81]
    return ""


CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
CUBE_FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ]
)

Fault = Callable[[MjSpec, MjModel], str]

FAULTS: dict[Fault, tuple[str, ...]] = {
    grams: ("mass",),
    tons: ("mass",),
    inverted: ("inertia-axes",),
    unphysical: ("not-physical",),
    millimeters: ("inertia",),
    feather: ("inertia-ratio",),
    inside: ("penetration",),
    unlimited: ("limits",),
    degrees: ("limit-units",),
    slow: ("time-step", "unstable"),
    spare: ("unused-assets",),
    bottomless: ("floor",),
    weak: ("force-range",),
    horseshoe: ("convex-hull",),
    fine: ("fine-mesh",),
    undriven: ("actuators",),
    upward: ("gravity",),
}
"""Checks of the doctor that should find each mistake; one of them suffices."""
