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
    Scratch("equality", "real", (), "kg", "", "weight of equality constraints in the greater inertia", lifetime=KEPT),
    Scratch("contact", "real", (), "kg", "", "weight of contacts and limits in the greater inertia", lifetime=KEPT),
    Scratch("frc", "real", ("nv",), "", "mj_forwardPosthoc", "sum of actuator forces and applied forces"),
    Scratch("acc", "real", ("nv",), "", "mj_inversePosthoc",
            "given acceleration, before the post-hoc solver changes qacc"),
    Scratch("warm", "real", ("nv",), "", "mj_inversePosthoc, mj_fwdConstraint", "saved copy of qacc_warmstart"),
)
"""Data that must persist after the solver in post-hoc mode, or if the solver must not change qacc_warmstart."""

SOLVER_WORKSPACES: tuple[Field, ...] = (
    # constraint rows at the current point of a method
    *Workspace(
        "cost", "solver",
        Scratch("D", "real", ("nefc_padded",), "", FORCES, "efc_D of each row; 0 if the row is unused"),
        Scratch("lower", "real", ("nefc_padded",), "", FORCES, "residual below which the force is constant"),
        Scratch("upper", "real", ("nefc_padded",), "", FORCES, "residual above which the force is constant"),
        Scratch("residual", "real", ("nefc_padded",), "", FORCES, "residual J qacc - aref of each row"),
        Scratch("change", "real", ("nefc_padded",), "", SOLVE,
                "change in the residual along the search direction; before the first direction, the residual of "
                "another acceleration"),
        Scratch("force", "real", ("nefc_padded",), "", FORCES, "force of every row"),
        Scratch("stiffness", "real", ("nefc_padded",), "", FORCES, "stiffness of every row in its current state"),
        Scratch("scale", "real", (), "", SOLVE, "inverse of the trace of M, in edition 4.0"),
    ),
    # rows of elliptic contacts
    *Workspace(
        "cone", "solver",
        Scratch("place", "int", ("nefc_padded",), "", FORCES,
                "position of a row in its elliptic contact. 0: not in a cone, 1: first, 2: in between, 3: last"),
        Scratch("weight", "real", ("ncone_nefc",), "", FORCES,
                "stiffness across the surface of the cone, at the last row of a contact; 0 if the contact does not "
                "slide"),
        Scratch("along", "real", ("ncone_nefc",), "", FORCES,
                "stiffness in the direction of sliding minus that of the tangential rows, at the last row of a "
                "contact"),
        Scratch("share", "real", ("nefc_padded",), "", SOLVE,
                "fraction of a contact's friction, in the diagonal solver"),
        Scratch("state", "int", ("nefc_padded",), "", FORCES, "state"),
        Scratch("axis", "real", ("ncone_nefc",), "", FORCES,
                "scaled direction of a sliding contact's tangential residual; mu in its normal row"),
        # cones
        Scratch("count", "int", (), "", FORCES, "number of cones"),
        Scratch("plain", "int", (), "", FORCES, "number of rows up to the last row outside of cones"),
        Scratch("width", "int", (), "", FORCES, "number of rows of the largest cone"),
        Scratch("row", "int", ("ncone_padded",), "", FORCES, "first row of each cone"),
        Scratch("size", "int", ("ncone_padded",), "", FORCES, "number of rows of each cone"),
        Scratch("Dm", "real", ("ncone_padded",), "", FORCES, "stiffness of each cone while its contact slides"),
        Scratch("scale", "real", ("ncone_rows",), "", FORCES, "cone_scale of each row of a cone"),
        Scratch("D", "real", ("ncone_rows",), "", FORCES, "stiffness of each row of a cone"),
        # cones at the last update
        Scratch("y", "real", ("ncone_rows",), "", FORCES, "residual of each row at the last update"),
        Scratch("yy", "real", ("ncone_padded",), "", FORCES,
                "sum of the squared residuals of each cone, times their stiffnesses"),
        Scratch("cost", "real", ("ncone_padded",), "", FORCES, "cost"),
        Scratch("pressed", "real", ("ncone_padded",), "", FORCES, "1: all rows of the cone are active"),
        Scratch("sliding", "real", ("ncone_padded",), "", FORCES,
                "Dm of a cone whose contact slides; 0: it does not slide"),
        Scratch("normal", "real", ("ncone_padded",), "", FORCES, "normal force of a cone whose contact slides"),
        Scratch("short", "real", ("ncone_padded",), "", FORCES,
                "inverse of the scaled tangential residual of each cone"),
        # cones along the search direction
        Scratch("u", "real", ("ncone_rows",), "", SOLVE, "scaled residual of each row"),
        Scratch("v", "real", ("ncone_rows",), "", SOLVE, "scaled change in the residual of each row"),
        Scratch("VV", "real", ("ncone_padded",), "", SOLVE,
                "squared scaled change in the tangential residual of each cone"),
        Scratch("yv", "real", ("ncone_padded",), "", SOLVE,
                "slope of each cone's cost at step 0, while all of its rows are active"),
        Scratch("vv", "real", ("ncone_padded",), "", SOLVE,
                "curvature of each cone's cost, while all of its rows are active"),
    ),
    # rows, of J or of half a solve, in blocks of eight columns
    *Workspace(
        "packed", "solver",
        Scratch("value", "real", ("nefc_padded", "nv_square"), "", SOLVE,
                "blocks of eight columns that are non-zero in at least one world of the block"),
        Scratch("block", "int", ("nefc_padded", "nv_blocks"), "", SOLVE,
                "column of each non-zero block, row by row", uniform=True),
        Scratch("start", "int", ("nefc_padded",), "", SOLVE, "index of the first block of each row", uniform=True),
        Scratch("count", "int", ("nefc_padded",), "", SOLVE, "number of blocks of each row", uniform=True),
        Scratch("column", "real", ("nv_padded",), "", SOLVE, "vector over dofs; the value of dof i is element 1 + i"),
    ),
    # rows of worlds side by side: units of places, and their values along paths
    *Workspace(
        "unit", "solver.linear solver.method",
        Scratch("key", "int", ("nefc_branched",), "", SOLVE,
                "key of each row: the ids of its bodies or of its constraint"),
        Scratch("left", "int", ("nefc_branched",), "", SOLVE, "number of rows from each row to the end of its cone"),
        Scratch("bits", "int", ("nefc_branched", "nv_blocks"), "", SOLVE,
                "bit mask of the dofs that each row depends on"),
        Scratch("row", "int", ("nplace",), "", SOLVE, "row of each world at each slot of the aligned order; -1: none"),
        Scratch("count", "int", (), "", SOLVE,
                "number of units: rows of several worlds that are processed together", uniform=True),
        Scratch("first", "int", ("nplace",), "", SOLVE, "index of the first slot of each unit", uniform=True),
        Scratch("adr", "int", ("nplace",), "", SOLVE, "address of the first value of each unit", uniform=True),
        Scratch("begin", "int", ("nplace",), "", SOLVE, "index of the first dof of each unit", uniform=True),
        Scratch("dof", "int", ("nplace", "nv_square"), "", SOLVE, "dofs of the units, ascending", uniform=True),
        Scratch("at", "int", ("nplace", "nv_square"), "", SOLVE,
                "offset of each dof's value in a row of its unit", uniform=True),
        Scratch("panel", "int", ("nplace",), "", SOLVE, "index of the first panel of each unit", uniform=True),
        Scratch("column", "int", ("nplace", "nv_square"), "", SOLVE, "first column of each panel", uniform=True),
        Scratch("place", "int", ("nplace", "nv_square"), "", SOLVE,
                "index of the first dof of each panel", uniform=True),
        Scratch("value", "real", ("nplace", "nv_square"), "", SOLVE, "values of the units, row by row"),
    ),
    # the elimination tree of the Hessian of worlds side by side, and the paths in it
    *Workspace(
        "path", "solver.linear solver.method",
        Scratch("parent", "int", ("nv_branched",), "", SOLVE,
                "parent of each dof in the elimination tree; -1: none", uniform=True),
        Scratch("depth", "int", ("nv_branched",), "", SOLVE,
                "number of ancestors of each dof in the elimination tree", uniform=True),
        Scratch("adr", "int", ("nv_branched",), "", SOLVE, "address of the row of each dof", uniform=True),
        Scratch("begin", "int", ("nv_branched",), "", SOLVE,
                "index of the first descendant of each dof in `below`", uniform=True),
        Scratch("end", "int", ("nv_branched",), "", SOLVE,
                "end of the descendants of each dof that are listed so far", uniform=True),
        Scratch("dof", "int", ("nv_branched", "nv_square"), "", SOLVE, "dof of each column of the rows", uniform=True),
        Scratch("below", "int", ("nv_branched", "nv_square"), "", SOLVE, "descendants of each dof", uniform=True),
    ),
    # methods in the space of dofs
    *Workspace(
        "dofs", "solver",
        Scratch("gradient", "real", ("nv_padded",), "", SOLVE, "gradient of the cost with respect to qacc"),
        Scratch("search", "real", ("nv_padded",), "", SOLVE,
                "search direction; before the first direction, L^-T times the gradient"),
        Scratch("Ma", "real", ("nv_padded",), "", SOLVE, "product M qacc"),
        Scratch("Mv", "real", ("nv_padded",), "", SOLVE,
                "product of M and the search direction; before the first direction, M qacc_warmstart"),
    ),
    # Newton's method with dense rows: the Hessian
    *Workspace(
        "hessian", "solver",
        Scratch("included", "real", ("nefc_padded",), "", SOLVE, "stiffness of each row that the Hessian includes"),
        Scratch("H", "real", ("nv_square", "nv_square"), "", SOLVE, "Hessian, with a right-hand side in column 0"),
        Scratch("L", "real", ("nv_square", "nv_square"), "", SOLVE, "factor of the Hessian"),
        Scratch("pivot", "real", ("nv_padded",), "", SOLVE, "-1 divided by the pivots of the factor"),
        Scratch("weight", "real", ("nv_square", 8), "", SOLVE, "eight columns of the factor, divided by the pivots"),
        Scratch("open", "int", ("nv_blocks", "nv_blocks"), "", SOLVE,
                "1: the block of the Hessian is non-zero", uniform=True),
        Scratch("fill", "int", ("nv_blocks", "nv_blocks"), "", SOLVE,
                "1: the block of the factor is non-zero", uniform=True),
        Scratch("columns", "int", ("nv_blocks",), "", SOLVE,
                "columns of the non-zero blocks in a row of the factor", uniform=True),
        Scratch("below", "int", ("nv_blocks",), "", SOLVE,
                "rows of the non-zero blocks in a column of the factor", uniform=True),
        Scratch("across", "real", ("nv_padded",), "", SOLVE, "scaled normal row of a contact"),
        Scratch("along", "real", ("nv_padded",), "", SOLVE,
                "sum of a contact's tangential rows in the direction of sliding"),
        area="direction",
    ),
    # Newton's method in lanes: the Hessian on these paths
    *Workspace(
        "tree", "solver.linear solver.method",
        Scratch("done", "int", ("nv_branched",), "", SOLVE, "1: the row of the dof is eliminated", uniform=True),
        Scratch("included", "real", ("nplace",), "", SOLVE, "stiffness of each slot's row that the Hessian includes"),
        Scratch("H", "real", ("nv_branched", "nv_square"), "", SOLVE, "Hessian, with a right-hand side"),
        Scratch("U", "real", ("nv_branched", "nv_square"), "", SOLVE, "eliminated rows of the Hessian"),
        Scratch("L", "real", ("nv_branched", "nv_square"), "", SOLVE,
                "eliminated rows of the Hessian, divided by minus their pivots"),
        Scratch("scaled", "real", (6, "nv_square"), "", SOLVE, "weighted rows of a unit"),
        area="direction",
    ),
    # conjugate gradients
    *Workspace(
        "conjugate", "solver",
        Scratch("Mgrad", "real", ("nv_padded",), "", SOLVE, "M^-1 times the gradient"),
        Scratch("before", "real", ("nv_padded",), "", SOLVE, "M^-1 times the gradient of the previous iteration"),
        Scratch("product", "real", (), "", SOLVE,
                "product of the gradient and M^-1 gradient in the previous iteration"),
        Scratch("slope", "real", (), "", SOLVE,
                "product of the gradient and the search direction in the previous iteration"),
        area="direction",
    ),
    # Newton's method in the space of rows: qacc = qacc_smooth + beta x + M^-1 J' multipliers, with M = L' D L
    *Workspace(
        "rows", "solver",
        Scratch("JT", "real", ("nv", "nrow_padded"), "", SOLVE, "J'"),
        Scratch("half", "real", ("nv", "nrow_padded"), "", SOLVE, "L'^-1 J', with L of M = L' D L"),
        Scratch("A", "real", ("nrow_padded", "nrow_padded"), "", SOLVE, "J M^-1 J'"),
        Scratch("L", "real", ("nv_square", "nv_square"), "", SOLVE, "factor of the active rows of A + R"),
        Scratch("pivot", "real", ("nv_padded",), "", SOLVE, "-1 divided by the pivots of the factor"),
        Scratch("weight", "real", ("nv_square", 8), "", SOLVE, "two columns of the factor, divided by the pivots"),
        Scratch("listed", "int", ("nefc_padded",), "", SOLVE, "rows that change their state", uniform=True),
        Scratch("steps", "real", ("nefc_padded",), "", SOLVE, "step of each row that changes its state"),
        Scratch("step", "real", ("nefc_padded",), "", SOLVE, "step of the multiplier of each row"),
        Scratch("multiplier", "real", ("nefc_padded",), "", SOLVE, "multiplier of each row"),
        Scratch("excess", "real", ("nefc_padded",), "", SOLVE, "multiplier minus force of each row"),
        Scratch("J_smooth", "real", ("nefc_padded",), "", SOLVE, "product J qacc_smooth"),
        Scratch("Jx", "real", ("nefc_padded",), "", SOLVE, "product J x"),
        Scratch("Mx", "real", ("nv_padded",), "", SOLVE, "product M x"),
        Scratch("Lx", "real", ("nv_padded",), "", SOLVE,
                "product L x; initially L times the difference between qacc_warmstart and qacc_smooth"),
        Scratch("product", "real", ("nv_padded",), "", SOLVE, "product of J', or L'^-1 J', and a vector over rows"),
        Scratch("acc", "real", ("nv_padded",), "", SOLVE, "difference qacc - qacc_smooth"),
        Scratch("beta", "real", (), "", SOLVE, "coefficient beta of x"),
        Scratch("inertial", "real", (), "", SOLVE, "product x' M x"),
        Scratch("slant", "real", (), "", SOLVE, "product of M x and qacc_smooth"),
        Scratch("extent", "real", (), "", SOLVE, "sum of the magnitudes of qacc_smooth"),
        Scratch("downhill", "real", (), "", SOLVE,
                "product of the gradient and qacc_smooth, without the part due to x"),
        Scratch("differs", "int", (), "", SOLVE, "1: multipliers and forces differ by more than rounding errors"),
        Scratch("lost", "int", (), "", SOLVE, "1: the remaining difference consists of rounding errors"),
        area="direction",
    ),
    # dual methods: the matrix J M^-1 J' stored, or half a solve of the rows, packed or compressed
    *Workspace(
        "dual", "solver",
        Scratch("size", "real", (), "", SOLVE, "sum of the magnitudes of J's elements"),
        Scratch("stored", "int", (), "", SOLVE, "1: efc_AR contains all rows; 0: rows J L^-1 D^-1/2 replace it"),
        Scratch("JT", "real", ("nv_square", "dual_padded"), "", SOLVE, "J', then overwritten by L'^-1 J'"),
        Scratch("residual", "real", ("nefc_padded",), "", SOLVE,
                "derivative of the cost with respect to the force of each row, if efc_AR is stored"),
        Scratch("left", "int", ("nefc_padded",), "", SOLVE,
                "number of rows from each row to the end of its contact; 0: the solver skips the row"),
        Scratch("product", "real", ("nefc_padded", 6), "", SOLVE,
                "elements of J M^-1 J' between each row and the following rows of its contact"),
        Scratch("row", "real", ("nv_padded",), "", SOLVE, "row of J L^-1 D^-1/2, with zeros for other dofs"),
        Scratch("motion", "real", ("nv_padded",), "", SOLVE, "sum of the rows of J L^-1 D^-1/2, weighted by forces"),
        Scratch("mark", "int", ("nv_compressed",), "", DUAL, "last row that contains each dof"),
        Scratch("num", "int", ("nefc_sparse",), "", SOLVE, "number of elements in each row of J L^-1 D^-1/2"),
        Scratch("adr", "int", ("nefc_sparse",), "", SOLVE, "index of the first element in each row of J L^-1 D^-1/2"),
        Scratch("dof", "int", ("ndual_capacity",), "", SOLVE, "dofs of each row of J L^-1 D^-1/2, descending"),
        Scratch("value", "real", ("ndual_capacity",), "", SOLVE, "elements of J L^-1 D^-1/2, row by row"),
        Scratch("offset", "real", ("nefc_padded",), "", SOLVE,
                "acceleration along each row without constraint forces, minus the reference acceleration, in the "
                "noslip solver"),
        area="direction",
    ),
    # projected Gauss-Seidel in edition 4.0
    *Workspace(
        "pace", "solver.method",
        Scratch("order", "int", ("nefc_swept",), "", SOLVE,
                "first rows of the blocks of a sweep, in the order in which it visits them"),
        Scratch("before", "real", ("nefc_swept",), "", SOLVE, "forces before the previous sweep"),
        Scratch("point", "real", ("nefc_swept",), "", SOLVE, "forces with which a sweep starts"),
    ),
    # blocks of the Hessian of compressed rows and of its factor
    *Workspace(
        "fill", "solver.linear solver.method",
        Scratch("root", "int", ("nblock",), "", SOLVE,
                "first block of the Hessian's part that contains each block of dofs"),
        Scratch("adr", "int", ("nblock",), "", SOLVE, "index of the first block in each row of blocks"),
        Scratch("num", "int", ("nblock",), "", SOLVE,
                "number of blocks in each row of blocks, including the diagonal block"),
        Scratch("block", "int", ("nfill_capacity",), "", SOLVE,
                "columns of the blocks in each row of blocks, ascending"),
    ),
    # search for these blocks
    *Workspace(
        "coupling", "solver.linear",
        Scratch("used", "int", ("nblock",), "", SOLVE, "1: a row acts on the tree whose first block this is"),
        Scratch("parent", "int", ("nblock",), "", SOLVE,
                "largest preceding block that is coupled with each block in the factor; -1: none"),
        Scratch("child", "int", ("nblock",), "", SOLVE, "first child of each block; -1: none"),
        Scratch("sibling", "int", ("nblock",), "", SOLVE, "next child of the same parent; -1: none"),
        Scratch("row", "int", ("nblock",), "", SOLVE, "first row whose last block this is; -1: none"),
        Scratch("next", "int", ("nefc_sparse",), "", SOLVE, "next row with the same last block; -1: none"),
        Scratch("mark", "int", ("nblock",), "", SOLVE, "last block that was marked as coupled with each block"),
        area="blocks",
    ),
    # Newton's method with compressed rows
    *Workspace(
        "blocks", "solver.linear solver.method",
        Scratch("included", "real", ("nefc_padded",), "", SOLVE, "stiffness of each row in the Hessian"),
        Scratch("H", "real", ("nfill_capacity", 64), "", SOLVE, "blocks of the Hessian, with 8 x 8 numbers each"),
        Scratch("L", "real", ("nfill_capacity", 64), "", SOLVE, "blocks of the Hessian's factor"),
        Scratch("stale", "int", ("nblock",), "", SOLVE,
                "1: the factor of the part that contains these blocks is out of date"),
        Scratch("list", "int", ("nblock",), "", SOLVE, "blocks that a row acts on, stored by share"),
        Scratch("place", "int", ("nblock",), "", SOLVE, "index of each listed block in a row of blocks"),
        Scratch("value", "real", (4, "nblock", 8), "", SOLVE, "rows, or a vector, in blocks of eight dofs"),
        Scratch("weight", "real", ("nsolver_share_most", 8), "", SOLVE, "weights of the rows in `value`, by share"),
        Scratch("scaled", "real", ("nsolver_share_most", 64), "", SOLVE,
                "block of the factor in preparation, by share"),
        Scratch("unit", "real", (64,), "", SOLVE, "unit matrix, 8 x 8"),
        area="blocks",
    ),
    # compressed rows by the share of the work that they belong to
    *Workspace(
        "share", "solver.linear solver.method",
        Scratch("count", "int", (), "", SOLVE, "number of shares of the work of Newton's method"),
        Scratch("work", "int", ("nblock",), "", SOLVE,
                "work of the part that begins with this block; then the share of the part"),
        Scratch("block", "int", ("nblock",), "", SOLVE, "blocks of dofs, sorted by share"),
        Scratch("adr", "int", ("nsolver_share_end",), "", SOLVE, "index of the first block of each share in `block`"),
        Scratch("row", "int", ("nsolver_share_end",), "", SOLVE, "index of the first row of each share in `order`"),
        Scratch("order", "int", ("nefc_sparse",), "", SOLVE, "rows, sorted by share"),
        Scratch("size", "real", ("nsolver_share_most",), "", SOLVE,
                "sum of the magnitudes of the elements in each share's rows"),
    ),
    # island versions of rows of the world that users do not see
    *Workspace(
        "island", "physics.constraint solver",
        Scratch("solved", "int", (), "", SOLVE, "index of the island that is being solved"),
        Scratch("leader", "int", ("ntree_island",), "", ISLAND,
                "connected tree that leads towards the representative of the island; in the end the representative "
                "itself; -1: no island"),
        Scratch("Jadr", "int", ("nisland_capacity",), "", ISLAND, "address of each island's rows in iefc_J"),
        Scratch("meaninertia", "real", ("nisland_capacity",), "", ISLAND,
                "mean of the diagonal elements of M in each island"),
        Scratch("block_place", "int", ("nblock_island",), "", ISLAND, "index of each block of dofs in its island"),
        Scratch("nblock", "int", ("nisland_capacity",), "", ISLAND, "number of blocks of dofs in each island"),
        Scratch("blockadr", "int", ("nisland_capacity",), "", ISLAND,
                "index of the first block of dofs in each island"),
        Scratch("block_dof", "int", ("nblock_island",), "", ISLAND,
                "first dof of each block, an index within its island; after the last block, the island's number of "
                "dofs"),
        Scratch("block_tree", "int", ("nblock_island",), "", ISLAND,
                "first block of each block's tree, an index within its island"),
        Scratch("dof_block", "int", ("nidof_capacity",), "", ISLAND, "block of each dof, an index within its island"),
        Scratch("M_colnnz", "int", ("nidof_capacity",), "", ISLAND,
                "number of descendants of each dof; they are the next dofs"),
        Scratch("niter", "int", ("nisland_capacity",), "", SOLVE, "number of solver iterations in each island"),
        Scratch("nsolverstat", "int", ("nisland_capacity",), "", SOLVE,
                "number of iterations of each island whose statistics are stored"),
        Scratch("statadr", "int", ("nisland_capacity",), "", SOLVE,
                "index of each island's first iteration in the statistics"),
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
                "search direction; initially the difference between the given and the unconstrained acceleration"),
        Scratch("row", "real", ("nefc_padded",), "", POSTHOC, "weighted acceleration along each row"),
        Scratch("added", "real", ("nv",), "", POSTHOC, "product of a vector and the inertia that constraints add to M"),
        Scratch("image", "real", ("nv",), "", "mj_forwardPosthoc",
                "product of the greater inertia and the search direction"),
        Scratch("left", "real", ("nv",), "", "mj_forwardPosthoc", "residual: forces that are not yet balanced"),
        Scratch("solved", "real", ("nv",), "", "mj_forwardPosthoc", "product of M^-1 and the residual"),
    ),
)

