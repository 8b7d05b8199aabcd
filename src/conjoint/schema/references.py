"""References in integer fields of a model: ids, addresses with counts, and type numbers.

A model from a file is checked against these tables before any code uses its ids. Together they contain every integer
field of a model (`COVERED`), so that a new field is not forgotten.
"""

from dataclasses import dataclass
from enum import IntEnum

from conjoint.lang.memory.layout import Field, Role
from conjoint.schema import enums
from conjoint.schema.kinds import KINDS

ALWAYS = {
    "nbody": "body_parentid body_rootid body_weldid jnt_bodyid dof_bodyid geom_bodyid site_bodyid cam_bodyid "
    "light_bodyid skin_bonebodyid flex_nodebodyid",
    "njnt": "dof_jntid",
    "ngeom": "pair_geom1 pair_geom2",
    "nM": "dof_Madr",
    "npluginattr": "plugin_attradr",
    "nnames": " ".join(kind.names for kind in KINDS),
}
"""Fields that always contain an id or address, by the size that the id or address must be less than."""

OR_NONE = {
    "nbody": "cam_targetbodyid light_targetbodyid flex_vertbodyid",
    "nmocap": "body_mocapid",
    "ntree": "body_treeid dof_treeid",
    "nv": "dof_parentid",
    "nmat": "geom_matid site_matid flex_matid skin_matid tendon_matid",
    "ntex": "mat_texid light_texid",
    "nhistory": "actuator_historyadr sensor_historyadr",
    "nplastic": "jnt_plasticadr tendon_plasticadr",
    "nplugin": "body_plugin geom_plugin actuator_plugin sensor_plugin",
    "nmeshgraph": "mesh_graphadr",
    "nmesh": "site_dataid",
    "npaths": "mesh_pathadr skin_pathadr hfield_pathadr tex_pathadr",
    "nflextexcoord": "flex_texcoordadr",
    "nskintexvert": "skin_texcoordadr",
}
"""Fields that contain an id or address, or -1, by the size that the id or address must be less than."""

SPANS = (
    ("body_jntadr", "body_jntnum", "njnt"), ("body_dofadr", "body_dofnum", "nv"),
    ("body_geomadr", "body_geomnum", "ngeom"), ("body_bvhadr", "body_bvhnum", "nbvh"),
    ("flex_nodeadr", "flex_nodenum", "nflexnode"),
    ("flex_vertadr", "flex_vertnum", "nflexvert"), ("flex_edgeadr", "flex_edgenum", "nflexedge"),
    ("flex_elemadr", "flex_elemnum", "nflexelem"), ("flex_evpairadr", "flex_evpairnum", "nflexevpair"),
    ("flex_bvhadr", "flex_bvhnum", "nbvh"), ("mesh_vertadr", "mesh_vertnum", "nmeshvert"),
    ("mesh_faceadr", "mesh_facenum", "nmeshface"), ("mesh_bvhadr", "mesh_bvhnum", "nbvh"),
    ("mesh_octadr", "mesh_octnum", "noct"), ("mesh_normaladr", "mesh_normalnum", "nmeshnormal"),
    ("mesh_texcoordadr", "mesh_texcoordnum", "nmeshtexcoord"), ("mesh_polyadr", "mesh_polynum", "nmeshpoly"),
    ("mesh_polyvertadr", "mesh_polyvertnum", "nmeshpolyvert"), ("mesh_polymapadr", "mesh_polymapnum", "nmeshpolymap"),
    ("skin_vertadr", "skin_vertnum", "nskinvert"), ("skin_faceadr", "skin_facenum", "nskinface"),
    ("skin_boneadr", "skin_bonenum", "nskinbone"), ("skin_bonevertadr", "skin_bonevertnum", "nskinbonevert"),
    ("tendon_adr", "tendon_num", "nwrap"), ("actuator_actadr", "actuator_actnum", "na"),
    ("actuator_ctrladr", "actuator_ctrlnum", "nu"), ("actuator_outadr", "actuator_outnum", "nout"),
    ("sensor_adr", "sensor_dim", "nsensordata"), ("numeric_adr", "numeric_size", "nnumericdata"),
    ("hfield_adr", "hfield_nrow*hfield_ncol", "nhfielddata"),
    ("tex_adr", "tex_height*tex_width*tex_nchannel", "ntexdata"),
    ("flex_elemdataadr", "flex_elemnum*corners", "nflexelemdata"),
    ("flex_elemedgeadr", "flex_elemnum*edges", "nflexelemedge"),
    ("flex_shelldataadr", "flex_shellnum*sides", "nflexshelldata"),
    ("text_adr", "text_size", "ntextdata"), ("tuple_adr", "tuple_size", "ntupledata"),
    ("plugin_stateadr", "plugin_statenum", "npluginstate"),
)  # fmt: skip
"""Fields with addresses, fields with counts, and the size of the list to which they refer.

An empty range may have any address. A count may be a product.
"""

