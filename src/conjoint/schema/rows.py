"""Functions that declare rows of the schema, one for each role.

Each creates a `Field`, or a `Workspace` of several rows.
"""

from dataclasses import dataclass, replace
from typing import Any

from conjoint.lang.memory.layout import Field, Lifetime, Role, Shape

Default = float | tuple[Any, ...] | str | None

DERIVED = {
    "structure": "the sparsity of matrices and the shares of threads (`runtime.structure`)",
    "plan": "rows of `schema.plan`: pairs of geoms, blocks of dofs, numbers of plugins (`runtime.plan`)",
    "stages": "the selection of stages, and the check that they support the model (`runtime.functions`)",
    "ids": "the check that its ids and addresses are inside the model, since stages use them as indices",
}
"""Descriptions of data that are derived from a model's integers before a step, by keyword.

The integers are watched: if they change, the data are derived again.
"""

NOT_DERIVED = {
    "live": "nothing: stages read it anew in every step, and do not use it as an index",
    "asset": "nothing: it is the contents of a mesh, height field, flex or tree, too large to watch, which stages "
    "read directly",
    "shown": "nothing: only pictures depend on it, not the stages of a step",
    "text": "nothing: no stage of a step reads it: names, texts, paths, and numbers for programs",
}
"""Reasons why no data are derived from an integer that follows from a model's elements, by keyword."""


# documented functions that write many rows, and groups of them
COLLIDE, MAKE, ISLAND, SOLVE = "mj_collision", "mj_makeConstraint", "mj_island", "mj_fwdConstraint"
FORCES, DUAL = f"{SOLVE}, mj_invConstraint", f"{SOLVE}, mj_projectConstraint"
SLEEP = "mj_sleep"
WAKE = f"mj_kinematics, mj_tendon, {COLLIDE}, {MAKE}"
RUNS = f"{SLEEP}, {WAKE}, {SOLVE}"
SPARE = "mj_kinematics, mj_comPos, mj_makeM, mj_factorM, mj_comVel, mj_passive, mj_rne, mj_fwdAcceleration, mj_Euler"
POSTHOC = "mj_forwardPosthoc, mj_inversePosthoc"
ADVANCE, DERIVE, DRIVE = "mj_Euler, mj_implicit, mj_RungeKutta", "mj_implicit, mj_inverse", "mj_setLengthRange"

COLLISION, CONSTRAINT, OFFICIAL, SOLVER = "physics.collision", "physics.constraint", "physics.official", "solver"

OWNERS: dict[str, tuple[str, ...]] = {
    word: owners
    for words, owners in {
        "chunk flexelem nfound part placed sweep": (COLLISION,),
        "bodyflex": (COLLISION, OFFICIAL),
        "found": (COLLISION, CONSTRAINT, OFFICIAL),
        # programs may reject near pairs before they are tested
        "near": (COLLISION, OFFICIAL, CONSTRAINT, "runtime.user"),
        "cone": (CONSTRAINT, SOLVER),
        "dual nfill": (SOLVER,),
        "sensed": ("physics.sensor",),
        "slope": ("physics.derivative",),
        "wrap": ("physics.tendon",),
    }.items()
    for word in words.split()
}
"""Packages and modules that may use scratch memory, by the first word of its name. Kernels elsewhere do not compile.

Scratch memory has a meaning only while the stages that declare it run. A method that needs scratch memory declares its
own rows.
"""


def owners_of(name: str) -> tuple[str, ...]:
    """Return the packages and modules whose kernels may use the scratch memory `name`; empty if all may."""
    return tuple(f"conjoint.{owner}" for owner in OWNERS.get(name.split("_")[0], ()))


@dataclass(frozen=True, slots=True)
class ModelField(Field):
    """A row of a model.

    Attributes:
        derives: keywords of `DERIVED` for data that are derived from the row before a step, or a keyword of
            `NOT_DERIVED`. It is "" for numbers, and for switches and bits that stages read in every step.
    """

    derives: str = ""


def _is_watched(derives: str) -> bool:
    """Return True if a step checks the row for changes before it starts."""
    return not DERIVED.keys().isdisjoint(derives.split())


