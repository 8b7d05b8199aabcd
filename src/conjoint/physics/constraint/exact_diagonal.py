"""Exact diagonal of J M^-1 J', which replaces the approximation from body inertias (flag `diagexact`).

With M = L' D L, a diagonal element is the squared norm of the whitened row D^-1/2 L'^-1 J' (Featherstone 2008, ch. 8;
the Computation chapter, "Diagonal approximation"). The regularization of the other rows of a contact is derived from
its first row, as usual.
"""

from conjoint.lang import kernel, maximum
from conjoint.physics.constraint.contacts import PYRAMIDAL
from conjoint.physics.constraint.jacobian import column_of, first_element, row_length
from conjoint.physics.constraint.rows import regularization
from conjoint.physics.inertia_matrix.factors import solve_transposed
from conjoint.schema.constants import mjMINVAL


@kernel
def exact_diagonal(m, d, J):
    """Compute `efc_R`, `efc_D` and `efc_diagApprox` of all rows from the exact diagonal."""
    r = 0
    while r < d.nefc:
        R = regularization(d.efc_KBIP[r].I, diagonal_of_row(m, d, J, r))
        # contacts with friction have the highest row types
        kind = d.efc_type[r]
        end = r + 1
        if kind >= PYRAMIDAL:
            c = d.efc_id[r]
            dim = d.contact_dim[c]
            if kind == PYRAMIDAL:
                mu = d.contact_mu[c]
                end = r + 2 * (dim - 1)
                for edge in range(r, end):
                    set_row(d, edge, 2.0 * mu * mu * R)
            else:
                end = r + dim
                set_row(d, r, R)
                slide = d.contact_friction[c]
                for j in range(1, dim):
                    ratio = slide.tangent1 / slide[j - 1]
                    set_row(d, r + j, R / maximum(mjMINVAL, m.opt.impratio) * ratio * ratio)
        else:
            set_row(d, r, R)
        r = end


@kernel
def set_row(d, r, R):
    """Set `efc_R`, `efc_D` and `efc_diagApprox` of row r from its regularization R."""
    imp = d.efc_KBIP[r].I
    d.efc_R[r] = R
    d.efc_D[r] = 1.0 / R
    d.efc_diagApprox[r] = R * imp / (1.0 - imp)


@kernel
def diagonal_of_row(m, d, J, r):
    """Return element r of the diagonal of J M^-1 J'."""
    for i in range(m.nv):
        d.whitened_row[i] = 0.0
    first = first_element(m, d, J, r)
    for k in range(row_length(m, d, J, r)):
        d.whitened_row[column_of(m, d, J, r, k)] = d.efc_J[first + k]
    solve_transposed(m, d.qLD, d.whitened_row, 0, 0, m.nv)
    total = 0.0
    for i in range(m.nv):
        total = total + d.whitened_row[i] * d.whitened_row[i] * d.qLDiagInv[i]
    return total
