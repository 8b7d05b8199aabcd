"""Stages that depend on positions alone: collision detection, and stages that constants of the model need, too."""

from __future__ import annotations

from conjoint.lang.language.name import Name
from conjoint.physics.collision.collider_table import NARROWPHASE
from conjoint.runtime import capabilities as lack
from conjoint.runtime.pairs import SWEPT_PAIRS
from conjoint.runtime.stage import LEGACY, MOVING_SURFACES, NATIVE, WITH_GROUP, Stage, by_edition, callback, in_editions
from conjoint.runtime.structure import ROUND
from conjoint.runtime.user.installed import COLLISION_FUNCTION
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
"""Requirement for running a stage: the model has spatial tendons, whose paths always contain a site."""

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

collision, official = physics.collision, physics.official
editions = collision.editions.EDITIONS
mark_visits_pending = official.bounding_volumes.mark_visits_pending
find_visited_boxes = in_editions(official.bounding_volumes.find_visited_boxes, editions)
broadphase = collision.broadphase.broadphase
bound_parts = collision.parts.bound_parts
cross_parts = collision.parts.cross_parts
sweep = collision.sweep.sweep
find_static_pairs = collision.static_tree.find_static_pairs
make_pairs = in_editions(collision.pairs.make_pairs, editions)
flex_contacts = in_editions(collision.flex.contacts.flex_contacts, editions)
legacy_flex_contacts = in_editions(collision.flex.contacts.legacy_flex_contacts, editions)
drop_unswept_contacts = in_editions(official.sweep_misses.drop_unswept_contacts, editions)
drop_missed_contacts = in_editions(collision.listing.drop_missed_contacts, editions)
exclude_unmoved = in_editions(collision.listing.exclude_unmoved, editions)

BOUNDING = (mark_visits_pending, broadphase, bound_parts, cross_parts, sweep, find_static_pairs)
"""Kernels of the broad phase."""

CHOOSING = (*BOUNDING, *drop_unswept_contacts, *drop_missed_contacts)
"""Kernels that only choose which contacts exist."""

COLLISION = (
    Stage("mj_collision", mark_visits_pending, ("nbvh",), only_for=("bvh_active",)),
    Stage("mj_collision", broadphase, ("ngeom",), lacks=(lack.COLLISIONS, lack.UNDISTANCED)),
    Stage("mj_collision", bound_parts, ("npart",)),
    Stage("mj_collision", cross_parts, ("ncrossing",)),
    Stage("mj_collision", sweep, ("nsweep",)),
    Stage("mj_collision", find_static_pairs, ("nmover",)),
    *callback("mjcb_contactfilter", "ngeom"),
    *by_edition("mj_collision", make_pairs, "ngeom", "nflex"),
    *(Stage("mj_collision", phase, (need,)) for need, phase in NARROWPHASE.items()),
    *callback(COLLISION_FUNCTION, "ngeom"),
    *by_edition("mj_collision", flex_contacts, ("nflex", NATIVE)),
    *by_edition("mj_collision", legacy_flex_contacts, ("nflex", LEGACY)),
    Stage("mj_collision", collision.finding.contacts_fit, ("ngeom", "nflex")),
    *by_edition("mj_collision", drop_unswept_contacts, SWEPT_PAIRS),
    *by_edition("mj_collision", drop_missed_contacts, "ngeom"),
    Stage("mj_collision", collision.listing.list_contacts, ("ngeom", "nflex")),
    Stage("mj_collision", collision.listing.finish_contacts, ("ngeom", "nflex")),
    *by_edition("mj_collision", exclude_unmoved, "npair", "nflex"),
    Stage("mj_collision", collision.listing.surface_velocities, (MOVING_SURFACES,)),
)
