"""Who asks for solver_nnz of Newton's method with compressed rows, which `runtime.on_demand` counts."""

from conjoint.lang import kernel
from conjoint.physics.status import NONZEROS_ASKED

NOBODY, ALWAYS = range(2)
"""Who asks for it (`nonzeros_asked`): nobody; somebody who holds the array."""


@kernel(per_world=True)
def nonzeros_wanted(m, d):
    """Stop if solver_nnz shall be counted here."""
    if d.nonzeros_asked == ALWAYS and d.nonzeros_due != 0:
        return NONZEROS_ASKED
    return 0
