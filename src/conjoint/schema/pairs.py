"""Fields of the plan: what is found once per model, and what it was found for.

They are appended to the model's rows for kernels (`m.candidate_geom1[k]`), and are not part of the public `MjModel`.
`runtime.plan` makes them; `runtime.pairs.static_pairs` finds the geom pairs that can ever touch. The `plan_*`
rows are copies of the inputs, by which a step notices that the user has changed them.
"""

from conjoint.lang.layout import Field

# fmt: off
PLAN_SIZE_FIELDS: tuple[Field, ...] = (
    Field("npair_candidate", "long", (), 0, "", "", "number of geom pairs that can ever touch", public=False),
    Field("nsolverstat", "long", (), 0, "", "", "solver iterations whose statistics are kept", public=False),
)
PLAN_FIELDS: tuple[Field, ...] = (
    Field("candidate_geom1", "int", ("npair_candidate",), 0, "", "", "geom with the smaller type", public=False),
    Field("candidate_geom2", "int", ("npair_candidate",), 0, "", "", "geom with the larger type", public=False),
    Field("candidate_types", "int", ("npair_candidate",), 0, "", "", "16 * type of geom1 + that of geom2",
          public=False),
    Field("candidate_pair", "int", ("npair_candidate",), 0, "", "", "id of the explicit pair; -1: none", public=False),
    Field("candidate_parent", "int", ("npair_candidate",), 0, "", "", "1: parent and child, subject to filterparent",
          public=False),
    Field("epsilon", "real", (), 0, "", "", "distance from 1 to the next number of the precision in use",
          public=False),
    Field("plan_version", "int", (), 0, "", "", "changes whenever the plan is made anew", public=False),
    Field("plan_contype", "int", ("ngeom",), 0, "", "", "geom_contype that the pairs were found for", public=False),
    Field("plan_conaffinity", "int", ("ngeom",), 0, "", "", "geom_conaffinity that the pairs were found for",
          public=False),
    Field("plan_type", "int", ("ngeom",), 0, "", "", "geom_type that the pairs were found for", public=False),
    Field("plan_integrator", "int", (), 0, "", "", "opt.integrator that the stages were chosen for", public=False),
    Field("plan_solver", "int", (), 0, "", "", "opt.solver that the stages were chosen for", public=False),
    Field("plan_cone", "int", (), 0, "", "", "opt.cone that the stages were chosen for", public=False),
    Field("plan_disableflags", "int", (), 0, "", "", "opt.disableflags that the stages were chosen for", public=False),
    Field("plan_enableflags", "int", (), 0, "", "", "opt.enableflags that the stages were chosen for", public=False),
)
# fmt: on
