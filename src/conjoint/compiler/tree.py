"""Structure of the kinematic tree: roots, welds, dofs, trees, sparsity, and sleep policies."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from conjoint.compiler.draft import Draft, Tree
from conjoint.compiler.kinds import Body, Tendon
from conjoint.compiler.passes import declared
from conjoint.compiler.tendon import JOINT, PULLEY, SITE
from conjoint.schema.constants import ONLY_SLIDES
from conjoint.schema.enums import mjtTrn
from conjoint.schema.enums_newer import mjtSleepPolicy
from conjoint.schema.kinds import BALL, FREE, NV, SLIDE
from conjoint.spec.rotation import IDENTITY

SAME_NONE, SAME_BODY, SAME_INERTIA, SAME_BODYROT, SAME_INERTIAROT = range(5)
"""Values of mjtSameFrame."""
EPSILON = 1e-6
"""Tolerance within which poses count as equal."""


@declared(
    reads=(
        "actuator: armature trntype; body: id ipos iquat parentid; geom: pos quat; joint: axis id pos; site: "
        "bodyid pos quat; tendon: armature wraps; wrap: objid type"
    ),
    writes=(
        "body: dofadr dofnum mocapid rootid sameframe simplicity treeid weldid; draft: tree; geom: sameframe; "
        "site: sameframe"
    ),
)
def describe_tree(draft: Draft) -> None:
    """Compute dofs, trees and the sparsity of the inertia matrix, and tree fields of bodies, geoms and sites."""
    tree = draft.tree = Tree()
    last_dof = [-1] * len(draft.bodies)
    for body in draft.bodies:
        _add_body(draft, tree, body, last_dof)
    tree.dof_simplenum = _simple_runs(draft)
    _count_nonzeros(draft, tree, last_dof)


def _add_body(draft: Draft, tree: Tree, body: Body, last_dof: list[int]) -> None:
    """Add the dofs of one body to the tree, and set the body's tree fields, such as its root and dof address."""
    number, parentid, mocap = body.id, body.parentid, bool(body.mocap)
    parent, first = draft.bodies[parentid], len(tree.dofs)
    last = last_dof[parentid] if number else -1
    number_of_tree, depth = (tree.dof_treeid[last], tree.depth[last]) if last >= 0 else (-1, 0)
    for joint in body.joints:
        if number_of_tree < 0:
            number_of_tree = tree.ntree
            tree.ntree += 1
        here, count = len(tree.dofs), NV[joint.type]
        tree.dof_treeid += [number_of_tree] * count
        tree.dof_parentid += [last, *range(here, here + count - 1)]
        tree.depth += range(depth + 1, depth + count + 1)
        tree.dofs += [(number, joint.id)] * count
        last, depth = here + count - 1, depth + count
    last_dof[number] = last
    own = body.joints or (mocap and draft.newer)
    body.__dict__.update(
        rootid=parent.rootid if parentid else number, weldid=number if own or not number else parent.weldid,
        mocapid=tree.nmocap if mocap else -1, dofadr=first, dofnum=len(tree.dofs) - first, treeid=number_of_tree,
        sameframe=same_frame(body.ipos, body.iquat, None),
    )  # fmt: skip
    element: Any
    for element in (*body.geoms, *body.sites):
        element.sameframe = same_frame(element.pos, element.quat, body)
    tree.nmocap += mocap


def _simple_runs(draft: Draft) -> list[int]:
    """Find bodies whose block of the inertia matrix is diagonal and constant. Return `dof_simplenum` for all dofs."""
    for body in draft.bodies:
        body.simplicity = _simple_alone(draft, body)
    for body in draft.bodies[1:]:
        # bodies attached to this one add to its inertia
        if body.parentid:
            draft.bodies[body.parentid].simplicity = 0
    driven = {a.trnid[0] for a in draft.actuators if a.armature and a.trntype == mjtTrn.mjTRN_TENDON}
    for tendon in draft.tendons:
        if tendon.armature or tendon.id in driven:
            # spatial tendons with armature couple their bodies; fixed ones do not, as in MuJoCo
            for wrap in tendon.wraps:
                if wrap.type not in (JOINT, PULLEY):
                    elements = draft.sites if wrap.type == SITE else draft.geoms
                    draft.bodies[elements[wrap.objid].bodyid].simplicity = 0
    # in reverse order, starting with the last dof
    found: list[int] = []
    run = 0
    for body in reversed(draft.bodies):
        count = body.dofnum
        if body.simplicity:
            found += range(run + 1, run + count + 1)
            run += count
        elif count:
            found += [0] * count
            run = 0
    return found[::-1]


def _count_nonzeros(draft: Draft, tree: Tree, last_dof: list[int]) -> None:
    """Compute row addresses in the inertia matrix, and the numbers of nonzeros of sparse matrices."""
    depth = tree.depth
    *tree.dof_Madr, tree.nM = accumulate(depth, initial=0)
    tree.nC = sum([1 if simple else count for simple, count in zip(tree.dof_simplenum, depth, strict=True)])
    tree.nD = 2 * tree.nM - len(tree.dofs)
    # a body moves with its ancestors' dofs and shares them with its descendants
    own = [body.dofnum for body in draft.bodies]
    below, parents = own.copy(), [body.parentid for body in draft.bodies]
    for number in range(len(own) - 1, 0, -1):
        below[parents[number]] += below[number]
    tree.nB = sum([depth[last] for last in last_dof if last >= 0]) + sum(below) - sum(own)


