"""Fields of `MjModel`: constants of a simulation, one row each.

Addresses (`*adr`) index the array that the counts (`*num`) refer to; an id of -1 means "none". `real` fields with a
trailing dimension (`jnt_range`, `geom_solref`) are flat inside kernels.
"""

from dataclasses import replace

from conjoint.lang.memory.layout import Field, Role
from conjoint.once import made_once
from conjoint.schema.assets import ASSET_FIELDS
from conjoint.schema.kinds import KINDS
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS
from conjoint.schema.plan import LENT_ROWS, PLAN_ROWS, STRUCTURE_ROWS, WATCHED_ROWS
from conjoint.schema.rows import Constant, Input, Structure, table
from conjoint.schema.sizes import SIZE_FIELDS
from conjoint.schema.visual import VISUAL_FIELDS

# fmt: off
ARRAY_FIELDS: tuple[Field, ...] = (
    # generalized coordinates
    Input("qpos0", "real", ("nq",), 0, "", "reference configuration"),
    Input("qpos_spring", "real", ("nq",), 0, "", "configuration in which joint springs are at rest"),
    # bodies
    Structure("body_parentid", "int", ("nbody",), "parent body; the world is its own parent", derives="structure plan"),
    Structure("body_rootid", "int", ("nbody",), "top body of the kinematic tree", derives="ids"),
    Structure("body_weldid", "int", ("nbody",), "topmost body to which this one is fixed", derives="structure plan"),
    Structure("body_mocapid", "int", ("nbody",), "motion capture id; -1: none", derives="structure"),
    Structure("body_jntnum", "int", ("nbody",), "number of joints", derives="ids"),
    Structure("body_jntadr", "int", ("nbody",), "first joint; -1: none", derives="ids"),
    Structure("body_dofnum", "int", ("nbody",), "number of dofs", derives="structure"),
    Structure("body_dofadr", "int", ("nbody",), "first dof; -1: none", derives="structure"),
    Structure("body_treeid", "int", ("nbody",), "kinematic tree; -1: static", derives="plan"),
    Structure("body_geomnum", "int", ("nbody",), "number of geoms", derives="stages"),
    Structure("body_geomadr", "int", ("nbody",), "first geom; -1: none", derives="stages"),
    Structure("body_simple", "byte", ("nbody",), "1: diagonal rows of the inertia matrix, 2: also only sliding joints",
              derives="live"),
    Structure("body_sameframe", "byte", ("nbody",), "frame that the inertial frame shares (mjtSameFrame)",
              derives="live"),
    Input("body_pos", "vec3", ("nbody",), 0, "m", "position in the parent's frame at qpos0"),
    Input("body_quat", "quat", ("nbody",), 0, "", "orientation in the parent's frame at qpos0"),
    Input("body_ipos", "vec3", ("nbody",), 0, "m", "centre of mass in the body's frame"),
    Input("body_iquat", "quat", ("nbody",), 0, "", "orientation of the principal axes of inertia in the body's frame"),
    Input("body_mass", "real", ("nbody",), 0, "kg", "mass"),
    Constant("body_subtreemass", "real", ("nbody",), "kg", "mass of the body and all below it"),
    Input("body_inertia", "vec3", ("nbody",), 0, "kg m^2", "principal moments of inertia"),
    Constant("body_invweight0", "vec2", ("nbody",), "1/kg",
             "mean inverse inertia at qpos0: of translation, of rotation (1/(kg m^2))"),
    Input("body_gravcomp", "real", ("nbody",), 0, "", "share of the weight that is compensated"),
    Input("body_margin", "real", ("nbody",), 0, "m", "largest margin of the body's geoms"),
    Input("body_user", "real", ("nbody", "nuser_body"), 0, "", "user parameters"),
    Structure("body_plugin", "int", ("nbody",), "plugin instance; -1: none", derives="ids"),
    Input("body_contype", "int", ("nbody",), 0, "", "all contact types of the body's geoms", derives="plan"),
    Input("body_conaffinity", "int", ("nbody",), 0, "", "all contact affinities of the body's geoms", derives="plan"),
    Structure("tree_sleep_policy", "int", ("ntree",), "whether each tree may sleep (mjtSleepPolicy)", derives="plan"),
    Structure("body_bvhadr", "int", ("nbody",), "first bounding volume; -1: none", derives="ids"),
    Structure("body_bvhnum", "int", ("nbody",), "number of bounding volumes", derives="ids"),
    # bounding volume hierarchy
    Structure("bvh_depth", "int", ("nbvh",), "depth in the tree", derives="asset"),
    Structure("bvh_child", "int", ("nbvh", 2), "the two children; -1: leaf", derives="asset"),
    Structure("bvh_nodeid", "int", ("nbvh",), "geom, element or face of a leaf; -1: inner node", derives="asset"),
    Structure("bvh_aabb", "real", ("nbvhstatic", 6), "box in the frame of the body or mesh: centre, half sizes",
              unit="m", derives="asset"),
    # octrees
    Structure("oct_depth", "int", ("noct",), "depth in the tree", derives="asset"),
    Structure("oct_child", "int", ("noct", 8), "the eight children; -1: none", derives="asset"),
    Structure("oct_aabb", "real", ("noct", 6), "box: centre, half sizes", unit="m", derives="asset"),
    Structure("oct_coeff", "real", ("noct", 8), "interpolation coefficients", derives="asset"),
    # joints
    Structure("jnt_type", "int", ("njnt",), "type (mjtJoint)", derives="structure"),
    Structure("jnt_qposadr", "int", ("njnt",), "first coordinate in qpos", derives="ids"),
    Structure("jnt_dofadr", "int", ("njnt",), "first dof", derives="structure"),
    Structure("jnt_bodyid", "int", ("njnt",), "body that the joint moves", derives="structure"),
    Input("jnt_group", "int", ("njnt",), 0, "", "group for showing and hiding"),
    Input("jnt_limited", "byte", ("njnt",), 0, "", "whether the range is enforced"),
    Input("jnt_actfrclimited", "byte", ("njnt",), 0, "", "whether the total actuator force is limited"),
    Input("jnt_actgravcomp", "byte", ("njnt",), 0, "", "whether gravity compensation acts as an actuator force"),
    Input("jnt_solref", "solref", ("njnt",), 0, "", "constraint reference of the limit"),
    Input("jnt_solimp", "solimp", ("njnt",), 0, "", "constraint impedance of the limit"),
    Input("jnt_pos", "vec3", ("njnt",), 0, "m", "anchor in the body's frame"),
    Input("jnt_axis", "vec3", ("njnt",), 0, "", "axis in the body's frame"),
    Input("jnt_stiffness", "real", ("njnt",), 0, "N m/rad", "spring stiffness; N/m if it slides"),
    Input("jnt_range", "real", ("njnt", 2), 0, "rad", "lower and upper limit; m if it slides"),
    Input("jnt_actfrcrange", "real", ("njnt", 2), 0, "N m", "limits of the total actuator force; N if it slides"),
    Input("jnt_margin", "real", ("njnt",), 0, "rad",
          "distance from the limit at which it becomes active; m if it slides"),
    Input("jnt_user", "real", ("njnt", "nuser_jnt"), 0, "", "user parameters"),
    # degrees of freedom
    Structure("dof_bodyid", "int", ("nv",), "body that the dof moves", derives="structure"),
    Structure("dof_jntid", "int", ("nv",), "joint", derives="ids"),
    Structure("dof_parentid", "int", ("nv",), "parent dof in the tree; -1: none", derives="structure"),
    Structure("dof_treeid", "int", ("nv",), "kinematic tree", derives="structure plan"),
    Structure("dof_Madr", "int", ("nv",), "address of the diagonal element in `qM`", derives="structure"),
    Structure("dof_simplenum", "int", ("nv",),
              "number of dofs, from this one on, whose rows of the inertia matrix are diagonal", derives="structure"),
    Input("dof_solref", "solref", ("nv",), 0, "", "constraint reference of friction loss"),
    Input("dof_solimp", "solimp", ("nv",), 0, "", "constraint impedance of friction loss"),
    Input("dof_frictionloss", "real", ("nv",), 0, "N m", "dry friction; N if it slides"),
    Input("dof_armature", "real", ("nv",), 0, "kg m^2", "inertia that is added to the dof; kg if it slides"),
    Input("dof_damping", "real", ("nv",), 0, "N m s/rad", "damping; N s/m if it slides"),
    Constant("dof_invweight0", "real", ("nv",), "", "diagonal of the inverse inertia matrix at qpos0"),
    Constant("dof_M0", "real", ("nv",), "", "diagonal of the inertia matrix at qpos0"),
    # geoms
    Structure("geom_type", "int", ("ngeom",), "type (mjtGeom)", derives="plan stages"),
    Input("geom_contype", "int", ("ngeom",), 0, "", "contact type bits", derives="plan stages"),
    Input("geom_conaffinity", "int", ("ngeom",), 0, "", "bits of contact types that it collides with",
          derives="plan stages"),
    Input("geom_condim", "int", ("ngeom",), 0, "", "dimensions of contacts: 1, 3, 4 or 6", derives="stages"),
    Structure("geom_bodyid", "int", ("ngeom",), "body", derives="structure plan stages"),
    Structure("geom_dataid", "int", ("ngeom",), "mesh or height field; -1: none", derives="plan stages"),
    Structure("geom_matid", "int", ("ngeom",), "material; -1: none", derives="ids"),
    Input("geom_group", "int", ("ngeom",), 0, "", "group for showing and hiding"),
    Input("geom_priority", "int", ("ngeom",), 0, "", "contact parameters come from the geom with the higher priority"),
    Structure("geom_plugin", "int", ("ngeom",), "plugin instance; -1: none", derives="stages"),
    Structure("geom_sameframe", "byte", ("ngeom",), "frame of the body that it shares (mjtSameFrame)", derives="live"),
    Input("geom_solmix", "real", ("ngeom",), 0, "", "weight when contact parameters are mixed"),
    Input("geom_surfacevel", "real", ("ngeom", 6), 0, "m/s",
          "velocity of the surface in the geom's frame: linear, then angular (rad/s)", derives="stages"),
    Input("geom_adhesion", "real", ("ngeom",), 0, "N", "adhesive force of contacts", derives="stages"),
    Input("geom_solref", "solref", ("ngeom",), 0, "", "constraint reference of contacts"),
    Input("geom_solimp", "solimp", ("ngeom",), 0, "", "constraint impedance of contacts"),
    Input("geom_size", "vec3", ("ngeom",), 0, "m", "sizes; which depends on the type"),
    Input("geom_aabb", "real", ("ngeom", 6), 0, "m", "box around it in its frame: centre, half sizes"),
    Input("geom_rbound", "real", ("ngeom",), 0, "m", "radius of the sphere around it; 0: unbounded"),
    Input("geom_pos", "vec3", ("ngeom",), 0, "m", "position in the body's frame"),
    Input("geom_quat", "quat", ("ngeom",), 0, "", "orientation in the body's frame"),
    Input("geom_friction", "vec3", ("ngeom",), 0, "", "friction: sliding, torsional (m), rolling (m)"),
    Input("geom_margin", "real", ("ngeom",), 0, "m", "distance at which contacts are detected"),
    Input("geom_gap", "real", ("ngeom",), 0, "m", "contacts at more than margin - gap produce no force"),
    Input("geom_fluid", "real", ("ngeom", 12), 0, "", "parameters of interaction with the medium", shared=True),
    Input("geom_user", "real", ("ngeom", "nuser_geom"), 0, "", "user parameters"),
    Input("geom_rgba", "float", ("ngeom", 4), 0, "", "colour where there is no material"),
    # sites
    Structure("site_type", "int", ("nsite",), "type (mjtGeom), for drawing and touch sensors", derives="ids"),
    Structure("site_dataid", "int", ("nsite",), "mesh of the shape; -1: none", default=-1, derives="ids"),
    Structure("site_bodyid", "int", ("nsite",), "body", derives="structure"),
    Structure("site_matid", "int", ("nsite",), "material; -1: none", derives="shown"),
    Input("site_group", "int", ("nsite",), 0, "", "group for showing and hiding"),
    Structure("site_sameframe", "byte", ("nsite",), "frame of the body that it shares (mjtSameFrame)", derives="live"),
    Input("site_size", "vec3", ("nsite",), 0, "m", "sizes; which depends on the type"),
    Input("site_pos", "vec3", ("nsite",), 0, "m", "position in the body's frame"),
    Input("site_quat", "quat", ("nsite",), 0, "", "orientation in the body's frame"),
    Input("site_user", "real", ("nsite", "nuser_site"), 0, "", "user parameters"),
    Input("site_rgba", "float", ("nsite", 4), 0, "", "colour where there is no material"),
    # cameras
    Input("cam_mode", "int", ("ncam",), 0, "", "how it follows its body (mjtCamLight)"),
    Structure("cam_bodyid", "int", ("ncam",), "body", derives="ids"),
    Structure("cam_targetbodyid", "int", ("ncam",), "body that it looks at; -1: none", derives="ids"),
    Input("cam_pos", "vec3", ("ncam",), 0, "m", "position in the body's frame"),
    Input("cam_quat", "quat", ("ncam",), 0, "", "orientation in the body's frame"),
    Constant("cam_poscom0", "vec3", ("ncam",), "m",
             "position relative to the subtree's centre of mass at qpos0, world axes"),
    Constant("cam_pos0", "vec3", ("ncam",), "m", "position relative to the body at qpos0, world axes"),
    Constant("cam_mat0", "mat3", ("ncam",), "", "orientation at qpos0, world frame"),
    Input("cam_orthographic", "int", ("ncam",), 0, "", "whether the projection is orthographic"),
    Input("cam_fovy", "real", ("ncam",), 0, "deg", "vertical field of view; metres if orthographic"),
    Input("cam_ipd", "real", ("ncam",), 0, "m", "distance of the eyes"),
    Input("cam_resolution", "int", ("ncam", 2), 0, "pixel", "width and height"),
    Input("cam_sensorsize", "float", ("ncam", 2), 0, "m", "size of the sensor"),
    Input("cam_intrinsic", "float", ("ncam", 4), 0, "m", "focal length and principal point"),
    Input("cam_user", "real", ("ncam", "nuser_cam"), 0, "", "user parameters"),
    # lights
    Input("light_mode", "int", ("nlight",), 0, "", "how it follows its body (mjtCamLight)"),
    Structure("light_bodyid", "int", ("nlight",), "body", derives="ids"),
    Structure("light_targetbodyid", "int", ("nlight",), "body that it shines at; -1: none", derives="ids"),
    Input("light_type", "int", ("nlight",), 0, "", "type (mjtLightType)"),
    Structure("light_texid", "int", ("nlight",), "texture of an image light; -1: none", derives="shown"),
    Input("light_castshadow", "byte", ("nlight",), 0, "", "whether it casts shadows"),
    Input("light_bulbradius", "float", ("nlight",), 0, "m", "radius, for soft shadows"),
    Input("light_intensity", "float", ("nlight",), 0, "cd", "intensity, for physically based renderers"),
    Input("light_range", "float", ("nlight",), 0, "m", "reach"),
    Input("light_active", "byte", ("nlight",), 0, "", "whether it is on"),
    Input("light_pos", "vec3", ("nlight",), 0, "m", "position in the body's frame"),
    Input("light_dir", "vec3", ("nlight",), 0, "", "direction in the body's frame"),
    Constant("light_poscom0", "vec3", ("nlight",), "m",
             "position relative to the subtree's centre of mass at qpos0, world axes"),
    Constant("light_pos0", "vec3", ("nlight",), "m", "position relative to the body at qpos0, world axes"),
    Constant("light_dir0", "vec3", ("nlight",), "", "direction at qpos0, world frame"),
    Input("light_attenuation", "float", ("nlight", 3), 0, "", "constant, linear, quadratic attenuation with distance"),
    Input("light_cutoff", "float", ("nlight",), 0, "deg", "angle at which a spot light ends"),
    Input("light_exponent", "float", ("nlight",), 0, "", "how sharply a spot light fades"),
    Input("light_ambient", "float", ("nlight", 3), 0, "", "ambient colour"),
    Input("light_diffuse", "float", ("nlight", 3), 0, "", "diffuse colour"),
    Input("light_specular", "float", ("nlight", 3), 0, "", "specular colour"),
    *ASSET_FIELDS,
    # explicit contact pairs
    Input("pair_dim", "int", ("npair",), 0, "", "dimensions of contacts: 1, 3, 4 or 6", derives="stages"),
    Structure("pair_geom1", "int", ("npair",), "first geom", derives="plan"),
    Structure("pair_geom2", "int", ("npair",), "second geom", derives="plan"),
    Structure("pair_signature", "int", ("npair",), "both bodies: the first in the upper 16 bits", derives="plan"),
    Input("pair_solref", "solref", ("npair",), 0, "", "constraint reference of the normal direction"),
    Input("pair_solreffriction", "solref", ("npair",), 0, "",
          "constraint reference of the frictional directions; 0: as the normal"),
    Input("pair_solimp", "solimp", ("npair",), 0, "", "constraint impedance"),
    Input("pair_adhesion", "real", ("npair",), 0, "N", "adhesive force of contacts", derives="stages"),
    Input("pair_margin", "real", ("npair",), 0, "m", "distance at which contacts are detected"),
    Input("pair_gap", "real", ("npair",), 0, "m", "contacts at more than margin - gap produce no force"),
    Input("pair_friction", "friction", ("npair",), 0, "", "friction: two tangents, torsion (m), two rolls (m)"),
    # excluded body pairs
    Structure("exclude_signature", "int", ("nexclude",), "both bodies: the first in the upper 16 bits", derives="plan"),
    # equality constraints
    Structure("eq_type", "int", ("neq",), "type (mjtEq)", derives="ids"),
    Structure("eq_obj1id", "int", ("neq",), "first object", derives="ids"),
    Structure("eq_obj2id", "int", ("neq",), "second object; -1: none", derives="ids"),
    Structure("eq_objtype", "int", ("neq",), "type of the objects (mjtObj)", derives="ids"),
    Input("eq_active0", "byte", ("neq",), 0, "", "whether it is active at first"),
    Input("eq_solref", "solref", ("neq",), 0, "", "constraint reference"),
    Input("eq_solimp", "solimp", ("neq",), 0, "", "constraint impedance"),
    Input("eq_data", "real", ("neq", 11), 0, "", "parameters; which depends on the type", stage="mj_setConst"),
    # tendons
    Structure("tendon_adr", "int", ("ntendon",), "first path element", derives="structure"),
    Structure("tendon_num", "int", ("ntendon",), "number of path elements", derives="structure"),
    Structure("tendon_matid", "int", ("ntendon",), "material; -1: none", derives="shown"),
    Input("tendon_group", "int", ("ntendon",), 0, "", "group for showing and hiding"),
    Input("tendon_limited", "byte", ("ntendon",), 0, "", "whether the range is enforced"),
    Input("tendon_actfrclimited", "byte", ("ntendon",), 0, "", "whether the total actuator force is limited"),
    Input("tendon_width", "real", ("ntendon",), 0, "m", "radius when drawn"),
    Input("tendon_solref_lim", "solref", ("ntendon",), 0, "", "constraint reference of the limit"),
    Input("tendon_solimp_lim", "solimp", ("ntendon",), 0, "", "constraint impedance of the limit"),
    Input("tendon_solref_fri", "solref", ("ntendon",), 0, "", "constraint reference of friction loss"),
    Input("tendon_solimp_fri", "solimp", ("ntendon",), 0, "", "constraint impedance of friction loss"),
    Input("tendon_range", "real", ("ntendon", 2), 0, "m", "lower and upper limit of the length"),
    Input("tendon_actfrcrange", "real", ("ntendon", 2), 0, "N", "limits of the total actuator force"),
    Input("tendon_margin", "real", ("ntendon",), 0, "m", "distance from the limit at which it becomes active"),
    Input("tendon_stiffness", "real", ("ntendon",), 0, "N/m", "spring stiffness"),
    Input("tendon_damping", "real", ("ntendon",), 0, "N s/m", "damping"),
    Input("tendon_armature", "real", ("ntendon",), 0, "kg", "inertia of changes in length"),
    Input("tendon_frictionloss", "real", ("ntendon",), 0, "N", "dry friction"),
    Input("tendon_lengthspring", "real", ("ntendon", 2), 0, "m", "lengths between which the spring is at rest",
          stage="mj_setConst"),
    Constant("tendon_length0", "real", ("ntendon",), "m", "length at qpos0"),
    Constant("tendon_invweight0", "real", ("ntendon",), "1/kg", "inverse inertia at qpos0"),
    Input("tendon_user", "real", ("ntendon", "nuser_tendon"), 0, "", "user parameters"),
    Input("tendon_rgba", "float", ("ntendon", 4), 0, "", "colour where there is no material"),
    # path elements of tendons
    Structure("wrap_type", "int", ("nwrap",), "type (mjtWrap)", derives="structure stages"),
    Structure("wrap_objid", "int", ("nwrap",), "joint, site or geom; -1: pulley", derives="structure"),
    Input("wrap_prm", "real", ("nwrap",), 0, "", "joint: coefficient, pulley: divisor, geom: side site or -1",
          derives="structure"),
    # actuators
    Structure("actuator_trntype", "int", ("nu",), "type of transmission (mjtTrn)", derives="structure stages"),
    Structure("actuator_dyntype", "int", ("nu",), "type of activation dynamics (mjtDyn)", derives="stages"),
    Structure("actuator_gaintype", "int", ("nu",), "type of gain (mjtGain)", derives="stages"),
    Structure("actuator_biastype", "int", ("nu",), "type of bias (mjtBias)", derives="stages"),
    Structure("actuator_trnid", "int", ("nu", 2),
              "joint, tendon, site, or body, and a second one for some types; -1: none", derives="structure"),
    Structure("actuator_actadr", "int", ("nu",), "first activation; -1: none", derives="ids"),
    Structure("actuator_actnum", "int", ("nu",), "number of activations", derives="ids"),
    Input("actuator_group", "int", ("nu",), 0, "", "group for showing, hiding and disabling"),
    Input("actuator_ctrllimited", "byte", ("nu",), 0, "", "whether the control is clamped"),
    Input("actuator_forcelimited", "byte", ("nu",), 0, "", "whether the force is clamped"),
    Input("actuator_actlimited", "byte", ("nu",), 0, "", "whether the activation is clamped"),
    Input("actuator_dynprm", "real", ("nu", 10), 0, "", "parameters of the activation dynamics"),
    Input("actuator_gainprm", "real", ("nu", 10), 0, "", "parameters of the gain"),
    Input("actuator_biasprm", "real", ("nu", 10), 0, "", "parameters of the bias", stage="mj_setConst"),
    Input("actuator_actearly", "byte", ("nu",), 0, "", "whether the force uses the activation at the end of the step"),
    Input("actuator_ctrlrange", "real", ("nu", 2), 0, "", "limits of the control"),
    Input("actuator_forcerange", "real", ("nu", 2), 0, "N", "limits of the force"),
    Input("actuator_actrange", "real", ("nu", 2), 0, "", "limits of the activation"),
    Input("actuator_gear", "real", ("nu", 6), 0, "", "scale of length and moment arms"),
    Input("actuator_cranklength", "real", ("nu",), 0, "m", "length of the crank of a slider-crank"),
    Constant("actuator_acc0", "real", ("nu",), "", "norm of the acceleration that a unit force causes at qpos0"),
    Constant("actuator_length0", "real", ("nu",), "", "length at qpos0"),
    Input("actuator_lengthrange", "real", ("nu", 2), 0, "", "lengths that are feasible"),
    Input("actuator_user", "real", ("nu", "nuser_actuator"), 0, "", "user parameters"),
    Structure("actuator_plugin", "int", ("nu",), "plugin instance; -1: none", derives="ids"),
    # sensors
    Structure("sensor_type", "int", ("nsensor",), "type (mjtSensor)", derives="stages"),
    Structure("sensor_datatype", "int", ("nsensor",), "what the numbers are (mjtDataType)", derives="live"),
    Structure("sensor_needstage", "int", ("nsensor",), "stage after which it can be computed (mjtStage)",
              derives="stages"),
    Structure("sensor_objtype", "int", ("nsensor",), "type of the sensed object (mjtObj)", derives="stages"),
    Structure("sensor_objid", "int", ("nsensor",), "sensed object", derives="stages"),
    Structure("sensor_reftype", "int", ("nsensor",), "type of the reference frame (mjtObj)", derives="stages"),
    Structure("sensor_refid", "int", ("nsensor",), "reference frame; -1: world", derives="stages"),
    Input("sensor_intprm", "int", ("nsensor", 3), 0, "", "integer parameters"),
    Structure("sensor_dim", "int", ("nsensor",), "number of reals", derives="ids"),
    Structure("sensor_adr", "int", ("nsensor",), "first real in sensordata", derives="ids"),
    Input("sensor_cutoff", "real", ("nsensor",), 0, "", "values are clamped to this; 0: not", shared=True),
    Input("sensor_noise", "real", ("nsensor",), 0, "", "standard deviation of noise, for users"),
    Input("sensor_user", "real", ("nsensor", "nuser_sensor"), 0, "", "user parameters"),
    Structure("sensor_plugin", "int", ("nsensor",), "plugin instance; -1: none", derives="ids"),
    # plugin instances
    Structure("plugin", "int", ("nplugin",), "slot of each instance's plugin", derives="plan stages"),
    Structure("plugin_stateadr", "int", ("nplugin",), "first state of each instance", derives="ids"),
    Structure("plugin_statenum", "int", ("nplugin",), "number of states of each instance", derives="ids"),
    Structure("plugin_attr", "byte", ("npluginattr",), "attributes of all instances, zero-terminated texts",
              derives="plan"),
    Structure("plugin_attradr", "int", ("nplugin",), "first attribute of each instance", derives="plan"),
    # custom numbers
    Structure("numeric_adr", "int", ("nnumeric",), "first real", derives="text"),
    Structure("numeric_size", "int", ("nnumeric",), "number of reals", derives="text"),
    Input("numeric_data", "real", ("nnumericdata",), 0, "", "values"),
    # custom text
    Structure("text_adr", "int", ("ntext",), "first byte", derives="text"),
    Structure("text_size", "int", ("ntext",), "number of bytes, the terminating zero included", derives="text"),
    Input("text_data", "byte", ("ntextdata",), 0, "", "texts"),
    # custom tuples
    Structure("tuple_adr", "int", ("ntuple",), "first element", derives="text"),
    Structure("tuple_size", "int", ("ntuple",), "number of elements", derives="text"),
    Structure("tuple_objtype", "int", ("ntupledata",), "type of each element (mjtObj)", derives="text"),
    Structure("tuple_objid", "int", ("ntupledata",), "id of each element", derives="text"),
    Input("tuple_objprm", "real", ("ntupledata",), 0, "", "number that goes with each element"),
    # keyframes
    Input("key_time", "real", ("nkey",), 0, "s", "time", shared=True),
    Input("key_qpos", "real", ("nkey", "nq"), 0, "", "positions", shared=True),
    Input("key_qvel", "real", ("nkey", "nv"), 0, "", "velocities", shared=True),
    Input("key_act", "real", ("nkey", "na"), 0, "", "activations", shared=True),
    Input("key_mpos", "vec3", ("nkey", "nmocap"), 0, "m", "positions of motion capture bodies", shared=True),
    Input("key_mquat", "quat", ("nkey", "nmocap"), 0, "", "orientations of motion capture bodies", shared=True),
    Input("key_ctrl", "real", ("nkey", "nu"), 0, "", "controls", shared=True),
    # names: address in `names` of the zero-terminated name of each element
    *(Structure(kind.names, "int", (kind.size,), f"of {kind.plural}", derives="text") for kind in KINDS),
    Structure("names", "byte", ("nnames",), "all names, zero-terminated", derives="text"),
    Structure("names_map", "int", ("nnames_map",), "hash tables from names to ids", derives="text"),
    # asset files
    Structure("paths", "byte", ("npaths",), "all paths, zero-terminated", derives="text"),
    # compatibility
    Structure("signature", "long", (), "number that tells whether a Spec is that of this model", derives="text"),
)
# fmt: on

