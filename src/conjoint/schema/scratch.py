"""Scratch memory of the kernels: rows of `d` that users do not see.

A stage that needs room for intermediate results adds a row here, with `public=False`, its own name in `stage`, and
one line of meaning; sizes are those of the model, in the arena also `ncon_capacity`, `nefc_capacity` and `nefc_dual`:

    Field("solver_grad", "real", ("nv",), 0, "", "mj_fwdConstraint", "gradient of the cost", public=False),
"""

from conjoint.lang.layout import Field

SCRATCH_FIELDS: tuple[Field, ...] = ()
"""Rows of fixed size."""

SCRATCH_ARENA_FIELDS: tuple[Field, ...] = ()
"""Rows that grow with the number of contacts or constraint rows."""
