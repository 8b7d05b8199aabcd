"""Rules of newer official versions about solvers; `schema.semantics` lists them with the others."""

# fmt: off
SOLVER_RULES = (
    ("search", "3.5",
     "A line search goes on from the first Newton step along a direction, also where that costs more than no step."),
    ("conjugate", "3.10",
     "Directions of conjugate gradients are those of Hager and Zhang; before, those of Polak and Ribiere."),
    ("rises", "3.10",
     "An iteration that ends at a higher cost, as its line search was cut short, is not the last one."),
    ("ends", "3.11",
     "Newton's method ends where the next step promises less than the tolerance. It and conjugate gradients do not "
     "begin where a duality gap below the tolerance shows that the first point will do."),
    ("trace", "3.17",
     "What solvers compare with the tolerance is scaled by the trace of the inertia as it is; before, by that at "
     "`qpos0` unless islands were found."),
)

SWEEP_RULES = (
    ("shuffle", "3.9",
     "Projected Gauss-Seidel visits rows and elliptic contacts in a pseudo-random order, another one in each sweep. It "
     "and noslip solve islands each on its own."),
    ("momentum", "3.11",
     "Projected Gauss-Seidel goes on from forces that are extrapolated from the last two sweeps."),
)
# fmt: on
"""Names, the first version that has the rule, and what it says; SWEEP_RULES: those about Gauss-Seidel methods."""
