"""Whether trees may sleep: what bodies say, and what follows from actuators, tendons and flexes."""

from collections.abc import Iterable, Iterator
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.tendon import JOINT, PULLEY, SITE
from conjoint.compiler.tree import Tree
from conjoint.schema.enums import mjtTrn
from conjoint.schema.enums_newer import mjtSleepPolicy

AUTO, AUTO_NEVER, AUTO_ALLOWED, NEVER = (
    mjtSleepPolicy.mjSLEEP_AUTO, mjtSleepPolicy.mjSLEEP_AUTO_NEVER, mjtSleepPolicy.mjSLEEP_AUTO_ALLOWED,
    mjtSleepPolicy.mjSLEEP_NEVER,
)  # fmt: skip


def sleep_policies(draft: Draft, tree: Tree) -> list[int]:
    """mjtSleepPolicy of each tree."""
    roots: dict[int, Any] = {}
    policies = [int(AUTO_ALLOWED)] * tree.ntree
    for body in draft.bodies:
        asked = int(body.__dict__.get("sleep", AUTO))
        is_root = body.treeid >= 0 and body.treeid not in roots
        if is_root:
            roots[body.treeid] = body
            policies[body.treeid] = asked or int(AUTO_ALLOWED)
        elif asked:
            text = "sleep is for bodies that move and are the root of a tree: write it to the topmost body with a joint"
            draft.problems.about(body, text, "sleep")
    for one in _driven(draft):
        if policies[one] == AUTO_ALLOWED:
            policies[one] = int(AUTO_NEVER)
    for number, tendon in enumerate(draft.tendons):
        trees = tendon_trees(draft, tendon)
        if len(trees) > 2:
            _forbid(draft, policies, roots, trees, f"tendon {number} connects it with more than one other tree")
        elif len(trees) == 2 and _pulls(tendon):
            _forbid(draft, policies, roots, trees, f"tendon {number}, which connects it, has stiffness or damping")
    for flex in draft.flexes:
        found = {draft.bodies[int(body)].treeid for body in (*flex.bodyids, *flex.nodeids)} - {-1}
        for one in found:
            policies[one] = int(NEVER if policies[one] == NEVER else AUTO_NEVER)
    return policies


def _pulls(tendon: Any) -> bool:
    """Whether a tendon has stiffness or damping, of any order."""
    values = (tendon.stiffness, tendon.damping)
    return any(map(bool, (one for value in values for one in (value if isinstance(value, tuple) else (value,)))))


def _forbid(draft: Draft, policies: list[int], roots: dict[int, Any], trees: Iterable[int], reason: str) -> None:
    """These trees never sleep; one that was asked to is a problem."""
    for one in trees:
        if policies[one] in (AUTO_ALLOWED, AUTO_NEVER):
            policies[one] = int(AUTO_NEVER)
        elif policies[one] != NEVER:
            draft.problems.about(roots[one], f"this tree may not sleep: {reason}; leave out sleep", "sleep")


def tendon_trees(draft: Draft, tendon: Any) -> list[int]:
    """Trees along the path of a tendon, in order."""
    found: list[int] = []
    for wrap in tendon.wraps:
        if wrap.type == PULLEY or wrap.objid < 0:
            continue
        elements = draft.joints if wrap.type == JOINT else draft.sites if wrap.type == SITE else draft.geoms
        one = draft.bodies[elements[wrap.objid].bodyid].treeid
        found += [one] if one >= 0 and one not in found else []
    return found


def _driven(draft: Draft) -> Iterator[int]:
    """Trees that actuators act on."""
    for actuator in draft.actuators:
        kind, (first, second) = int(actuator.trntype), tuple(actuator.trnid)[:2]
        if first < 0:
            continue
        if kind == mjtTrn.mjTRN_TENDON:
            yield from tendon_trees(draft, draft.tendons[first])
            continue
        of_joint = kind == mjtTrn.mjTRN_SO3 and second < 0
        if kind == mjtTrn.mjTRN_BODY:
            bodies = [first]
        elif of_joint or kind in (mjtTrn.mjTRN_JOINT, mjtTrn.mjTRN_JOINTINPARENT):
            bodies = [draft.joints[first].bodyid]
        else:
            bodies = [draft.sites[site].bodyid for site in (first, second) if 0 <= site < len(draft.sites)]
        yield from {draft.bodies[body].treeid for body in bodies} - {-1}
