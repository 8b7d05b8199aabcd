"""Scratch memory of methods. Kernels use it as `d.<workspace>.<row>`.

A row has a meaning only while its method runs. Methods that a world runs one at a time share an area of memory, which
is as large as the largest of them needs. One workspace of the area "direction" stores data that a method needs from
one direction, or sweep, to the next.
"""

from conjoint.lang.memory.layout import Field, Lifetime
from conjoint.schema.rows import DRIVE, DUAL, FORCES, ISLAND, POSTHOC, SOLVE, Scratch, Workspace

KEPT = Lifetime.KEPT

# fmt: off
POSTHOC_WORKSPACE: tuple[Field, ...] = Workspace(
    "posthoc", "solver",
    Scratch("equality", "real", (), "kg", "", "weight of equalities in the greater inertia", lifetime=KEPT),
    Scratch("contact", "real", (), "kg", "", "weight of contacts and limits in it", lifetime=KEPT),
    Scratch("frc", "real", ("nv",), "", "mj_forwardPosthoc", "forces of actuators and applied ones"),
    Scratch("acc", "real", ("nv",), "", "mj_inversePosthoc", "the acceleration that is given"),
    Scratch("warm", "real", ("nv",), "", "mj_inversePosthoc, mj_fwdConstraint", "qacc_warmstart as it is given"),
)
"""Data that must persist after the solver in post-hoc mode, or if the solver must not change qacc_warmstart."""

