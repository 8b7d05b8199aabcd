"""Checks of the ids, addresses and type numbers in a binary model."""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from hashlib import blake2b

import numpy as np

from conjoint.api.objects.agreement import count_of, disagreements, owners_of, report
from conjoint.lang.memory.layout import INTEGERS, Buffer, Field
from conjoint.schema.data import HEAD
from conjoint.schema.enums import mjtEq, mjtGeom, mjtJoint, mjtObj, mjtSensor, mjtTrn, mjtWrap
from conjoint.schema.kinds import KINDS, NQ, NV, OBJECTS
from conjoint.schema.mjcf.sensor import ATTACHED_TO, FRAMES, SENSOR_DIMENSIONS
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.newer_names import built
from conjoint.schema.references import (
    ALWAYS,
    BY_DIMENSION,
    COVERED,
    ENUMS,
    NONE_IF_EMPTY,
    OBJECT_IDS,
    OR_NONE,
    PARTS,
    RANGES,
    SPANS,
    TREES,
    TYPED,
    Part,
)

OF_ACTUATORS = [int(mjtSensor["mjSENS_ACTUATOR" + word]) for word in ("POS", "VEL", "FRC")]
"""Types of sensors that return one number per actuator output."""

_PREFIXES = {"eq_type": mjtEq, "wrap_type": mjtWrap, "geom_type": mjtGeom, "actuator_trntype": mjtTrn}
MOST_INT = 2**31 - 1

ROWS = {field.name: str(field.shape[0]) for field in MODEL_FIELDS if field.name in COVERED}
"""Name of the size that counts the rows of each checked field. In most models, most fields are empty."""


_RIGHT: dict[bytes, None] = {}
"""Digests of recently accepted models. They save time because programs load the same models repeatedly."""
_MOST_KEPT = 256


def first_wrong_id(model: Buffer) -> str:
    """Return a message about the first id, address or type number that is out of range, or "" if there is none."""
    digest = blake2b(repr(list(model.layout.sizes.values())).encode(), digest_size=32)
    for start, end, _ in model.layout.spans(_may_be_wrong):
        digest.update(model.bytes.data[start:end])
    known = digest.digest()
    if known in _RIGHT:
        return ""
    wrong = next(_wrong(model), "")
    if not wrong:
        if len(_RIGHT) >= _MOST_KEPT:
            _RIGHT.clear()
        _RIGHT[known] = None
    return wrong


def _may_be_wrong(field: Field) -> bool:
    """Return True if `_wrong` may read a field. It reads neither real numbers nor pixels."""
    return field.name == "wrap_prm" or (field.kind in INTEGERS and field.kind != "float" and field.name != "tex_data")


def _wrong(model: Buffer) -> Iterator[str]:
    """Yield a message for each error in a model."""
    sizes = model.layout.sizes
    for least, table in ((0, ALWAYS), (-1, OR_NONE)):
        for size, names in table.items():
            for name in (one for one in names.split() if sizes[ROWS[one]]):
                # empty lists have an address, too
                empty = name.endswith("adr") and not sizes[size]
                yield from _outside(name, model.view(name), least, max(sizes[size], int(empty)))
    for name, kinds in ENUMS.items():
        if sizes[ROWS[name]] and not _kinds_there(model, name) <= _known(kinds):
            view = model.view(name)
            yield from report(name, ~np.isin(view, built(kinds)), view, "no such kind")
    for name, (least, most) in RANGES.items():
        if sizes[ROWS[name]]:
            yield from _outside(name, model.view(name), least, MOST_INT if most is None else most + 1)
    for address, count, size in SPANS:
        if sizes[ROWS[address]]:
            yield from _span(model, address, count, sizes[size])
    for part in PARTS:
        # an index that belongs to none of these parts may belong to a part of a different type
        if sizes[ROWS[part.field]] and sizes[ROWS[part.address]]:
            yield from _part(model, part)
    for name, addresses in TREES.items():
        yield from _children(model, name, addresses)
    for name, column, least, field, by_kind in TYPED:
        there = _kinds_there(model, field) if sizes[ROWS[field]] else set()
        for word, size in by_kind.items() if there else ():
            member = int(next(one for one in _PREFIXES[field] if one.name.endswith("_" + word)))
            if member in there:
                limit = sizes[size] if size else _constrained(model)
                yield from _typed(model, name, field, member, limit, least, column)
    for name, field in OBJECT_IDS:
        there = _kinds_there(model, field) if sizes[ROWS[field]] else set()
        for kind, size in {**OBJECTS, mjtObj.mjOBJ_UNKNOWN: ""}.items():
            if int(kind) in there:
                yield from _typed(model, name, field, int(kind), sizes[size] if size else 0)
    yield from _tree(model)
    yield from disagreements(model)
    yield from _sensors(model)
    yield from _histories(model)
    yield from _rests(model)
    yield from _shapes(model)
    for mesh in np.flatnonzero(model.view("mesh_graphadr") >= 0).tolist():
        yield from _graph(model, mesh)
    yield from _texts(model)


