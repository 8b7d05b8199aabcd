"""Rows of `m` that `runtime/structure.py` and `runtime/plan.py` derive from a model for kernels.

`MjData` presents the sparsity of its matrices under the same names. Kernels read it from the model, because only fields
of the model may determine control flow.
"""

from dataclasses import replace

from conjoint.lang.language.tile import TILE
from conjoint.lang.memory.layout import Field
from conjoint.schema.enums import mjtGeom
from conjoint.schema.rows import Derived
from conjoint.schema.sizes import SIZE_FIELDS

TYPES = int(mjtGeom.mjNGEOMTYPES) ** 2
"""Number of ordered pairs of geom types."""

DIRECTIONS = 27
"""Number of vectors with components -1, 0 and 1. The last component changes fastest, and the middle vector is zero."""

CELLS = 16
"""Number of cells along each side of a cube's face. All cells of the cube form a table of directions."""

CUBE_CELLS = 6 * CELLS * CELLS

# fmt: off
STRUCTURE_ROWS: tuple[Field, ...] = (
    Derived("epsilon", "real", (), "distance from 1 to the next number of the precision in use"),
    Derived("mocap_bodyid", "int", ("nmocap",), "body of each motion capture id"),
    Derived("M_rownnz", "int", ("nv",), "number of non-zeros of each row of M, lower triangle"),
    Derived("M_rowadr", "int", ("nv",), "address of the first element of each row of M; the diagonal comes last"),
    Derived("M_colind", "int", ("nC",), "dof of each element of M, ascending: the dofs above, then itself"),
    Derived("M_colnnz", "int", ("nv",), "dofs below each dof in the tree: the next ones"),
    Derived("mapM2M", "int", ("nC",), "address in `qM` of each element of M"),
    Derived("D_rownnz", "int", ("nv",), "number of non-zeros of each row of D, both triangles"),
    Derived("D_rowadr", "int", ("nv",), "address of the first element of each row of D"),
    Derived("D_diag", "int", ("nv",), "place of the diagonal in each row of D"),
    Derived("D_colind", "int", ("nD",), "dof of each element of D, ascending"),
    Derived("mapM2D", "int", ("nD",), "address in `qM` of each element of D"),
    Derived("mapD2M", "int", ("nM",), "address in D of each element of `qM`"),
    Derived("B_rownnz", "int", ("nbody",), "number of dofs above and below each body: length of each row of B"),
    Derived("B_rowadr", "int", ("nbody",), "address of the first element of each row of B"),
    Derived("B_colind", "int", ("nB",), "dof of each element of B, ascending"),
    Derived("ten_J_rownnz", "int", ("ntendon",), "number of elements of each row of ten_J"),
    Derived("ten_J_colind", "int", ("ntendon", "nv"), "dof of each element of ten_J"),
    Derived("wrap_side", "int", ("nwrap",), "site on whose side a path passes a geom; -1: either side"),
    Derived("moment_rownnz", "int", ("nout",), "number of dofs that each output of the actuators moves"),
    Derived("moment_rowadr", "int", ("nout",), "address of the first moment arm of each output"),
    Derived("moment_colind", "int", ("nJmom",), "dof of each moment arm, ascending"),
    Derived("nshare", "long", (), "shares of the world: whole subtrees below it, about as much work each"),
    Derived("nshare_end", "long", (), "nshare + 1"),
    Derived("share_body", "int", ("nshare_end",), "first body of each share, from 1 on; nbody after the last"),
    Derived("body_share", "int", ("nbody",), "share of each body; the world is in the first one"),
    Derived("share_joint", "int", ("nshare_end",), "first joint of each share"),
    Derived("share_dof", "int", ("nshare_end",), "first dof of each share"),
    Derived("share_geom", "int", ("nshare_end",), "first geom of each share; geoms of the world are in the first one"),
    Derived("share_site", "int", ("nshare_end",), "first site of each share; sites of the world are in the first one"),
    Derived("share_M", "int", ("nshare_end",), "first element of M of each share"),
    Derived("flexedge_dofnum", "int", ("nflexedge",), "dofs that move either end of each edge of a flex"),
)
"""Rows that follow from the elements of a model and never change."""

