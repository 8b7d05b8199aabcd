"""The stages that positions alone decide about and constraints do not: steps share them with constants of a model."""

from conjoint.physics.forces.motors import add_motor_inertia
from conjoint.physics.inertia_matrix.composite import make_M
from conjoint.physics.inertia_matrix.factors import factor_M
from conjoint.physics.motion.com import com_pos
from conjoint.physics.motion.kinematics import kinematics
from conjoint.physics.tendon.paths import spatial_tendons, tendon, tendon_paths
from conjoint.physics.tendon.wrap import wrap_geoms, wrap_geoms_alike
from conjoint.physics.transmission.joints import transmission
from conjoint.physics.transmission.orientation import orientation_transmission
from conjoint.physics.transmission.sites import site_transmission
from conjoint.runtime.stage import MOTORS, Stage, by_rule
from conjoint.runtime.structure import ROUND
from conjoint.schema.enums import mjtTrn, mjtWrap

SPATIAL = (mjtWrap.mjWRAP_SITE,)
"""What every spatial tendon has on its path."""

KINEMATICS = (Stage("mj_kinematics", kinematics),)
COM_POS = (Stage("mj_comPos", com_pos),)
TENDON_LENGTHS = (
    Stage("mj_tendon", tendon, ("ntendon",)),
    *by_rule("mj_tendon", "sidesites", (wrap_geoms, wrap_geoms_alike), *ROUND),
    Stage("mj_tendon", spatial_tendons, SPATIAL),
)
PATHS = ("ten_wrapadr", "ten_wrapnum", "wrap_obj", "wrap_xpos")
TENDON = (*TENDON_LENGTHS, Stage("mj_tendon", tendon_paths, SPATIAL, only_for=PATHS))
MAKE_M = (Stage("mj_makeM", make_M), Stage("mj_makeM", add_motor_inertia, (MOTORS,)))
FACTOR_M = (Stage("mj_factorM", factor_M),)
TRANSMISSION = (
    Stage("mj_transmission", transmission, ("nactuator",)),
    Stage("mj_transmission", site_transmission, (mjtTrn.mjTRN_SITE, mjtTrn.mjTRN_SLIDERCRANK)),
    Stage("mj_transmission", orientation_transmission, (mjtTrn.mjTRN_SO3,)),
)
