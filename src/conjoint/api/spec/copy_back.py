"""Transfer of changes in a compiled model to its editable model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from conjoint.api.spec.fields import fields
from conjoint.compiler.changes import INERTIAL, changed_rows, changed_settings
from conjoint.compiler.draft import NAMED, Draft
from conjoint.compiler.fill import PLAN
from conjoint.compiler.pose import frame_pose
from conjoint.lang.memory.layout import Buffer, Role
from conjoint.schema.enums import mjtOrientation
from conjoint.schema.kinds import BALL, HINGE
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.spec.rotation import conj_quat, mul_quat, rotate, unit_quat

CLOSE = 1e-9
"""Relative and absolute tolerance for comparing numbers in the compiled model with their original values."""

KINDS = {plural: kind for kind, plural in NAMED.items()}
OF_DOFS = {
    "dof_damping": "damping", "dof_dampingpoly": "dampingpoly",
    "dof_armature": "armature", "dof_frictionloss": "frictionloss",
    "dof_solref": "solref_friction", "dof_solimp": "solimp_friction",
}  # fmt: skip
"""Fields of degrees of freedom, with the joint attributes from which they are compiled."""
POLYNOMIALS = {"joint": ("stiffness", "damping"), "tendon": ("stiffness", "damping"), "actuator": ("damping",)}
"""Polynomial attributes, by element type. Models store the first coefficient and the others in separate fields."""
OF_ACTUATORS = {"ctrlrange": "ctrlnum", "ctrllimited": "ctrlnum", "gear": "outnum", "lengthrange": "outnum"}
"""Actuator attributes with one entry per control or output, and the field that counts the entries."""
OF_KEYS = ("time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")
ANGLES = ("range", "ref", "springref", "springyield")
SHAPE = ("pos", "quat", "size")


class Change(NamedTuple):
    """New value of an element's attribute.

    Attributes:
        kind: type of the element.
        number: index among the elements of this type.
        name: name of the attribute.
        value: new value.
    """

    kind: str
    number: int
    name: str
    value: Any


def changes(spec: Any, draft: Draft, fresh: Buffer, model: Buffer) -> list[Change]:
    """Return the changes that must be written to the elements of an editable model.

    Args:
        spec: the editable model.
        draft: compiler draft of the editable model.
        fresh, model: the compiled model without changes, and the compiled model with changes.
    """
    numbers = spec.count_of()
    found: list[Change] = []
    for elements, row, name, value in _changed(draft, fresh, model):
        element = getattr(draft, elements)[row]
        kind, number = KINDS[elements], numbers[element.origin]
        for own, written in _written(draft, element, name, value, model):
            found.append(Change(kind, number, own, _unscaled(draft, element, own, written)))
    return list(dict.fromkeys(found))


def _changed(draft: Draft, fresh: Buffer, model: Buffer) -> Iterator[tuple[str, int, str, Any]]:
    """Yield the changed attributes: name of the element list, index in it, name of the attribute, and new value."""
    for elements, plan in PLAN.items():
        for field, name in plan.items() if elements != "keys" else ():
            for row, value in changed_rows(fresh, model, field):
                yield elements, row, name, value
    owners = fresh.view("dof_jntid")
    for row_name, name in OF_DOFS.items():
        for row, value in changed_rows(fresh, model, row_name):
            yield "joints", int(owners[row]), name, value
    for name, count in OF_ACTUATORS.items():
        owners = np.repeat(np.arange(len(draft.actuators)), model.view(f"actuator_{count}"))
        for row, value in changed_rows(fresh, model, f"actuator_{name}"):
            yield "actuators", int(owners[row]), name, value
    for name in OF_KEYS:
        for row, value in changed_rows(fresh, model, f"key_{name}"):
            yield "keys", row, name, value
    starts, ends = (model.view(name) for name in ("numeric_adr", "numeric_size"))
    data = model.view("numeric_data")
    for row, _ in enumerate(draft.numerics):
        part = slice(int(starts[row]), int(starts[row] + ends[row]))
        if not np.array_equal(data[part], fresh.view("numeric_data")[part]):
            yield "numerics", row, "data", tuple(data[part].tolist())


def _written(draft: Draft, element: Any, name: str, value: Any, model: Buffer) -> Iterator[tuple[str, Any]]:
    """Yield the attributes to write for a changed value, relative to the element's frame and in the model's units."""
    origin, kind = element.origin, element.kind
    if kind == "body" and name in INERTIAL:
        yield "explicitinertial", True
        for own in INERTIAL:
            yield own, _tuple(model.view(f"body_{own}")[element.id])
        yield "fullinertia", (math.nan,) + (0.0,) * 5
        return
    if kind in ("geom", "site") and name in SHAPE and origin.fromto is not None:
        yield "fromto", (math.nan,) + (0.0,) * 5
        for own in SHAPE:
            shape = _tuple(model.view(f"{kind}_{own}")[element.id])
            yield own, shape if own == "size" else _in_frame(draft, origin, own, shape)
        return
    polynomial = name.removesuffix("poly")
    if polynomial in POLYNOMIALS.get(kind, ()):
        yield polynomial, _coefficients(kind, polynomial, element, model)
        return
    if name not in fields(kind):
        return
    if kind == "joint" and name in ANGLES and element.type in (HINGE, BALL) and draft.settings(element).degree:
        value = tuple(map(math.degrees, value)) if isinstance(value, tuple) else math.degrees(value)
    yield name, _in_frame(draft, origin, name, value)


def _unscaled(draft: Draft, element: Any, name: str, value: Any) -> Any:
    """Return the value of an attribute before the enclosing frames scale it."""
    factor, scale = element.__dict__.get("scaling", {}).get(name, 1.0), draft.scales.get(id(element))
    if scale is not None and element.kind == "body" and name in INERTIAL:
        # inertial values are scaled even if they were inferred from geoms
        powers = {"mass": scale.mass, "ipos": scale.length, "inertia": scale.mass * scale.length**2}
        factor = powers.get(name, 1.0)
    if factor == 1.0:
        return value
    if not isinstance(value, tuple):
        return value / factor
    factors = factor if isinstance(factor, tuple) else (factor,) * len(value)
    return tuple(x / one for x, one in zip(value, factors, strict=False))


def _coefficients(kind: str, name: str, element: Any, model: Buffer) -> tuple[float, ...]:
    """Return all polynomial coefficients of a spring or damper in the model."""
    row, place = f"{kind}_{name}", element.id
    if kind == "joint":
        row, place = ("dof_damping", element.dofadr) if name == "damping" else ("jnt_stiffness", element.id)
    return (float(model.view(row)[place]), *model.view(row + "poly")[place].tolist())


def _tuple(value: Any) -> Any:
    """Return an array as a tuple, or a single number as a Python number."""
    return tuple(np.ravel(value).tolist()) if np.ndim(value) else value.item()


def _in_frame(draft: Draft, origin: Any, name: str, value: Any) -> Any:
    """Convert a pose or direction from the body to the frame of an element. Other values are returned unchanged."""
    frame = origin.__dict__.get("frame")
    if frame is None or name not in ("pos", "quat", "axis", "dir"):
        return value
    pos, quat = frame_pose(draft, frame, {})
    back = conj_quat(quat)
    if name == "quat":
        return tuple(unit_quat(mul_quat(back, value)))
    return tuple(rotate(back, [a - b for a, b in zip(value, pos, strict=True)] if name == "pos" else value))


def write(spec: Any, found: Iterable[Change]) -> None:
    """Write changes to the elements of an editable model."""
    handles: dict[str, list[Any]] = {}
    for kind, number, name, value in found:
        if kind not in handles:
            handles[kind] = getattr(spec, NAMED[kind])
        handle = handles[kind][number]
        if name == "quat":
            handle.alt.type = mjtOrientation.mjORIENTATION_QUAT
        if name == "iquat":
            handle.ialt.type = mjtOrientation.mjORIENTATION_QUAT
        field = fields(kind)[name]
        setattr(handle, name, field.enum(value) if field.type == "enum" else value)


def check_expressed(fresh: Buffer, model: Buffer, compiled: Buffer) -> None:
    """Raise ValueError unless the edited model compiles to the changed values."""
    for field in ARRAY_FIELDS:
        if field.role is Role.RESULT or not field.shape:
            continue
        before, wanted, got = (np.asarray(buffer.view(field.name)) for buffer in (fresh, model, compiled))
        changed = before != wanted
        if changed.any() and not np.allclose(wanted[changed], got[changed], rtol=CLOSE, atol=CLOSE):
            row = int(np.argwhere(changed & ~np.isclose(wanted, got, rtol=CLOSE, atol=CLOSE))[0][0])
            raise ValueError(f"{field.name}[{row}] was changed in the model to a value that an MjSpec cannot express")


__all__ = ["changed_settings", "changes", "check_expressed", "write"]
