"""Effects of moving and adhesive surfaces on constraint rows and forces (Computation chapter, "Adhesion")."""

from conjoint.lang import kernel
from conjoint.physics.constraint.contacts import PYRAMIDAL
from conjoint.physics.constraint.jacobian import column_of, first_element, row_length
from conjoint.physics.passive_flags import has_passive

MOVED = 3
"""Number of directions in which a surface may move at a contact: along both tangents, and about the normal."""


@kernel(one_by_one="worlds together run at 0.77 of the speed (a conveyor belt)")
def move_with_surfaces(m, d):
    """Add the velocities of moving surfaces to contact rows, so that the surfaces drive the bodies on them."""
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0:
            for k in range(MOVED):
                if k + 1 < d.contact_dim[c]:
                    move_along(d, c, r, k)


@kernel
def move_along(d, c, r, k):
    """Add the surface velocity in direction k to the rows of contact c, which begin at row r."""
    v = d.contact_surfacevel[c][k]
    if d.efc_type[r] == PYRAMIDAL:
        add_velocity(d, r + 2 * k, d.contact_friction[c][k] * v)
        add_velocity(d, r + 2 * k + 1, -d.contact_friction[c][k] * v)
    else:
        add_velocity(d, r + k + 1, v)


@kernel
def add_velocity(d, r, v):
    """Add v to the velocity of constraint row r, and update the reference acceleration of the row."""
    d.efc_vel[r] = d.efc_vel[r] + v
    d.efc_aref[r] = d.efc_aref[r] - d.efc_KBIP[r].B * v


@kernel
def let_pull(m, d):
    """Shift the reference accelerations of adhesive contacts, so that their normal forces may be negative."""
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0 and d.contact_adhesion[c] != 0.0:
            count = 2 * (d.contact_dim[c] - 1) if d.efc_type[r] == PYRAMIDAL else 1
            for e in range(r, r + count):
                d.efc_aref[e] = d.efc_aref[e] + d.efc_R[e] * d.contact_adhesion[c] / (1.0 * count)


@kernel
def adhesive_forces(m, d, J):
    """Compute qfrc_adhesion, the joint forces of adhesion along contact normals, and add it to the passive forces."""
    for i in range(m.nv):
        d.qfrc_adhesion[i] = 0.0
    for c in range(d.ncon):
        r = d.contact_efc_address[c]
        if r >= 0 and d.contact_adhesion[c] != 0.0 and has_passive(m):
            first = first_element(m, d, J, r)
            step = row_length(m, d, J, r)
            for k in range(step):
                along = d.efc_J[first + k]
                if d.efc_type[r] == PYRAMIDAL:
                    # the mean of two opposite edges is the normal direction
                    along = 0.5 * (along + d.efc_J[first + step + k])
                i = column_of(m, d, J, r, k)
                d.qfrc_adhesion[i] = d.qfrc_adhesion[i] - d.contact_adhesion[c] * along
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_passive[i] + d.qfrc_adhesion[i]
