"""Sizes and arrays of the flexes of a model."""

from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.lang.layout import Buffer
from conjoint.schema.enums import mjtEq

COPIED = (
    "contype", "conaffinity", "condim", "priority", "solmix", "solref", "solimp", "friction", "margin", "gap",
    "internal", "selfcollide", "activelayers", "dim", "matid", "group", "interp", "radius", "damping",
    "edgestiffness", "edgedamping", "rigid", "centered", "flatskin", "rgba",
)  # fmt: skip
"""Fields of a flex that its element holds."""


def flex_sizes(draft: Draft) -> dict[str, int]:
    """Sizes of what flexes are made of."""
    flexes = draft.flexes
    return {
        "nflexnode": sum(len(flex.nodeids) for flex in flexes),
        "nflexvert": sum(flex.nvert for flex in flexes),
        "nflexedge": sum(len(flex.edges) for flex in flexes),
        "nflexelem": sum(len(flex.elements) for flex in flexes),
        "nflexelemdata": sum(flex.elements.size for flex in flexes),
        "nflexelemedge": sum(flex.element_edges.size for flex in flexes),
        "nflexshelldata": sum(flex.surface.shell.size for flex in flexes),
        "nflexevpair": sum(len(flex.surface.pairs) for flex in flexes),
        "nflextexcoord": sum(len(flex.coordinates) for flex in flexes),
    }


def fill_flexes(draft: Draft, buffer: Buffer) -> None:
    """Write the flexes."""
    flexes = draft.flexes
    if not flexes:
        return
    for name in COPIED:
        buffer.view("flex_" + name)[...] = [flex.__dict__[name] for flex in flexes]
    welded = np.array([body.weldid for body in draft.bodies])
    for name, lists in _lists(flexes, welded).items():
        view = buffer.view(name)
        view[...] = np.concatenate([np.asarray(values).reshape(-1, *view.shape[1:]) for values in lists])
    for name, (adr, num, lists) in _runs(flexes).items():
        counts = [len(values) for values in lists]
        starts = np.cumsum([0, *counts[:-1]])
        # what has nothing has no address, where others have
        missing = name in ("shelldata", "evpair", "texcoord")
        buffer.view(adr)[:] = np.where(np.array(counts) == 0, -1, starts) if missing else starts
        if num:
            buffer.view(num)[:] = counts
    buffer.view("flex_shellnum")[:] = [len(flex.surface.shell) for flex in flexes]
    constrained = {equality.name1 for equality in draft.equalities if equality.type == mjtEq.mjEQ_FLEX}
    buffer.view("flex_edgeequality")[:] = [flex.name in constrained for flex in flexes]


def _lists(flexes: list[Any], welded: np.ndarray) -> dict[str, list[Any]]:
    """Fields that hold the numbers of one flex after the other; `welded` is what each body is fixed to."""
    return {
        "flex_nodebodyid": [flex.nodeids for flex in flexes],
        "flex_vertbodyid": [flex.bodyids for flex in flexes],
        "flex_edge": [flex.edges for flex in flexes],
        "flex_edgeflap": [flex.edgeflap for flex in flexes],
        "flex_elem": [flex.elements for flex in flexes],
        "flex_elemtexcoord": [_ids(flex) for flex in flexes],
        "flex_elemedge": [flex.element_edges for flex in flexes],
        "flex_elemlayer": [flex.surface.layers for flex in flexes],
        "flex_shell": [flex.surface.shell for flex in flexes],
        "flex_evpair": [flex.surface.pairs for flex in flexes],
        "flex_vert": [flex.local for flex in flexes],
        "flex_vert0": [flex.vert0 for flex in flexes],
        "flex_node": [flex.node_local for flex in flexes],
        "flex_node0": [flex.nodes for flex in flexes],
        "flex_stiffness": [flex.stiffness for flex in flexes],
        "flex_bending": [flex.bending for flex in flexes],
        "flex_texcoord": [flex.coordinates for flex in flexes],
        "flexedge_rigid": [_rigid_edges(flex, welded) for flex in flexes],
    }


def _runs(flexes: list[Any]) -> dict[str, tuple[str, str, list[Any]]]:
    """Fields with the address and the number of what each flex has."""
    return {
        "node": ("flex_nodeadr", "flex_nodenum", [flex.nodeids for flex in flexes]),
        "vert": ("flex_vertadr", "flex_vertnum", [flex.local for flex in flexes]),
        "edge": ("flex_edgeadr", "flex_edgenum", [flex.edges for flex in flexes]),
        "elem": ("flex_elemadr", "flex_elemnum", [flex.elements for flex in flexes]),
        "elemdata": ("flex_elemdataadr", "", [flex.elements.ravel() for flex in flexes]),
        "elemedge": ("flex_elemedgeadr", "", [flex.element_edges.ravel() for flex in flexes]),
        "shelldata": ("flex_shelldataadr", "", [flex.surface.shell.ravel() for flex in flexes]),
        "evpair": ("flex_evpairadr", "flex_evpairnum", [flex.surface.pairs for flex in flexes]),
        "texcoord": ("flex_texcoordadr", "", [flex.coordinates for flex in flexes]),
    }


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