SOLUTION: tuple[Field, ...] = Workspace(
    "solution", "solver.derivative",
    Scratch("Ma", "real", ("nv",), "", SOLVE, "product M qacc, with the tangents of M"),
    Scratch("Jacc", "real", ("nefc_padded",), "", SOLVE, "product J qacc, with the tangents of J"),
    Scratch("turned", "real", ("nv",), "", SOLVE, "product J' force, with the tangents of J"),
    Scratch("pushed", "real", ("nv",), "", SOLVE, "product J' force, with the tangents of the forces"),
    Scratch("step", "real", ("nv",), "", SOLVE, "change in qacc"),
)
"""Scratch memory for derivatives of a solver's solution."""

DATA_WORKSPACES: tuple[Field, ...] = (
    # search for length ranges: the force that drives an actuator, and the lengths that it reaches
    *Workspace(
        "drive", "physics.integration",
        Scratch("actuator", "int", (), "", DRIVE, "actuator whose length range is searched for", lifetime=KEPT),
        Scratch("accel", "real", (), "", DRIVE, "signed acceleration that drives the actuator", lifetime=KEPT),
        Scratch("maxforce", "real", (), "", DRIVE, "maximum norm of the force; 0: no limit", lifetime=KEPT),
        Scratch("decay", "real", (), "", DRIVE, "factor by which velocities decay in each step", lifetime=KEPT),
        Scratch("watched", "real", (), "s", DRIVE, "time after which lengths are recorded", lifetime=KEPT),
        Scratch("least", "real", (), "", DRIVE, "smallest recorded length", lifetime=KEPT),
        Scratch("greatest", "real", (), "", DRIVE, "largest recorded length", lifetime=KEPT),
    ),
    # responses of a chain of dofs to eight forces at a time
    *Workspace(
        "chain", "physics.constants",
        Scratch("dof", "int", ("nv",), "", "mj_setConst", "dofs of a chain: a dof and its ancestors, ascending"),
        Scratch("force", "real", ("nv", 8), "", "mj_setConst", "eight generalized forces on the dofs of the chain"),
        Scratch("response", "real", ("nv", 8), "", "mj_setConst", "accelerations that the eight forces cause"),
        Scratch("work", "real", (8,), "", "mj_setConst", "products of the eight forces and their accelerations"),
    ),
    # response of the whole model to one force
    *Workspace(
        "unit", "physics.constants",
        Scratch("force", "real", ("nv",), "", "mj_setConst", "generalized force whose effect is computed"),
        Scratch("response", "real", ("nv",), "", "mj_setConst", "acceleration that the force causes"),
    ),
    *POSTHOC_WORKSPACE,
)
"""Workspaces whose sizes follow from the model. They keep their addresses while an arena grows."""