PLAN_ROWS: tuple[Field, ...] = (
    # sizes
    Derived("npair_candidate", "long", (), "number of geom pairs that can ever touch, without pairs of parts"),
    Derived("npaired", "long", (), "number of geoms in candidate pairs"),
    Derived("nrun", "long", (),
            "number of runs of candidates between the same two bodies, and of all others in between"),
    Derived("nrun_end", "long", (), "nrun + 1"),
    Derived("nrun_geom", "long", (), "number of geoms in runs between two bodies"),
    Derived("npart", "long", (),
            "number of parts whose pairs are searched in every step: bodies welded together, or trees"),
    Derived("npart_end", "long", (), "npart + 1"),
    Derived("npart_geom", "long", (), "number of geoms in parts"),
    Derived("npart_moving", "long", (), "number of parts that move"),
    Derived("npart_welded", "long", (), "number of parts with several geoms that are welded together"),
    Derived("nsweep", "long", (), "npart if a sweep finds the pairs of parts; else 0"),
    Derived("nsweep_padded", "long", (), "room for the boxes of the sweep"),
    Derived("ncrossing", "long", (), "npart_moving, if each part is tested with all others; else 0"),
    Derived("nplane", "long", (), "number of planes whose pairs with parts are searched in every step"),
    Derived("nnode", "long", (), "number of nodes of trees of boxes: first of static geoms, then of parts"),
    Derived("nstatic", "long", (), "geoms that never move, if they are enough for a tree; else 0"),
    Derived("nstatic_node", "long", (), "nodes of that tree"),
    Derived("nmover", "long", (), "npart_moving if parts are tested against the tree of static geoms; else 0"),
    Derived("noutside", "long", (), "length of `outside_geom`"),
    Derived("nplacing", "long", (), "length of `placing` in a single world with such a tree or welded parts, else 0"),
    Derived("nposed", "long", (), "length of `posed_geom`"),
    Derived("napart", "long", (), "number of separations of convex pairs that are stored: a power of two, or 0"),
    Derived("compressed", "long", (), "1: rows of the constraint Jacobian hold the dofs that matter to them; 0: all"),
    Derived("branched", "long", (), "1: worlds side by side factorize Hessians along the branches of kinematic trees"),
    Derived("nblock", "long", (),
            "number of blocks of at most eight neighboring dofs of one tree, if rows are compressed"),
    Derived("nblock_end", "long", (), "nblock + 1"),
    Derived("nv_compressed", "long", (), "nv, if rows are compressed"),
    Derived("nexcluded", "long", (), "length of `sweep_excluded`"),
    Derived("ncovered", "long", (), "length of `sweep_covered`"),
    Derived("nsolverstat", "long", (), "largest number of solver iterations with statistics"),
    Derived("nwatched", "long", (), "length of `watched`"),
    Derived("nmesh_extent", "long", (), "number of meshes if some collide in a batch, else 0"),
    Derived("nhull_end", "long", (), "number of hull vertices with `hull_corner`, + 1"),
    Derived("nhull_tile", "long", (), "number of tiles that the neighbors of hull vertices fill"),
    Derived("nmesh_seed", "long", (), "number of meshes if hulls of some that collide have seeds, else 0"),
    Derived("nplugin_number", "long", (), "length of `plugin_number`"),
    Derived("nsleep_tree", "long", (), "number of trees if they may sleep, else 0"),
    Derived("nsleep_run", "long", (),
            "largest number of runs of neighboring awake bodies: number of trees + 1 if they may sleep"),
    Derived("nsleep_body", "long", (), "number of bodies if trees may sleep, else 0"),
    Derived("nsleep_dof", "long", (), "number of dofs if trees may sleep, else 0"),
    Derived("sleep_lasts", "long", (), "1: data of sleeping trees stay in memory between steps; 0: worlds take turns"),
    Derived("sleep_hangs", "long", (), "1: some tree is fixed to a body that is not the world"),
    # the plan itself
    Derived("plan_version", "int", (), "changes whenever the plan is made anew"),
    Derived("planned", "long", ("nwatched",), "copy of `watched` for which the plan was made"),
    # plugins
    Derived("plugin_numberadr", "int", ("nplugin",), "first number of each instance"),
    Derived("plugin_number", "real", ("nplugin_number",), "numbers that instances of plugins compute with"),
    Derived("plugin_integer", "int", ("nplugin_number",), "`plugin_number` as integers, where they are whole"),
    # trees that may sleep: first element of each, and the end of the last
    Derived("sleep_bodies", "int", ("nsleep_tree", 2), "bodies of each tree"),
    Derived("sleep_joints", "int", ("nsleep_tree", 2), "joints of each tree"),
    Derived("sleep_dofs", "int", ("nsleep_tree", 2), "dofs of each tree"),
    Derived("sleep_geoms", "int", ("nsleep_tree", 2), "geoms of each tree"),
    Derived("sleep_sites", "int", ("nsleep_tree", 2), "sites of each tree"),
    Derived("sleep_M", "int", ("nsleep_tree", 2), "elements of M of each tree"),
    Derived("sleep_coordinates", "int", ("nsleep_tree", 2), "coordinates of each tree"),
    Derived("sleep_length", "real", ("nsleep_dof",), "factor that turns the velocity of each dof into that of a point"),
    # geom pairs
    Derived("reach", "real", (), "distance (m) beyond their margins at which geoms are watched, for forecasts"),
    Derived("candidate_geom1", "int", ("npair_candidate",), "geom with the smaller type"),
    Derived("candidate_geom2", "int", ("npair_candidate",), "geom with the larger type"),
    Derived("candidate_pair", "int", ("npair_candidate",), "id of the explicit pair; -1: none"),
    Derived("candidate_parent", "int", ("npair_candidate",), "1: parent and child, subject to filterparent"),
    Derived("types_collider", "int", (TYPES,), "number of the collider of each pair of types; -1: none"),
    Derived("types_distance", "int", (TYPES,), "number of the distance function of each pair of types; -1: none"),
    Derived("candidate_types", "int", ("npair_candidate",),
            "pair of types of each candidate: 9 * type of geom1 + type of geom2"),
    Derived("paired_geom", "int", ("npaired",), "geoms in candidate pairs"),
    Derived("run_adr", "int", ("nrun_end",), "first candidate of each run"),
    Derived("run_body1", "int", ("nrun",), "one of its two bodies; -1: its pairs are tested one by one"),
    Derived("run_body2", "int", ("nrun",), "second of its two bodies"),
    Derived("run_geom", "int", ("nrun_geom",), "geoms of runs with bodies"),
    # meshes that collide
    Derived("mesh_extent", "real", ("nmesh_extent", DIRECTIONS),
            "reach of each mesh in 27 directions, times the lengths of these"),
    Derived("mesh_hulladr", "int", ("nmesh_extent",), "first vertex of each hull in `hull_tileadr`; -1: none"),
    Derived("hull_tileadr", "int", ("nhull_end",), "first tile of the neighbors of each hull vertex"),
    # the neighbors of a hull vertex are stored together, a tile at a time
    Derived("hull_neighbor", "int", ("nhull_tile", TILE), "neighbors, counted in the hull; the first fills the rest"),
    Derived("hull_corner", "real", ("nhull_tile", 3, TILE), "positions of these neighbors, coordinate by coordinate"),
    # vertices at which hill climbing begins; the vertices may have been moved since
    Derived("mesh_seed", "int", ("nmesh_seed", CUBE_CELLS), "far vertex of the hull in each cell of directions; or -1"),
    # blocks of dofs, edges of flexes, parts
    Derived("block_dof", "int", ("nblock_end",), "first dof of each block; nv after the last"),
    Derived("block_tree", "int", ("nblock",), "first block of its tree"),
    Derived("dof_block", "int", ("nv_compressed",), "block of each dof"),
    Derived("flexedge_J_rownnz", "int", ("nflexedge",), "number of elements of each row of flexedge_J"),
    Derived("flexedge_J_rowadr", "int", ("nflexedge",), "address of the first element of each row of flexedge_J"),
    Derived("part_adr", "int", ("npart_end",), "first geom of each part; moving parts come first"),
    Derived("plane_geom", "int", ("nplane",), "planes whose pairs with parts are searched in every step"),
    Derived("part_geom", "int", ("npart_geom",), "geoms by part"),
    Derived("part_node", "int", ("npart_end",), "first node of each part, the root is the last; one geom has none"),
    Derived("part_body", "int", ("npart",), "body that parts of several geoms are welded to; -1: other parts"),
    Derived("node_leaf", "byte", ("nnode",), "1: the children of a node are geoms"),
    Derived("node_child", "int", ("nnode", TILE), "children of each node: geoms or nodes; -1: none"),
    # geoms that never move
    Derived("static_geom", "int", ("nstatic",), "geoms that never move; of them all but planes are in the tree"),
    Derived("outside_geom", "int", ("noutside",), "all geoms that are not in the tree"),
    Derived("posed_geom", "int", ("nposed",), "geoms that have a pose in every step"),
    Derived("sweep_excluded", "long", ("nexcluded",), "pairs of bodies that the model excludes, ascending"),
    Derived("sweep_covered", "long", ("ncovered",), "pairs of geoms that an explicit pair covers, ascending"),
)
"""Rows that are derived again when the model rows that they depend on change."""


LENT_ROWS: tuple[Field, ...] = (
    Derived("lent_from", "long", (), "first element of `watched` that programs may write to between any two steps"),
    Derived("placing_lent", "long", (), "1: programs may write to `placing`"),
)
"""Rows that describe which model memory programs may write to. All plans of a model share them."""

WATCHED_ROWS: tuple[Field, ...] = (
    Derived("watched", "long", ("nwatched",), "memory of all watched rows of the model, as it is now"),
)

PLACING_ROWS: tuple[Field, ...] = (
    Derived("placing", "long", ("nplacing",), "memory of its rows that decide where static geoms are, as it is now"),
)
# fmt: on

_OF_MODEL = {row.name: replace(row, public=True) for row in (*SIZE_FIELDS, *STRUCTURE_ROWS)}


def shown(names: str) -> tuple[Field, ...]:
    """Return the sizes and index arrays of the model called `names`, as fields of `MjData` with the same names."""
    return tuple(_OF_MODEL[name] for name in names.split())
