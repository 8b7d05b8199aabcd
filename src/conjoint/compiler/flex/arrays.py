"""Sizes and arrays of the flexes of a model."""

from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.enums import mjtEq
from conjoint.schema.mjcf.deformable import EDGE_EQUALITIES

COPIED = (
    "contype", "conaffinity", "condim", "priority", "solmix", "solref", "solimp", "friction", "margin", "gap",
    "internal", "selfcollide", "activelayers", "dim", "matid", "group", "interp", "radius", "damping",
    "edgestiffness", "edgedamping", "rigid", "centered", "flatskin", "rgba",
)  # fmt: skip
"""Fields of a flex that its element holds."""


NUMBERED = ("node", "vert", "edge", "elem", "evpair")
"""Parts of a flex whose number is a field."""


def flex_sizes(draft: Draft) -> dict[str, int]:
    """Sizes of what flexes are made of."""
    parts = [_parts(flex) for flex in draft.flexes]
    return {"nflex" + name: sum(len(part[name]) for part in parts) for name in parts[0]}


def fill_flexes(draft: Draft, buffer: Buffer) -> None:
    """Write the flexes."""
    flexes = draft.flexes
    if not flexes:
        return
    for name in COPIED:
        buffer.view("flex_" + name)[...] = [flex.__dict__[name] for flex in flexes]
    welded = np.array([body.weldid for body in draft.bodies])
    lists = [_lists(flex, welded) for flex in flexes]
    for name in lists[0]:
        view = buffer.view(name)
        view[...] = np.concatenate([np.asarray(values[name]).reshape(-1, *view.shape[1:]) for values in lists])
    parts = [_parts(flex) for flex in flexes]
    for name in parts[0]:
        counts = [len(part[name]) for part in parts]
        starts = np.cumsum([0, *counts[:-1]])
        # what has nothing has no address, where others have
        missing = name in ("shelldata", "evpair", "texcoord")
        buffer.view(f"flex_{name}adr")[:] = np.where(np.array(counts) == 0, -1, starts) if missing else starts
        if name in NUMBERED:
            buffer.view(f"flex_{name}num")[:] = counts
    buffer.view("flex_shellnum")[:] = [len(flex.surface.shell) for flex in flexes]
    numbers = {mjtEq.mjEQ_FLEX: 1, mjtEq.mjEQ_FLEXSTRAIN: EDGE_EQUALITIES["strain"]}
    constrained = {equality.name1: numbers.get(mjtEq(equality.type), 0) for equality in draft.equalities}
    buffer.view("flex_edgeequality")[:] = [constrained.get(flex.name, 0) for flex in flexes]


def _lists(flex: Any, welded: np.ndarray) -> dict[str, Any]:
    """What a flex adds to fields that hold one flex after the other; `welded` is what each body is fixed to."""
    return {
        "flex_nodebodyid": flex.nodeids, "flex_vertbodyid": flex.bodyids, "flex_edge": flex.edges,
        "flex_edgeflap": flex.edgeflap, "flex_elem": flex.elements, "flex_elemtexcoord": _ids(flex),
        "flex_elemedge": flex.element_edges, "flex_elemlayer": flex.surface.layers, "flex_shell": flex.surface.shell,
        "flex_evpair": flex.surface.pairs, "flex_vert": flex.local, "flex_vert0": flex.vert0,
        "flex_node": flex.node_local, "flex_node0": flex.nodes, "flex_stiffness": flex.stiffness,
        "flexnode_strain": flex.strain, "flex_bending": flex.bending, "flex_texcoord": flex.coordinates,
        "flexedge_rigid": _rigid_edges(flex, welded),
    }  # fmt: skip


def _parts(flex: Any) -> dict[str, Any]:
    """What models count of flexes, and where it starts for each, by the word in sizes and fields."""
    return {
        "node": flex.nodeids, "vert": flex.local, "edge": flex.edges, "elem": flex.elements,
        "elemdata": flex.elements.ravel(), "elemedge": flex.element_edges.ravel(),
        "shelldata": flex.surface.shell.ravel(), "evpair": flex.surface.pairs, "texcoord": flex.coordinates,
    }  # fmt: skip


def _ids(flex: Any) -> np.ndarray:
    """Texture coordinates of the vertices of elements; the vertices themselves where there are no coordinates."""
    ids = np.zeros(flex.elements.size, int)
    count = min(len(ids), len(flex.coordinate_ids))
    ids[:count] = flex.coordinate_ids[:count]
    return ids


def _rigid_edges(flex: Any, welded: np.ndarray) -> np.ndarray:
    """True for edges between vertices that cannot move against each other."""
    if flex.interp:
        return np.zeros(len(flex.edges), bool)
    first, second = welded[np.asarray(flex.bodyids)[flex.edges]].T
    return np.asarray(first == second)