RULE_FIELDS: tuple[Field, ...] = (
    Structure(
        "rules", "long", (), "rules of newer versions by which it is computed, a sum of bits (`schema.semantics`)",
        public=False, derives="stages",
    ),
)  # fmt: skip
"""Rows of a model that users see in another form."""

MODEL_FIELDS: tuple[Field, ...] = (
    *SIZE_FIELDS, *OPTION_FIELDS, *STATISTIC_FIELDS, *ARRAY_FIELDS, *VISUAL_FIELDS, *RULE_FIELDS,
)  # fmt: skip
"""All rows of a model, sizes first."""

MODEL_ROWS: tuple[Field, ...] = table(MODEL_FIELDS, STRUCTURE_ROWS, PLAN_ROWS, WATCHED_ROWS, LENT_ROWS)
"""All rows that kernels read as `m`."""


def may_vary(field: Field) -> bool:
    """Whether many worlds may have numbers of their own in a row of a model: inputs that decide nothing but numbers."""
    decides = field.watched or field.shared or field.kind in ("int", "byte", "bool", "long")
    return field.role is Role.INPUT and not decides and field not in VISUAL_FIELDS


@made_once
def varied_rows(names: frozenset[str]) -> tuple[Field, ...]:
    """All rows that kernels read as `m`, those of these names one for each world of a block."""
    return tuple(replace(field, varied=True) if field.name in names else field for field in MODEL_ROWS)
