"""Scratch by the method that works with it: kernels use it as `d.<workspace>.<row>`.

A row means what it says while its method runs, and nothing otherwise. Methods of which a world runs one at a time share
an area of memory, which has room for the largest.
"""

from conjoint.lang.memory.layout import Field, Lifetime
from conjoint.schema.rows import Scratch, Workspace
from conjoint.schema.solver_workspaces import POSTHOC_WORKSPACE, SOLVER_WORKSPACES
from conjoint.schema.stage_names import DRIVE, SOLVE

KEPT = Lifetime.KEPT

# fmt: off
DATA_WORKSPACES: tuple[Field, ...] = (
    # search for length ranges: what drives an actuator, and how far it came
    *Workspace(
        "drive", "physics.integration",
        Scratch("actuator", "int", (), "", DRIVE, "actuator whose range is looked for", lifetime=KEPT),
        Scratch("accel", "real", (), "", DRIVE, "signed acceleration that drives it", lifetime=KEPT),
        Scratch("maxforce", "real", (), "", DRIVE, "largest norm of the force; 0: any", lifetime=KEPT),
        Scratch("decay", "real", (), "", DRIVE, "what is left of velocities per step", lifetime=KEPT),
        Scratch("watched", "real", (), "s", DRIVE, "time after which lengths count", lifetime=KEPT),
        Scratch("least", "real", (), "", DRIVE, "least length", lifetime=KEPT),
        Scratch("greatest", "real", (), "", DRIVE, "greatest length", lifetime=KEPT),
    ),
    # responses of a chain of dofs to eight forces at a time
    *Workspace(
        "chain", "physics.constants",
        Scratch("dof", "int", ("nv",), "", "mj_setConst", "a dof and its ancestors, ascending"),
        Scratch("force", "real", ("nv", 8), "", "mj_setConst", "eight generalized forces on them"),
        Scratch("response", "real", ("nv", 8), "", "mj_setConst", "accelerations due to these"),
        Scratch("work", "real", (8,), "", "mj_setConst", "products of both"),
    ),
    # response of the whole model to one force
    *Workspace(
        "unit", "physics.constants",
        Scratch("force", "real", ("nv",), "", "mj_setConst", "generalized force whose effect is looked for"),
        Scratch("response", "real", ("nv",), "", "mj_setConst", "acceleration due to it"),
    ),
    *POSTHOC_WORKSPACE,
)
"""Rows whose sizes follow from the model: they stay where they are while an arena grows."""

ARENA_WORKSPACES: tuple[Field, ...] = (
    # what inverse dynamics is compared with
    *Workspace(
        "compare", "physics.dynamics",
        Scratch("frc", "real", ("nv",), "", "mj_compareFwdInv", "qfrc_constraint of forward"),
        Scratch("forces", "real", ("nv",), "", "mj_compareFwdInv", "forces of actuators and applied ones"),
        Scratch("inverse", "real", ("nv",), "", "mj_compareFwdInv", "qfrc_inverse before it"),
        Scratch("efc", "real", ("nefc_capacity",), "", "mj_compareFwdInv", "efc_force of forward"),
    ),
    # the complementarity solver of the 2012 paper
    *Workspace(
        "hybrid", "solver.paper",
        Scratch("variable", "real", ("nefc_padded",), "", SOLVE,
                "hybrid variable: force where it acts, else minus velocity, scaled"),
        Scratch("scale", "real", ("nefc_padded",), "", SOLVE,
                "friction of tangential rows, 1 in others: forces over it have circular cones"),
        Scratch("ratio", "real", ("nefc_padded",), "", SOLVE, "velocity that a unit of it encodes"),
        Scratch("free", "real", ("nefc_padded",), "", SOLVE, "velocity without forces, scaled"),
        Scratch("push", "real", ("nefc_padded",), "", SOLVE, "what of it makes overlaps decay"),
        Scratch("residual", "real", ("nefc_padded",), "", SOLVE, "residual of the hybrid equation"),
        Scratch("step", "real", ("nefc_padded",), "", SOLVE, "step of Newton's method"),
        Scratch("before", "real", ("nefc_padded",), "", SOLVE, "hybrid variable before the step"),
        Scratch("best", "real", ("nefc_padded",), "", SOLVE, "that of the least residual so far"),
        Scratch("slope", "real", ("nefc_hybrid", "nefc_hybrid"), "", SOLVE,
                "derivative of the residual by the hybrid variable"),
        area="impulse",
    ),
    *SOLVER_WORKSPACES,
)
"""Rows whose sizes are capacities of the arena."""
# fmt: on
