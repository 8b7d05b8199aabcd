"""Sparsity patterns of a model for kernels, and its partition into shares: the rows `STRUCTURE_ROWS`.

A share is a unit of work for one thread: one or more whole subtrees below the world body. Bodies are numbered depth
first, so a share is a contiguous range of bodies, joints, dofs, geoms and sites. The partition depends on the model
alone, not on the number of threads. Sums over a share therefore do not depend on the number of threads either. Patterns
and partition are computed when a model is created, loaded or edited.
"""

from __future__ import annotations

import numpy as np

from conjoint.lang.errors import ModelError
from conjoint.lang.language.name import Name
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.once import ForkLock, made_once
from conjoint.runtime.entry import entry
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.schema.enums import mjtWrap
from conjoint.schema.memory import layout_of
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.plan import EXPOSED_ROWS, STRUCTURE_ROWS
from conjoint.schema.sizes import SIZES

ROUND = (mjtWrap.mjWRAP_SPHERE, mjtWrap.mjWRAP_CYLINDER)
"""Types of path elements that a tendon wraps around."""

WORD = np.dtype(np.int64)
"""Integer type used to compare the memory of model rows that are watched for changes."""

structure = Name("conjoint.physics.structure")
_find_structure, _structure_sizes = entry(structure.find_structure), entry(structure.structure_sizes)
ENTRIES = (_find_structure, _structure_sizes)
"""Kernels that find the sparsity of a model."""


class Structure(KernelMemory):
    """A model with its sparsity patterns: the part of a `Plan` that is also used to compute constants.

    Attributes:
        model: memory of the model.
        rows: memory of the sparsity patterns.
        made_for: copy of the model's watched rows from the time when the sparsity patterns were computed.
    """

    def __init__(self, model: Buffer):
        """Compute the sparsity patterns of the current `model`.

        Raises:
            ModelError: the model's sizes do not match its tree, so kernels would access memory out of bounds.
        """
        self.model = model
        # copy before anything is read, so that a concurrent change counts as a change
        self.made_for = watched_memory(model).copy()
        shares = shares_of_world(model)
        self.rows = Buffer(layout_of(STRUCTURE_ROWS, model.layout.sizes | share_sizes(shares), model.layout.real.type))
        # the table of a plan begins with the same rows
        self.show(model, self.rows)
        self.rows.view("epsilon")[...] = np.finfo(model.layout.real).eps
        if model.layout.sizes["nwrap"]:
            around = np.isin(model.view("wrap_type"), ROUND)
            sides = np.where(around, np.rint(model.view("wrap_prm")), -1)
            for w in np.flatnonzero(~((sides >= -1) & (sides < self.sizes["nsite"])))[:1].tolist():
                raise ModelError(f"wrap_prm[{w}] is {model.view('wrap_prm')[w]}: there is no site with this id")
            self.rows.view("wrap_side")[...] = sides
        for name, size in zip(("nM", "nC", "nD", "nB"), _structure_sizes(self), strict=True):
            if self.sizes[name] != size:
                raise ModelError(f"the model is damaged: {name} is {self.sizes[name]}, but its trees need {size}")
        arms = _find_structure(self)
        if arms > self.sizes["nJmom"]:
            raise ModelError(f"there is space for {self.sizes['nJmom']} moment arms, but its actuators have {arms}")
        elements = np.append(self.rows.view("M_rowadr"), self.sizes["nC"])
        shares["share_M"] = elements[shares["share_dof"]]
        shares["body_share"] = bodies_of_shares(shares["share_body"])
        for name, values in (shares | share_sizes(shares)).items():
            self.rows.view(name)[...] = values

    def changed(self) -> list[str]:
        """Return the names of the watched rows that have changed since the sparsity was computed."""
        (words,) = np.nonzero(self.made_for != watched_memory(self.model))
        if not len(words):
            return []
        fields = [field for field in self.model.layout.fields if field.watched and self.model.view(field.name).size]
        first = watched_begin(self.model)
        starts = np.array([self.model.layout.place(field.name)[2] - first for field in fields])
        order = np.argsort(starts)
        places = np.searchsorted(starts[order], words * WORD.itemsize, side="right") - 1
        return [fields[k].name for k in order[sorted({*places.tolist()})].tolist()]


@made_once
def _firsts() -> tuple[str, str, str]:
    """Return the names of three rows of a model: first static row, first watched array, and first watched scalar.

    Static rows determine poses of static geoms.
    """
    layout = Layout(MODEL_FIELDS, dict.fromkeys(SIZES, 1))
    rows = sorted(MODEL_FIELDS, key=lambda field: layout.place(field.name)[2])
    static, watched = (next(f.name for f in rows if getattr(f, mark)) for mark in ("static", "watched"))
    return static, watched, next(f.name for f in rows if f.watched and not f.shape)


