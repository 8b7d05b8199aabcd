"""Sizes of a model."""

from collections.abc import Sequence
from typing import Any

from conjoint.compiler.actuator import JOINT, JOINTINPARENT
from conjoint.compiler.assets.fill import asset_sizes
from conjoint.compiler.draft import Draft
from conjoint.compiler.equality import most_rows
from conjoint.compiler.flex.arrays import flex_sizes
from conjoint.compiler.memory import arena_bytes
from conjoint.compiler.names import Names
from conjoint.compiler.tree import Tree
from conjoint.compiler.volumes import volume_sizes
from conjoint.schema.enums import mjtTrn
from conjoint.schema.joints import NV
from conjoint.schema.kinds import KINDS
from conjoint.schema.sizes import SIZES

USER_LISTS = {kind.prefix: kind.plural for kind in KINDS if f"nuser_{kind.prefix}" in SIZES}
"""Elements with user parameters: prefix of the field, and list of the draft."""
COUNTED = [(kind.size, kind.plural) for kind in KINDS]
"""Sizes that count elements, and the lists of the draft."""


def model_sizes(draft: Draft, tree: Tree, names: Names) -> dict[str, int]:
    """Value of every size."""
    sizes = dict.fromkeys(SIZES, 0)
    for size, elements in COUNTED:
        sizes[size] = len(draft.__dict__[elements])
    written: Any = draft.spec.size
    if written.nuserdata < 0:
        draft.problems.add(f"nuserdata is {written.nuserdata}, it must not be negative")
    sizes.update(
        nq=draft.nq, nv=draft.nv, na=draft.na, nsensordata=draft.nsensordata,
        nu=draft.nu, nout=draft.nout, nhistory=draft.nhistory, nplastic=draft.nplastic,
        nwrap=sum(len(tendon.wraps) for tendon in draft.tendons),
        nnumericdata=sum(len(numeric.data) for numeric in draft.numerics),
        ntextdata=sum(len(text.data.encode()) + 1 for text in draft.texts),
        ntupledata=sum(len(group.elements) for group in draft.tuples),
        nmocap=tree.nmocap, ntree=tree.ntree,
        nM=tree.nM, nB=tree.nB, nC=tree.nC, nD=tree.nD, nJmom=_moments(draft),
        nemax=most_rows(draft), npluginattr=sum(len(plugin.attr) for plugin in draft.plugins),
        npluginstate=sum(plugin.statenum for plugin in draft.plugins),
        ngravcomp=sum(body.gravcomp > 0 for body in draft.bodies),
        njmax=written.njmax, nconmax=written.nconmax, nuserdata=written.nuserdata,
        nnames=len(names.text), nnames_map=len(names.table),
    )  # fmt: skip
    sizes.update(asset_sizes(draft))
    if draft.flexes:
        sizes.update(flex_sizes(draft))
    sizes.update(volume_sizes(draft))
    for prefix, elements in USER_LISTS.items():
        sizes["nuser_" + prefix] = _users(draft, prefix, getattr(draft, elements))
    sizes["narena"] = arena_bytes(draft.spec, sizes)
    return sizes


def _users(draft: Draft, prefix: str, elements: Sequence[Any]) -> int:
    """Number of user parameters of an element: as written in size, or as many as any element has."""
    written = draft.spec.size.__dict__["nuser_" + prefix]
    most = max([len(element.userdata) for element in elements]) if elements else 0
    if 0 <= written < most:
        for element in elements:
            count = len(element.userdata)
            if count > written:
                draft.problems.about(element, f"{count} user parameters, but nuser_{prefix} is {written}", "user")
    return max(written, most)


def _moments(draft: Draft) -> int:
    """Nonzeros of the actuator moment arms, at most."""
    count = 0
    for actuator in draft.actuators:
        target = actuator.trnid[0]
        if actuator.trntype in (JOINT, JOINTINPARENT):
            count += NV[draft.joints[target].type]
        elif actuator.trntype == mjtTrn.mjTRN_SO3:
            count += actuator.outnum * (1 if actuator.trnid[1] < 0 else draft.nv)
        else:
            count += draft.nv
    return count