ARENA_WORKSPACES: tuple[Field, ...] = (
    # forces of forward dynamics for comparison with inverse dynamics
    *Workspace(
        "compare", "physics.dynamics",
        Scratch("frc", "real", ("nv",), "", "mj_compareFwdInv", "qfrc_constraint of forward dynamics"),
        Scratch("forces", "real", ("nv",), "", "mj_compareFwdInv", "sum of actuator forces and applied forces"),
        Scratch("inverse", "real", ("nv",), "", "mj_compareFwdInv", "qfrc_inverse before the comparison"),
        Scratch("efc", "real", ("nefc_capacity",), "", "mj_compareFwdInv", "efc_force of forward dynamics"),
    ),
    # the complementarity solver of the 2012 paper
    *Workspace(
        "hybrid", "solver.paper",
        Scratch("variable", "real", ("nefc_padded",), "", SOLVE,
                "hybrid variable of each row: force if the row is active, otherwise minus velocity, scaled"),
        Scratch("scale", "real", ("nefc_padded",), "", SOLVE,
                "friction coefficient of tangential rows, 1 in other rows; forces divided by it have circular cones"),
        Scratch("ratio", "real", ("nefc_padded",), "", SOLVE,
                "velocity that one unit of the hybrid variable represents"),
        Scratch("free", "real", ("nefc_padded",), "", SOLVE, "scaled velocity without constraint forces"),
        Scratch("push", "real", ("nefc_padded",), "", SOLVE, "part of the velocity that reduces penetrations"),
        Scratch("residual", "real", ("nefc_padded",), "", SOLVE, "residual of the hybrid equation"),
        Scratch("step", "real", ("nefc_padded",), "", SOLVE, "step of Newton's method"),
        Scratch("before", "real", ("nefc_padded",), "", SOLVE, "hybrid variable before the step"),
        Scratch("best", "real", ("nefc_padded",), "", SOLVE, "hybrid variable with the smallest residual so far"),
        Scratch("slope", "real", ("nefc_hybrid", "nefc_hybrid"), "", SOLVE,
                "derivative of the residual with respect to the hybrid variable"),
        area="impulse",
    ),
    *SOLVER_WORKSPACES,
)
"""Workspaces whose sizes are capacities of the arena."""
# fmt: on
