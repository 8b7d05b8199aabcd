"""Fields that newer versions have, made from a model or a world when somebody reads them; they can only be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.api.objects.newer_flexes import flex_sizes
from conjoint.api.objects.struct import describe
from conjoint.lang.memory.layout import COMPONENTS, Field
from conjoint.runtime.sleep import body_states, dof_lengths, sleep_states
from conjoint.schema.enums import mjtWrap
from conjoint.schema.enums_newer import mjtSleepState, mjtTendon
from conjoint.schema.newer_fields import (
    AWAKE_SIZES,
    DATA_SIZES,
    IN_MEMORY_OF_MODELS,
    IN_MEMORY_OF_WORLDS,
    NEWER_DATA,
    NEWER_FLAGS,
    NEWER_MODEL,
    NEWER_SIZES,
    SHOWN_BY_MODELS,
)

TYPES = {
    "int": np.int32,
    "real": np.float64,
    "float": np.float32,
    "bool": np.bool_,
    "long": np.int64,
    "quat": np.float64,
}
"""Types of the elements, by kind."""

DIRECTIONS = np.array([(k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1) for k in range(27)], float)
"""Directions of `mesh_extrema`."""


def packed_rows(number: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The first elements of the rows of a matrix, one row after the other."""
    return columns[np.arange(columns.shape[1]) < number[:, np.newaxis]]


def _starts(number: np.ndarray) -> np.ndarray:
    """Where rows of these lengths begin."""
    return np.cumsum(number, dtype=np.int32) - number


# --- models ---


def _structure(m: Any, name: str) -> np.ndarray:
    return m.plans.current.view(name)


def _places(m: Any, matrix: str) -> dict[tuple[int, int], int]:
    """Addresses of the elements of M or D, by row and column."""
    rows = np.repeat(np.arange(m.nv), _structure(m, matrix + "_rownnz")).tolist()
    return {place: k for k, place in enumerate(zip(rows, _structure(m, matrix + "_colind").tolist(), strict=True))}


def _map_to_D(m: Any) -> list[int]:
    lower = _places(m, "M")
    return [lower.get((max(i, j), min(i, j)), -1) for i, j in _places(m, "D")]


def _map_to_M(m: Any) -> list[int]:
    both = _places(m, "D")
    return [both.get(place, -1) for place in _places(m, "M")]


def _chain(m: Any, body: int) -> set[int]:
    """Dofs that move a body."""
    found: set[int] = set()
    while body:
        found |= set(range(m.body_dofadr[body], m.body_dofadr[body] + m.body_dofnum[body]))
        body = int(m.body_parentid[body])
    return found


def _edge_dofs(m: Any) -> list[int]:
    """Dofs that move either end of the edges of flexes, edge by edge."""
    found: list[int] = []
    number = m.flexedge_J_rownnz
    for f in range(m.nflex):
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            bodies = m.flex_vertbodyid[m.flex_vertadr[f] + m.flex_edge[e]]
            dofs = sorted(_chain(m, int(bodies[0])) | _chain(m, int(bodies[1]))) if (bodies >= 0).all() else []
            found += dofs[: number[e]]
    return found


def _tendon_trees(m: Any) -> list[list[int]]:
    """Trees along the path of each tendon."""
    found: list[list[int]] = []
    for t in range(m.ntendon):
        trees: list[int] = []
        for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            kind, what = int(m.wrap_type[w]), int(m.wrap_objid[w])
            if kind == mjtWrap.mjWRAP_PULLEY:
                continue
            owners = {mjtWrap.mjWRAP_JOINT: m.jnt_bodyid, mjtWrap.mjWRAP_SITE: m.site_bodyid}
            tree = int(m.body_treeid[owners.get(mjtWrap(kind), m.geom_bodyid)[what]])
            trees += [tree] if tree >= 0 and tree not in trees else []
        found.append(trees)
    return found


def _tree_starts(m: Any, trees: np.ndarray) -> list[int]:
    """First element of each tree, by the trees of the elements."""
    return [int(np.argmax(trees == tree)) for tree in range(m.ntree)]


def _tree_counts(m: Any, trees: np.ndarray) -> np.ndarray:
    return np.bincount(trees[trees >= 0], minlength=m.ntree)