def _kinds_there(model: Buffer, field: str) -> set[int]:
    """Return the type numbers that occur in a field."""
    return set(model.view(field).ravel().tolist())


@cache
def _known(kinds: type[IntEnum]) -> frozenset[int]:
    """Return the members of an enumeration that may occur in a model."""
    return frozenset(built(kinds))


def _outside(name: str, view: np.ndarray, least: int, size: int) -> Iterator[str]:
    """Yield a message if a value of a field is below `least`, or not below `size`."""
    if view.size and (view.min() < least or view.max() >= size):
        yield from report(name, (view < least) | (view >= size), view, f"expected {least} to {size - 1}")


def _span(model: Buffer, address: str, count: str, size: int) -> Iterator[str]:
    """Yield messages about address ranges that are not within a list of `size` rows."""
    start, length = model.view(address).astype(np.int64), count_of(model, count)
    # kernels treat all nonnegative addresses as valid
    most = -1 if address in NONE_IF_EMPTY else size
    bad = (length < 0) | np.where(length > 0, (start < 0) | (start + length > size), (start < -1) | (start > most))
    for word in count.split("*"):
        if word not in BY_DIMENSION:
            bad |= model.view(word) < 0
    yield from report(address, bad, start, f"not inside {size}, or {count} is wrong")
    if length.sum() > size:
        yield f"{address}: {count} add up to {length.sum()}, there are {size}"


def _part(model: Buffer, part: Part) -> Iterator[str]:
    """Yield a message if a field contains an index that is outside the element's part of another list."""
    view = model.view(part.field) if part.column is None else model.view(part.field)[:, part.column]
    owners = owners_of(model, part.address, part.count, len(view))
    if part.below in model.layout.sizes:
        limits = np.full(len(model.view(part.address)), model.layout.sizes[part.below])
    else:
        limits = model.view(part.below)
        if part.owner is not None:
            limits = limits[owners_of(model, *part.owner, len(model.view(part.address)))]
    known = owners >= 0
    limit = np.maximum(limits[owners] if len(limits) else np.zeros(len(view), int), 1)
    limit, known = (each.reshape(-1, *[1] * (view.ndim - 1)) for each in (limit, known))
    yield from report(part.field, known & ((view < part.least) | (view >= limit)), view, f"not below {part.below}")


def _children(model: Buffer, name: str, addresses: tuple[str, ...]) -> Iterator[str]:
    """Yield messages about invalid bounding volume trees: children must follow parents, leaves must contain elements.

    A model may have unused nodes, which belonged to bodies that were fused with other bodies.
    """
    view = model.view(name)
    if not view.size:
        return
    own, covered = np.zeros(len(view), int), np.zeros(len(view), bool)
    for address in (one for one in addresses if model.view(one).size):
        count = address.removesuffix("adr") + "num"
        owners = owners_of(model, address, count, len(view))
        known = owners >= 0
        covered |= known
        own[known] = (np.arange(len(view)) - model.view(address)[owners])[known] if known.any() else 0
    inner = np.asarray((view >= 0).any(axis=1))
    bad = (covered & inner)[:, None] & (view <= own[:, None])
    yield from report(name, bad, view, "children must come after their parents")
    if name == "bvh_child":
        content = model.view("bvh_nodeid")
        yield from report("bvh_nodeid", covered & ~inner & (content < 0), content, "a leaf must refer to an object")


