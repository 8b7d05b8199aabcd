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
"""Bound for positions, velocities and accelerations. If it is exceeded, the world is reset, with a warning."""

mjMINIMP = 0.0001
"""Smallest impedance of a constraint."""

mjMINMU = 1e-05
"""Smallest friction coefficient."""

mjMINVAL = MINIMUM_VALUE
"""Smallest number by which the engine divides."""

mjNBIAS = 10
"""Number of parameters of an actuator bias."""

mjNDYN = 10
"""Number of parameters of activation dynamics."""

mjNEQDATA = 11
"""Number of parameters of an equality constraint."""

mjNGAIN = 10
"""Number of parameters of an actuator gain."""

mjNGROUP = 6
"""Number of element groups that viewers show and hide."""

mjNIMP = 5
"""Number of parameters of solimp: d0, dmax, width, midpoint, power."""

mjNREF = 2
"""Number of parameters of solref: time constant, damping ratio."""

mjNSOLVER = 200
"""Largest number of solver iterations with statistics, per island."""

mjPI = 3.141592653589793
"""Ratio of the circumference of a circle to its diameter."""

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
"""MuJoCo version whose results are the default, times 100."""

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
"""Largest number of islands with solver statistics."""

mjMAXTHREAD = 128
"""Largest number of threads with statistics of their stack."""

mjMAXFLEXNODES = 27
"""Largest number of nodes of an interpolated flex in newer versions."""

mjMAXTREEDEPTH = 50
"""Largest depth of a tree of bounding volumes."""

mjMINAWAKE = 10
"""Number of steps for which a tree must be at rest before it sleeps, in newer versions."""

mjNFLUID = 12
"""Number of parameters of the fluid forces on a geom."""

mjNPOLY = 2
"""Number of nonlinear coefficients of stiffness and damping, in newer versions."""

mjNSENS = 3
"""Number of integer parameters of a sensor."""

MJTNUM_DTYPE = np.float64
"""NumPy type of the real numbers of models and worlds."""

MJTNUM_BYTES = 8
"""Size in bytes of a real number in models and worlds."""

mjNTIMER = int(mjtTimer.mjNTIMER)
mjNWARNING = int(mjtWarning.mjNWARNING)

MOST_DENSE_ROWS = 48
"""Maximum number of constraint rows for which Newton's method solves systems over rows instead of dofs."""

SOLVER_SHARES = 32
"""Maximum number of parts into which the work of a solver is divided for threads."""

PAIR_CHUNKS = 32
"""Maximum number of chunks of candidate geom pairs, each of which one thread processes at a time."""

APART_MOST = 1024
"""Maximum number of pairs of convex geoms whose separation is stored from step to step."""

IN_GAP = 1
"""Value of `contact_exclude` for contacts that are listed although their distance is above margin - gap."""

ONLY_SLIDES = 2
"""Value of `body_simple` for bodies that only slide, so that their inertia is their mass."""

PULLEY_POINT, SITE_POINT = -2, -1
"""Values of `wrap_obj` for path points that are not on a geom: pulleys and sites."""

SLIGHT = 1e-12
"""Relative threshold below which a dimensional quantity counts as zero, unless `mjMINVAL` is smaller."""

ROUGH = 1e-10
"""Threshold for `m.epsilon`. Above it, the precision is single, and tolerances and weights depend on `m.epsilon`."""

SLEEP_STATE = 1 << 16
"""State component for data about trees that may sleep, as a bit.

The data are part of states that contain all of mjSTATE_INTEGRATION.
"""

FIRST_ASLEEP = mjMINAWAKE + 1
"""Offset of the values in `tree_rest` for sleeping trees: the value is this number plus the next tree of the group.

The trees of a group fall asleep and wake up together.
"""