OWNED = (
    ("jnt_bodyid", "body_jntadr", "body_jntnum"), ("dof_bodyid", "body_dofadr", "body_dofnum"),
    ("geom_bodyid", "body_geomadr", "body_geomnum"),
)  # fmt: skip
"""Field with the body of each element, and fields with the address and count of each body's elements.

The three fields must be consistent.
"""

NONE_IF_EMPTY = (
    "body_jntadr", "body_dofadr", "body_geomadr", "body_bvhadr", "mesh_bvhadr", "flex_bvhadr", "actuator_actadr",
    "mesh_octadr", "actuator_ctrladr",
)  # fmt: skip
"""Address fields that are -1 for empty lists, because kernels test the address instead of the count."""

BY_DIMENSION = {"corners": (0, 2, 3, 4), "edges": (0, 1, 3, 6), "sides": (0, 1, 2, 3)}
"""Counts per flex element, by `flex_dim`. They are factors of counts in `SPANS` and `PARTS`."""


@dataclass(frozen=True, slots=True)
class Part:
    """Field whose values are indices in another list of the element that owns the field's row.

    Attributes:
        field: name of the field.
        address, count: fields with the address and count of an element's rows.
        below: field with the number that all values of the element must be less than, or a size.
        least: minimum value; -1 allows "none".
        column: column of the field that contains the values; None for all columns.
        owner: fields that locate the rows of `address` in each element that has a row of `below`, if `address` and
            `below` are fields of different element types.
    """

    field: str
    address: str
    count: str
    below: str
    least: int = 0
    column: int | None = None
    owner: tuple[str, str] | None = None


PARTS = (
    Part("flex_elem", "flex_elemdataadr", "flex_elemnum*corners", "flex_vertnum"),
    Part("flex_elemedge", "flex_elemedgeadr", "flex_elemnum*edges", "flex_edgenum"),
    Part("flex_shell", "flex_shelldataadr", "flex_shellnum*sides", "flex_vertnum"),
    Part("flex_edge", "flex_edgeadr", "flex_edgenum", "flex_vertnum"),
    Part("flex_edgeflap", "flex_edgeadr", "flex_edgenum", "flex_vertnum", -1),
    Part("flex_evpair", "flex_evpairadr", "flex_evpairnum", "flex_elemnum", column=0),
    Part("flex_evpair", "flex_evpairadr", "flex_evpairnum", "flex_vertnum", column=1),
    Part("mesh_face", "mesh_faceadr", "mesh_facenum", "mesh_vertnum"),
    Part("mesh_facenormal", "mesh_faceadr", "mesh_facenum", "mesh_normalnum"),
    Part("mesh_facetexcoord", "mesh_faceadr", "mesh_facenum", "mesh_texcoordnum"),
    Part("mesh_polyvert", "mesh_polyvertadr", "mesh_polyvertnum", "mesh_vertnum",
         owner=("mesh_polyadr", "mesh_polynum")),
    Part("mesh_polymap", "mesh_polymapadr", "mesh_polymapnum", "mesh_polynum", owner=("mesh_vertadr", "mesh_vertnum")),
    Part("skin_face", "skin_faceadr", "skin_facenum", "skin_vertnum"),
    Part("skin_bonevertid", "skin_bonevertadr", "skin_bonevertnum", "skin_vertnum",
         owner=("skin_boneadr", "skin_bonenum")),
    Part("bvh_child", "body_bvhadr", "body_bvhnum", "body_bvhnum", -1),
    Part("bvh_child", "mesh_bvhadr", "mesh_bvhnum", "mesh_bvhnum", -1),
    Part("bvh_child", "flex_bvhadr", "flex_bvhnum", "flex_bvhnum", -1),
    Part("bvh_nodeid", "body_bvhadr", "body_bvhnum", "ngeom", -1),
    Part("bvh_nodeid", "mesh_bvhadr", "mesh_bvhnum", "mesh_facenum", -1),
    Part("bvh_nodeid", "flex_bvhadr", "flex_bvhnum", "flex_elemnum", -1),
    Part("oct_child", "mesh_octadr", "mesh_octnum", "mesh_octnum", -1),
)  # fmt: skip
"""Fields whose values are indices within an element's part of a list.

Each value belongs to one element. Values that belong to an empty list are zero.
"""

TREES = {"bvh_child": ("body_bvhadr", "mesh_bvhadr", "flex_bvhadr"), "oct_child": ("mesh_octadr",)}
"""Fields with the children of tree nodes, and fields with the addresses of the trees' first nodes.

Children come after their parents. A node has all children or none.
"""

RANGES = {
    "flex_dim": (1, 3), "flex_interp": (0, 1), "hfield_nrow": (1, None), "hfield_ncol": (1, None),
    "tex_height": (0, None), "tex_width": (0, None), "tex_nchannel": (0, 4), "dof_simplenum": (0, None),
    "body_simple": (0, 2), "sensor_dim": (0, None), "flex_shellnum": (0, None), "flex_elemlayer": (0, None),
    "actuator_ctrlspec": (0, 63),
    "jnt_actuatorid": (-2, None), "tendon_actuatorid": (-2, None),
    "bvh_depth": (0, None), "oct_depth": (0, None), "plugin": (0, None), "names_map": (-1, None),
    "flex_edgeequality": (0, 3), "tree_sleep_policy": (0, 5),
}  # fmt: skip
"""Minimum and maximum of integer fields that contain neither ids nor addresses."""

