"""Who asks for the active bounding volumes of a world (`physics.collision.active`)."""

from conjoint.physics.collision.active import ALWAYS, settle_volumes
from conjoint.runtime.entry import entry
from conjoint.runtime.plan import Plan
from conjoint.runtime.world import World

_settle_volumes = entry(settle_volumes)


def find_volumes(plan: Plan, world: World) -> None:
    """Let `bvh_active` be what the last collision reached."""
    _settle_volumes(plan, world)


def follow_volumes(world: World) -> None:
    """Let `bvh_active` be what the last collision reached, now and after each collision to come."""
    asked = world.data.view("volumes_asked")
    if asked != ALWAYS:
        find_volumes(world.plan, world)
        asked[...] = ALWAYS
