"""Whether the ids, addresses and kinds in a binary model stay inside the model."""

from collections.abc import Iterator

import numpy as np

from conjoint.lang.layout import Buffer
from conjoint.schema.enums import mjtEq, mjtGeom, mjtObj, mjtTrn, mjtWrap
from conjoint.schema.joints import NQ, NV
from conjoint.schema.kinds import OBJECTS
from conjoint.schema.references import ALWAYS, ENUMS, OBJECT_IDS, OR_NONE, SPANS, TYPED

_PREFIXES = {"eq_type": mjtEq, "wrap_type": mjtWrap, "geom_type": mjtGeom, "actuator_trntype": mjtTrn}


def first_wrong_id(model: Buffer) -> str:
    """What is wrong with the first id, address or kind that points outside; "" if none does."""
    return next(_wrong(model), "")


def _wrong(model: Buffer) -> Iterator[str]:
    """Everything that is wrong."""
    sizes = model.layout.sizes
    for least, table in ((0, ALWAYS), (-1, OR_NONE)):
        for size, names in table.items():
            for name in names.split():
                # an empty list has an address, too
                empty = name.endswith("adr") and not sizes[size]
                yield from _outside(name, model.view(name), least, max(sizes[size], int(empty)))
    for name, kinds in ENUMS.items():
        view = model.view(name)
        yield from _report(name, ~np.isin(view, [int(kind) for kind in kinds]), view, "no such kind")
    for address, count, size in SPANS:
        yield from _span(model, address, count, sizes[size])
    for name, field, by_kind in TYPED:
        for word, size in by_kind.items():
            member = next(one for one in _PREFIXES[field] if one.name.endswith("_" + word))
            yield from _typed(model, name, field, int(member), sizes[size] if size else _constrained(model))
    for name, field in OBJECT_IDS:
        for kind, size in OBJECTS.items():
            yield from _typed(model, name, field, kind, sizes[size])
        yield from _typed(model, name, field, int(mjtObj.mjOBJ_UNKNOWN), 0)
    yield from _tree(model)
    for name in ("names", "paths"):
        text = model.view(name)
        if len(text) and text[-1]:
            yield f"{name} do not end with a zero"


def _report(name: str, bad: np.ndarray, view: np.ndarray, expected: str) -> Iterator[str]:
    """The first of the bad values of a field."""
    if bad.any():
        place = np.argwhere(bad)[0]
        where = ", ".join(str(i) for i in place)
        yield f"{name}[{where}] is {view[tuple(place)]}: {expected}"


def _outside(name: str, view: np.ndarray, least: int, size: int | np.ndarray) -> Iterator[str]:
    """Values below `least`, or not below `size`."""
    expected = f"expected {least} to {np.max(size, initial=0) - 1}"
    yield from _report(name, (view < least) | (view >= np.asarray(size)), view, expected)


def _span(model: Buffer, address: str, count: str, size: int) -> Iterator[str]:
    """Parts of a list that are not inside it."""
    start, length = (model.view(name).astype(np.int64) for name in (address, count))
    bad = (length < 0) | ((length > 0) & ((start < 0) | (start + length > size)))
    yield from _report(address, bad, start, f"not inside {size}, or {count} is wrong")


def _typed(model: Buffer, name: str, field: str, kind: int, size: int | np.ndarray) -> Iterator[str]:
    """Ids of one kind; -1 is none."""
    view, chosen = model.view(name), model.view(field) == kind
    if chosen.any():
        # of an actuator both ids are of the same kind
        ids = view.reshape(len(chosen), -1)
        bad = (ids < -1) | (ids >= np.broadcast_to(size, chosen.shape)[:, None])
        yield from _report(name, bad & chosen[:, None], ids, "there is no such object")


def _constrained(model: Buffer) -> np.ndarray:
    """Numbers of what connect and weld constraints may act on: bodies or sites."""
    sites = model.view("eq_objtype") == int(mjtObj.mjOBJ_SITE)
    return np.where(sites, model.layout.sizes["nsite"], model.layout.sizes["nbody"])


def _tree(model: Buffer) -> Iterator[str]:
    """Parents come first; coordinates of joints are inside qpos and qvel."""
    for name in ("body_parentid", "dof_parentid"):
        parents = model.view(name)
        own = np.arange(len(parents))
        yield from _report(
            name, (parents >= own) & ((own > 0) | (name == "dof_parentid")), parents, "parents come first"
        )
    kinds = model.view("jnt_type").tolist()
    for name, size, counts in (("jnt_qposadr", "nq", NQ), ("jnt_dofadr", "nv", NV)):
        start = model.view(name).astype(np.int64)
        # types that do not exist were reported
        count = np.array([counts[kind] if 0 <= kind < len(counts) else 0 for kind in kinds], int)
        bad = (start < 0) | (start + count > model.layout.sizes[size])
        yield from _report(name, bad, start, f"not inside {model.layout.sizes[size]}")