OTHERS = (
    "flex_elemtexcoord", "jnt_qposadr", "jnt_dofadr", "mesh_graph", "pair_signature", "exclude_signature",
    "plugin_attr", "names", "paths", "actuator_history", "sensor_history",
)  # fmt: skip
"""Integer fields that have separate checks, or that no code uses as references."""

ENUMS: dict[str, type[IntEnum]] = {
    "jnt_type": enums.mjtJoint, "geom_type": enums.mjtGeom, "site_type": enums.mjtGeom, "cam_mode": enums.mjtCamLight,
    "light_mode": enums.mjtCamLight, "eq_type": enums.mjtEq, "eq_objtype": enums.mjtObj, "wrap_type": enums.mjtWrap,
    "actuator_trntype": enums.mjtTrn, "actuator_dyntype": enums.mjtDyn, "actuator_gaintype": enums.mjtGain,
    "actuator_biastype": enums.mjtBias, "sensor_type": enums.mjtSensor, "sensor_objtype": enums.mjtObj,
    "sensor_reftype": enums.mjtObj, "tuple_objtype": enums.mjtObj, "sensor_datatype": enums.mjtDataType,
    "sensor_needstage": enums.mjtStage, "body_sameframe": enums.mjtSameFrame, "geom_sameframe": enums.mjtSameFrame,
    "site_sameframe": enums.mjtSameFrame, "tex_type": enums.mjtTexture, "tex_colorspace": enums.mjtColorSpace,
    "light_type": enums.mjtLightType, "flex_selfcollide": enums.mjtFlexSelf,
}  # fmt: skip
"""Fields that contain a member of an enumeration."""

TYPED = (
    ("eq_obj1id", None, 0, "eq_type", {
        "CONNECT": "", "WELD": "", "JOINT": "njnt", "TENDON": "ntendon", "FLEX": "nflex",
        "FLEXSTRAIN": "nflex",
    }),
    ("eq_obj2id", None, 0, "eq_type", {"CONNECT": "", "WELD": ""}),
    ("eq_obj2id", None, -1, "eq_type", {"JOINT": "njnt", "TENDON": "ntendon"}),
    ("wrap_objid", None, 0, "wrap_type", {"JOINT": "njnt", "SITE": "nsite", "SPHERE": "ngeom", "CYLINDER": "ngeom"}),
    ("geom_dataid", None, 0, "geom_type", {"MESH": "nmesh", "SDF": "nmesh", "HFIELD": "nhfield"}),
    ("actuator_trnid", 0, 0, "actuator_trntype", {
        "JOINT": "njnt", "JOINTINPARENT": "njnt", "TENDON": "ntendon", "SITE": "nsite", "SLIDERCRANK": "nsite",
        "BODY": "nbody",
    }),
    ("actuator_trnid", 1, -1, "actuator_trntype", {"SO3": "nsite"}),
    ("actuator_trnid", 1, 0, "actuator_trntype", {"SLIDERCRANK": "nsite"}),
    ("actuator_trnid", 1, -1, "actuator_trntype", {"SITE": "nsite"}),
)  # fmt: skip
"""Ids of objects of variable type: field, column, minimum, field with the type, and size by type.

The size "" means that the type of the object determines the size. Ids for other types are not checked.
"""

OBJECT_IDS = (("sensor_objid", "sensor_objtype"), ("sensor_refid", "sensor_reftype"), ("tuple_objid", "tuple_objtype"))
"""Fields with object ids, each with the field that contains the types of these objects."""

COVERED = frozenset(
    name
    for names in (
        " ".join((*ALWAYS.values(), *OR_NONE.values())).split(), ENUMS, RANGES, OTHERS, TREES,
        (word for address, count, _ in SPANS for word in (address, *count.split("*"))),
        (part.field for part in PARTS), (row[0] for row in TYPED), (row[0] for row in OBJECT_IDS),
    )
    for name in names
    if name not in BY_DIMENSION
)  # fmt: skip
"""All integer fields of a model that the tables of this module contain."""

RECORDED = (
    "maxuse_con", "maxuse_efc", "solver.nactive", "solver.nchange", "solver.neval", "solver.nupdate", "solver_niter",
    "solver_nnz", "warning.lastinfo", "warning.number", "timer.number", "efc_state", "iefc_state",
)  # fmt: skip
"""Integer fields of `MjData` that no code uses as references: statistics, and states of rows."""


def is_followed(field: Field) -> bool:
    """Return True if stages use a field of `MjData` as ids, addresses or counts without checking it.

    Programs cannot write such fields. They can write fields of contacts, which are checked.
    """
    found = field.kind == "int" and field.role in (Role.RESULT, Role.STRUCTURE)
    return found and field.name not in RECORDED and not field.name.startswith("contact_")
