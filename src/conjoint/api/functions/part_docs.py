"""Docstrings of the functions that are a part of a step: what each finds, and the fields that it writes."""

from conjoint.once import made_alike
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS

MEANINGS = {
    "mj_kinematics": "Find the poses of bodies, joints, geoms and sites from `qpos`: forward kinematics.",
    "mj_comPos": "Find centres of mass, and about them the inertias of bodies and the motion axes of dofs.",
    "mj_camlight": "Find the poses of cameras and lights, after `mj_kinematics`.",
    "mj_tendon": "Find the paths, lengths and moment arms of tendons.",
    "mj_flex": "Find the vertices of flexes, and the lengths and moment arms of their edges.",
    "mj_makeM": "Find the inertia matrix by the composite rigid body algorithm, after `mj_comPos` and `mj_tendon`.",
    "mj_crb": "Find the inertia matrix; another name of `mj_makeM`.",
    "mj_factorM": "Factor the inertia matrix, M = L^T D L, after `mj_makeM`.",
    "mj_collision": "Find all contacts, after `mj_kinematics`.",
    "mj_makeConstraint": "Make the rows of all constraints, with Jacobians and impedances, after `mj_collision`.",
    "mj_island": "Find the islands: trees that constraints connect, after `mj_makeConstraint`.",
    "mj_transmission": "Find the lengths and moment arms of actuators, after `mj_tendon`.",
    "mj_comVel": "Find com-based velocities of bodies and the rates of motion axes, after `mj_comPos`.",
    "mj_passive": "Find passive forces: springs, dampers, gravity compensation, fluid, adhesion and plugins.",
    "mj_referenceConstraint": "Find velocities and reference accelerations of constraint rows.",
    "mj_projectConstraint": "Find the matrix A + R = J M^-1 J^T + R of the constraint rows.",
    "mj_subtreeVel": "Find velocities of subtrees' centres of mass, and angular momenta about them, after `mj_comVel`.",
    "mj_rnePostConstraint": "Find accelerations of bodies, and forces on and between them, after `mj_forward`.",
    "mj_fwdPosition": "Find all that follows from `qpos`: poses, inertia, contacts, constraints, transmissions.",
    "mj_fwdVelocity": "Find all that follows from `qvel` too: velocities, passive forces, bias forces.",
    "mj_fwdActuation": "Find forces of actuators and rates of activations, from `ctrl` and `act`.",
    "mj_fwdAcceleration": "Add up all forces but those of constraints, and find the acceleration that they cause.",
    "mj_fwdConstraint": "Solve for the forces of constraints, and find `qacc`, after `mj_fwdAcceleration`.",
    "mj_invPosition": "Find all that follows from `qpos`, as `mj_fwdPosition`.",
    "mj_invVelocity": "Find all that follows from `qvel` too, as `mj_fwdVelocity`.",
    "mj_invConstraint": "Find the forces of constraints at the `qacc` that is given: they have a closed form.",
    "mj_sensorPos": "Read the sensors that depend on positions, after `mj_fwdPosition`.",
    "mj_sensorVel": "Read the sensors that depend on velocities, after `mj_fwdVelocity`.",
    "mj_sensorAcc": "Read the sensors that depend on accelerations and forces, after `mj_fwdConstraint`.",
    "mj_energyPos": "Find the potential energy, `energy[0]` (J), after `mj_fwdPosition`.",
    "mj_energyVel": "Find the kinetic energy, `energy[1]` (J), after `mj_fwdVelocity`.",
    "mj_checkPos": "Warn of a number in `qpos` that is not finite or beyond 1e10, and reset the world.",
    "mj_checkVel": "Warn of a number in `qvel` that is not finite or beyond 1e10, and reset the world.",
    "mj_checkAcc": "Warn of a number in `qacc` that is not finite or beyond 1e10, reset the world and forward it.",
    "mj_compareFwdInv": "Compare forward with inverse dynamics, after `mj_forward`; `qacc` is left as it is.",
}
"""What each function finds, and after which one. Checks reset a world unless the flag `autoreset` is disabled."""


def written_by(name: str) -> list[str]:
    """Fields of `MjData` that the stages of a function write, in the order of the schema."""
    return _written().get(name, [])


@made_alike
def _written() -> dict[str, list[str]]:
    """Fields by the functions that write them."""
    found: dict[str, list[str]] = {}
    for field in (*DATA_FIELDS, *ARENA_FIELDS):
        for name in field.stages:
            found.setdefault(name, []).append(field.name)
    return found


def part_doc(name: str) -> str:
    """Docstring of a function that is a part of a step."""
    written = ", ".join(f"`{field}`" for field in written_by(name))
    fields = f"; written are {written}" if written else "; what is written says docs/reference/pipeline.md"
    return f"""{MEANINGS[name]}

Args:
    m: the model.
    d: the world, of which what the stages before wrote is read{fields}.

Raises:
    FatalError: the model cannot be simulated.
"""