def _extrema(m: Any) -> np.ndarray:
    """Vertices of each mesh that are farthest in 27 directions."""
    found = np.zeros((m.nmesh, 27), np.int32)
    for mesh in range(m.nmesh):
        first = int(m.mesh_vertadr[mesh])
        vertices = m.mesh_vert[first : first + m.mesh_vertnum[mesh]].astype(float)
        found[mesh] = np.argmax(vertices @ DIRECTIONS.T, axis=0)
    return found


def _given(m: Any, matrix: np.ndarray, part: str) -> list[int]:
    """Where in `matrix` the parameters of each flex begin, which has a row for each of its parts; -1: all are zero."""
    starts, counts = (getattr(m, f"flex_{part}{what}").tolist() for what in ("adr", "num"))
    spans = [(first, first + count) for first, count in zip(starts, counts, strict=True)]
    return [first * matrix.shape[1] if matrix[first:end].any() else -1 for first, end in spans]


def _size_given(matrix: np.ndarray) -> int:
    return matrix.size if matrix.any() else 0


def _most_neighbours(m: Any) -> int:
    """Most neighbours of a vertex of a hull, by the graphs of hulls."""
    most = 0
    for first in m.mesh_graphadr[m.mesh_graphadr >= 0].tolist():
        vertices, faces = m.mesh_graph[first : first + 2].tolist()
        edges = m.mesh_graph[first + 2 + 2 * vertices : first + 2 + 3 * vertices + 3 * faces]
        ends = np.flatnonzero(edges == -1)
        most = max(most, int(np.diff(np.concatenate(([-1], ends))).max(initial=1)) - 1)
    return most


def content_types(m: Any) -> list[int]:
    """Where in `paths` the type of the file of each texture is: after its path, if nothing else starts there; -1."""
    starts = {int(start) for prefix in ("hfield", "mesh", "skin", "tex") for start in getattr(m, prefix + "_pathadr")}
    found = []
    for path, adr in zip(m.tex_pathadr.tolist(), m.tex_adr.tolist(), strict=True):
        after = m.paths.index(b"\0", path) + 1 if adr < 0 else -1
        found.append(after if 0 < after < m.npaths and after not in starts else -1)
    return found


OF_MODEL: dict[str, Callable[[Any], Any]] = {
    "flg_gravcomp": lambda m: m.ngravcomp > 0,
    "flg_adhesion": lambda m: bool(m.geom_adhesion.any() or m.pair_adhesion.any()),
    "flg_surfacevel": lambda m: bool(m.geom_surfacevel.any()),
    "nJten": lambda m: int(_structure(m, "ten_J_rownnz").sum()),
    "nJfe": lambda m: int(m.flexedge_J_rownnz.sum()),
    "nflexbending": lambda m: _size_given(m.flex_bending),
    "nflexstiffness": lambda m: _size_given(m.flex_stiffness),
    "nmeshdegmax": _most_neighbours,
    "npolygonmax": lambda m: int(m.mesh_polyvertnum.max(initial=0)),
    "tex_contenttypeadr": content_types,
    "mapM2D": _map_to_D,
    "mapD2M": _map_to_M,
    "ten_J_rownnz": lambda m: _structure(m, "ten_J_rownnz"),
    "ten_J_rowadr": lambda m: _starts(_structure(m, "ten_J_rownnz")),
    "ten_J_colind": lambda m: packed_rows(_structure(m, "ten_J_rownnz"), _structure(m, "ten_J_colind")),
    "flexedge_J_rownnz": lambda m: _structure(m, "flexedge_dofnum"),
    "flexedge_J_rowadr": lambda m: _starts(m.flexedge_J_rownnz),
    "flexedge_J_colind": _edge_dofs,
    "tendon_type": lambda m: np.where(
        m.wrap_type[m.tendon_adr] == mjtWrap.mjWRAP_JOINT, mjtTendon.mjTENDON_FIXED, mjtTendon.mjTENDON_SPATIAL
    ),
    "tendon_treenum": lambda m: [len(trees) for trees in _tendon_trees(m)],
    "tendon_treeid": lambda m: [[*trees, -1, -1][:2] for trees in _tendon_trees(m)],
    "cam_projection": lambda m: m.cam_orthographic,
    "tree_bodyadr": lambda m: _tree_starts(m, m.body_treeid),
    "tree_bodynum": lambda m: _tree_counts(m, m.body_treeid),
    "tree_dofadr": lambda m: _tree_starts(m, m.dof_treeid),
    "tree_dofnum": lambda m: _tree_counts(m, m.dof_treeid),
    "mesh_extrema": _extrema,
    "flex_bendingadr": lambda m: _given(m, m.flex_bending, "edge"),
    "flex_stiffnessadr": lambda m: _given(m, m.flex_stiffness, "elem"),
    "dof_length": dof_lengths,
    "flex_size": flex_sizes,
}
"""How fields follow from a model."""