def watched_begin(model: Buffer) -> int:
    """Return the byte offset of a model's rows that are watched for changes, which are at the end of its memory."""
    return model.layout.place(_firsts()[1])[2]


def watched_memory(model: Buffer) -> np.ndarray:
    """Return the memory of the rows that are watched for changes, as an array of words."""
    return model.bytes[watched_begin(model) :].view(WORD)


def placing_memory(model: Buffer) -> np.ndarray:
    """Return the rows of a model that determine static geom poses, as words. They precede the watched rows."""
    return model.bytes[model.layout.place(_firsts()[0])[2] : watched_begin(model)].view(WORD)


class ExposedRows:
    """Rows of a model that are exposed to the user as arrays, so that the user may write to them between steps.

    To detect changes, a step compares the watched rows from the first exposed one to the last. Skipping the rows before
    it saves time for models with many geoms. Options and scalars, which come last, are always writable.

    Args:
        model: memory of the model.

    Attributes:
        buffer: memory that contains the index of the first exposed row, for kernels (`schema.plan.EXPOSED_ROWS`).
    """

    def __init__(self, model: Buffer):
        self._model, self._begin, self._turn = model, watched_begin(model), ForkLock()
        self.buffer = Buffer(layout_of(EXPOSED_ROWS, {}))
        self.buffer.view("lent_from")[...] = self._word(_firsts()[2])

    def expose(self, name: str) -> None:
        """Mark a row as writable by the user from now on."""
        field = self._model.layout.fields[self._model.layout.index[name]]
        if field.watched:
            first = self.buffer.view("lent_from")
            with self._turn.held:
                first[...] = min(int(first), self._word(name))
        elif field.static:
            self.buffer.view("placing_exposed")[...] = 1

    def expose_all(self) -> None:
        """Mark all rows of the model as writable by the user, from now on."""
        for name in _firsts():
            self.expose(name)

    def _word(self, name: str) -> int:
        """Return the index of the first word of a watched row."""
        return (self._model.layout.place(name)[2] - self._begin) // WORD.itemsize


LEAST_WORLD = 768
"""Minimum number of bodies and dofs of a world that is divided into shares; threads do not speed up smaller worlds."""

LEAST_WORK = 128
"""Minimum number of bodies and dofs in a share: a few microseconds of work in most stages."""

MOST_SHARES = 64
"""Maximum number of shares of a world; more shares would not balance threads better."""

ELEMENTS = {"share_joint": "jnt_bodyid", "share_dof": "dof_bodyid", "share_geom": "geom_bodyid",
            "share_site": "site_bodyid"}  # fmt: skip
"""Names of the rows that contain the first element of each share, and of the model row with each element's body."""


def shares_of_world(model: Buffer) -> dict[str, np.ndarray]:
    """Return the first elements of all shares, and the end of the last one, by field of `STRUCTURE_ROWS`."""
    sizes = model.layout.sizes
    if sizes["nbody"] + sizes["nv"] < LEAST_WORLD:
        ends = [(1, sizes["nbody"]), *((0, sizes[size]) for size in ("njnt", "nv", "ngeom", "nsite"))]
        return dict(zip(("share_body", *ELEMENTS), np.array(ends, np.int32), strict=True))
    parents, dofs = model.view("body_parentid"), model.view("body_dofnum")
    roots = np.flatnonzero(parents[1:] == 0) + 1
    # work before each subtree
    done = np.cumsum(1 + dofs)
    whole = int(done[-1])
    least = max(LEAST_WORK, -(-whole // MOST_SHARES))
    share = (done[roots - 1] - done[0]) // least
    first = roots[np.diff(share, prepend=-1) != 0]
    # merge a share with little work into the previous one
    if len(first) > 1 and whole - done[first[-1] - 1] < least // 2:
        first = first[:-1]
    bodies = np.append(first, len(parents)) if len(first) else np.array([1, len(parents)])
    rows = {"share_body": bodies}
    for name, owner in ELEMENTS.items():
        owners = model.view(owner)
        rows[name] = np.searchsorted(owners, bodies)
        # elements of the world body belong to the first share
        rows[name][0] = 0
    return {name: values.astype(np.int32) for name, values in rows.items()}


def bodies_of_shares(first: np.ndarray) -> np.ndarray:
    """Return the share of every body, given the first bodies of shares and the number of bodies."""
    counts = first[1:] - first[:-1]
    counts[0] += 1
    return np.repeat(np.arange(len(counts)), counts)


def share_sizes(shares: dict[str, np.ndarray]) -> dict[str, int]:
    """Return two sizes by name: the number of shares, and the length of the array of their bounds."""
    return {"nshare": len(shares["share_body"]) - 1, "nshare_end": len(shares["share_body"])}
