"""Tree of geoms that never move, against which moving parts are tested in every step (`box_trees`).

The geoms' poses and boxes are computed in the first step. They are computed again when a program may have changed a
model field on which they depend.
"""

from conjoint.lang import kernel
from conjoint.physics.collision.box_trees import bound_node
from conjoint.physics.collision.parts import descend
from conjoint.physics.collision.placing import note_edits
from conjoint.physics.motion.kinematics import geom_pose
from conjoint.physics.pair_filter import NO_CONTACTS, margin_bound
from conjoint.physics.sleep.filter import geoms_rest
from conjoint.physics.status import NEAR_FULL


@kernel
def place_static(m, d):
    """Compute the poses of geoms that never move, and the boxes of their tree, unless up to date (mj_kinematics)."""
    before = d.placed_times
    note_edits(m, d)
    if d.placed_times != before or d.static_exposed != 0:
        for k in range(m.nstatic):
            geom_pose(m, d, m.static_geom[k])
    if d.placed_times != before:
        bound_static(m, d)


@kernel
def bound_static(m, d):
    """Compute the boxes of the tree from the poses of the geoms, children before parents."""
    for node in range(m.nstatic_node):
        bound_node(m, d, node, margin_bound)


@kernel
def find_static_pairs(m, d):
    """Add the pairs of a moving geom and a geom in the tree to the list of near pairs."""
    if (m.opt.disableflags & NO_CONTACTS) == 0:
        n = d.nnear
        for s in range(m.nmover):
            g = m.part_geom[m.part_adr[s]]
            if not geoms_rest(m, d, g, g):
                n = descend(m, d, s, m.nstatic_node - 1, n)
        d.nnear_needed = n
        if n > d.nnear_capacity:
            return NEAR_FULL
        d.nnear = n
    return 0
