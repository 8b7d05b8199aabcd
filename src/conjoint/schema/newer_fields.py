"""Fields that `MjModel` and `MjData` have in versions after 3.3.5: what programs read, made when somebody reads it.

They are in no memory, and no stage reads them: arrays can only be read. Features that are not built have their default,
which is what every model here has. How the others follow from a model or a world stands in `api.objects.newer_fields`.
"""

from conjoint.lang.memory.layout import Field

NONE = -1


def _rows(kind: str, table: str, default: float | str | None = None) -> tuple[Field, ...]:
    """Rows of one kind and default: in each line a name, sizes, and the meaning after a colon."""
    rows = []
    for line in table.strip().splitlines():
        head, _, meaning = line.strip().partition(": ")
        name, *sizes = head.split()
        shape = tuple(int(size) if size.isdigit() else size for size in sizes)
        rows.append(Field(name, kind, shape, default, "", "", meaning))
    return tuple(rows)


IN_MEMORY_OF_MODELS = (
    "nactuator nout nhistory actuator_ctrladr actuator_ctrlnum actuator_ctrlspec actuator_outadr actuator_outnum "
    "actuator_history actuator_historyadr actuator_delay actuator_damping actuator_dampingpoly actuator_armature "
    "sensor_history sensor_historyadr sensor_delay sensor_interval jnt_stiffnesspoly jnt_actuatorid dof_dampingpoly "
    "tendon_stiffnesspoly tendon_dampingpoly tendon_actuatorid opt.sleep_tolerance tree_sleep_policy site_dataid "
    "geom_adhesion pair_adhesion geom_surfacevel cam_output "
    "nplastic jnt_springyield jnt_plasticadr tendon_springyield tendon_plasticadr key_plastic"
)
"""Fields of newer versions that a model has in its memory, as it has its other fields."""

IN_MEMORY_OF_WORLDS = "history qfrc_adhesion plastic"

NEWER_SIZES = (
    *_rows("long", """
        nJten: number of elements of ten_J with compressed rows
        nJfe: number of elements of flexedge_J with compressed rows
        nflexbending: number of parameters of bending of all flexes; 0: none resists
        nflexstiffness: number of parameters of stiffness of all flexes; 0: none has any
        nmeshdegmax: most neighbours of a vertex of a hull
        npolygonmax: most vertices of a polygon of a hull
    """),
    *_rows("long", """
        nefm0L: not used
        nefm0dof: not used
        nefmCvert: not used
        nJfv: not used; it was there before 4.0
    """, 0),
)  # fmt: skip
"""Sizes of a model; without a default they follow from it."""

SHOWN_BY_MODELS = "M_rownnz M_rowadr M_colind D_rownnz D_rowadr D_diag D_colind B_rownnz B_rowadr B_colind mapM2M"
"""What `MjData` shows of the structure of its model, and newer versions show of the model."""

NEWER_MODEL = (
    *_rows("int", """
        mapM2D nD: address in M of each element of D; -1: of none
        mapD2M nC: address in D of each element of M
        ten_J_rownnz ntendon: dofs that can move each tendon
        ten_J_rowadr ntendon: first of them in ten_J_colind
        ten_J_colind nJten: those dofs, ascending
        flexedge_J_rownnz nflexedge: dofs that can move each edge of a flex
        flexedge_J_rowadr nflexedge: first of them in flexedge_J_colind
        flexedge_J_colind nJfe: those dofs, ascending
        tendon_type ntendon: type (mjtTendon)
        tendon_treenum ntendon: trees along the path
        tendon_treeid ntendon 2: the first two of them; -1: none
        cam_projection ncam: type of projection (mjtProjection)
        tree_bodyadr ntree: first body of each tree
        tree_bodynum ntree: number of bodies
        tree_dofadr ntree: first dof
        tree_dofnum ntree: number of dofs
        mesh_extrema nmesh 27: vertices of the hull that are farthest in directions with components -1, 0 and 1
        flex_bendingadr nflex: first parameter of bending; -1: it does not resist
        flex_stiffnessadr nflex: first parameter of stiffness; -1: it has none
    """),
    *_rows("real", """
        dof_length nv: 1 for translations, about how far the body reaches from the joint for rotations
        flex_size nflex 3: half sizes of the box around the vertices at qpos0
    """),
    *_rows("int", """
        flex_plasticadr nflex: place in the plastic state; -1: none
        flex_vertcell nflexvert: cell of each vertex; -1: none
        tex_contenttypeadr ntex: place of the type of the file in `paths`; -1: none
    """, NONE),
    *_rows("int", """
        flex_cellnum nflex 3: cells along each axis
        flex_passive nflex: whether contacts are passive forces
        flex_plasticmode nflex: what yields
        flex_bandwidth nflex: not used; it was there before 3.9
        flex_vertedge nflexedge 2: not used; it was there before 4.0, as those that follow
        flex_vertedgeadr nflexvert: not used
        flex_vertedgenum nflexvert: not used
        flexvert_J_colind nJfv 2: not used
        flexvert_J_rowadr nflexvert 2: not used
        flexvert_J_rownnz nflexvert 2: not used
        efm0_L_colind nefm0L: not used
        efm0_L_rowadr nefm0dof: not used
        efm0_L_rownnz nefm0dof: not used
        efm0_dofid nefm0dof: not used
        efmC_perm nefmCvert: not used
    """, 0),
    *_rows("real", """
        flex_yield nflex 2: strain at which it yields
        flex_vertmetric nflexvert 4: not used; it was there before 4.0
        efm0_L nefm0L: not used
    """, 0),
    *_rows("bool", "geom_castshadow ngeom: whether it casts shadows", 1),
    *_rows("float", "light_softness nlight: softness of the edge of a spot light", 0.2),
)  # fmt: skip
"""Arrays of a model; without a default they follow from it."""

