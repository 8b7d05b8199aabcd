"""Sizes of a model, including the arena for data of variable size (`narena`; Modeling chapter, Memory allocation).

The arena of Conjoint's worlds grows on demand. `narena` is the size that MuJoCo would reserve: the size in the file, or
enough for 100 contacts, 500 constraint rows and an estimated stack.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from conjoint.compiler.actuator import JOINT, JOINTINPARENT
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.assets.fill import asset_sizes
from conjoint.compiler.draft import Draft
from conjoint.compiler.passes import declared
from conjoint.compiler.relations import most_rows
from conjoint.compiler.volumes import volume_sizes
from conjoint.lang.errors import ModelError
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.enums import mjtTrn
from conjoint.schema.kinds import KINDS, NV
from conjoint.schema.memory import model_layout
from conjoint.schema.sizes import SIZES
from conjoint.spec import Spec

NCON, NEFC = 100, 500
"""Default capacity for contacts and constraint rows."""
REAL, INT = 8, 4
CONTACT = 576
"""Size of `mjContact` in bytes."""
ROW = 14 * REAL + 8 * INT
"""Size of a constraint row in bytes, without its Jacobian and the matrix of dual solvers."""
UNIT = 1 << 20
"""Unit of the arena size in bytes. The size is rounded up to a multiple of it, unless the file sets the size."""
MOST = (1 << 63) - 1
MOST_BYTES = 1 << 34
"""Maximum size of a model in bytes."""


def arena_bytes(spec: Spec, sizes: Mapping[str, int]) -> int:
    """Return the size of the arena in bytes, for a model with these sizes."""
    if spec.memory >= 0:
        return min(spec.memory, MOST)
    written, nv = spec.size, sizes["nv"]
    ncon = NCON if written.nconmax < 0 else written.nconmax
    nefc = NEFC if written.njmax < 0 else written.njmax
    # the Jacobian and its transpose are sparse, and so is the matrix of dual solvers
    jacobian = 2 * (REAL + INT) * nefc * nv + 3 * INT * nv
    total = CONTACT * ncon + ROW * nefc + jacobian + (REAL + INT) * nefc**2
    total += REAL * (_stack(sizes, nefc) if written.nstack < 0 else written.nstack)
    return min(-(-total // UNIT) * UNIT, MOST)


def _stack(sizes: Mapping[str, int], nefc: int) -> int:
    """Return the estimated number of reals on the stack: matrices of constraints and dofs, and several vectors."""
    vectors = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "neq", "ntendon", "nwrap")
    return max(1000, 5 * (nefc + sizes["neq"] + sizes["nv"]) ** 2 + 20 * sum(sizes[name] for name in vectors))


flex = Name("conjoint.compiler.flex")

USER_LISTS = {kind.prefix: kind.plural for kind in KINDS if f"nuser_{kind.prefix}" in SIZES}
"""Element lists of the draft whose elements have user parameters, by the prefix of the field."""
COUNTED = [(kind.size, kind.plural) for kind in KINDS]
"""Sizes that count elements, each with the element list of the draft that it counts."""


@declared(
    reads=(
        "actuator: outnum trnid trntype; draft: na names nhistory nout nplastic nq nsensordata nu nv "
        "spare_volumes tree; flex: coordinates edges element_edges elements local nodeids surface; hfield: "
        "compiled path; mesh: compiled path; numeric: data; plugin: attr statenum; skin: compiled path; tendon: "
        "wraps; texture: compiled path; tuple: elements"
    ),
    writes="draft: sizes",
)
def count_sizes(draft: Draft) -> None:
    """Compute all sizes of the model."""
    tree, names = draft.tree, draft.names
    sizes = draft.sizes = dict.fromkeys(SIZES, 0)
    for size, elements in COUNTED:
        sizes[size] = len(draft.__dict__[elements])
    written: Any = draft.spec.size
    if written.nuserdata < 0:
        draft.problems.add(f"nuserdata is {written.nuserdata}, but cannot be negative")
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
        sizes.update(value_of(flex).flex_sizes(draft))
    sizes.update(volume_sizes(draft))
    for prefix, elements in USER_LISTS.items():
        sizes["nuser_" + prefix] = _users(draft, prefix, getattr(draft, elements))
    sizes["narena"] = arena_bytes(draft.spec, sizes)


@declared(
    reads="draft: sizes",
    writes="draft: arrays model",
)
def lay_out(draft: Draft) -> None:
    """Allocate the model with the sizes of the draft.

    Raises:
        ModelError: the model is larger than `MOST_BYTES`.
    """
    layout = model_layout(draft.sizes)
    if layout.nbytes > MOST_BYTES:
        raise ModelError(f"the model needs {layout.nbytes >> 30} GiB, more than {MOST_BYTES >> 30}")
    draft.model = Buffer(layout)
    draft.arrays = Arrays(draft.model)


def _users(draft: Draft, prefix: str, elements: Sequence[Any]) -> int:
    """Return the number of user parameters of an element type: as written in <size>, or the maximum of its elements."""
    written = draft.spec.size.__dict__["nuser_" + prefix]
    most = max([len(element.userdata) for element in elements]) if elements else 0
    if 0 <= written < most:
        for element in elements:
            count = len(element.userdata)
            if count > written:
                draft.problems.about(element, f"{count} user parameters, but nuser_{prefix} is {written}", "user")
    return max(written, most)


def _moments(draft: Draft) -> int:
    """Return the maximum number of nonzeros in the moment arms of actuators."""
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
