"""Constants of the public interface, and the names of flags and timers."""

import numpy as np

from conjoint.lang.language.algebra import MINIMUM_VALUE
from conjoint.lang.language.functions import MAXIMUM_VALUE
from conjoint.schema.enums import mjtTimer, mjtWarning

mjDISABLESTRING = (
    "Constraint", "Equality", "Frictionloss", "Limit", "Contact", "Passive", "Gravity", "Clampctrl", "Warmstart",
    "Filterparent", "Actuation", "Refsafe", "Sensor", "Midphase", "Eulerdamp", "AutoReset", "NativeCCD",
)  # fmt: skip
mjENABLESTRING = ("Override", "Energy", "Fwdinv", "InvDiscrete", "MultiCCD", "Island")
mjFRAMESTRING = ("None", "Body", "Geom", "Site", "Camera", "Light", "Contact", "World")
mjLABELSTRING = (
    "None", "Body", "Joint", "Geom", "Site", "Camera", "Light", "Tendon", "Actuator", "Constraint", "Flex", "Skin",
    "Selection", "SelPoint", "Contact", "ContactForce", "Island",
)  # fmt: skip
mjMAXCONPAIR = 50
"""Largest number of contacts between two geoms."""

mjMAXIMP = 0.9999
"""Largest impedance of a constraint."""

mjMAXLIGHT = 100
"""Largest number of lights in a scene."""

mjMAXLINE = 100
"""Largest number of lines in a figure."""

mjMAXLINEPNT = 1001
"""Largest number of points in a line of a figure."""

mjMAXOVERLAY = 500
"""Largest number of characters of overlay text."""

mjMAXPLANEGRID = 200
"""Largest number of grid divisions of a drawn plane."""

mjMAXVAL = MAXIMUM_VALUE
"""A state or acceleration beyond this is bad: the simulation resets."""

mjMINIMP = 0.0001
"""Smallest impedance of a constraint."""

mjMINMU = 1e-05
"""Smallest friction coefficient."""

mjMINVAL = MINIMUM_VALUE
"""Smallest value that is divided by."""

mjNBIAS = 10
"""Parameters of an actuator bias."""

mjNDYN = 10
"""Parameters of activation dynamics."""

mjNEQDATA = 11
"""Parameters of an equality constraint."""

mjNGAIN = 10
"""Parameters of an actuator gain."""

mjNGROUP = 6
"""Element groups that can be shown or hidden."""

mjNIMP = 5
"""Parameters of solimp."""

mjNREF = 2
"""Parameters of solref."""

mjNSOLVER = 200
"""Solver iterations whose statistics are kept, per island."""

mjPI = 3.141592653589793
"""The ratio of circumference to diameter."""

mjRNDSTRING = (
    ("Shadow", "1", "S"), ("Wireframe", "0", "W"), ("Reflection", "1", "R"), ("Additive", "0", "L"),
    ("Skybox", "1", "K"), ("Fog", "0", "G"), ("Haze", "1", "/"), ("Segment", "0", ","), ("Id Color", "0", ""),
    ("Cull Face", "1", ""),
)  # fmt: skip
mjTIMERSTRING = (
    "step", "forward", "inverse", "position", "velocity", "actuation", "constraint", "advance", "pos_kinematics",
    "pos_inertia", "pos_collision", "pos_make", "pos_project", "col_broadphase", "col_narrowphase",
)  # fmt: skip
mjVERSION_HEADER = 335
"""Version of the semantics that are implemented, times 100."""

mjVISSTRING = (
    ("Convex Hull", "0", "H"), ("Texture", "1", "X"), ("Joint", "0", "J"), ("Camera", "0", "Q"),
    ("Actuator", "0", "U"), ("Activation", "0", ","), ("Light", "0", "Z"), ("Tendon", "1", "V"),
    ("Range Finder", "1", "Y"), ("Equality", "0", "E"), ("Inertia", "0", "I"), ("Scale Inertia", "0", "'"),
    ("Perturb Force", "0", "B"), ("Perturb Object", "1", "O"), ("Contact Point", "0", "C"), ("Island", "1", ""),
    ("Contact Force", "0", "F"), ("Contact Split", "0", "P"), ("Transparent", "0", "T"), ("Auto Connect", "0", "A"),
    ("Center of Mass", "0", "M"), ("Select Point", "0", ""), ("Static Body", "1", "D"), ("Skin", "1", ";"),
    ("Flex Vert", "0", ""), ("Flex Edge", "1", ""), ("Flex Face", "0", ""), ("Flex Skin", "1", ""),
    ("Body Tree", "0", "`"), ("Mesh Tree", "0", "\\"), ("SDF iters", "0", ""),
)  # fmt: skip

mjNISLAND = 20
"""Islands whose solver statistics are kept."""

mjMAXTHREAD = 128
"""Threads whose stack use is kept."""

mjMAXFLEXNODES = 27
"""Largest number of nodes of an interpolated flex, of newer versions."""

mjMAXTREEDEPTH = 50
"""Largest depth of a tree of bounding volumes."""

mjMINAWAKE = 10
"""Steps that a tree must be at rest before it sleeps, of newer versions."""

mjNFLUID = 12
"""Parameters of the fluid forces on a geom."""

mjNPOLY = 2
"""Coefficients of stiffness and damping above the linear ones, of newer versions."""

mjNSENS = 3
"""Integer parameters of a sensor."""

MJTNUM_DTYPE = np.float64
"""Type of the numbers of models and worlds."""

MJTNUM_BYTES = 8
"""Bytes of such a number."""

mjNTIMER = int(mjtTimer.mjNTIMER)
mjNWARNING = int(mjtWarning.mjNWARNING)

MOST_DENSE_ROWS = 48
"""Constraint rows up to which Newton's method in their space is no more work than in that of dofs."""

SOLVER_SHARES = 32
"""Shares of the work of a solver, at most."""

PAIR_CHUNKS = 32
"""Chunks of candidate pairs of geoms that threads share, at most."""

APART_MOST = 1024
"""Maximum number of convex pairs whose separation is stored."""

IN_GAP = 1
"""`contact_exclude` of contacts that are listed but beyond the margin without the gap."""

ONLY_SLIDES = 2
"""`body_simple` of bodies whose inertia is their mass."""

PULLEY_POINT, SITE_POINT = -2, -1
"""`wrap_obj` of points of a path that lie on no geom: pulleys and sites."""

SLIGHT = 1e-12
"""Share of a quantity with dimension that counts as nothing, where `mjMINVAL` is not less."""

ROUGH = 1e-10
"""`m.epsilon` above it is that of single precision, whose tolerances and weights need to be relative to it."""

SLEEP_STATE = 1 << 16
"""Component of a state that has all of mjSTATE_INTEGRATION: what is known of trees that may sleep."""

FIRST_ASLEEP = mjMINAWAKE + 1
"""`tree_rest` of a tree that sleeps, less the next tree of those that sleep with it."""
