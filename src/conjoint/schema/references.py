"""What the integer fields of a model refer to: ids, addresses with counts, and kinds.

A model from a file is checked against these tables before anything follows its ids.
"""

from enum import IntEnum

from conjoint.schema import enums
from conjoint.schema.kinds import KINDS

ALWAYS = {
    "nbody": "body_parentid body_rootid body_weldid jnt_bodyid dof_bodyid geom_bodyid site_bodyid cam_bodyid "
    "light_bodyid skin_bonebodyid flex_nodebodyid",
    "njnt": "dof_jntid",
    "ngeom": "pair_geom1 pair_geom2",
    "nM": "dof_Madr",
    "nnumericdata": "numeric_adr",
    "ntextdata": "text_adr",
    "npluginattr": "plugin_attradr",
    "nnames": " ".join(kind.names for kind in KINDS),
}
"""Fields that always hold an id or address below a size."""

OR_NONE = {
    "nbody": "cam_targetbodyid light_targetbodyid flex_vertbodyid",
    "nmocap": "body_mocapid",
    "ntree": "body_treeid dof_treeid",
    "nv": "dof_parentid",
    "nmat": "geom_matid site_matid flex_matid skin_matid tendon_matid",
    "ntex": "mat_texid light_texid",
    "nplugin": "body_plugin geom_plugin actuator_plugin sensor_plugin",
    "nmeshgraph": "mesh_graphadr",
    "npaths": "mesh_pathadr skin_pathadr hfield_pathadr tex_pathadr",
    "nflextexcoord": "flex_texcoordadr",
    "nskintexvert": "skin_texcoordadr",
}
"""Fields that hold an id or address below a size, or -1."""

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
    ("sensor_adr", "sensor_dim", "nsensordata"), ("numeric_adr", "numeric_size", "nnumericdata"),
    ("text_adr", "text_size", "ntextdata"), ("tuple_adr", "tuple_size", "ntupledata"),
    ("plugin_stateadr", "plugin_statenum", "npluginstate"),
)  # fmt: skip
"""Address, count, and the size of what they are a part of; nothing is anywhere."""

ENUMS: dict[str, type[IntEnum]] = {
    "jnt_type": enums.mjtJoint, "geom_type": enums.mjtGeom, "site_type": enums.mjtGeom, "cam_mode": enums.mjtCamLight,
    "light_mode": enums.mjtCamLight, "eq_type": enums.mjtEq, "eq_objtype": enums.mjtObj, "wrap_type": enums.mjtWrap,
    "actuator_trntype": enums.mjtTrn, "actuator_dyntype": enums.mjtDyn, "actuator_gaintype": enums.mjtGain,
    "actuator_biastype": enums.mjtBias, "sensor_type": enums.mjtSensor, "sensor_objtype": enums.mjtObj,
    "sensor_reftype": enums.mjtObj, "tuple_objtype": enums.mjtObj,
}  # fmt: skip
"""Fields that hold a member of an enumeration."""

TYPED = (
    ("eq_obj1id", "eq_type", {"CONNECT": "", "WELD": "", "JOINT": "njnt", "TENDON": "ntendon", "FLEX": "nflex"}),
    ("eq_obj2id", "eq_type", {"CONNECT": "", "WELD": "", "JOINT": "njnt", "TENDON": "ntendon"}),
    ("wrap_objid", "wrap_type", {"JOINT": "njnt", "SITE": "nsite", "SPHERE": "ngeom", "CYLINDER": "ngeom"}),
    ("geom_dataid", "geom_type", {"MESH": "nmesh", "SDF": "nmesh", "HFIELD": "nhfield"}),
    ("actuator_trnid", "actuator_trntype", {
        "JOINT": "njnt", "JOINTINPARENT": "njnt", "TENDON": "ntendon", "SITE": "nsite", "SLIDERCRANK": "nsite",
        "BODY": "nbody",
    }),
)  # fmt: skip
"""Id, the field that holds its kind, and the size by kind ("": by type of object); ids of other kinds are free."""

OBJECT_IDS = (("sensor_objid", "sensor_objtype"), ("sensor_refid", "sensor_reftype"), ("tuple_objid", "tuple_objtype"))
"""Id and the field with the type of the object."""