def _sensors(model: Buffer) -> Iterator[str]:
    """Yield messages about sensors whose objects or dimensions do not match their types."""
    kinds, dims = model.view("sensor_type"), model.view("sensor_dim")
    if not kinds.size:
        return
    outputs, there = model.view("actuator_outnum"), _kinds_there(model, "sensor_type")
    for kind, dim in SENSOR_DIMENSIONS.items():
        if kind not in there:
            continue
        if kind in OF_ACTUATORS:
            ids = np.clip(model.view("sensor_objid"), 0, max(len(outputs) - 1, 0))
            dim = outputs[ids] if len(outputs) else dim
        yield from report("sensor_dim", (kinds == kind) & (dims != dim), dims, f"sensors of this type have {dim}")
    for kind, attached in ATTACHED_TO.items():
        for prefix, words in zip(("obj", "ref"), attached if kind in there else (), strict=False):
            types, ids = (model.view(f"sensor_{prefix}{what}") for what in ("type", "id"))
            allowed = [OBJECT_TYPES[word] for word in words]
            free = (types == 0) if prefix == "ref" and words == FRAMES else np.zeros(len(types), bool)
            other = (types[:, None] != allowed).all(axis=1)
            wrong = (kinds == kind) & ~free & (other | ((ids < 0) & (prefix == "obj")))
            yield from report(f"sensor_{prefix}id", wrong, ids, f"it must be one of {', '.join(words)}")
    tactile = kinds == int(mjtSensor.mjSENS_TACTILE)
    for i in np.flatnonzero(tactile).tolist():
        mesh, geom = int(model.view("sensor_objid")[i]), int(model.view("sensor_refid")[i])
        if mesh < 0 or geom < 0 or dims[i] != 3 * model.view("mesh_vertnum")[mesh]:
            yield f"sensor_dim[{i}] is {dims[i]}: a tactile sensor has three for each vertex of its mesh"


def _histories(model: Buffer) -> Iterator[str]:
    """Yield messages about histories without samples, or whose samples do not fit into `d.history`."""
    for kind, size in (("actuator", "actuator_ctrlnum"), ("sensor", "sensor_dim")):
        first, samples = model.view(f"{kind}_historyadr").astype(np.int64), model.view(f"{kind}_history")[:, 0]
        end = first + HEAD + samples.astype(np.int64) * (1 + model.view(size))
        wrong = (first >= 0) & ((samples <= 0) | (end > model.layout.sizes["nhistory"]))
        yield from report(f"{kind}_history", wrong, samples, "there is not enough space for so many samples")


def _rests(model: Buffer) -> Iterator[str]:
    """Yield messages about springs whose plastic rest positions do not fit into the state."""
    balls = model.view("jnt_type") == int(mjtJoint.mjJNT_BALL)
    for kind, count in (("jnt", np.where(balls, 4, 1)), ("tendon", 2)):
        first = model.view(f"{kind}_plasticadr").astype(np.int64)
        wrong = (first >= 0) & (first + count > model.layout.sizes["nplastic"])
        yield from report(f"{kind}_plasticadr", wrong, first, "there is not enough space")


def _shapes(model: Buffer) -> Iterator[str]:
    """Yield messages about wrong assets of geoms, wrong node counts of flexes, and wrong side sites of tendons."""
    meshes, kinds = model.view("geom_dataid"), model.view("geom_type")
    shaped = (kinds == int(mjtGeom.mjGEOM_SDF)) & (model.view("geom_plugin") < 0)
    if shaped.any():
        without = model.view("mesh_octnum")[np.where(shaped, meshes, 0)] <= 0
        yield from report("geom_type", shaped & without, kinds, "its mesh has no signed distances")
    orders, nodes = model.view("flex_interp"), model.view("flex_nodenum")
    yield from report("flex_nodenum", (orders > 0) & (nodes != (orders + 1) ** 3), nodes, "wrong for this flex_interp")
    owners = owners_of(model, "flex_vertadr", "flex_vertnum", len(model.view("flex_vertbodyid")))
    if len(orders):
        bodies = model.view("flex_vertbodyid")
        lost = (bodies < 0) & (owners >= 0) & (orders[owners] == 0)
        yield from report("flex_vertbodyid", lost, bodies, "a vertex of a flex without nodes has a body")
        texcoord, first = model.view("flex_elemtexcoord"), model.view("flex_texcoordadr")
        owners = owners_of(model, "flex_elemdataadr", "flex_elemnum*corners", len(texcoord))
        room = np.where(first < 0, MOST_INT, model.layout.sizes["nflextexcoord"] - first)[owners]
        yield from report(
            "flex_elemtexcoord", (texcoord < -1) | (texcoord >= room), texcoord, "not inside nflextexcoord"
        )
    sides, wraps = model.view("wrap_prm"), model.view("wrap_type")
    around = (wraps == int(mjtWrap.mjWRAP_SPHERE)) | (wraps == int(mjtWrap.mjWRAP_CYLINDER))
    inside = (sides >= -1) & (sides < model.layout.sizes["nsite"])
    yield from report("wrap_prm", around & ~inside, sides, "there is no such site")


