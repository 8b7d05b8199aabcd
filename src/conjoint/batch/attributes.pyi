"""Written by tools/make_stubs.py from the schema: change the schema, not this file."""

from typing import Any, Never

from numpy.typing import ArrayLike, NDArray

from conjoint.batch.elements import WorldsElement

class Worlds:
    """An array with a row for each world; assigning to it copies into it."""

    def __get__(self, owner: object, cls: type) -> NDArray[Any]: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Copies:
    """A copy of what worlds computed, with a row for each world; it cannot be set."""

    def __get__(self, owner: object, cls: type) -> NDArray[Any]: ...
    def __set__(self, owner: object, value: Never) -> None: ...

class VariedOpt:
    """Rows of `opt` that vary."""

    timestep: Worlds
    """length of a step (s); if it is named in vary"""
    apirate: Worlds
    """rate at which clients may refresh what they show (Hz); if it is named in vary"""
    impratio: Worlds
    """ratio of frictional to normal impedance in elliptic contacts; if it is named in vary"""
    tolerance: Worlds
    """scaled improvement at which the main solver stops; if it is named in vary"""
    ls_tolerance: Worlds
    """slope, relative to the start, at which the line search stops; if it is named in vary"""
    noslip_tolerance: Worlds
    """scaled improvement at which the noslip solver stops; if it is named in vary"""
    ccd_tolerance: Worlds
    """tolerance of collision detection between convex shapes; if it is named in vary"""
    sleep_tolerance: Worlds
    """speed below which trees may fall asleep (m/s); if it is named in vary"""
    gravity: Worlds
    """gravitational acceleration, world frame (3; m/s^2); if it is named in vary"""
    wind: Worlds
    """velocity of the medium, world frame (3; m/s); if it is named in vary"""
    magnetic: Worlds
    """magnetic flux, world frame (3; T); if it is named in vary"""
    o_margin: Worlds
    """contact margin of all contacts, if overridden (m); if it is named in vary"""
    o_solref: Worlds
    """contact solref of all contacts, if overridden (2); if it is named in vary"""
    o_solimp: Worlds
    """contact solimp of all contacts, if overridden (5); if it is named in vary"""
    o_friction: Worlds
    """contact friction of all contacts, if overridden (5); if it is named in vary"""

