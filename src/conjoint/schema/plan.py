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
    Derived("epsilon", "real", (), "distance between 1 and the next larger number of the precision in use"),
    Derived("mocap_bodyid", "int", ("nmocap",), "body of each row of `mocap_pos`"),
    Derived("M_rownnz", "int", ("nv",), "number of non-zeros of each row of M, lower triangle"),
    Derived("M_rowadr", "int", ("nv",),
            "address of the first element of each row of M; the diagonal element is the last one"),
    Derived("M_colind", "int", ("nC",),
            "dof of each element of M, ascending: ancestors first, then the dof of the row"),
    Derived("M_colnnz", "int", ("nv",), "number of descendants of each dof; they are the next dofs"),
    Derived("mapM2M", "int", ("nC",), "address in `qM` of each element of M"),
    Derived("D_rownnz", "int", ("nv",), "number of non-zeros of each row of D, both triangles"),
    Derived("D_rowadr", "int", ("nv",), "address of the first element of each row of D"),
    Derived("D_diag", "int", ("nv",), "index of the diagonal element in each row of D"),
    Derived("D_colind", "int", ("nD",), "dof of each element of D, ascending"),
    Derived("mapM2D", "int", ("nD",), "address in `qM` of each element of D"),
    Derived("mapD2M", "int", ("nM",), "address in D of each element of `qM`"),
    Derived("B_rownnz", "int", ("nbody",),
            "number of ancestors and descendants of the dofs of each body: length of each row of B"),
    Derived("B_rowadr", "int", ("nbody",), "address of the first element of each row of B"),
    Derived("B_colind", "int", ("nB",), "dof of each element of B, ascending"),
    Derived("ten_J_rownnz", "int", ("ntendon",), "number of elements of each row of ten_J"),
    Derived("ten_J_colind", "int", ("ntendon", "nv"), "dof of each element of ten_J"),
    Derived("wrap_side", "int", ("nwrap",), "site that determines on which side a path passes a geom; -1: either side"),
    Derived("moment_rownnz", "int", ("nout",), "number of dofs that each output of the actuators depends on"),
    Derived("moment_rowadr", "int", ("nout",), "address of the first moment arm of each output of the actuators"),
    Derived("moment_colind", "int", ("nJmom",), "dof of each moment arm, ascending"),
    Derived("nshare", "long", (), "number of shares of the world: groups of subtrees with about equal amounts of work"),
    Derived("nshare_end", "long", (), "nshare + 1"),
    Derived("share_body", "int", ("nshare_end",), "first body of each share, starting with 1; nbody after the last"),
    Derived("body_share", "int", ("nbody",), "share of each body; the world body is in the first share"),
    Derived("share_joint", "int", ("nshare_end",), "first joint of each share"),
    Derived("share_dof", "int", ("nshare_end",), "first dof of each share"),
    Derived("share_geom", "int", ("nshare_end",),
            "first geom of each share; geoms of the world body are in the first share"),
    Derived("share_site", "int", ("nshare_end",),
            "first site of each share; sites of the world body are in the first share"),
    Derived("share_M", "int", ("nshare_end",), "first element of M of each share"),
    Derived("flexedge_dofnum", "int", ("nflexedge",), "number of dofs that move either end of each flex edge"),
)
"""Rows that follow from the elements of a model and never change."""