def _graph(model: Buffer, mesh: int) -> Iterator[str]:
    """Yield messages about an invalid hull graph: counts, starts of neighbor lists, vertices, neighbors, faces."""
    at, vertices = int(model.view("mesh_graphadr")[mesh]), int(model.view("mesh_vertnum")[mesh])
    graph = model.view("mesh_graph")[at:].astype(np.int64)
    count, faces = (int(number) for number in graph[:2]) if len(graph) > 1 else (0, 0)
    edges = count + 3 * faces
    if count < 1 or faces < 0 or 2 + 2 * count + edges + 3 * faces > len(graph):
        yield f"mesh_graphadr[{mesh}] is {at}: there is no graph of a hull"
        return
    lists = np.split(graph[: 2 + 2 * count + edges + 3 * faces], np.cumsum((2, count, count, edges)))[1:]
    for part, least, limit in zip(lists, (0, 0, -1, 0), (edges, vertices, count, vertices), strict=True):
        yield from _outside("mesh_graph", part, least, limit)
    if edges and lists[2][-1] >= 0:
        yield f"mesh_graph of mesh {mesh}: the last list of neighbors has no end"


def _texts(model: Buffer) -> Iterator[str]:
    """Yield messages about names and paths that do not end with a zero byte or are not UTF-8."""
    for name in ("names", "paths"):
        text = model.view(name).tobytes()
        if text and text[-1]:
            yield f"{name} do not end with a zero"
        try:
            text.decode()
        except UnicodeDecodeError as error:
            yield f"{name}[{error.start}] is {text[error.start]}: not UTF-8"
    inside = (model.view("names") & 0xC0) == 0x80
    for kind in KINDS if inside.any() else ():
        addresses = model.view(kind.names)
        yield from report(kind.names, inside[addresses], addresses, "inside a UTF-8 character")


def _typed(
    model: Buffer,
    name: str,
    field: str,
    kind: int,
    size: int | np.ndarray,
    least: int = -1,
    column: int | None = None,
) -> Iterator[str]:
    """Yield a message if an id in field `name`, of an element whose `field` is `kind`, is out of range.

    The default `least`, -1, allows elements without an object. `column` selects one of several ids per element.
    """
    view, chosen = model.view(name), model.view(field) == kind
    view = view if column is None else view[:, column]
    if chosen.any():
        ids = view.reshape(len(chosen), -1)
        bad = (ids < least) | (ids >= np.broadcast_to(size, chosen.shape)[:, None])
        yield from report(name, bad & chosen[:, None], ids, "there is no such object")


def _constrained(model: Buffer) -> np.ndarray:
    """Return, for each equality, the number of sites or bodies in the model, depending on its object type."""
    sites = model.view("eq_objtype") == int(mjtObj.mjOBJ_SITE)
    return np.where(sites, model.layout.sizes["nsite"], model.layout.sizes["nbody"])


def _tree(model: Buffer) -> Iterator[str]:
    """Yield messages about parents that follow their children, and joint coordinates outside of qpos and qvel."""
    for name in ("body_parentid", "dof_parentid"):
        parents = model.view(name)
        own = np.arange(len(parents))
        yield from report(
            name, (parents >= own) & ((own > 0) | (name == "dof_parentid")), parents, "parents must come first"
        )
    kinds = model.view("jnt_type").tolist()
    for name, size, counts in (("jnt_qposadr", "nq", NQ), ("jnt_dofadr", "nv", NV)):
        start = model.view(name).astype(np.int64)
        # invalid types are already reported
        count = np.array([counts[kind] if 0 <= kind < len(counts) else 0 for kind in kinds], int)
        bad = (start < 0) | (start + count > model.layout.sizes[size])
        yield from report(name, bad, start, f"not inside {model.layout.sizes[size]}")
