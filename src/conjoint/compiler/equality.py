"""Equality constraints: objects by id (XML Reference, equality)."""

from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.schema.enums import mjtEq, mjtObj
from conjoint.schema.joints import HINGE, SLIDE

CONNECT, WELD = int(mjtEq.mjEQ_CONNECT), int(mjtEq.mjEQ_WELD)
STRAIN = int(mjtEq.mjEQ_FLEXSTRAIN)
KINDS = {
    int(mjtEq.mjEQ_JOINT): "joint", int(mjtEq.mjEQ_TENDON): "tendon", int(mjtEq.mjEQ_FLEX): "flex", STRAIN: "flex",
}  # fmt: skip
"""Types whose objects are always of one kind."""

ROWS = {CONNECT: 3, WELD: 7}
"""Rows that a constraint is counted with in `nemax`; all others count as one."""


def resolve_equalities(draft: Draft) -> None:
    """Give every constraint the ids of its objects; the second may be missing: the world, or a constant."""
    for equality in draft.equalities:
        sites = equality.objtype == mjtObj.mjOBJ_SITE
        if equality.type in ROWS and equality.objtype not in (mjtObj.mjOBJ_BODY, mjtObj.mjOBJ_SITE):
            draft.problems.about(equality, "it supports only sites and bodies: set objtype", "body1")
        kind = KINDS.get(equality.type, "site" if sites else "body")
        equality.obj1id = draft.find(kind, equality.name1, equality, kind + "1")
        equality.obj2id = 0 if kind == "body" else -1
        if equality.name2:
            equality.obj2id = draft.find(kind, equality.name2, equality, kind + "2")
        equality.active0 = equality.active
        if kind == "joint":
            _check_joints(draft, equality)
        if kind == "flex" and equality.obj1id >= 0 and draft.flexes[equality.obj1id].__dict__.get("rigid"):
            draft.problems.about(
                equality, f"the flex '{equality.name1}' is rigid: none of its edges can change", "flex"
            )
        if equality.type == STRAIN and equality.obj1id >= 0:
            _check_strain(draft, equality)
        if equality.obj1id == equality.obj2id >= 0:
            draft.problems.about(equality, f"the {kind} '{equality.name1}' is constrained to itself", kind + "2")


def _check_strain(draft: Draft, equality: Any) -> None:
    """Strain is that of a solid box of nodes, which has no other stiffness."""
    flex = draft.flexes[equality.obj1id]
    if flex.dim != 3 or not flex.nodebody:
        draft.problems.about(equality, f"the flex '{flex.name}' is not trilinear of dim 3", "flex")
    elif flex.young > 0:
        draft.problems.about(equality, f"the flex '{flex.name}' has a stiffness: set young to 0", "flex")
    if any(equality.data[:3]):
        draft.problems.about(equality, "there is one cell, 0 0 0", "cell")


def _check_joints(draft: Draft, equality: Any) -> None:
    """Only joints of one degree of freedom can be functions of each other."""
    for number, joint in (("1", equality.obj1id), ("2", equality.obj2id)):
        if joint >= 0 and draft.joints[joint].type not in (SLIDE, HINGE):
            name = draft.joints[joint].name
            draft.problems.about(equality, f"the joint '{name}' is not a hinge or slide", "joint" + number)


def most_rows(draft: Draft) -> int:
    """Most rows that all equality constraints together can have (`nemax`)."""
    return sum(ROWS.get(equality.type, 1) for equality in draft.equalities)
