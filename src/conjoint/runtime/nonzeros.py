"""Who asks for the sizes of the matrices of Newton's method with compressed rows (`solver.nonzeros`)."""

import numpy as np

from conjoint.runtime.entry import entry
from conjoint.runtime.plan import Plan
from conjoint.runtime.world import World
from conjoint.solver.nonzeros import ALWAYS, count_nonzeros

_count_nonzeros = entry(count_nonzeros, "out int[]")


def find_nonzeros(plan: Plan, world: World) -> None:
    """Let `solver_nnz` be that of the last solution."""
    sizes = world.sizes
    room = 5 * sizes["nv"] + 2 + int(world.data.view("nJ")) + sizes["nC"]
    _count_nonzeros(plan, world, np.zeros(room, np.int32))


def follow_nonzeros(world: World) -> None:
    """Let `solver_nnz` be that of the last solution, now and after each solution to come."""
    asked = world.data.view("nonzeros_asked")
    if asked != ALWAYS:
        find_nonzeros(world.plan, world)
        asked[...] = ALWAYS
