"""Structure of the kinematic tree: roots, welds, dofs, trees, and the sparsity that follows from it."""

from collections.abc import Sequence
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.tendon import JOINT, PULLEY, SITE
from conjoint.schema.constants import ONLY_SLIDES
from conjoint.schema.enums import mjtTrn
from conjoint.schema.joints import BALL, FREE, HINGE, NV, SLIDE
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
        parent = draft.bodies[body.parentid]
        body.rootid = 0 if body.id == 0 else body.id if body.parentid == 0 else parent.rootid
        own = body.joints or (body.mocap and draft.has_rule("mocap"))
        body.weldid = 0 if body.id == 0 else body.id if own else parent.weldid
        body.mocapid = mocaps if body.mocap else -1
        body.dofadr = len(self.dofs)
        last = last_dof[body.parentid] if body.id else -1
        for joint in body.joints:
            for _ in range(NV[joint.type]):
                if last < 0:
                    self.dof_treeid.append(self.ntree)
                    self.ntree += 1
                else:
                    self.dof_treeid.append(self.dof_treeid[last])
                self.dof_parentid.append(last)
                last = len(self.dofs)
                self.dofs.append((body.id, joint.id))
        last_dof[body.id] = last
        body.dofnum = len(self.dofs) - body.dofadr
        body.treeid = self.dof_treeid[last] if last >= 0 else -1
        body.sameframe = same_frame(body.ipos, body.iquat, None)
        for element in (*body.geoms, *body.sites):
            element.sameframe = same_frame(element.pos, element.quat, body)
        return mocaps + bool(body.mocap)

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
        nv = len(self.dofs)
        self.dof_simplenum = [0] * nv
        for i in reversed(range(nv)):
            if draft.bodies[self.dofs[i][0]].simplicity:
                self.dof_simplenum[i] = 1 + (self.dof_simplenum[i + 1] if i + 1 < nv else 0)

    def _sparsity(self, draft: Draft, last_dof: list[int]) -> None:
        """Addresses in the inertia matrix, and numbers of its nonzeros."""
        depth: list[int] = []
        for parent in self.dof_parentid:
            depth.append(1 + (depth[parent] if parent >= 0 else 0))
        self.depth = depth
        self.dof_Madr = []
        self.nM = 0
        for count in depth:
            self.dof_Madr.append(self.nM)
            self.nM += count
        self.nC = sum(1 if simple else count for simple, count in zip(self.dof_simplenum, depth, strict=True))
        self.nD = 2 * self.nM - len(self.dofs)
        # a body is moved by its ancestors' dofs and shares what moves it with those below
        below = [body.dofnum for body in draft.bodies]
        for body in reversed(draft.bodies[1:]):
            below[body.parentid] += below[body.id]
        self.nB = 0
        for body in draft.bodies:
            last = last_dof[body.id]
            above = depth[last] if last >= 0 else 0
            self.nB += above + below[body.id] - body.dofnum


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
        components = sum(abs(x) > EPSILON for x in joint.axis)
        if joint.type in (SLIDE, HINGE) and components > 1:
            return 0
        if joint.type == SLIDE and turned:
            return 0
        if joint.type != FREE and any(joint.pos):
            return 0
        if joint.type in (BALL, HINGE):
            if turned:
                return 0
            turned = True
    only_slides = all(joint.type == SLIDE for joint in body.joints)
    if FREE in (joint.type for joint in body.joints):
        return 1
    return ONLY_SLIDES if body.joints and only_slides else 1
