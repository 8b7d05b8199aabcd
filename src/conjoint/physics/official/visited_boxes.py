"""Active bounding volumes, `bvh_active`: those that the last collision reached, and of meshes, that rays did since.

Nothing in the physics depends on them. They are found when somebody asks, from the positions that collision had; from
then on with each collision, since whoever asked holds the array.
"""

from conjoint.lang import kernel, minimum
from conjoint.physics.official.bounding_volumes import visit_all
from conjoint.physics.pair_filter import NO_CONTACTS
from conjoint.physics.status import ALWAYS, VOLUMES_ASKED

DONE, CLEARED, VISITED = range(3)
"""What is due (`volumes_due`): nothing; that nothing is active; what collision has reached."""


@kernel
def note_visits_due(m, d):
    """Note that the active volumes are to be found anew; stop for that if somebody asks for them now."""
    if m.vis.global_.bvactive != 0:
        d.mesh_volumes_due = CLEARED
        d.volumes_due = VISITED
        if (m.opt.disableflags & NO_CONTACTS) != 0 or m.nconmax == 0:
            d.volumes_due = CLEARED
        if d.volumes_asked == ALWAYS:
            return VOLUMES_ASKED
    return 0


@kernel
def visits_are_known(m, d):
    """Stop, before positions change, if the volumes that the last collision reached are still to be found."""
    if d.volumes_due != DONE:
        return VOLUMES_ASKED
    return 0


@kernel
def find_visited_boxes(m, d):
    """Do what is due: find the bounding volumes that the last collision reached."""
    if d.volumes_due != DONE:
        clear_volumes(d, 0, first_of_meshes(m))
        clear_volumes(d, m.nbvhstatic, m.nbvh)
        if d.volumes_due == VISITED:
            visit_all(m, d)
        d.volumes_due = DONE
    clear_boxes_of_meshes(m, d)


@kernel
def clear_boxes_of_meshes(m, d):
    """Do what is due of the volumes of meshes, which only rays reach: none is active before."""
    if d.mesh_volumes_due != DONE:
        clear_volumes(d, first_of_meshes(m), m.nbvhstatic)
        d.mesh_volumes_due = DONE


@kernel
def clear_volumes(d, first, end):
    """None of the volumes first .. end - 1 is active."""
    for v in range(first, end):
        d.bvh_active[v] = 0


@kernel
def mark_visited(d, volume):
    """A bounding volume is active."""
    d.bvh_active[volume] = 1


@kernel
def first_of_meshes(m):
    """The first volume of meshes, which are behind those of bodies."""
    first = m.nbvhstatic
    for mesh in range(m.nmesh):
        if m.mesh_bvhnum[mesh] > 0:
            first = minimum(first, m.mesh_bvhadr[mesh])
    return first
