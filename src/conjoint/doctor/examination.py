"""The list of checks, and the functions that run them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from conjoint.api.objects.model import MjModel
from conjoint.api.spec.model import MjSpec
from conjoint.doctor.actuators import check_actuators, check_forces
from conjoint.doctor.assets import check_mesh_scale, check_meshes, check_unused
from conjoint.doctor.finding import Finding, finding
from conjoint.doctor.ground import check_floor, check_gravity
from conjoint.doctor.joints import check_damping, check_limit_units, check_limits
from conjoint.doctor.masses import check_axes, check_inertias, check_masses, check_ratios
from conjoint.doctor.stability import check_simulation, check_time_step
from conjoint.doctor.start import check_penetrations, check_start_limits
from conjoint.doctor.subject import Subject
from conjoint.lang.errors import ArgumentError, ModelError, ModelWarning, SimulationWarning
from conjoint.lang.text import as_path, is_path
from conjoint.spec.element import bodies
from conjoint.spec.filename import base_name
from conjoint.spec.model_source import model_file

LEAST_MASS, LEAST_INERTIA = 1e-3, 1e-6
"""Minimum masses (kg) and inertias (kg m^2) to which those of a model are raised if it does not compile otherwise."""

CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    check_masses,
    check_inertias,
    check_axes,
    check_ratios,
    check_mesh_scale,
    check_penetrations,
    check_start_limits,
    check_limit_units,
    check_limits,
    check_actuators,
    check_forces,
    check_damping,
    check_time_step,
    check_simulation,
    check_floor,
    check_gravity,
    check_meshes,
    check_unused,
)
"""All checks, in the order of their findings."""


def examine(model: Any) -> list[Finding]:
    """Examine a model, and return its suspicious properties.

    Args:
        model: an `MjModel`, an `MjSpec`, or the path or name of a model, as for `MjModel.from_xml_path`.

    Returns:
        Findings, each with elements, measured values, a fix and a page; an empty list if nothing looks wrong.

    Raises:
        ModelError: the file cannot be read, or is not a model.
        ArgumentError: `model` has a different type.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        if isinstance(model, MjModel):
            return of_subject(Subject(model))
        if is_path(model):
            warnings.simplefilter("ignore", ModelWarning)
            path = model_file(as_path(model, "examine: model"))
            return of_spec(MjSpec.from_file(path), base_name(path))
        if not isinstance(model, MjSpec):
            raise ArgumentError(f"examine: model should be an MjModel, an MjSpec or a path, not {model!r}")
        return of_spec(model)


def of_spec(spec: MjSpec, file: str = "") -> list[Finding]:
    """Examine a specification. If its inertias are not physical, examine it with corrected ones."""
    refused = []
    try:
        model = spec.compile()
    except ModelError as error:
        refused = str(error).splitlines()
        spec = spec.copy()
        spec.compiler.balanceinertia = True
        spec.compiler.boundmass, spec.compiler.boundinertia = LEAST_MASS, LEAST_INERTIA
        try:
            model = spec.compile()
        except ModelError:
            return [not_physical(refused, "model", "Correct it: the model cannot be simulated.")]
    inner = spec.spec
    urdf = any(body.place is not None and body.place.tag == "link" for body in bodies(inner.worldbody))
    findings = of_subject(Subject(model, inner, urdf, file))
    fix = 'Correct them, or set balanceinertia="true", boundmass and boundinertia of <compiler>.'
    return [not_physical(refused, "not-physical", fix), *findings] if refused else findings


def not_physical(problems: list[str], check: str, fix: str) -> Finding:
    """Return the finding for a model that does not compile."""
    what = "Masses or inertias are not physical" if check == "not-physical" else "The model breaks a rule"
    return finding(check, f"{what}: the model does not load.", problems, fix, "masses-and-inertias")


def of_subject(subject: Subject) -> list[Finding]:
    """Return the findings of all checks."""
    return [finding for check in CHECKS for finding in check(subject)]