SOLVER_WORKSPACES: tuple[Field, ...] = (
    # constraint rows at the current point of a method
    *Workspace(
        "cost", "solver",
        Scratch("D", "real", ("nefc_padded",), "", FORCES, "efc_D; 0 if unused"),
        Scratch("lower", "real", ("nefc_padded",), "", FORCES, "residual below which the force is constant"),
        Scratch("upper", "real", ("nefc_padded",), "", FORCES, "residual above which the force is constant"),
        Scratch("residual", "real", ("nefc_padded",), "", FORCES, "J qacc - aref"),
        Scratch("change", "real", ("nefc_padded",), "", SOLVE,
                "its change along the search direction; before the first one, the residual of another acceleration"),
        Scratch("force", "real", ("nefc_padded",), "", FORCES, "force of every row"),
        Scratch("stiffness", "real", ("nefc_padded",), "", FORCES, "stiffness of every row as it acts now"),
        Scratch("scale", "real", (), "", SOLVE, "edition 4.0: 1 over the trace of M"),
    ),
    # rows of elliptic contacts
    *Workspace(
        "cone", "solver",
        Scratch("place", "int", ("nefc_padded",), "", FORCES,
                "place of a row in an elliptic contact: 0 none, 1 first, 2 between, 3 last"),
        Scratch("weight", "real", ("ncone_nefc",), "", FORCES,
                "at the last row of a contact: its stiffness across the surface of the cone, 0 if it does not slide"),
        Scratch("along", "real", ("ncone_nefc",), "", FORCES,
                "there: its stiffness in the direction of sliding, less that of its tangential rows"),
        Scratch("share", "real", ("nefc_padded",), "", SOLVE, "diagonal solver: share of the friction of a contact"),
        Scratch("state", "int", ("nefc_padded",), "", FORCES, "state"),
        Scratch("axis", "real", ("ncone_nefc",), "", FORCES,
                "of a sliding contact: direction of its tangential residual, scaled; mu in the normal row"),
        # cones
        Scratch("count", "int", (), "", FORCES, "number of cones"),
        Scratch("plain", "int", (), "", FORCES, "number of rows up to the last one that is of no cone"),
        Scratch("width", "int", (), "", FORCES, "number of rows of the largest cone"),
        Scratch("row", "int", ("ncone_padded",), "", FORCES, "first row of each cone"),
        Scratch("size", "int", ("ncone_padded",), "", FORCES, "number of its rows"),
        Scratch("Dm", "real", ("ncone_padded",), "", FORCES, "its stiffness where it slides"),
        Scratch("scale", "real", ("ncone_rows",), "", FORCES, "cone_scale of each row"),
        Scratch("D", "real", ("ncone_rows",), "", FORCES, "stiffness of each row"),
        # cones at the last update
        Scratch("y", "real", ("ncone_rows",), "", FORCES, "residual of each row"),
        Scratch("yy", "real", ("ncone_padded",), "", FORCES, "sum of the squares of residuals, times stiffnesses"),
        Scratch("cost", "real", ("ncone_padded",), "", FORCES, "cost"),
        Scratch("pressed", "real", ("ncone_padded",), "", FORCES, "1: all rows are active"),
        Scratch("sliding", "real", ("ncone_padded",), "", FORCES, "Dm of a sliding contact; 0: it does not slide"),
        Scratch("normal", "real", ("ncone_padded",), "", FORCES, "normal force of a sliding contact"),
        Scratch("short", "real", ("ncone_padded",), "", FORCES, "1 over its tangential residual, scaled"),
        # cones along the search direction
        Scratch("u", "real", ("ncone_rows",), "", SOLVE, "residual of each row, scaled"),
        Scratch("v", "real", ("ncone_rows",), "", SOLVE, "change of the residual of each row, scaled"),
        Scratch("VV", "real", ("ncone_padded",), "", SOLVE, "square of the change of the tangential residual, scaled"),
        Scratch("yv", "real", ("ncone_padded",), "", SOLVE, "slope of the cost while all rows are active, at step 0"),
        Scratch("vv", "real", ("ncone_padded",), "", SOLVE, "its curvature"),
    ),
    # rows, of J or of half a solve, in blocks of eight columns
    *Workspace(
        "packed", "solver",
        Scratch("value", "real", ("nefc_padded", "nv_square"), "", SOLVE, "blocks that are not zero in some world"),
        Scratch("block", "int", ("nefc_padded", "nv_blocks"), "", SOLVE, "which ones, of each row", uniform=True),
        Scratch("start", "int", ("nefc_padded",), "", SOLVE, "where the blocks of a row begin", uniform=True),
        Scratch("count", "int", ("nefc_padded",), "", SOLVE, "their number", uniform=True),
        Scratch("column", "real", ("nv_padded",), "", SOLVE, "a vector: element 1 + i of dof i"),
    ),
    # rows of worlds side by side: units of places, and their values along paths
    *Workspace(
        "unit", "solver.linear solver.method",
        Scratch("key", "int", ("nefc_branched",), "", SOLVE, "number of the bodies, or the constraint, of each row"),
        Scratch("left", "int", ("nefc_branched",), "", SOLVE, "rows of its cone from each row on"),
        Scratch("bits", "int", ("nefc_branched", "nv_blocks"), "", SOLVE, "dofs on which each row acts"),
        Scratch("row", "int", ("nplace",), "", SOLVE, "row of a world at each place; -1: none"),
        Scratch("count", "int", (), "", SOLVE, "number of units", uniform=True),
        Scratch("first", "int", ("nplace",), "", SOLVE, "first place of each unit", uniform=True),
        Scratch("adr", "int", ("nplace",), "", SOLVE, "where its values begin", uniform=True),
        Scratch("begin", "int", ("nplace",), "", SOLVE, "where its dofs begin", uniform=True),
        Scratch("dof", "int", ("nplace", "nv_square"), "", SOLVE, "dofs of units, ascending", uniform=True),
        Scratch("at", "int", ("nplace", "nv_square"), "", SOLVE, "where a row has them", uniform=True),
        Scratch("panel", "int", ("nplace",), "", SOLVE, "where its panels begin", uniform=True),
        Scratch("column", "int", ("nplace", "nv_square"), "", SOLVE, "first column of panels", uniform=True),
        Scratch("place", "int", ("nplace", "nv_square"), "", SOLVE, "first dof of panels", uniform=True),
        Scratch("value", "real", ("nplace", "nv_square"), "", SOLVE, "values of its rows, one row after the other"),
    ),
    # the elimination tree of the Hessian of worlds side by side, and the paths in it
    *Workspace(
        "path", "solver.linear solver.method",
        Scratch("parent", "int", ("nv_branched",), "", SOLVE, "dof above each one; -1: none", uniform=True),
        Scratch("depth", "int", ("nv_branched",), "", SOLVE, "number of dofs above each one", uniform=True),
        Scratch("adr", "int", ("nv_branched",), "", SOLVE, "where its row begins", uniform=True),
        Scratch("begin", "int", ("nv_branched",), "", SOLVE, "where the dofs below it are listed", uniform=True),
        Scratch("end", "int", ("nv_branched",), "", SOLVE, "the end of that list so far", uniform=True),
        Scratch("dof", "int", ("nv_branched", "nv_square"), "", SOLVE, "dofs of the columns of the rows", uniform=True),
        Scratch("below", "int", ("nv_branched", "nv_square"), "", SOLVE, "the dofs below each one", uniform=True),
    ),
    # methods in the space of dofs
    *Workspace(
        "dofs", "solver",
        Scratch("gradient", "real", ("nv_padded",), "", SOLVE, "gradient of the cost"),
        Scratch("search", "real", ("nv_padded",), "", SOLVE, "search direction; before the first one, L^-T gradient"),
        Scratch("Ma", "real", ("nv_padded",), "", SOLVE, "M qacc"),
        Scratch("Mv", "real", ("nv_padded",), "", SOLVE,
                "M times the search direction; before the first one, M qacc_warmstart"),
    ),
    # Newton's method with dense rows: the Hessian
    *Workspace(
        "hessian", "solver",
        Scratch("included", "real", ("nefc_padded",), "", SOLVE, "stiffness of each row in it"),
        Scratch("H", "real", ("nv_square", "nv_square"), "", SOLVE, "the Hessian, and a right-hand side in column 0"),
        Scratch("L", "real", ("nv_square", "nv_square"), "", SOLVE, "its factor"),
        Scratch("pivot", "real", ("nv_padded",), "", SOLVE, "-1 over its pivots"),
        Scratch("weight", "real", ("nv_square", 8), "", SOLVE, "eight columns of the factor, over the pivots"),
        Scratch("open", "int", ("nv_blocks", "nv_blocks"), "", SOLVE, "1: a block is in use", uniform=True),
        Scratch("fill", "int", ("nv_blocks", "nv_blocks"), "", SOLVE, "1: one of the factor is not zero", uniform=True),
        Scratch("columns", "int", ("nv_blocks",), "", SOLVE, "blocks of a row", uniform=True),
        Scratch("below", "int", ("nv_blocks",), "", SOLVE, "blocks of a column", uniform=True),
        Scratch("across", "real", ("nv_padded",), "", SOLVE, "normal row of a contact, scaled"),
        Scratch("along", "real", ("nv_padded",), "", SOLVE, "sum of its tangential rows in the direction of sliding"),
        area="direction",
    ),
    # Newton's method in lanes: the Hessian on these paths
    *Workspace(
        "tree", "solver.linear solver.method",
        Scratch("done", "int", ("nv_branched",), "", SOLVE, "1: the row of a dof is eliminated", uniform=True),
        Scratch("included", "real", ("nplace",), "", SOLVE, "stiffness in it, by place"),
        Scratch("H", "real", ("nv_branched", "nv_square"), "", SOLVE, "the Hessian, and a right-hand side"),
        Scratch("U", "real", ("nv_branched", "nv_square"), "", SOLVE, "the eliminated rows"),
        Scratch("L", "real", ("nv_branched", "nv_square"), "", SOLVE, "the same over minus their pivots"),
        Scratch("scaled", "real", (6, "nv_square"), "", SOLVE, "rows of a unit, weighted"),
        area="direction",
    ),
    # conjugate gradients
    *Workspace(
        "conjugate", "solver",
        Scratch("Mgrad", "real", ("nv_padded",), "", SOLVE, "M^-1 gradient"),
        Scratch("before", "real", ("nv_padded",), "", SOLVE, "that of the iteration before"),
        Scratch("product", "real", (), "", SOLVE, "gradient times M^-1 gradient, of the iteration before"),
        Scratch("slope", "real", (), "", SOLVE, "gradient times search direction, of the iteration before"),
        area="direction",
    ),
    # Newton's method in the space of rows: qacc = qacc_smooth + beta x + M^-1 J' multipliers, with M = L' D L
    *Workspace(
        "rows", "solver",
        Scratch("JT", "real", ("nv", "nrow_padded"), "", SOLVE, "J'"),
        Scratch("half", "real", ("nv", "nrow_padded"), "", SOLVE, "L'^-1 J'"),
        Scratch("A", "real", ("nrow_padded", "nrow_padded"), "", SOLVE, "J M^-1 J'"),
        Scratch("L", "real", ("nv_square", "nv_square"), "", SOLVE, "factor of the active rows of A + R"),
        Scratch("pivot", "real", ("nv_padded",), "", SOLVE, "-1 over its pivots"),
        Scratch("weight", "real", ("nv_square", 8), "", SOLVE, "two columns of the factor, over the pivots"),
        Scratch("listed", "int", ("nefc_padded",), "", SOLVE, "rows that change", uniform=True),
        Scratch("steps", "real", ("nefc_padded",), "", SOLVE, "their steps"),
        Scratch("step", "real", ("nefc_padded",), "", SOLVE, "step of the multipliers"),
        Scratch("multiplier", "real", ("nefc_padded",), "", SOLVE, "multipliers of the rows"),
        Scratch("excess", "real", ("nefc_padded",), "", SOLVE, "multiplier minus force"),
        Scratch("J_smooth", "real", ("nefc_padded",), "", SOLVE, "J qacc_smooth"),
        Scratch("Jx", "real", ("nefc_padded",), "", SOLVE, "J x"),
        Scratch("Mx", "real", ("nv_padded",), "", SOLVE, "M x"),
        Scratch("Lx", "real", ("nv_padded",), "", SOLVE, "L x; at first L times the way to qacc_warmstart"),
        Scratch("product", "real", ("nv_padded",), "", SOLVE, "J', or half a solve of it, times numbers of the rows"),
        Scratch("acc", "real", ("nv_padded",), "", SOLVE, "qacc - qacc_smooth"),
        Scratch("beta", "real", (), "", SOLVE, "what is left of x"),
        Scratch("inertial", "real", (), "", SOLVE, "x' M x"),
        Scratch("slant", "real", (), "", SOLVE, "M x times qacc_smooth"),
        Scratch("extent", "real", (), "", SOLVE, "sum of the sizes of qacc_smooth"),
        Scratch("downhill", "real", (), "", SOLVE, "gradient times qacc_smooth, but for the part of x"),
        Scratch("differs", "int", (), "", SOLVE, "1: multipliers and forces differ beyond rounding"),
        Scratch("lost", "int", (), "", SOLVE, "1: rounding is all that is left"),
        area="direction",
    ),
    # dual methods: the matrix J M^-1 J' stored, or half a solve of the rows, packed or compressed
    *Workspace(
        "dual", "solver",
        Scratch("size", "real", (), "", SOLVE, "sum of the sizes of J's elements"),
        Scratch("stored", "int", (), "", SOLVE, "1: efc_AR has all rows; 0: half a solve of the rows stands for it"),
        Scratch("JT", "real", ("nv_square", "dual_padded"), "", SOLVE, "J', then L'^-1 J'"),
        Scratch("residual", "real", ("nefc_padded",), "", SOLVE, "derivative of the cost, where the matrix is stored"),
        Scratch("left", "int", ("nefc_padded",), "", SOLVE,
                "rows of its contact from a row on, itself included; 0: it does not take part"),
        Scratch("product", "real", ("nefc_padded", 6), "", SOLVE, "elements of J M^-1 J' between a row and these"),
        Scratch("row", "real", ("nv_padded",), "", SOLVE, "a row of half a solve, spread out over all dofs"),
        Scratch("motion", "real", ("nv_padded",), "", SOLVE, "forces times the rows of half a solve"),
        Scratch("mark", "int", ("nv_compressed",), "", DUAL, "last row that lists a dof"),
        Scratch("num", "int", ("nefc_sparse",), "", SOLVE, "number of elements in each row of half a solve"),
        Scratch("adr", "int", ("nefc_sparse",), "", SOLVE, "first element of each row"),
        Scratch("dof", "int", ("ndual_capacity",), "", SOLVE, "their dofs, of each row from the last one"),
        Scratch("value", "real", ("ndual_capacity",), "", SOLVE, "J L^-1 D^-1/2, row by row"),
        Scratch("offset", "real", ("nefc_padded",), "", SOLVE,
                "noslip: acceleration along a row without constraint forces, minus the reference"),
        area="direction",
    ),
    # projected Gauss-Seidel in edition 4.0
    *Workspace(
        "pace", "solver.method",
        Scratch("order", "int", ("nefc_swept",), "", SOLVE,
                "first rows of the blocks of a sweep, in the order in which it visits them"),
        Scratch("before", "real", ("nefc_swept",), "", SOLVE, "forces before a sweep"),
        Scratch("point", "real", ("nefc_swept",), "", SOLVE, "forces from which a sweep begins"),
    ),
    # blocks of the Hessian of compressed rows and of its factor
    *Workspace(
        "fill", "solver.linear solver.method",
        Scratch("root", "int", ("nblock",), "", SOLVE, "first block of the part of each block of dofs"),
        Scratch("adr", "int", ("nblock",), "", SOLVE, "where the blocks of each row of blocks begin"),
        Scratch("num", "int", ("nblock",), "", SOLVE, "their number, that on the diagonal included"),
        Scratch("block", "int", ("nfill_capacity",), "", SOLVE, "their columns of blocks, ascending"),
    ),
    # search for these blocks
    *Workspace(
        "coupling", "solver.linear",
        Scratch("used", "int", ("nblock",), "", SOLVE, "1: a row acts on the tree that begins here"),
        Scratch("parent", "int", ("nblock",), "", SOLVE,
                "largest block before it that a block of the factor couples with; -1: none"),
        Scratch("child", "int", ("nblock",), "", SOLVE, "a block whose parent it is; -1: none"),
        Scratch("sibling", "int", ("nblock",), "", SOLVE, "another one of the same parent; -1: none"),
        Scratch("row", "int", ("nblock",), "", SOLVE, "a row whose last block it is; -1: none"),
        Scratch("next", "int", ("nefc_sparse",), "", SOLVE, "another one; -1: none"),
        Scratch("mark", "int", ("nblock",), "", SOLVE, "block that it is known to couple with"),
        area="blocks",
    ),
    # Newton's method with compressed rows
    *Workspace(
        "blocks", "solver.linear solver.method",
        Scratch("included", "real", ("nefc_padded",), "", SOLVE, "stiffness of each row in the Hessian"),
        Scratch("H", "real", ("nfill_capacity", 64), "", SOLVE, "the Hessian, eight by eight numbers"),
        Scratch("L", "real", ("nfill_capacity", 64), "", SOLVE, "its factor by blocks"),
        Scratch("stale", "int", ("nblock",), "", SOLVE, "1: the factor of these blocks is out of date"),
        Scratch("list", "int", ("nblock",), "", SOLVE, "blocks that a row acts on, from the first of its share"),
        Scratch("place", "int", ("nblock",), "", SOLVE, "where a row of blocks has them"),
        Scratch("value", "real", (4, "nblock", 8), "", SOLVE, "rows, or a vector, by blocks"),
        Scratch("weight", "real", ("nsolver_share_most", 8), "", SOLVE, "weights of these rows, by share"),
        Scratch("scaled", "real", ("nsolver_share_most", 64), "", SOLVE, "a block of the factor to be, by share"),
        Scratch("unit", "real", (64,), "", SOLVE, "the unit matrix"),
        area="blocks",
    ),
    # compressed rows by the share of the work that they belong to
    *Workspace(
        "share", "solver.linear solver.method",
        Scratch("count", "int", (), "", SOLVE, "shares of the work of Newton's method"),
        Scratch("work", "int", ("nblock",), "", SOLVE, "work of the part that begins here; its share"),
        Scratch("block", "int", ("nblock",), "", SOLVE, "blocks of dofs, share by share"),
        Scratch("adr", "int", ("nsolver_share_end",), "", SOLVE, "first of the blocks of each share"),
        Scratch("row", "int", ("nsolver_share_end",), "", SOLVE, "its first place among the rows"),
        Scratch("order", "int", ("nefc_sparse",), "", SOLVE, "rows, share by share"),
        Scratch("size", "real", ("nsolver_share_most",), "", SOLVE, "sizes of the elements of its rows"),
    ),
    # island versions of rows of the world that users do not see
    *Workspace(
        "island", "physics.constraint solver",
        Scratch("solved", "int", (), "", SOLVE, "island that is being solved"),
        Scratch("leader", "int", ("ntree_island",), "", ISLAND,
                "another tree that constraints join with a tree, in the end the first of them, itself; -1: none do"),
        Scratch("Jadr", "int", ("nisland_capacity",), "", ISLAND, "where the rows of iefc_J begin"),
        Scratch("meaninertia", "real", ("nisland_capacity",), "", ISLAND, "mean of the diagonal of M"),
        Scratch("block_place", "int", ("nblock_island",), "", ISLAND, "place of each block of dofs in its island"),
        Scratch("nblock", "int", ("nisland_capacity",), "", ISLAND, "number of blocks of dofs"),
        Scratch("blockadr", "int", ("nisland_capacity",), "", ISLAND, "where its blocks of dofs begin"),
        Scratch("block_dof", "int", ("nblock_island",), "", ISLAND,
                "first dof of each block, counted in its island; behind the last of an island the number of its dofs"),
        Scratch("block_tree", "int", ("nblock_island",), "", ISLAND, "first block of its tree, counted alike"),
        Scratch("dof_block", "int", ("nidof_capacity",), "", ISLAND, "block of each dof, counted alike"),
        Scratch("M_colnnz", "int", ("nidof_capacity",), "", ISLAND, "dofs below each dof in its tree: the next ones"),
        Scratch("niter", "int", ("nisland_capacity",), "", SOLVE, "number of iterations"),
        Scratch("nsolverstat", "int", ("nisland_capacity",), "", SOLVE, "iterations whose statistics are kept"),
        Scratch("statadr", "int", ("nisland_capacity",), "", SOLVE, "where its statistics begin"),
        Scratch("cone_scale", "real", ("nefc_island",), "", ISLAND, "cone_scale, in the order of islands"),
        Scratch("b", "real", ("nefc_island",), "", SOLVE, "efc_b, in the order of islands"),
        Scratch("acc_warmstart", "real", ("nidof_capacity",), "", SOLVE, "qacc_warmstart, in the order of islands"),
    ),
    # the diagonal solver of the 2012 paper
    *Workspace(
        "impulse", "solver", Scratch("diagonal", "real", ("nefc_padded",), "", SOLVE, "diagonal of J M^-1 J'"),
        area="impulse",
    ),
    # post-hoc mode: M and the inertia that constraints add to it
    *Workspace(
        "greater", "solver.paper",
        Scratch("search", "real", ("nv",), "", POSTHOC,
                "search direction; what the acceleration has beyond that without forces"),
        Scratch("row", "real", ("nefc_padded",), "", POSTHOC, "weighted acceleration along each row"),
        Scratch("added", "real", ("nv",), "", POSTHOC, "what is added to M, times a vector"),
        Scratch("image", "real", ("nv",), "", "mj_forwardPosthoc", "greater inertia times the search direction"),
        Scratch("left", "real", ("nv",), "", "mj_forwardPosthoc", "forces that are not balanced yet"),
        Scratch("solved", "real", ("nv",), "", "mj_forwardPosthoc", "M^-1 times those"),
    ),
)

SOLUTION: tuple[Field, ...] = Workspace(
    "solution", "solver.derivative",
    Scratch("Ma", "real", ("nv",), "", SOLVE, "M qacc, in which M changes"),
    Scratch("Jacc", "real", ("nefc_padded",), "", SOLVE, "J qacc, in which J changes"),
    Scratch("turned", "real", ("nv",), "", SOLVE, "J' force, in which J changes"),
    Scratch("pushed", "real", ("nv",), "", SOLVE, "J' force, in which forces change"),
    Scratch("step", "real", ("nv",), "", SOLVE, "change of qacc"),
)
"""Scratch memory for derivatives of a solver's solution."""

DATA_WORKSPACES: tuple[Field, ...] = (
    # search for length ranges: the force that drives an actuator, and the lengths that it reaches
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
"""Workspaces whose sizes follow from the model. They keep their addresses while an arena grows."""

ARENA_WORKSPACES: tuple[Field, ...] = (
    # forces of forward dynamics for comparison with inverse dynamics
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
"""Workspaces whose sizes are capacities of the arena."""
# fmt: on