PLAN_ROWS: tuple[Field, ...] = (
    # sizes
    Derived("npair_candidate", "long", (), "number of geom pairs that may ever touch, except pairs of parts"),
    Derived("npaired", "long", (), "number of geoms in candidate pairs"),
    Derived("nrun", "long", (),
            "number of runs of candidate pairs: those between two bodies with many pairs, and the pairs between "
            "such runs"),
    Derived("nrun_end", "long", (), "nrun + 1"),
    Derived("nrun_geom", "long", (), "number of geoms in runs between two bodies with many pairs"),
    Derived("npart", "long", (),
            "number of parts whose pairs are searched in every step: bodies that are welded together, or trees"),
    Derived("npart_end", "long", (), "npart + 1"),
    Derived("npart_geom", "long", (), "number of geoms in parts"),
    Derived("npart_moving", "long", (), "number of parts that move"),
    Derived("npart_welded", "long", (), "number of parts with several geoms on bodies that are welded together"),
    Derived("nsweep", "long", (), "npart if pairs of parts are found by a sweep; else 0"),
    Derived("nsweep_padded", "long", (), "number of slots for boxes of the sweep, with padding"),
    Derived("ncrossing", "long", (), "npart_moving if each part is tested against all others; else 0"),
    Derived("nplane", "long", (), "number of planes whose pairs with parts are searched in every step"),
    Derived("nnode", "long", (),
            "number of nodes of all box trees: first the tree of static geoms, then trees of parts"),
    Derived("nstatic", "long", (), "number of geoms that never move, if there are enough of them for a tree; else 0"),
    Derived("nstatic_node", "long", (), "number of nodes of the tree of static geoms"),
    Derived("nmover", "long", (), "npart_moving if parts are tested against the tree of static geoms; else 0"),
    Derived("noutside", "long", (), "length of `outside_geom`"),
    Derived("nplacing", "long", (),
            "length of `placing` in a single world with a tree of static geoms or with welded parts; else 0"),
    Derived("nposed", "long", (), "length of `posed_geom`"),
    Derived("napart", "long", (), "number of separations of convex pairs that are stored: a power of two, or 0"),
    Derived("compressed", "long", (),
            "1: rows of the constraint Jacobian contain only dofs that they depend on; 0: they contain all dofs"),
    Derived("branched", "long", (), "1: worlds side by side factorize Hessians along the branches of kinematic trees"),
    Derived("nblock", "long", (),
            "number of blocks of at most eight neighboring dofs of one tree, if rows are compressed; else 0"),
    Derived("nblock_end", "long", (), "nblock + 1"),
    Derived("nv_compressed", "long", (), "nv, if rows are compressed; else 0"),
    Derived("nexcluded", "long", (), "length of `sweep_excluded`"),
    Derived("ncovered", "long", (), "length of `sweep_covered`"),
    Derived("nsolverstat", "long", (), "maximum number of solver iterations with statistics"),
    Derived("nwatched", "long", (), "length of `watched`"),
    Derived("nmesh_extent", "long", (), "number of meshes if some of them collide in a batch; else 0"),
    Derived("nhull_end", "long", (), "number of hull vertices with `hull_corner`, plus 1"),
    Derived("nhull_tile", "long", (), "number of tiles that contain neighbors of hull vertices"),
    Derived("nmesh_seed", "long", (),
            "number of meshes if some of them have hull seeds for collision detection; else 0"),
    Derived("nplugin_number", "long", (), "length of `plugin_number`"),
    Derived("nsleep_tree", "long", (), "number of trees if trees may sleep; else 0"),
    Derived("nsleep_run", "long", (),
            "maximum number of runs of neighboring awake bodies: number of trees + 1 if they may sleep"),
    Derived("nsleep_body", "long", (), "number of bodies if trees may sleep; else 0"),
    Derived("nsleep_dof", "long", (), "number of dofs if trees may sleep; else 0"),
    Derived("sleep_lasts", "long", (),
            "1: data of sleeping trees stays in memory between steps; 0: worlds share memory, one after the other"),
    Derived("sleep_hangs", "long", (), "1: at least one tree is fixed to a body other than the world"),
    # the plan itself
    Derived("plan_version", "int", (), "version of the plan; it changes whenever the plan is recomputed"),
    Derived("planned", "long", ("nwatched",), "copy of `watched` from which the plan was computed"),
    # plugins
    Derived("plugin_numberadr", "int", ("nplugin",), "address of each plugin instance in `plugin_number`"),
    Derived("plugin_number", "real", ("nplugin_number",), "numeric settings of plugin instances"),
    Derived("plugin_integer", "int", ("nplugin_number",),
            "`plugin_number` as integers, for settings that are whole numbers"),
    # trees that may sleep: first element of each, and the end of the last
    Derived("sleep_bodies", "int", ("nsleep_tree", 2), "first body of each tree, and the end of its bodies"),
    Derived("sleep_joints", "int", ("nsleep_tree", 2), "first joint of each tree, and the end of its joints"),
    Derived("sleep_dofs", "int", ("nsleep_tree", 2), "first dof of each tree, and the end of its dofs"),
    Derived("sleep_geoms", "int", ("nsleep_tree", 2), "first geom of each tree, and the end of its geoms"),
    Derived("sleep_sites", "int", ("nsleep_tree", 2), "first site of each tree, and the end of its sites"),
    Derived("sleep_M", "int", ("nsleep_tree", 2), "first element of M of each tree, and the end of its elements"),
    Derived("sleep_coordinates", "int", ("nsleep_tree", 2),
            "first coordinate of each tree in qpos, and the end of its coordinates"),
    Derived("sleep_length", "real", ("nsleep_dof",),
            "factor that converts the velocity of each dof to the velocity of a point of the body"),
    # geom pairs
    Derived("reach", "real", (),
            "additional distance (m) beyond their margins at which pairs of geoms are near, for forecasts"),
    Derived("candidate_geom1", "int", ("npair_candidate",), "geom with the smaller type of each candidate pair"),
    Derived("candidate_geom2", "int", ("npair_candidate",), "geom with the larger type of each candidate pair"),
    Derived("candidate_pair", "int", ("npair_candidate",),
            "id of the explicit contact pair of each candidate; -1: none"),
    Derived("candidate_parent", "int", ("npair_candidate",),
            "1: the bodies of the candidate are parent and child, so the flag filterparent applies"),
    Derived("types_collider", "int", (TYPES,), "index of the collider of each pair of types; -1: none"),
    Derived("types_distance", "int", (TYPES,), "index of the distance function of each pair of types; -1: none"),
    Derived("candidate_types", "int", ("npair_candidate",),
            "pair of types of each candidate: 9 * type of geom1 + type of geom2"),
    Derived("paired_geom", "int", ("npaired",), "geoms in candidate pairs"),
    Derived("run_adr", "int", ("nrun_end",), "first candidate of each run"),
    Derived("run_body1", "int", ("nrun",), "first body of each run; -1: the pairs of the run are tested one by one"),
    Derived("run_body2", "int", ("nrun",), "second body of each run"),
    Derived("run_geom", "int", ("nrun_geom",), "geoms of runs between two bodies, run by run"),
    # meshes that collide
    Derived("mesh_extent", "real", ("nmesh_extent", DIRECTIONS),
            "support of each mesh in 27 directions: largest dot product of a vertex with each direction vector"),
    Derived("mesh_hulladr", "int", ("nmesh_extent",), "first vertex of each hull in `hull_tileadr`; -1: none"),
    Derived("hull_tileadr", "int", ("nhull_end",), "first tile of the neighbors of each hull vertex"),
    # the neighbors of a hull vertex are stored together, a tile at a time
    Derived("hull_neighbor", "int", ("nhull_tile", TILE),
            "neighbors of hull vertices, indices within the hull; the first neighbor pads the tile"),
    Derived("hull_corner", "real", ("nhull_tile", 3, TILE),
            "positions of the neighbors in `hull_neighbor`, coordinate by coordinate"),
    # vertices at which hill climbing begins; the vertices may have been moved since
    Derived("mesh_seed", "int", ("nmesh_seed", CUBE_CELLS),
            "farthest vertex of the hull for each cell of directions; -1: none"),
    # blocks of dofs, edges of flexes, parts
    Derived("block_dof", "int", ("nblock_end",), "first dof of each block; nv after the last"),
    Derived("block_tree", "int", ("nblock",), "first block of the tree of each block"),
    Derived("dof_block", "int", ("nv_compressed",), "block of each dof"),
    Derived("flexedge_J_rownnz", "int", ("nflexedge",), "number of elements of each row of flexedge_J"),
    Derived("flexedge_J_rowadr", "int", ("nflexedge",), "address of the first element of each row of flexedge_J"),
    Derived("part_adr", "int", ("npart_end",), "first geom of each part; moving parts precede others"),
    Derived("plane_geom", "int", ("nplane",), "planes whose pairs with parts are searched in every step"),
    Derived("part_geom", "int", ("npart_geom",), "geoms of the parts, part by part"),
    Derived("part_node", "int", ("npart_end",),
            "first node of each part's box tree, whose root is its last node; parts with one geom have no tree"),
    Derived("part_body", "int", ("npart",),
            "body that the geoms of a welded part with several geoms are welded to; -1: other parts"),
    Derived("node_leaf", "byte", ("nnode",), "1: the children of a node are geoms; 0: they are nodes"),
    Derived("node_child", "int", ("nnode", TILE), "children of each node: geoms or nodes; -1: none"),
    # geoms that never move
    Derived("static_geom", "int", ("nstatic",),
            "geoms that never move; all of them except planes are in the tree of static geoms"),
    Derived("outside_geom", "int", ("noutside",), "geoms that are not in the tree of static geoms"),
    Derived("posed_geom", "int", ("nposed",), "geoms whose pose is computed in every step"),
    Derived("sweep_excluded", "long", ("nexcluded",), "keys of body pairs that the model excludes, ascending"),
    Derived("sweep_covered", "long", ("ncovered",), "keys of geom pairs that an explicit pair covers, ascending"),
)
"""Rows that are derived again when the model rows that they depend on change."""


EXPOSED_ROWS: tuple[Field, ...] = (
    Derived("lent_from", "long", (),
            "index of the first element of `watched` that programs may write to between any two steps"),
    Derived("placing_exposed", "long", (), "1: programs may write to `placing`"),
)
"""Rows that describe which model memory programs may write to. All plans of a model share them."""

WATCHED_ROWS: tuple[Field, ...] = (
    Derived("watched", "long", ("nwatched",), "current contents of all watched rows of the model"),
)

PLACING_ROWS: tuple[Field, ...] = (
    Derived("placing", "long", ("nplacing",),
            "current contents of the model rows that determine where static geoms are"),
)
# fmt: on

_OF_MODEL = {row.name: replace(row, public=True) for row in (*SIZE_FIELDS, *STRUCTURE_ROWS)}


def shown(names: str) -> tuple[Field, ...]:
    """Return the model's sizes and index arrays listed in `names`, as fields of `MjData` with the same names."""
    return tuple(_OF_MODEL[name] for name in names.split())
