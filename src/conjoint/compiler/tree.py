"""Structure of the kinematic tree: roots, welds, dofs, trees, sparsity, and which trees may sleep."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.tendon import JOINT, PULLEY, SITE
from conjoint.schema.constants import ONLY_SLIDES
from conjoint.schema.enums import mjtTrn
from conjoint.schema.enums_newer import mjtSleepPolicy
from conjoint.schema.kinds import BALL, FREE, NV, SLIDE
from conjoint.spec.rotation import IDENTITY

SAME_NONE, SAME_BODY, SAME_INERTIA, SAME_BODYROT, SAME_INERTIAROT = range(5)
"""mjtSameFrame."""
EPSILON = 1e-6
"""Poses that differ less are the same."""


class Tree:
    """Dofs and the numbers that describe the tree.

    Attributes:
        dofs: (body id, joint id) of every dof.
        dof_parentid, dof_treeid, dof_Madr, dof_simplenum: fields of the model.
        ntree, nM, nB, nC, nD: sizes of the model.
        sleep_policy: field `tree_sleep_policy` (`compiler.sleep`).
    """

    def __init__(self, draft: Draft):
        self.dofs: list[tuple[int, int]] = []
        self.dof_parentid: list[int] = []
        self.dof_treeid: list[int] = []
        self._depth: list[int] = []
        self.ntree = 0
        self.sleep_policy: list[int] = []
        last_dof = [-1] * len(draft.bodies)
        mocaps = 0
        for body in draft.bodies:
            mocaps = self._body(draft, body, last_dof, mocaps)
        self.nmocap = mocaps
        self._simple(draft)
        self._sparsity(draft, last_dof)

    def _body(self, draft: Draft, body: Any, last_dof: list[int], mocaps: int) -> int:
        """Ids of one body and its dofs; returns the number of mocap bodies so far."""
        number, parentid, mocap = body.id, body.parentid, bool(body.mocap)
        parent, first = draft.bodies[parentid], len(self.dofs)
        last = last_dof[parentid] if number else -1
        tree, depth = (self.dof_treeid[last], self._depth[last]) if last >= 0 else (-1, 0)
        for joint in body.joints:
            if tree < 0:
                tree = self.ntree
                self.ntree += 1
            here, count = len(self.dofs), NV[joint.type]
            self.dof_treeid += [tree] * count
            self.dof_parentid += [last, *range(here, here + count - 1)]
            self._depth += range(depth + 1, depth + count + 1)
            self.dofs += [(number, joint.id)] * count
            last, depth = here + count - 1, depth + count
        last_dof[number] = last
        own = body.joints or (mocap and draft.newer)
        body.__dict__.update(
            rootid=parent.rootid if parentid else number, weldid=number if own or not number else parent.weldid,
            mocapid=mocaps if mocap else -1, dofadr=first, dofnum=len(self.dofs) - first, treeid=tree,
            sameframe=same_frame(body.ipos, body.iquat, None),
        )  # fmt: skip
        for element in (*body.geoms, *body.sites):
            element.sameframe = same_frame(element.pos, element.quat, body)
        return mocaps + mocap

    def _simple(self, draft: Draft) -> None:
        """Bodies whose part of the inertia matrix is diagonal and constant, and runs of their dofs."""
        for body in draft.bodies:
            body.simplicity = _simple_alone(draft, body)
        for body in draft.bodies[1:]:
            # bodies attached to this one add to its inertia
            if body.parentid:
                draft.bodies[body.parentid].simplicity = 0
        driven = {a.trnid[0] for a in draft.actuators if a.armature and a.trntype == mjtTrn.mjTRN_TENDON}
        for tendon in draft.tendons:
            if tendon.armature or tendon.id in driven:
                # spatial tendons with armature couple what they are attached to; for fixed ones nobody thought of it
                for wrap in tendon.wraps:
                    if wrap.type not in (JOINT, PULLEY):
                        elements = draft.sites if wrap.type == SITE else draft.geoms
                        draft.bodies[elements[wrap.objid].bodyid].simplicity = 0
        # from the last dof on
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
        self.dof_simplenum = found[::-1]

    def _sparsity(self, draft: Draft, last_dof: list[int]) -> None:
        """Addresses in the inertia matrix, and numbers of its nonzeros."""
        depth = self._depth
        *self.dof_Madr, self.nM = accumulate(depth, initial=0)
        self.nC = sum([1 if simple else count for simple, count in zip(self.dof_simplenum, depth, strict=True)])
        self.nD = 2 * self.nM - len(self.dofs)
        # a body is moved by its ancestors' dofs and shares what moves it with those below
        own = [body.dofnum for body in draft.bodies]
        below, parents = own.copy(), [body.parentid for body in draft.bodies]
        for number in range(len(own) - 1, 0, -1):
            below[parents[number]] += below[number]
        self.nB = sum([depth[last] for last in last_dof if last >= 0]) + sum(below) - sum(own)


def same_frame(pos: Sequence[float], quat: Sequence[float], body: Any) -> int:
    """How a pose relates to the frame of its body (and to the inertial frame of `body`, if given)."""
    if quat == IDENTITY or _same_turn(quat, IDENTITY):
        return SAME_BODY if _same(pos, (0.0, 0.0, 0.0)) else SAME_BODYROT
    if body is not None and _same_turn(quat, body.iquat):
        return SAME_INERTIA if _same(pos, body.ipos) else SAME_INERTIAROT
    return SAME_NONE


def _same(a: Sequence[float], b: Sequence[float]) -> bool:
    """True if three or four numbers agree within `EPSILON`."""
    return a == b or (
        abs(a[0] - b[0]) < EPSILON
        and abs(a[1] - b[1]) < EPSILON
        and abs(a[2] - b[2]) < EPSILON
        and (len(a) == 3 or abs(a[3] - b[3]) < EPSILON)
    )


def _same_turn(a: Sequence[float], b: Sequence[float]) -> bool:
    """True if two quaternions are the same rotation, whatever their sign."""
    return _same(a, b) or _same(a, (-b[0], -b[1], -b[2], -b[3]))


def _simple_alone(draft: Draft, body: Any) -> int:
    """1 if the body alone has a constant diagonal inertia, `ONLY_SLIDES` if it also only slides; 0 otherwise.

    It is 0, too, for a body that asks to be stored as the others are: a program may move its inertia later.
    """
    if not body.simple:
        return 0
    parent = draft.bodies[body.parentid]
    # what it is attached to must be the world, or a body without joints in the world
    if body.sameframe != SAME_BODY or (parent.id and (parent.parentid or parent.joints)):
        return 0
    turned = False
    for joint in body.joints:
        if joint.type == FREE:
            continue
        # a joint behind one that turns, off the center or along no axis of the body
        if turned or any(joint.pos) or (joint.type != BALL and sum([abs(x) > EPSILON for x in joint.axis]) > 1):
            return 0
        turned = joint.type != SLIDE
    types = {joint.type for joint in body.joints}
    return ONLY_SLIDES if types == {SLIDE} else 1


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
