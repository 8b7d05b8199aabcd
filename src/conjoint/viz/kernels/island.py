"""Colours of constraint islands."""

from conjoint.lang import kernel
from conjoint.schema.enums import mjtConstraint, mjtEq
from conjoint.schema.enums_visual import mjtVisFlag

DARKEST = 0.1
BRIGHTNESS = 0.9


@kernel
def are_islands_shown(d):
    """True if there are islands and they are shown."""
    return d.opt.flags[mjtVisFlag.mjVIS_ISLAND] != 0 and d.nisland > 0


@kernel
def show_island(m, d, g, body):
    """Give geom g the colour of the island that a body belongs to, if islands are shown and it is in one."""
    if not are_islands_shown(d) or m.body_dofnum[body] == 0:
        return
    paint_island(d, g, d.dof_island[m.body_dofadr[body]])


@kernel
def show_tendon_island(m, d, g, t):
    """Give geom g the colour of the island that tendon t is in by its first constraint, if it has one."""
    for row in range(d.nefc):
        if constrains_tendon(m, d, row, t):
            paint_island(d, g, d.efc_island[row])
            return


@kernel
def constrains_tendon(m, d, row, t):
    """True if a constraint row is about tendon t."""
    kind = d.efc_type[row]
    id = d.efc_id[row]
    if kind == mjtConstraint.mjCNSTR_FRICTION_TENDON or kind == mjtConstraint.mjCNSTR_LIMIT_TENDON:
        return id == t
    if kind == mjtConstraint.mjCNSTR_EQUALITY and m.eq_type[id] == mjtEq.mjEQ_TENDON:
        return m.eq_obj1id[id] == t or m.eq_obj2id[id] == t
    return False


@kernel
def paint_island(d, g, island):
    """Give geom g the colour of an island, -1 for none."""
    if island >= 0:
        index = d.island_dofadr[island] + 1
        d.scn.geoms.rgba[g, 0] = DARKEST + BRIGHTNESS * halton(index, 2)
        d.scn.geoms.rgba[g, 1] = DARKEST + BRIGHTNESS * halton(index, 3)
        d.scn.geoms.rgba[g, 2] = DARKEST + BRIGHTNESS * halton(index, 5)


@kernel
def halton(index, base):
    """Element of a sequence that fills the unit interval evenly: the digits of the index mirrored (Halton 1960)."""
    found = 0.0
    share = 1.0 / base
    while index > 0:
        found += share * (index % base)
        index = index // base
        share = share / base
    return found
