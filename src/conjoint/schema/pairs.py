"""Fields of the collision plan: the geom pairs that can ever touch, found once per model.

They are appended to the model's rows for kernels (`m.candidate_geom1[k]`), and are not part of the public `MjModel`.
`engine.collision.pairs.static_pairs` computes them.
"""

from conjoint.lang.layout import Field

# fmt: off
PLAN_SIZE_FIELDS: tuple[Field, ...] = (
    Field("npair_candidate", "long", (), 0, "", "", "number of geom pairs that can ever touch", public=False),
)
PLAN_FIELDS: tuple[Field, ...] = (
    Field("candidate_geom1", "int", ("npair_candidate",), 0, "", "", "geom with the smaller type", public=False),
    Field("candidate_geom2", "int", ("npair_candidate",), 0, "", "", "geom with the larger type", public=False),
    Field("candidate_types", "int", ("npair_candidate",), 0, "", "", "16 * type of geom1 + type of geom2", public=False),
    Field("candidate_pair", "int", ("npair_candidate",), 0, "", "", "id of the explicit pair; -1: none", public=False),
    Field("candidate_parent", "int", ("npair_candidate",), 0, "", "", "1: parent and child, subject to filterparent",
          public=False),
)
# fmt: on