def table(*parts: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the rows of several lists as one table. Kernels read the rows by name.

    Raises:
        ValueError: two rows have the same name, or a row and a group have the same name.
    """
    rows: dict[str, Field] = {}
    for field in (field for part in parts for field in part):
        other = rows.setdefault(field.name, field)
        if other is not field:
            raise ValueError(
                f'two rows of the schema have the name {field.name!r}, "{other.meaning}" and "{field.meaning}": '
                "rename one of them"
            )
    for name in {field.group for field in rows.values()} & rows.keys():
        raise ValueError(f"a row and a group of the schema have the name {name!r}: rename one of them")
    return tuple(rows.values())


def Structure(
    name: str, kind: str, shape: Shape, meaning: str, unit: str = "", default: float = 0, public: bool = True,
    derives: str = "", static: bool = False,
) -> Field:  # fmt: skip
    """Declare a size, address, id or type, which follows from the model or the memory."""
    return ModelField(
        name, kind, shape, default, unit, "", meaning, public, True, Role.STRUCTURE,
        watched=_is_watched(derives), static=static, derives=derives,
    )  # fmt: skip


def Derived(name: str, kind: str, shape: Shape, meaning: str) -> Field:
    """Declare a row that is derived from a model for kernels, and hidden from users."""
    return Structure(name, kind, shape, meaning, public=False)


def Input(
    name: str, kind: str, shape: Shape, default: Default, unit: str, meaning: str, derives: str = "",
    stage: str = "", component: int = 0, key: str = "", shared: bool = False, static: bool = False,
) -> Field:  # fmt: skip
    """Declare a row that users set, such as a parameter of a model, or controls, which are an input of a world."""
    return ModelField(
        name, kind, shape, default, unit, stage, meaning, watched=_is_watched(derives), static=static,
        component=component, key=key, shared=shared, derives=derives,
    )  # fmt: skip


def State(
    name: str, kind: str, shape: Shape, default: Default, unit: str, stage: str, meaning: str, component: int,
    key: str = "",
) -> Field:  # fmt: skip
    """Declare a row of the state, from which a step starts."""
    return Field(
        name, kind, shape, default, unit, stage, meaning, True, False, Role.STATE, component=component, key=key
    )


def Result(name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str, default: Default = None) -> Field:
    """Declare a row that stages compute in every step. With a default, users may read it before the first step."""
    return Field(name, kind, shape, default, unit, stage, meaning, role=Role.RESULT, lifetime=Lifetime.STEP)


def Constant(name: str, kind: str, shape: Shape, unit: str, meaning: str, default: Default = 0) -> Field:
    """Declare a row of a model that mj_setConst computes from other rows."""
    return Result(name, kind, shape, unit, "mj_setConst", meaning, default)


def Intermediate(name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str) -> Field:
    """Declare a row that stages compute for later stages of the same step. Batches do not store it."""
    return Field(name, kind, shape, None, unit, stage, meaning, role=Role.RESULT, lifetime=Lifetime.STAGE)


def Kept(name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str) -> Field:
    """Declare a row that stages compute and later steps continue to update, such as counters and statistics."""
    return Field(name, kind, shape, 0, unit, stage, meaning, role=Role.RESULT, lifetime=Lifetime.KEPT)


def Scratch(
    name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str, lifetime: Lifetime = Lifetime.STAGE,
    uniform: bool = False,
) -> Field:  # fmt: skip
    """Declare scratch memory of `stage`, hidden from users. Only kernels of its owners may use it (`OWNERS`)."""
    default = None if lifetime is Lifetime.STAGE else 0
    return Field(
        name, kind, shape, default, unit, stage, meaning, False, uniform, role=Role.SCRATCH, lifetime=lifetime,
        owners=owners_of(name),
    )  # fmt: skip


def Workspace(name: str, owners: str, *rows: Field, area: str = "") -> tuple[Field, ...]:
    """Declare the scratch memory of one method. Kernels of its owners use it as `d.<name>.<row>`.

    Args:
        name: name of the workspace in kernels.
        owners: the packages and modules whose kernels may use it, such as `solver.method.pgs`, separated by blanks.
        *rows: its rows.
        area: name of a memory area shared with methods that never run at the same time; "" for separate memory.
    """
    whose = tuple(f"conjoint.{owner}" for owner in owners.split())
    return tuple(replace(row, name=f"{name}.{row.name}", owners=whose, area=area) for row in rows)