def same_frame(pos: Sequence[float], quat: Sequence[float], body: Body | None) -> int:
    """Return the relation of a pose to the frame of its body, and to the inertial frame of `body` if it is given."""
    if quat == IDENTITY or _same_turn(quat, IDENTITY):
        return SAME_BODY if _same(pos, (0.0, 0.0, 0.0)) else SAME_BODYROT
    if body is not None and _same_turn(quat, body.iquat):
        return SAME_INERTIA if _same(pos, body.ipos) else SAME_INERTIAROT
    return SAME_NONE


def _same(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return True if three or four numbers agree within `EPSILON`."""
    return a == b or (
        abs(a[0] - b[0]) < EPSILON
        and abs(a[1] - b[1]) < EPSILON
        and abs(a[2] - b[2]) < EPSILON
        and (len(a) == 3 or abs(a[3] - b[3]) < EPSILON)
    )


def _same_turn(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return True if two quaternions are the same rotation, ignoring the sign."""
    return _same(a, b) or _same(a, (-b[0], -b[1], -b[2], -b[3]))


def _simple_alone(draft: Draft, body: Body) -> int:
    """Return 1 if the body by itself has a constant diagonal inertia matrix, 0 otherwise.

    The result is `ONLY_SLIDES` instead of 1 if the body only slides. It is 0 for a body that opts out, because a
    program may move its inertia later.
    """
    if not body.simple:
        return 0
    parent = draft.bodies[body.parentid]
    # its parent must be the world, or a body without joints in the world
    if body.sameframe != SAME_BODY or (parent.id and (parent.parentid or parent.joints)):
        return 0
    turned = False
    for joint in body.joints:
        if joint.type == FREE:
            continue
        # not simple: a joint after a rotational joint, off the center, or not along an axis of the body
        if turned or any(joint.pos) or (joint.type != BALL and sum([abs(x) > EPSILON for x in joint.axis]) > 1):
            return 0
        turned = joint.type != SLIDE
    types = {joint.type for joint in body.joints}
    return ONLY_SLIDES if types == {SLIDE} else 1


AUTO, AUTO_NEVER, AUTO_ALLOWED, NEVER = (
    mjtSleepPolicy.mjSLEEP_AUTO, mjtSleepPolicy.mjSLEEP_AUTO_NEVER, mjtSleepPolicy.mjSLEEP_AUTO_ALLOWED,
    mjtSleepPolicy.mjSLEEP_NEVER,
)  # fmt: skip


@declared(
    reads=(
        "actuator: trnid trntype; body: treeid; draft: tree; flex: bodyids nodeids; geom: bodyid; joint: bodyid; "
        "site: bodyid; tendon: damping stiffness wraps; wrap: objid type"
    ),
    writes="draft: sleep_policy",
)
def choose_sleep(draft: Draft) -> None:
    """Set the mjtSleepPolicy of each tree."""
    roots: dict[int, Any] = {}
    policies = draft.sleep_policy = [int(AUTO_ALLOWED)] * draft.tree.ntree
    for body in draft.bodies:
        requested = int(body.__dict__.get("sleep", AUTO))
        is_root = body.treeid >= 0 and body.treeid not in roots
        if is_root:
            roots[body.treeid] = body
            policies[body.treeid] = requested or int(AUTO_ALLOWED)
        elif requested:
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


def _pulls(tendon: Tendon) -> bool:
    """Return True if a tendon has stiffness or damping, of any order."""
    values = (tendon.stiffness, tendon.damping)
    return any(map(bool, (one for value in values for one in (value if isinstance(value, tuple) else (value,)))))


def _forbid(draft: Draft, policies: list[int], roots: dict[int, Any], trees: Iterable[int], reason: str) -> None:
    """Forbid some trees from sleeping. Report a problem for each tree that the user configured to sleep."""
    for one in trees:
        if policies[one] in (AUTO_ALLOWED, AUTO_NEVER):
            policies[one] = int(AUTO_NEVER)
        elif policies[one] != NEVER:
            draft.problems.about(roots[one], f"this tree cannot sleep: {reason}; remove the attribute sleep", "sleep")


def tendon_trees(draft: Draft, tendon: Tendon) -> list[int]:
    """Return the trees along the path of a tendon, in order."""
    found: list[int] = []
    for wrap in tendon.wraps:
        if wrap.type == PULLEY or wrap.objid < 0:
            continue
        elements = draft.joints if wrap.type == JOINT else draft.sites if wrap.type == SITE else draft.geoms
        one = draft.bodies[elements[wrap.objid].bodyid].treeid
        found += [one] if one >= 0 and one not in found else []
    return found


def _driven(draft: Draft) -> Iterator[int]:
    """Yield the trees that actuators act on."""
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
