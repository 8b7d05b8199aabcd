"""What a user changed in a compiled model, as values of the elements it was made from.

The model is compared with one that is compiled anew; only what differs is taken over, so that everything else is saved
as it was written. Sizes, names and references cannot be changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import degrees
from typing import Any

import numpy as np

from conjoint.compiler.compile import compile_draft
from conjoint.compiler.draft import Draft
from conjoint.compiler.fill import PLAN
from conjoint.compiler.joint import HINGE, SLIDE
from conjoint.lang.errors import ModelError
from conjoint.lang.layout import Buffer
from conjoint.mjcf.writer import write_string
from conjoint.schema.mjcf import defaults
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS
from conjoint.schema.visual import VISUAL_FIELDS
from conjoint.spec import Element, Spec
from conjoint.spec.depth import nesting

Changes = dict[int, dict[str, Any]]
"""Values by the id of the element that they replace values of."""

INERTIAL = {"body_mass": "mass", "body_inertia": "inertia", "body_ipos": "ipos", "body_iquat": "iquat"}
DOF = {"dof_damping": "damping", "dof_armature": "armature", "dof_frictionloss": "frictionloss"}
KEY = ("time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat")
AUTO, ALWAYS = 2, 1
"""inertiafromgeom: where no inertial is written; everywhere."""
POSE = ("pos", "quat", "dir", "axis")
"""Values that are given in frames, and in several forms."""


@nesting
def saved_xml(spec: Spec, model: Buffer | None = None, directory: str | None = None) -> str:
    """MJCF of `spec` with the values of `model`.

    Args:
        spec: what the model was compiled from; it is not changed.
        model: the compiled model, in which numbers may have been changed; None: unchanged.
        directory: folder that the text will be saved in; see `write_string`.

    Raises:
        ModelError: the model has other sizes than one made from `spec`.
    """
    draft, fresh = compile_draft(spec)
    if model is None:
        model = fresh
    if any(model.view(name) != size for name, size in fresh.layout.sizes.items() if name not in ("narena", "nbuffer")):
        raise ModelError("the model cannot be saved as XML: it has other sizes than the XML it was made from")
    return write_string(spec, collect_changes(draft, fresh, model), directory)


def collect_changes(draft: Draft, fresh: Buffer, model: Buffer) -> Changes:
    """Values of `model` that differ from those of `fresh`, which was compiled from the same elements."""
    changes: Changes = {}
    for field, elements, attribute in PLAN:
        if elements == "keys":
            continue
        for i, value in _rows(fresh, model, field):
            element = getattr(draft, elements)[i]
            if attribute in defaults(element.kind) or (element.kind, attribute) == ("equality", "data"):
                _change(changes, draft, element, attribute, value)
    _change_inertials(changes, draft, fresh, model)
    for actuator in draft.actuators:
        _fix_actuator(changes, actuator, model)
    for joint in draft.joints:
        _change_joint(changes, draft, joint, fresh, model)
    _change_settings(changes, draft.spec, fresh, model)
    _change_keys(changes, draft, fresh, model)
    return changes


def _rows(fresh: Buffer, model: Buffer, field: str) -> Iterator[tuple[int, Any]]:
    """Rows of `field` that differ, and their new values."""
    before, after = fresh.view(field), model.view(field)
    if np.array_equal(before, after):
        return
    for i in np.flatnonzero((before != after).reshape(len(after), -1).any(axis=1)):
        value = after[i].tolist()
        yield int(i), tuple(np.ravel(value).tolist()) if isinstance(value, list) else value


def _change(changes: Changes, draft: Draft, element: Any, attribute: str, value: Any) -> None:
    """Note the new value of one attribute."""
    values = changes.setdefault(id(element.origin), {})
    if attribute in POSE:
        # the pose is in the body from now on, in its plainest form
        values.update({name: element.__dict__[name] for name in POSE if name in element.__dict__})
        values.update(frame=None, alt=None, fromto=None)
        if element.kind in ("geom", "site"):
            values.setdefault("size", element.size)
    if element.kind == "joint" and attribute == "range" and element.type != SLIDE and draft.settings(element).degree:
        value = tuple(map(degrees, value))
    values[attribute] = value


def _change_inertials(changes: Changes, draft: Draft, fresh: Buffer, model: Buffer) -> None:
    """Note the inertial properties of bodies, given explicitly; of all bodies where they depend on each other."""
    bodies = {i for field in INERTIAL for i, _ in _rows(fresh, model, field)}
    compiler = draft.spec.compiler
    if bodies and (compiler.settotalmass > 0 or compiler.inertiafromgeom == ALWAYS):
        bodies = set(range(1, len(draft.bodies)))
        changes.setdefault(id(compiler), {}).update(settotalmass=-1.0, inertiafromgeom=AUTO)
    for i in bodies:
        _change_inertial(changes, draft.bodies[i], model)


def _fix_actuator(changes: Changes, actuator: Any, model: Buffer) -> None:
    """Note values that the compiler made from joints and inertias, which may be others now."""
    values: dict[str, Any] = {}
    if actuator.origin.inheritrange:
        values = {name: _plain(model.view("actuator_" + name)[actuator.id]) for name in ("ctrlrange", "actrange")}
        values["inheritrange"] = 0.0
    if actuator.origin.biasprm[2] > 0:
        values["biasprm"] = _plain(model.view("actuator_biasprm")[actuator.id])
    if values:
        changes.setdefault(id(actuator.origin), {}).update(values)


def _change_inertial(changes: Changes, body: Any, model: Buffer) -> None:
    """Note that the body has these inertial properties, given explicitly."""
    values = {name: _plain(model.view(field)[body.id]) for field, name in INERTIAL.items()}
    inertial = Element("inertial", {**defaults("inertial"), **values})
    changes.setdefault(id(body.origin), {})["inertial"] = inertial


def _change_joint(changes: Changes, draft: Draft, joint: Any, fresh: Buffer, model: Buffer) -> None:
    """Note what is stored by degree of freedom and by position."""
    values: dict[str, Any] = {}
    if any(joint.origin.springdamper):
        # these follow from the inertia, which may be another now
        values = {"springdamper": (0.0, 0.0), "stiffness": float(model.view("jnt_stiffness")[joint.id])}
        values["damping"] = float(model.view("dof_damping")[joint.dofadr])
    for field, attribute in DOF.items():
        before, after = (buffer.view(field)[joint.dofadr] for buffer in (fresh, model))
        if before != after:
            values[attribute] = float(after)
    if joint.type in (HINGE, SLIDE):
        for field, attribute in (("qpos0", "ref"), ("qpos_spring", "springref")):
            before, after = (buffer.view(field)[joint.qposadr] for buffer in (fresh, model))
            if before != after:
                turned = joint.type == HINGE and draft.settings(joint).degree
                values[attribute] = degrees(after) if turned else float(after)
    if values:
        changes.setdefault(id(joint.origin), {}).update(values)


def _change_keys(changes: Changes, draft: Draft, fresh: Buffer, model: Buffer) -> None:
    """Note the states of keyframes that were changed, that come from attached models, or that only `nkey` asks for."""
    changed = {i for name in KEY for i, _ in _rows(fresh, model, f"key_{name}")}
    made = []
    for i, key in enumerate(draft.keys):
        values: dict[str, Any] = {name: tuple(model.view(f"key_{name}")[i].ravel().tolist()) for name in KEY}
        (values["time"],) = values["time"]
        if "origin" not in key.__dict__:
            made.append(Element("key", {**defaults("key"), **values}))
        elif i in changed or key.origin.__dict__.get("states"):
            changes.setdefault(id(key.origin), {}).update(values)
    if any(i >= len(draft.keys) - len(made) for i in changed):
        changes[id(draft.spec)] = {"keys": [*draft.spec.keys, *made]}


def _change_settings(changes: Changes, spec: Spec, fresh: Buffer, model: Buffer) -> None:
    """Note options, statistics and visual settings."""
    owners: Sequence[tuple[Any, Any]] = [
        *((field, spec.option) for field in OPTION_FIELDS),
        *((field, spec.statistic) for field in STATISTIC_FIELDS),
        *((field, spec.visual[field.name.split(".")[1]]) for field in VISUAL_FIELDS),
    ]
    for field, element in owners:
        before, after = fresh.view(field.name), model.view(field.name)
        if not np.array_equal(before, after):
            changes.setdefault(id(element), {})[field.name.rpartition(".")[2]] = _plain(after)


def _plain(value: np.ndarray) -> Any:
    """A number or a tuple."""
    found = np.asarray(value).tolist()
    return tuple(found) if isinstance(found, list) else found