# --- worlds ---


def _product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Products of quaternions, row by row."""
    w, x, y, z = first.T
    a, b, c, d = second.T
    return np.stack((
        w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a,
    ), axis=-1)  # fmt: skip


def _tree_islands(d: Any) -> np.ndarray:
    """Island of each tree: that of its first dof."""
    m = d.model
    if d.nisland == 0:
        return np.full(m.ntree, -1, np.int32)
    return np.array([d.dof_island[first] for first in m.tree_dofadr], np.int32)


def _tree_order(d: Any) -> np.ndarray:
    """Trees by island, those without one last."""
    islands = _tree_islands(d)
    return np.argsort(np.where(islands < 0, d.nisland, islands), kind="stable")


def _island_trees(d: Any) -> np.ndarray:
    islands = _tree_islands(d)
    return np.bincount(islands[islands >= 0], minlength=d.nisland).astype(np.int32)


def _tree_asleep(d: Any) -> np.ndarray:
    """Negative numbers of trees that are awake, the next tree of the cycle of those that sleep."""
    return sleep_states(d.world)


def _tree_awake(d: Any) -> np.ndarray:
    return _tree_asleep(d) < 0


def _body_awake(d: Any) -> np.ndarray:
    """What bodies are: static, asleep or awake; those that motion capture moves are awake."""
    return body_states(d.model, _tree_awake(d))


def _dofs_awake(d: Any) -> np.ndarray:
    return np.flatnonzero(_tree_awake(d)[d.model.dof_treeid])


def _bodies_awake(d: Any) -> np.ndarray:
    return np.flatnonzero(_body_awake(d) != mjtSleepState.mjS_ASLEEP)


def _parents_awake(d: Any) -> np.ndarray:
    """Bodies whose parent is awake or static; not the world."""
    parents = _body_awake(d)[d.model.body_parentid]
    return np.flatnonzero((parents != mjtSleepState.mjS_ASLEEP) & (np.arange(d.model.nbody) > 0))


def _filled(found: np.ndarray, count: int) -> np.ndarray:
    """Numbers that were found, in the first of `count` places; zeros behind them."""
    return np.concatenate((found, np.zeros(count - len(found), int)))


AWAKE = {
    "nbody_awake": lambda d: len(_bodies_awake(d)), "nparent_awake": lambda d: len(_parents_awake(d)),
    "ntree_awake": lambda d: int(_tree_awake(d).sum()), "nv_awake": lambda d: len(_dofs_awake(d)),
}  # fmt: skip
"""How numbers of what is awake follow from a world."""


OF_WORLD: dict[str, Callable[[Any], Any]] = {
    "xiquat": lambda d: _product(d.xquat, d.model.body_iquat),
    "geom_xquat": lambda d: _product(d.xquat[d.model.geom_bodyid], d.model.geom_quat),
    "site_xquat": lambda d: _product(d.xquat[d.model.site_bodyid], d.model.site_quat),
    "tree_asleep": _tree_asleep,
    "tree_awake": _tree_awake,
    "body_awake": _body_awake,
    "body_awake_ind": lambda d: _filled(_bodies_awake(d), d.model.nbody),
    "parent_awake_ind": lambda d: _filled(_parents_awake(d), d.model.nbody),
    "dof_awake_ind": lambda d: _filled(_dofs_awake(d), d.model.nv),
    "tree_island": _tree_islands,
    "island_ntree": _island_trees,
    "island_itreeadr": lambda d: _starts(_island_trees(d)),
    "map_itree2tree": _tree_order,
    "efc_diagA": lambda d: d.efc_diagApprox,
}
"""How fields follow from a world."""


# --- attributes ---


def _array(owner: Any, field: Field, made: Any) -> np.ndarray:
    """An array of the shape and type of a field, that can only be read."""
    shape = [size if isinstance(size, int) else getattr(owner, size) for size in field.shape]
    shape += [COMPONENTS[field.kind]] if COMPONENTS[field.kind] > 1 else []
    array: np.ndarray
    if made is None:
        array = np.full(shape, field.default, TYPES[field.kind])
    else:
        array = np.array(made, TYPES[field.kind]).reshape(shape)
    # a view, as those of memory are
    array = array.view()
    array.flags.writeable = False
    return array


class Sizes:
    """Sizes of a world and its model under one roof."""

    def __init__(self, d: Any):
        self.world = d

    def __getattr__(self, name: str) -> int:
        return getattr(self.world if name in WORLD_SIZES else self.world.model, name)


WORLD_FLAGS = ("flg_energypos", "flg_energyvel", "flg_rnepost", "flg_subtreevel")
"""Flags of a world in newer versions."""

WORLD_SIZES = frozenset({"nefc", "nisland", *DATA_SIZES, *AWAKE_SIZES})


def add_model_fields(cls: Any) -> None:
    """Give `MjModel` the fields."""
    for field in NEWER_SIZES:
        make = OF_MODEL.get(field.name, lambda m: 0)
        setattr(cls, field.name, property(make, doc=describe(field)))
    for name, meaning in NEWER_FLAGS.items():
        setattr(cls, name, _flag_member(name, meaning))
    cls._settable = cls._settable | {*NEWER_FLAGS}
    for name in SHOWN_BY_MODELS.split():
        setattr(cls, name, _structure_member(name))
    for field in NEWER_MODEL:
        setattr(cls, field.name, _model_member(field))
    names = {field.name for field in (*NEWER_SIZES, *NEWER_MODEL)}
    cls._newer = {*names, *NEWER_FLAGS, *SHOWN_BY_MODELS.split(), *IN_MEMORY_OF_MODELS.split()}


def _flag_member(name: str, meaning: str) -> property:
    """Attribute for a flag: what follows from the model, or what a program says."""
    make, told = OF_MODEL[name], f"_{name}"

    def read(m: Any) -> bool:
        return bool(m.__dict__.get(told, make(m)))

    def write(m: Any, value: Any) -> None:
        # steps look at the numbers themselves
        m.__dict__[told] = bool(value)

    return property(read, _count_gravcomp if name == "flg_gravcomp" else write, doc=meaning)


def _count_gravcomp(m: Any, value: Any) -> None:
    """Say whether gravity is compensated: steps look at the number of bodies for which it is."""
    count = max(1, int(np.count_nonzero(m.body_gravcomp))) if value else 0
    m.memory.view("ngravcomp")[...] = m.__dict__["ngravcomp"] = count


def _structure_member(name: str) -> property:
    def read(m: Any) -> np.ndarray:
        view = _structure(m, name).view()
        view.flags.writeable = False
        return view

    return property(read, doc=f"See `MjData.{name}`.")


def _model_member(field: Field) -> property:
    make = OF_MODEL.get(field.name)

    def read(m: Any) -> np.ndarray:
        return _array(m, field, None if make is None else make(m))

    return property(read, doc=describe(field))


def add_data_fields(cls: Any) -> None:
    """Give `MjData` the fields."""
    for name in DATA_SIZES:
        setattr(cls, name, property(lambda d: 0, doc="Not used: zero."))
    for name, meaning in AWAKE_SIZES.items():
        setattr(cls, name, property(AWAKE[name], doc=f"Number of {meaning}."))
    for name in WORLD_FLAGS:
        setattr(cls, name, property(lambda d: False, doc="Not used: what is asked for is computed when it is due."))
    for field in NEWER_DATA:
        setattr(cls, field.name, _data_member(field))
    names = {field.name for field in NEWER_DATA}
    cls._newer = {*names, *DATA_SIZES, *AWAKE_SIZES, *WORLD_FLAGS, *IN_MEMORY_OF_WORLDS.split()}


def _data_member(field: Field) -> property:
    make = OF_WORLD.get(field.name)

    def read(d: Any) -> np.ndarray:
        return _array(Sizes(d), field, None if make is None else make(d))

    return property(read, doc=describe(field))
