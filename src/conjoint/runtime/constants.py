"""Constants of a model that are computed from its other fields, in its initial configuration (mj_setConst)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

import numpy as np

from conjoint.lang.calls.compiled import jit_enabled, load
from conjoint.lang.language.name import Name
from conjoint.lang.memory.layout import Buffer, Field
from conjoint.lang.memory.realisation import EXACT_WORLD
from conjoint.lang.objects.unit import Unit
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.position_stages import COM_POS, FACTOR_M, KINEMATICS, MAKE_M, TENDON_LENGTHS, TRANSMISSION
from conjoint.runtime.reset import initial_sources
from conjoint.runtime.run import bound, prepare
from conjoint.runtime.stage import Stage, by_edition, needed, present
from conjoint.runtime.structure import ENTRIES, Structure
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.memory import DATA_STRUCT, data_layout
from conjoint.schema.model import MODEL_FIELDS, MODEL_ROWS

physics = Name("conjoint.physics")
damping_ratios = physics.constants.responses.damping_ratios
damping_ratios_coupled = physics.constants.responses.damping_ratios_coupled

SPRINGS = (*KINEMATICS, *TENDON_LENGTHS, Stage("mj_setConst", physics.constants.responses.spring_lengths))
"""Stages that compute rest lengths, in the configuration in which springs are at rest."""

DAMPING_RATIOS = by_edition("mj_setConst", (damping_ratios, damping_ratios_coupled), "nactuator")
CONSTANTS = (
    Stage("mj_setConst", physics.constants.inverse.subtree_mass),
    *KINEMATICS,
    *COM_POS,
    Stage("mj_setConst", physics.constants.inverse.reference_inertia),
    *TENDON_LENGTHS,
    *MAKE_M,
    *FACTOR_M,
    Stage("mj_setConst", physics.constants.inverse.inverse_weights),
    Stage("mj_setConst", physics.constants.responses.tendon_constants, ("ntendon",)),
    *TRANSMISSION,
    Stage("mj_setConst", physics.constants.responses.actuator_constants, ("nactuator",)),
    *DAMPING_RATIOS,
    Stage("mj_setConst", physics.constants.references.equality_constants, ("neq",)),
    Stage("mj_setConst", physics.constants.responses.edge_constants, ("nflex",)),
    Stage("mj_setConst", physics.constants.references.view_constants, ("ncam", "nlight")),
    Stage("mj_setConst", physics.constants.statistics.statistics),
)

Groups = tuple[tuple[tuple[Stage, ...], str], ...]
"""Groups of stages, each with the model row that contains the configuration in which the stages run."""


def constants_of_worlds(model: Buffer) -> tuple[Stage, ...]:
    """Return the stages that compute constants in batches with varied model fields, where damping is never a ratio."""
    return tuple(stage for stage in needed(CONSTANTS, present(model)) if stage not in DAMPING_RATIOS)


def computed_rows(stage: Stage) -> set[str]:
    """Return the model rows that a stage of mj_setConst computes."""
    words = stage.kernel.attributes
    return {f.name for f in MODEL_FIELDS if stage.name in f.stages and words.issuperset(f.name.split("."))}


def following(names: Iterable[str], stages: Sequence[Stage]) -> frozenset[str]:
    """Return the model rows that stages of mj_setConst compute directly or indirectly from the rows `names`."""
    # the world is at qpos0
    changed = {*names, *(["qpos"] if "qpos0" in names else [])}
    found = set()
    for stage in stages:
        words = stage.kernel.attributes
        if any(words.issuperset(name.split(".")) for name in changed):
            made = computed_rows(stage)
            found |= made
            changed |= made | {f.name for f in DATA_ROWS if stage.name in f.stages and f.name in words}
    return frozenset(found)


def complete(model: Buffer) -> Structure:
    """Compute the constants of a model whose other fields are set; return its structure, with sparsity."""
    groups = _stages(model)
    prepare(tuple(stage for stages, _ in groups for stage in stages), ENTRIES, EXACT_WORLD)
    m = Structure(model)
    Constants(m, groups).find()
    return m


class Constants:
    """Reusable computation of a model's constants. It stays valid while the model needs the same stages.

    Args:
        m: the model.
        groups: the stages that the model needs; None to determine them.
    """

    def __init__(self, m: Structure, groups: Groups | None = None):
        needed_now = _stages(m.model) if groups is None else groups
        self.worlds = [ReferenceWorld(m, stages, qpos) for stages, qpos in needed_now]
        # a bound run contains only addresses, so keep the worlds too
        self.runs = [bound(world.stages, m, world, EXACT_WORLD) for world in self.worlds]

    def find(self) -> None:
        """Compute the constants and store them in the model."""
        for world, run in zip(self.worlds, self.runs, strict=True):
            world.begin()
            run.go()


def _stages(model: Buffer) -> Groups:
    """Return the stages that a model needs in each of two configurations: springs at rest, and initial positions."""
    return _stages_of(frozenset(present(model)))


@functools.lru_cache(maxsize=256)
def _stages_of(found: frozenset[str]) -> Groups:
    """Return the stages for a model with the properties `found`."""
    springs = needed(SPRINGS, found) if "ntendon" in found else ()
    groups = (springs, "qpos_spring"), (needed(CONSTANTS, found), "qpos0")
    return tuple((stages, qpos) for stages, qpos in groups if stages)


class ReferenceWorld(KernelMemory):
    """Memory of a world in a given configuration of its model, with only the rows that the given stages use.

    Args:
        m: the model.
        stages: the stages.
        qpos: name of the model row that contains the configuration.

    Attributes:
        data: memory of the rows.
        table: addresses of all rows of a world; 0 for rows that the stages do not use.
    """

    def __init__(self, m: Structure, stages: tuple[Stage, ...], qpos: str):
        self.stages = stages
        rows, places = _used(stages)
        self.data = Buffer(data_layout(m.model, rows=rows))
        table = np.zeros(len(DATA_STRUCT), np.int64)
        table[places] = self.data.table
        self.show(self.data, table=table)
        self._placed = [
            (self.data.view(name), m.view(qpos if name == "qpos" else source), ids)
            for name, source, ids in initial_sources(m)
            if name in self.data.layout.index
        ]

    def begin(self) -> None:
        """Set all positions, including mocap poses, to those of the model, and all other fields to zero."""
        self.data.bytes.fill(0)
        for target, source, which in self._placed:
            target[...] = source[which]


@functools.lru_cache
def _used(stages: tuple[Stage, ...]) -> tuple[tuple[Field, ...], np.ndarray]:
    """Return the fixed-size rows that stages may use, and their indices in the table of rows."""
    if jit_enabled():
        units = [Unit(stage.work, EXACT_WORLD, MODEL_ROWS, DATA_STRUCT) for stage in stages]
        fields = {name for found in load(units) for name in found.fields}
        places = [i for i, row in enumerate(DATA_ROWS) if f"d.{row.name}" in fields]
    else:
        used = frozenset().union(*(stage.kernel.attributes for stage in stages))
        places = [i for i, row in enumerate(DATA_ROWS) if used.issuperset(row.name.split("."))]
    return tuple(DATA_ROWS[i] for i in places), np.array(places)
