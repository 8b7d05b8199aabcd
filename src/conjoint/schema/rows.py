"""Rows of the schema by what they are: each makes a `Field` of its role."""

from typing import Any

from conjoint.lang.layout import Field, Lifetime, Role, Shape

Default = float | tuple[Any, ...] | str | None


def table(*parts: tuple[Field, ...]) -> tuple[Field, ...]:
    """The rows of several lists together, as kernels read them by their names.

    Raises:
        ValueError: two rows have the same name.
    """
    rows: dict[str, Field] = {}
    for field in (field for part in parts for field in part):
        other = rows.setdefault(field.name, field)
        if other is not field:
            raise ValueError(
                f'the schema has two rows of the name {field.name!r}, "{other.meaning}" and "{field.meaning}": '
                "rename one of them"
            )
    return tuple(rows.values())


def Structure(
    name: str, kind: str, shape: Shape, meaning: str, unit: str = "", default: float = 0, public: bool = True,
    watched: bool = False,
) -> Field:  # fmt: skip
    """A size, address, id or type: what follows from the model or the memory."""
    return Field(name, kind, shape, default, unit, "", meaning, public, True, Role.STRUCTURE, watched=watched)


def Derived(name: str, kind: str, shape: Shape, meaning: str) -> Field:
    """What is derived from a model for kernels; users do not see it."""
    return Structure(name, kind, shape, meaning, public=False)


def Input(
    name: str, kind: str, shape: Shape, default: Default, unit: str, meaning: str, watched: bool = False,
    stage: str = "", component: int = 0, key: str = "", shared: bool = False,
) -> Field:  # fmt: skip
    """What users set: of a model all its parameters, of a world controls, applied forces and the like."""
    return Field(
        name, kind, shape, default, unit, stage, meaning, watched=watched, component=component, key=key, shared=shared
    )


def State(
    name: str, kind: str, shape: Shape, default: Default, unit: str, stage: str, meaning: str, component: int,
    key: str = "",
) -> Field:  # fmt: skip
    """What a step moves on from."""
    return Field(
        name, kind, shape, default, unit, stage, meaning, True, False, Role.STATE, component=component, key=key
    )


def Result(name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str, default: Default = None) -> Field:
    """What stages compute, anew in every step. With a default: users may read it before."""
    return Field(name, kind, shape, default, unit, stage, meaning, role=Role.RESULT, lifetime=Lifetime.STEP)


def Intermediate(name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str) -> Field:
    """What stages compute for later stages of the step: many worlds do not keep it."""
    return Field(name, kind, shape, None, unit, stage, meaning, role=Role.RESULT, lifetime=Lifetime.STAGE)


def Kept(name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str) -> Field:
    """What stages compute and later steps go on from: counters, statistics."""
    return Field(name, kind, shape, 0, unit, stage, meaning, role=Role.RESULT, lifetime=Lifetime.KEPT)


def Scratch(
    name: str, kind: str, shape: Shape, unit: str, stage: str, meaning: str, lifetime: Lifetime = Lifetime.STAGE,
    uniform: bool = False,
) -> Field:  # fmt: skip
    """Memory of the stages it names, which users do not see."""
    default = None if lifetime is Lifetime.STAGE else 0
    return Field(name, kind, shape, default, unit, stage, meaning, False, uniform, role=Role.SCRATCH, lifetime=lifetime)
