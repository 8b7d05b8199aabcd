"""Who asks for the active bounding volumes of a world (`physics.collision.visited_boxes`)."""

from conjoint.physics.collision.visited_boxes import ALWAYS, find_visited_boxes
from conjoint.runtime.entry import entry
from conjoint.runtime.plan import Plan
from conjoint.runtime.world import World

_find_boxes = entry(find_visited_boxes)


def find_volumes(plan: Plan, world: World) -> None:
    """Let `bvh_active` be what the last collision reached."""
    _find_boxes(plan, world)


def follow_volumes(world: World) -> None:
    """Let `bvh_active` be what the last collision reached, now and after each collision to come."""
    asked = world.data.view("volumes_asked")
    if asked != ALWAYS:
        find_volumes(world.plan, world)
        asked[...] = ALWAYS