class WorldsAttributes:
    """Fields of the worlds of a `Batch`."""

    opt: VariedOpt
    pstack: Copies
    """use of the stack of temporaries; always 0: kernels need none (bytes)"""
    pbase: Copies
    """start of the current stack frame; always 0 (bytes)"""
    parena: Copies
    """use of the arena (bytes)"""
    maxuse_stack: Copies
    """largest use of the stack (bytes)"""
    maxuse_threadstack: Copies
    """largest use of each thread's stack (128; bytes)"""
    maxuse_arena: Copies
    """largest use of the arena (bytes)"""
    maxuse_con: Copies
    """largest number of contacts (written by mj_collision)"""
    maxuse_efc: Copies
    """largest number of constraint rows (written by mj_makeConstraint)"""
    solver_niter: Copies
    """number of iterations, per island (20; written by mj_fwdConstraint)"""
    solver_nnz: Copies
    """number of elements of the Hessian and its factor, or of efc_AR, per island (20; written by
    mj_fwdConstraint)"""
    solver_fwdinv: Copies
    """difference of forward and inverse dynamics: in qfrc_constraint, in applied forces (2; written by
    mj_compareFwdInv)"""
    ncon: Copies
    """number of contacts (written by mj_collision)"""
    ne: Copies
    """number of equality rows (written by mj_makeConstraint)"""
    nf: Copies
    """number of friction loss rows (written by mj_makeConstraint)"""
    nl: Copies
    """number of limit rows (written by mj_makeConstraint)"""
    nefc: Copies
    """number of constraint rows (written by mj_makeConstraint)"""
    nJ: Copies
    """number of elements of efc_J (written by mj_makeConstraint)"""
    nA: Copies
    """number of elements of efc_AR (written by mj_makeConstraint, mj_fwdConstraint, mj_projectConstraint)"""
    nisland: Copies
    """number of islands (written by mj_makeConstraint, mj_island)"""
    nidof: Copies
    """number of dofs in islands (written by mj_makeConstraint, mj_island)"""
    time: Worlds
    """simulation time (s; written by mj_Euler, mj_implicit, mj_RungeKutta)"""
    energy: Copies
    """potential and kinetic energy (2; J; written by mj_energyPos, mj_energyVel, mj_sensorPos)"""
    qpos: Worlds
    """positions: m, unit quaternions, rad (nq; written by mj_Euler, mj_implicit, mj_RungeKutta, mj_sleep)"""
    qvel: Worlds
    """velocities: m/s, rad/s (nv; written by mj_Euler, mj_implicit, mj_RungeKutta, mj_setLengthRange, mj_sleep)"""
    act: Worlds
    """actuator activations (na; written by mj_Euler, mj_implicit, mj_RungeKutta, mj_sleep)"""
    history: Worlds
    """controls and readings before now; of each actuator and sensor two numbers, all times, all samples (nhistory;
    written by mj_Euler, mj_implicit, mj_RungeKutta, mj_sleep)"""
    qacc_warmstart: Worlds
    """acceleration that the solver starts from: that of the last step (nv; written by mj_fwdConstraint,
    mj_inversePosthoc, mj_Euler, mj_implicit, mj_RungeKutta)"""
    plastic: Worlds
    """where springs that yield are at rest: of a joint its position, of a tendon two lengths (nplastic; written by
    mj_Euler, mj_implicit, mj_RungeKutta)"""
    plugin_state: Worlds
    """state of plugins (npluginstate; written by mj_Euler, mj_implicit, mj_RungeKutta)"""
    ctrl: Worlds
    """controls (nu)"""
    qfrc_applied: Worlds
    """generalized forces that the user applies: N, N m (nv; written by mj_setLengthRange)"""
    xfrc_applied: Worlds
    """force (N) and torque (N m) on each body at its centre of mass, world frame, force first (nbody x 6)"""
    eq_active: Worlds
    """whether each equality constraint is active (neq)"""
    mocap_pos: Worlds
    """positions of motion capture bodies (nmocap x 3; m)"""
    mocap_quat: Worlds
    """orientations of motion capture bodies (nmocap x 4)"""
    qacc: Copies
    """accelerations: m/s^2, rad/s^2 (nv; written by mj_fwdConstraint, mj_inverse, mj_compareFwdInv,
    mj_forwardPosthoc, mj_inversePosthoc, mj_RungeKutta, mj_sleep)"""
    act_dot: Copies
    """time derivatives of the activations (na; written by mj_fwdActuation)"""
    userdata: Worlds
    """anything that the user keeps here (nuserdata)"""
    sensordata: Copies
    """readings of all sensors (nsensordata; written by mj_sensorPos, mj_sensorVel, mj_sensorAcc)"""
    xpos: Copies
    """position of each body's frame (nbody x 3; m; written by mj_kinematics)"""
    xquat: Copies
    """orientation of each body's frame (nbody x 4; written by mj_kinematics)"""
    xmat: Copies
    """orientation of each body's frame (nbody x 9; written by mj_kinematics)"""
    xipos: Copies
    """position of each body's centre of mass (nbody x 3; m; written by mj_kinematics)"""
    ximat: Copies
    """orientation of each body's principal axes of inertia (nbody x 9; written by mj_kinematics)"""
    xanchor: Copies
    """position of each joint's anchor (njnt x 3; m; written by mj_kinematics)"""
    xaxis: Copies
    """direction of each joint's axis (njnt x 3; written by mj_kinematics)"""
    geom_xpos: Copies
    """position of each geom (ngeom x 3; m; written by mj_kinematics)"""
    geom_xmat: Copies
    """orientation of each geom (ngeom x 9; written by mj_kinematics)"""
    site_xpos: Copies
    """position of each site (nsite x 3; m; written by mj_kinematics)"""
    site_xmat: Copies
    """orientation of each site (nsite x 9; written by mj_kinematics)"""
    cam_xpos: Copies
    """position of each camera (ncam x 3; m; written by mj_camlight)"""
    cam_xmat: Copies
    """orientation of each camera (ncam x 9; written by mj_camlight)"""
    light_xpos: Copies
    """position of each light (nlight x 3; m; written by mj_camlight)"""
    light_xdir: Copies
    """direction of each light (nlight x 3; written by mj_camlight)"""
    subtree_com: Copies
    """centre of mass of each body and all below it (nbody x 3; m; written by mj_comPos)"""
    cdof: Copies
    """motion axis of each dof (nv x 6; written by mj_comPos)"""
    cinert: Copies
    """inertia of each body: six of the rotational matrix, mass times offset, mass (nbody x 10; written by
    mj_comPos)"""
    flexvert_xpos: Copies
    """position of each flex vertex (nflexvert x 3; m; written by mj_flex)"""
    flexelem_aabb: Copies
    """box around each element: centre, half sizes (nflexelem x 6; m; written by mj_flex)"""
    flexedge_J_rownnz: Copies
    """number of elements in each row of flexedge_J (nflexedge; written by mj_flex)"""
    flexedge_J_rowadr: Copies
    """first element of each row of flexedge_J (nflexedge; written by mj_flex)"""
    flexedge_J_colind: Copies
    """columns of flexedge_J (nflexedge x nv; written by mj_flex)"""
    flexedge_J: Copies
    """moment arms of each flex edge's length (nflexedge x nv; written by mj_flex)"""
    flexedge_length: Copies
    """length of each flex edge (nflexedge; m; written by mj_flex)"""
    bvh_aabb_dyn: Copies
    """bounding volumes of flexes: centre, half sizes (nbvhdynamic x 6; m; written by mj_flex)"""
    ten_wrapadr: Copies
    """first point of each tendon's path (ntendon; written by mj_tendon)"""
    ten_wrapnum: Copies
    """number of points of each tendon's path (ntendon; written by mj_tendon)"""
    ten_J_rownnz: Copies
    """number of elements in each row of ten_J (ntendon; written by mj_tendon)"""
    ten_J_rowadr: Copies
    """first element of each row of ten_J (ntendon; written by mj_tendon)"""
    ten_J_colind: Copies
    """columns of ten_J (ntendon x nv; written by mj_tendon)"""
    ten_J: Copies
    """moment arms of the length of each tendon (ntendon x nv; written by mj_tendon)"""
    ten_length: Copies
    """length of each tendon (ntendon; m; written by mj_tendon)"""
    wrap_obj: Copies
    """geom at each point of the paths; -1: site, -2: pulley (nwrap x 2; written by mj_tendon)"""
    wrap_xpos: Copies
    """points of the paths, world frame (nwrap x 2 x 3; m; written by mj_tendon)"""
    actuator_length: Copies
    """length of each actuator (nout; written by mj_transmission)"""
    actuator_moment: Copies
    """moment arms of the length of each actuator, sparse rows (nJmom; written by mj_transmission)"""
    crb: Copies
    """inertia of each body and all below it (nbody x 10; written by mj_makeM, mj_setConst)"""
    qM: Copies
    """inertia matrix, each row from the diagonal up the tree (nM; written by mj_makeM)"""
    M: Copies
    """inertia matrix, lower triangle, sparse rows (nC; written by mj_makeM)"""
    qLD: Copies
    """its factor: L' D L = M, in the order of M (nC; written by mj_factorM)"""
    qLDiagInv: Copies
    """inverse of the diagonal D (nv; written by mj_factorM, mj_setConst)"""
    flexedge_velocity: Copies
    """velocity of each flex edge's length (nflexedge; m/s; written by mj_fwdVelocity)"""
    ten_velocity: Copies
    """velocity of each tendon's length (ntendon; m/s; written by mj_fwdVelocity)"""
    actuator_velocity: Copies
    """velocity of each actuator's length (nout; written by mj_fwdVelocity)"""
    cvel: Copies
    """velocity of each body: angular (rad/s), linear (m/s) (nbody x 6; written by mj_comVel)"""
    cdof_dot: Copies
    """time derivative of each dof's motion axis (nv x 6; written by mj_comVel)"""
    qfrc_bias: Copies
    """Coriolis, centrifugal, gravitational forces (nv; written by mj_rne, mj_fwdVelocity)"""
    qfrc_spring: Copies
    """forces of springs (nv; written by mj_passive)"""
    qfrc_damper: Copies
    """forces of dampers (nv; written by mj_passive)"""
    qfrc_gravcomp: Copies
    """forces of gravity compensation (nv; written by mj_passive)"""
    qfrc_fluid: Copies
    """forces of the medium (nv; written by mj_passive)"""
    qfrc_passive: Copies
    """sum of the passive forces (nv; written by mj_passive)"""
    subtree_linvel: Copies
    """velocity of the centre of mass of each body and all below it (nbody x 3; m/s; written by mj_subtreeVel,
    mj_sensorVel)"""
    subtree_angmom: Copies
    """angular momentum of each body and all below it about their centre of mass (nbody x 3; kg m^2/s; written by
    mj_subtreeVel, mj_sensorVel)"""
    qH: Copies
    """factor of the inertia matrix with implicit damping; implicitfast: of M - timestep * qDeriv (nC; written by
    mj_Euler, mj_implicit)"""
    qHDiagInv: Copies
    """inverse of its diagonal (nv; written by mj_Euler, mj_implicit)"""
    qDeriv: Copies
    """derivative of passive and actuator forces, minus bias, by velocity, in the order of D (nD; written by
    mj_implicit, mj_inverse)"""
    qLU: Copies
    """factors of M - timestep * qDeriv, with `implicit` (nD; written by mj_implicit, mj_inverse)"""
    actuator_force: Copies
    """force of each actuator: N, N m (nout; written by mj_fwdActuation)"""
    qfrc_actuator: Copies
    """forces of actuators (nv; written by mj_fwdActuation)"""
    qfrc_smooth: Copies
    """sum of all forces but those of constraints (nv; written by mj_fwdAcceleration, mj_forwardPosthoc,
    mj_inversePosthoc)"""
    qacc_smooth: Copies
    """acceleration without constraints (nv; written by mj_fwdAcceleration, mj_forwardPosthoc, mj_inversePosthoc)"""
    qfrc_constraint: Copies
    """forces of constraints (nv; written by mj_fwdConstraint, mj_invConstraint, mj_compareFwdInv)"""
    qfrc_adhesion: Copies
    """forces of adhesion (nv; written by mj_passive)"""
    qfrc_inverse: Copies
    """forces that the acceleration requires (nv; written by mj_inverse, mj_inversePosthoc, mj_compareFwdInv)"""
    cacc: Copies
    """acceleration of each body: angular (rad/s^2), linear (m/s^2) (nbody x 6; written by mj_rnePostConstraint)"""
    cfrc_int: Copies
    """force between each body and its parent: torque (N m), force (N) (nbody x 6; written by
    mj_rnePostConstraint)"""
    cfrc_ext: Copies
    """force of contacts and applied forces on each body: torque (N m), force (N) (nbody x 6; written by
    mj_rnePostConstraint)"""
    qpos0: Worlds
    """reference configuration (nq); if it is named in vary"""
    qpos_spring: Worlds
    """configuration in which joint springs are at rest (nq); if it is named in vary"""
    body_pos: Worlds
    """position in the parent's frame at qpos0 (nbody x 3; m); if it is named in vary"""
    body_quat: Worlds
    """orientation in the parent's frame at qpos0 (nbody x 4); if it is named in vary"""
    body_ipos: Worlds
    """centre of mass in the body's frame (nbody x 3; m); if it is named in vary"""
    body_iquat: Worlds
    """orientation of the principal axes of inertia in the body's frame (nbody x 4); if it is named in vary"""
    body_mass: Worlds
    """mass (nbody; kg); if it is named in vary"""
    body_inertia: Worlds
    """principal moments of inertia (nbody x 3; kg m^2); if it is named in vary"""
    body_gravcomp: Worlds
    """share of the weight that is compensated (nbody); if it is named in vary"""
    body_margin: Worlds
    """largest margin of the body's geoms (nbody; m); if it is named in vary"""
    body_user: Worlds
    """user parameters (nbody x nuser_body); if it is named in vary"""
    jnt_solref: Worlds
    """constraint reference of the limit (njnt x 2); if it is named in vary"""
    jnt_solimp: Worlds
    """constraint impedance of the limit (njnt x 5); if it is named in vary"""
    jnt_pos: Worlds
    """anchor in the body's frame (njnt x 3; m); if it is named in vary"""
    jnt_axis: Worlds
    """axis in the body's frame (njnt x 3); if it is named in vary"""
    jnt_stiffness: Worlds
    """spring stiffness; N/m if it slides (njnt; N m/rad); if it is named in vary"""
    jnt_springyield: Worlds
    """displacement at which the spring yields; m if it slides (njnt; rad); if it is named in vary"""
    jnt_range: Worlds
    """lower and upper limit; m if it slides (njnt x 2; rad); if it is named in vary"""
    jnt_actfrcrange: Worlds
    """limits of the total actuator force; N if it slides (njnt x 2; N m); if it is named in vary"""
    jnt_margin: Worlds
    """distance from the limit at which it becomes active; m if it slides (njnt; rad); if it is named in vary"""
    jnt_user: Worlds
    """user parameters (njnt x nuser_jnt); if it is named in vary"""
    dof_solref: Worlds
    """constraint reference of friction loss (nv x 2); if it is named in vary"""
    dof_solimp: Worlds
    """constraint impedance of friction loss (nv x 5); if it is named in vary"""
    dof_frictionloss: Worlds
    """dry friction; N if it slides (nv; N m); if it is named in vary"""
    dof_armature: Worlds
    """inertia that is added to the dof; kg if it slides (nv; kg m^2); if it is named in vary"""
    dof_damping: Worlds
    """damping; N s/m if it slides (nv; N m s/rad); if it is named in vary"""
    geom_solmix: Worlds
    """weight when contact parameters are mixed (ngeom); if it is named in vary"""
    geom_solref: Worlds
    """constraint reference of contacts (ngeom x 2); if it is named in vary"""
    geom_solimp: Worlds
    """constraint impedance of contacts (ngeom x 5); if it is named in vary"""
    geom_size: Worlds
    """sizes; which depends on the type (ngeom x 3; m); if it is named in vary"""
    geom_aabb: Worlds
    """box around it in its frame: centre, half sizes (ngeom x 6; m); if it is named in vary"""
    geom_rbound: Worlds
    """radius of the sphere around it; 0: unbounded (ngeom; m); if it is named in vary"""
    geom_pos: Worlds
    """position in the body's frame (ngeom x 3; m); if it is named in vary"""
    geom_quat: Worlds
    """orientation in the body's frame (ngeom x 4); if it is named in vary"""
    geom_friction: Worlds
    """friction: sliding, torsional (m), rolling (m) (ngeom x 3); if it is named in vary"""
    geom_margin: Worlds
    """distance at which contacts are detected (ngeom; m); if it is named in vary"""
    geom_gap: Worlds
    """contacts at more than margin - gap produce no force (ngeom; m); if it is named in vary"""
    geom_user: Worlds
    """user parameters (ngeom x nuser_geom); if it is named in vary"""
    geom_rgba: Worlds
    """colour where there is no material (ngeom x 4); if it is named in vary"""
    site_size: Worlds
    """sizes; which depends on the type (nsite x 3; m); if it is named in vary"""
    site_pos: Worlds
    """position in the body's frame (nsite x 3; m); if it is named in vary"""
    site_quat: Worlds
    """orientation in the body's frame (nsite x 4); if it is named in vary"""
    site_user: Worlds
    """user parameters (nsite x nuser_site); if it is named in vary"""
    site_rgba: Worlds
    """colour where there is no material (nsite x 4); if it is named in vary"""
    cam_pos: Worlds
    """position in the body's frame (ncam x 3; m); if it is named in vary"""
    cam_quat: Worlds
    """orientation in the body's frame (ncam x 4); if it is named in vary"""
    cam_fovy: Worlds
    """vertical field of view; metres if orthographic (ncam; deg); if it is named in vary"""
    cam_ipd: Worlds
    """distance of the eyes (ncam; m); if it is named in vary"""
    cam_sensorsize: Worlds
    """size of the sensor (ncam x 2; m); if it is named in vary"""
    cam_intrinsic: Worlds
    """focal length and principal point (ncam x 4; m); if it is named in vary"""
    cam_user: Worlds
    """user parameters (ncam x nuser_cam); if it is named in vary"""
    light_bulbradius: Worlds
    """radius, for soft shadows (nlight; m); if it is named in vary"""
    light_intensity: Worlds
    """intensity, for physically based renderers (nlight; cd); if it is named in vary"""
    light_range: Worlds
    """reach (nlight; m); if it is named in vary"""
    light_pos: Worlds
    """position in the body's frame (nlight x 3; m); if it is named in vary"""
    light_dir: Worlds
    """direction in the body's frame (nlight x 3); if it is named in vary"""
    light_attenuation: Worlds
    """constant, linear, quadratic attenuation with distance (nlight x 3); if it is named in vary"""
    light_cutoff: Worlds
    """angle at which a spot light ends (nlight; deg); if it is named in vary"""
    light_exponent: Worlds
    """how sharply a spot light fades (nlight); if it is named in vary"""
    light_ambient: Worlds
    """ambient colour (nlight x 3); if it is named in vary"""
    light_diffuse: Worlds
    """diffuse colour (nlight x 3); if it is named in vary"""
    light_specular: Worlds
    """specular colour (nlight x 3); if it is named in vary"""
    flex_solmix: Worlds
    """weight when contact parameters are mixed (nflex); if it is named in vary"""
    flex_solref: Worlds
    """constraint reference of contacts (nflex x 2); if it is named in vary"""
    flex_solimp: Worlds
    """constraint impedance of contacts (nflex x 5); if it is named in vary"""
    flex_friction: Worlds
    """friction: sliding, torsional (m), rolling (m) (nflex x 3); if it is named in vary"""
    flex_margin: Worlds
    """distance at which contacts are detected (nflex; m); if it is named in vary"""
    flex_gap: Worlds
    """contacts at more than margin - gap produce no force (nflex; m); if it is named in vary"""
    flex_vert: Worlds
    """vertices in their bodies' frames (nflexvert x 3; m); if it is named in vary"""
    flex_vert0: Worlds
    """vertices at qpos0, in units of the flex's box (nflexvert x 3); if it is named in vary"""
    flex_node: Worlds
    """nodes in their bodies' frames (nflexnode x 3; m); if it is named in vary"""
    flex_node0: Worlds
    """nodes at qpos0 (nflexnode x 3; m); if it is named in vary"""
    flex_radius: Worlds
    """radius of the skin around vertices, edges and elements (nflex; m); if it is named in vary"""
    flex_stiffness: Worlds
    """stiffness of each element (nflexelem x 21); if it is named in vary"""
    flex_bending: Worlds
    """bending stiffness of each edge (nflexedge x 16); if it is named in vary"""
    flex_rgba: Worlds
    """colour where there is no material (nflex x 4); if it is named in vary"""
    flex_texcoord: Worlds
    """texture coordinates (nflextexcoord x 2); if it is named in vary"""
    mesh_vert: Worlds
    """vertices in the mesh's frame (nmeshvert x 3; m); if it is named in vary"""
    mesh_normal: Worlds
    """normals in the mesh's frame (nmeshnormal x 3); if it is named in vary"""
    mesh_texcoord: Worlds
    """texture coordinates (nmeshtexcoord x 2); if it is named in vary"""
    mesh_scale: Worlds
    """scale that was applied to the asset (nmesh x 3); if it is named in vary"""
    mesh_pos: Worlds
    """translation that was applied to the asset (nmesh x 3; m); if it is named in vary"""
    mesh_quat: Worlds
    """rotation that was applied to the asset (nmesh x 4); if it is named in vary"""
    mesh_polynormal: Worlds
    """normal of each polygon (nmeshpoly x 3); if it is named in vary"""
    skin_rgba: Worlds
    """colour where there is no material (nskin x 4); if it is named in vary"""
    skin_inflate: Worlds
    """outward displacement of the vertices (nskin; m); if it is named in vary"""
    skin_vert: Worlds
    """vertices at qpos0 (nskinvert x 3; m); if it is named in vary"""
    skin_texcoord: Worlds
    """texture coordinates (nskintexvert x 2); if it is named in vary"""
    skin_bonebindpos: Worlds
    """position of each bone when bound (nskinbone x 3; m); if it is named in vary"""
    skin_bonebindquat: Worlds
    """orientation of each bone when bound (nskinbone x 4); if it is named in vary"""
    skin_bonevertweight: Worlds
    """weights of the vertices of the bones (nskinbonevert); if it is named in vary"""
    hfield_size: Worlds
    """half sizes in x and y, height of elevation 1, depth of the base (nhfield x 4; m); if it is named in vary"""
    hfield_data: Worlds
    """elevations between 0 and 1, by rows (nhfielddata); if it is named in vary"""
    mat_texrepeat: Worlds
    """repetitions of a plane texture (nmat x 2); if it is named in vary"""
    mat_emission: Worlds
    """emission, in units of the colour (nmat); if it is named in vary"""
    mat_specular: Worlds
    """specular reflection (nmat); if it is named in vary"""
    mat_shininess: Worlds
    """how sharp the specular reflection is (nmat); if it is named in vary"""
    mat_reflectance: Worlds
    """share of light that planes and boxes reflect as mirrors (nmat); if it is named in vary"""
    mat_metallic: Worlds
    """metallic look, for physically based renderers; -1: unset (nmat); if it is named in vary"""
    mat_roughness: Worlds
    """roughness, for physically based renderers; -1: unset (nmat); if it is named in vary"""
    mat_rgba: Worlds
    """colour (nmat x 4); if it is named in vary"""
    pair_solref: Worlds
    """constraint reference of the normal direction (npair x 2); if it is named in vary"""
    pair_solreffriction: Worlds
    """constraint reference of the frictional directions; 0: as the normal (npair x 2); if it is named in vary"""
    pair_solimp: Worlds
    """constraint impedance (npair x 5); if it is named in vary"""
    pair_margin: Worlds
    """distance at which contacts are detected (npair; m); if it is named in vary"""
    pair_gap: Worlds
    """contacts at more than margin - gap produce no force (npair; m); if it is named in vary"""
    pair_friction: Worlds
    """friction: two tangents, torsion (m), two rolls (m) (npair x 5); if it is named in vary"""
    eq_solref: Worlds
    """constraint reference (neq x 2); if it is named in vary"""
    eq_solimp: Worlds
    """constraint impedance (neq x 5); if it is named in vary"""
    eq_data: Worlds
    """parameters; which depends on the type (neq x 11; written by mj_setConst); if it is named in vary"""
    tendon_width: Worlds
    """radius when drawn (ntendon; m); if it is named in vary"""
    tendon_solref_lim: Worlds
    """constraint reference of the limit (ntendon x 2); if it is named in vary"""
    tendon_solimp_lim: Worlds
    """constraint impedance of the limit (ntendon x 5); if it is named in vary"""
    tendon_solref_fri: Worlds
    """constraint reference of friction loss (ntendon x 2); if it is named in vary"""
    tendon_solimp_fri: Worlds
    """constraint impedance of friction loss (ntendon x 5); if it is named in vary"""
    tendon_range: Worlds
    """lower and upper limit of the length (ntendon x 2; m); if it is named in vary"""
    tendon_actfrcrange: Worlds
    """limits of the total actuator force (ntendon x 2; N); if it is named in vary"""
    tendon_margin: Worlds
    """distance from the limit at which it becomes active (ntendon; m); if it is named in vary"""
    tendon_stiffness: Worlds
    """spring stiffness (ntendon; N/m); if it is named in vary"""
    tendon_damping: Worlds
    """damping (ntendon; N s/m); if it is named in vary"""
    tendon_springyield: Worlds
    """displacement at which the spring yields (ntendon; m); if it is named in vary"""
    tendon_armature: Worlds
    """inertia of changes in length (ntendon; kg); if it is named in vary"""
    tendon_frictionloss: Worlds
    """dry friction (ntendon; N); if it is named in vary"""
    tendon_lengthspring: Worlds
    """lengths between which the spring is at rest (ntendon x 2; m; written by mj_setConst); if it is named in
    vary"""
    tendon_user: Worlds
    """user parameters (ntendon x nuser_tendon); if it is named in vary"""
    tendon_rgba: Worlds
    """colour where there is no material (ntendon x 4); if it is named in vary"""
    actuator_damping: Worlds
    """damping of the joint or tendon by the motor, times gear^2; N s/m if it slides (nactuator; N m s/rad); if it
    is named in vary"""
    actuator_dampingpoly: Worlds
    """the same of second and third order (nactuator x 2); if it is named in vary"""
    actuator_armature: Worlds
    """inertia of the motor, which is added to its joint or tendon times gear^2; kg if it slides (nactuator; kg
    m^2); if it is named in vary"""
    actuator_dynprm: Worlds
    """parameters of the activation dynamics (nactuator x 10); if it is named in vary"""
    actuator_gainprm: Worlds
    """parameters of the gain (nactuator x 10); if it is named in vary"""
    actuator_biasprm: Worlds
    """parameters of the bias (nactuator x 10; written by mj_setConst); if it is named in vary"""
    actuator_ctrlrange: Worlds
    """limits of the control (nu x 2); if it is named in vary"""
    actuator_forcerange: Worlds
    """limits of the force (nactuator x 2; N); if it is named in vary"""
    actuator_actrange: Worlds
    """limits of the activation (nactuator x 2); if it is named in vary"""
    actuator_gear: Worlds
    """scale of length and moment arms (nout x 6); if it is named in vary"""
    actuator_cranklength: Worlds
    """length of the crank of a slider-crank (nactuator; m); if it is named in vary"""
    actuator_lengthrange: Worlds
    """lengths that are feasible (nout x 2); if it is named in vary"""
    actuator_user: Worlds
    """user parameters (nactuator x nuser_actuator); if it is named in vary"""
    sensor_noise: Worlds
    """standard deviation of noise, for users (nsensor); if it is named in vary"""
    sensor_user: Worlds
    """user parameters (nsensor x nuser_sensor); if it is named in vary"""
    numeric_data: Worlds
    """values (nnumericdata); if it is named in vary"""
    tuple_objprm: Worlds
    """number that goes with each element (ntupledata); if it is named in vary"""
    def body(self, key: int | str) -> WorldsElement: ...
    def joint(self, key: int | str) -> WorldsElement: ...
    def jnt(self, key: int | str) -> WorldsElement: ...
    def geom(self, key: int | str) -> WorldsElement: ...
    def site(self, key: int | str) -> WorldsElement: ...
    def camera(self, key: int | str) -> WorldsElement: ...
    def cam(self, key: int | str) -> WorldsElement: ...
    def light(self, key: int | str) -> WorldsElement: ...
    def flex(self, key: int | str) -> WorldsElement: ...
    def mesh(self, key: int | str) -> WorldsElement: ...
    def skin(self, key: int | str) -> WorldsElement: ...
    def hfield(self, key: int | str) -> WorldsElement: ...
    def texture(self, key: int | str) -> WorldsElement: ...
    def tex(self, key: int | str) -> WorldsElement: ...
    def material(self, key: int | str) -> WorldsElement: ...
    def mat(self, key: int | str) -> WorldsElement: ...
    def pair(self, key: int | str) -> WorldsElement: ...
    def exclude(self, key: int | str) -> WorldsElement: ...
    def equality(self, key: int | str) -> WorldsElement: ...
    def eq(self, key: int | str) -> WorldsElement: ...
    def tendon(self, key: int | str) -> WorldsElement: ...
    def ten(self, key: int | str) -> WorldsElement: ...
    def actuator(self, key: int | str) -> WorldsElement: ...
    def sensor(self, key: int | str) -> WorldsElement: ...
    def numeric(self, key: int | str) -> WorldsElement: ...
    def text(self, key: int | str) -> WorldsElement: ...
    def tuple(self, key: int | str) -> WorldsElement: ...
    def key(self, key: int | str) -> WorldsElement: ...
    def keyframe(self, key: int | str) -> WorldsElement: ...
