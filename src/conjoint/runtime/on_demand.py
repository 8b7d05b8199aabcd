"""Fields that nothing in a step depends on: found when somebody reads them, and from then on in every step.

Whoever has read one holds its array, and expects it to follow the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conjoint.physics import status
from conjoint.physics.official import visited_boxes
from conjoint.runtime.entry import entry
from conjoint.runtime.plan import Plan
from conjoint.runtime.solver_nnz import find_nonzeros
from conjoint.runtime.world import World
from conjoint.solver import nonzeros

_find_boxes = entry(visited_boxes.find_visited_boxes)


@dataclass(frozen=True)
class OnDemand:
    """A field that is found on demand.

    Attributes:
        asked: field that says who asks for it.
        always: its value when somebody holds the array.
        answer: of the stage that stops where the field shall be found (`physics.status`).
        find: lets the field be that of the last stage that it depends on.
    """

    asked: str
    always: int
    answer: int
    find: Callable[[Plan, World], None]


ON_DEMAND = {
    "bvh_active": OnDemand("volumes_asked", visited_boxes.ALWAYS, status.VOLUMES_ASKED, _find_boxes),
    "solver_nnz": OnDemand("nonzeros_asked", nonzeros.ALWAYS, status.NONZEROS_ASKED, find_nonzeros),
}
"""Such fields, by name."""

FINDERS = {field.answer: field.find for field in ON_DEMAND.values()}
"""What to do when a stage asks for one of them."""


def follow(world: World, name: str) -> None:
    """Let a field be found, now and in every step to come; nothing if it is not found on demand."""
    field = ON_DEMAND.get(name)
    if field is not None and not is_followed(world, name):
        field.find(world.plan, world)
        world.data.view(field.asked)[...] = field.always


def is_followed(world: World, name: str) -> bool:
    """Whether somebody holds the array of such a field."""
    return int(world.data.view(ON_DEMAND[name].asked)) == ON_DEMAND[name].always