NEWER_FLAGS = {
    "flg_gravcomp": "whether any body has gravity compensation",
    "flg_adhesion": "whether anything adheres", "flg_surfacevel": "whether any surface moves",
}  # fmt: skip
"""Flags of a model."""

AWAKE_SIZES = {
    "nbody_awake": "bodies that are awake or static", "ntree_awake": "trees that are awake",
    "nv_awake": "dofs that are awake", "nparent_awake": "bodies whose parent is awake or static",
}  # fmt: skip
"""Numbers of what is awake."""

DATA_SIZES = {
    **dict.fromkeys(("nY", "nefmA", "nefmK", "nefmL", "nefmT", "nefmcon", "nefmdof", "efm_active")),
}  # fmt: skip
"""Sizes of a world that are zero."""

NEWER_DATA = (
    *_rows("quat", """
        xiquat nbody: orientation of each body's principal axes of inertia
        geom_xquat ngeom: orientation of each geom
        site_xquat nsite: orientation of each site
    """),
    *_rows("int", """
        body_awake nbody: whether it is awake (mjtSleepState); -1: static
        body_awake_ind nbody: bodies that are awake or static
        parent_awake_ind nbody: bodies with a parent that is awake or static, then the world
        dof_awake_ind nv: dofs that are awake
        tree_island ntree: island of each tree; -1: none
        island_ntree nisland: number of trees of each island
        island_itreeadr nisland: first of them in map_itree2tree
        map_itree2tree ntree: trees by island
    """),
    *_rows("real", "efc_diagA nefc: diagonal of the matrix of constraints, approximate (efc_diagApprox)"),
    *_rows("int", """
        tree_awake ntree: whether it is awake
        tree_asleep ntree: negative: awake, -1: ready to sleep; else the next tree of those that sleep together
    """),
    *_rows("real", """
        flexvert_J nJfv 2: not used; it was there before 4.0
        flexvert_length nflexvert 2: not used; it was there before 4.0
        efc_Y nY: not used
        efm_K_val nefmK: not used
        efm_L nefmL: not used
        efm_ak nactuator: not used
        efm_as nactuator: not used
        efm_c nv: not used
        efm_ca nv: not used
        efm_ck nv: not used
        efm_con_val nefmcon: not used
        efm_diag nv: not used
        efm_fluid nC: not used
        efm_sdiag nv: not used
        efm_tk ntendon: not used
        efm_ts ntendon: not used
        flexedge_hessian nflexedge 9: not used
        flexelem_krot nflexstiffness: not used
        flexvert_hessian nflexvert 6: not used
        flexvert_lambda nflexvert: not used
    """, 0),
    *_rows("int", """
        efc_Y_colind nY: not used
        efc_Y_rowadr nefc: not used
        efc_Y_rownnz nefc: not used
        efm_K_colind nefmK: not used
        efm_K_rowadr nv: not used
        efm_K_rownnz nv: not used
        efm_L_colind nefmL: not used; these three were there before 3.12
        efm_L_rowadr nefmdof: not used
        efm_L_rownnz nefmdof: not used
        efm_aid nactuator: not used
        efm_con_ind nefmcon: not used
        efm_dofid nefmdof: not used
        efm_tid ntendon: not used
        flexvert_conage nflexvert: not used
    """, 0),
    *_rows("bool", "flex_hessian_valid nflex: not used", 0),
)  # fmt: skip
"""Arrays of a world; without a default they follow from it."""
