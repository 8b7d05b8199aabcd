"""The stages that positions alone decide about and constraints do not: steps share them with constants of a model."""

from conjoint.lang.language.name import Name
from conjoint.runtime.stage import WITH_GROUP, Stage, by_edition
from conjoint.runtime.structure import ROUND
from conjoint.schema.enums import mjtTrn, mjtWrap

physics = Name("conjoint.physics")
make_M = physics.inertia_matrix.composite.make_M
tendon = physics.tendon.paths.tendon
sites = physics.transmission.sites
SITE_TRANSMISSION = (
    WITH_GROUP(sites.site_transmission, sites.reversed_orientation, "_3"),
    WITH_GROUP(sites.site_transmission, sites.site_orientation, "_4"),
)

SPATIAL = (mjtWrap.mjWRAP_SITE,)
"""What every spatial tendon has on its path."""

KINEMATICS = (Stage("mj_kinematics", physics.motion.kinematics.kinematics),)
COM_POS = (Stage("mj_comPos", physics.motion.com.com_pos),)
TENDON_LENGTHS = (
    Stage("mj_tendon", tendon, ("ntendon",)),
    *by_edition("mj_tendon", (physics.tendon.wrap.wrap_geoms_3, physics.tendon.wrap.wrap_geoms_4), *ROUND),
    Stage("mj_tendon", physics.tendon.paths.spatial_tendons, SPATIAL),
)
PATHS = ("ten_wrapadr", "ten_wrapnum", "wrap_obj", "wrap_xpos")
TENDON = (*TENDON_LENGTHS, Stage("mj_tendon", physics.tendon.paths.tendon_paths, SPATIAL, only_for=PATHS))
MAKE_M = (Stage("mj_makeM", make_M),)
FACTOR_M = (Stage("mj_factorM", physics.inertia_matrix.factors.factor_M),)
TRANSMISSION = (
    Stage("mj_transmission", physics.transmission.joints.transmission, ("nactuator",)),
    *by_edition("mj_transmission", SITE_TRANSMISSION, mjtTrn.mjTRN_SITE, mjtTrn.mjTRN_SLIDERCRANK),
    Stage("mj_transmission", physics.transmission.orientation.orientation_transmission, (mjtTrn.mjTRN_SO3,)),
)
