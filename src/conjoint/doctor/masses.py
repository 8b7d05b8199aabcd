"""Checks of masses and inertias: their units, their axes, and whether they match the shapes of bodies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conjoint.doctor.finding import Finding, finding, worst_first
from conjoint.doctor.shapes import Shape, shape_of, tensor_of
from conjoint.doctor.subject import Subject

DENSEST = 25000.0
"""Density above which a mass is flagged (kg/m^3): more than solid tungsten or gold."""
LIGHTEST = 1.0
"""Density below which a mass is flagged (kg/m^3): less than air, computed with the body's bounding box."""
OUTLIER = 300.0
"""Ratio of a body's density to the median density of other bodies above which the body's mass is flagged."""
COMPARED = 4
"""Minimum number of other bodies for comparing a body's density with their median density."""
NO_MASS = 1e-6
"""Mass up to which a body counts as a frame instead of a physical part (kg)."""
LARGE_INERTIA = 20.0
"""Inertia, relative to a uniform body's, above which a body is flagged; the ratio of a hollow shell is about three."""
SMALL_INERTIA = 0.01
"""Inertia, relative to a uniform body's, below which a body is flagged: a tenth of the radius of gyration."""
LIGHT = 1e-4
"""Mass of a link's subtree, relative to the mass of the parent's subtree, below which the link is flagged."""
LONG = 3.0
"""Ratio of principal moments above which a body counts as long."""
ASKEW = 50.0
"""Angle between the long axes of shape and inertia above which a body is flagged (degrees)."""


def bodies_with_shape(subject: Subject) -> Iterator[tuple[int, Shape]]:
    """Yield moving bodies that have mass and geoms, with their shapes."""
    for body in range(1, subject.model.nbody):
        if subject.moves[body] and subject.model.body_mass[body] > NO_MASS:
            shape = shape_of(subject, body)
            if shape is not None:
                yield body, shape


def check_masses(subject: Subject) -> Iterator[Finding]:
    """Find bodies that are too heavy or too light for their size, for example with masses in grams or pounds."""
    model = subject.model
    shapes = list(bodies_with_shape(subject))
    # largest and smallest density that each body may have
    high = np.array([model.body_mass[body] / shape.least for body, shape in shapes])
    low = np.array([model.body_mass[body] / shape.most for body, shape in shapes])
    odd = []
    for k, (body, shape) in enumerate(shapes):
        most, least = DENSEST, LIGHTEST
        if len(shapes) > COMPARED:
            most = min(most, OUTLIER * float(np.median(np.delete(high, k))))
            least = max(least, float(np.median(np.delete(low, k))) / OUTLIER)
        excess = max(float(low[k]) / most, least / float(high[k]))
        if excess > 1:
            size = " x ".join(f"{edge:.2g}" for edge in shape.size)
            density = low[k] if low[k] > most else high[k]
            text = f"{subject.label('body', body)}: {model.body_mass[body]:.4g} kg in {size} m, {density:.3g} kg/m^3"
            odd.append((excess, text))
    if odd:
        yield finding(
            "mass",
            "Masses do not fit the sizes of bodies, which typically have 100 to 5000 kg/m^3.",
            worst_first(odd),
            'Give masses in kilograms and lengths in meters; meshes in millimeters need scale="0.001 0.001 0.001".',
            "masses-and-inertias",
        )


def check_inertias(subject: Subject) -> Iterator[Finding]:
    """Find inertias whose size does not fit the shape of the body."""
    model = subject.model
    odd = []
    for body, shape in bodies_with_shape(subject):
        expected = model.body_mass[body] * np.trace(shape.inertia)
        ratio = float(model.body_inertia[body].sum() / expected)
        # small inertias of parts that are fixed to their parents matter little
        if ratio > LARGE_INERTIA or (ratio < SMALL_INERTIA and model.body_jntnum[body]):
            moments = " ".join(f"{moment:.3g}" for moment in model.body_inertia[body])
            guess = " ".join(
                f"{moment:.3g}" for moment in model.body_mass[body] * np.linalg.eigvalsh(shape.inertia)[::-1]
            )
            text = f"{subject.label('body', body)}: {moments} kg m^2, its shape suggests {guess}"
            odd.append((max(ratio, 1 / max(ratio, 1e-9)), text))
    if odd:
        yield finding(
            "inertia",
            "Inertias do not fit mass and shape.",
            worst_first(odd),
            "Give inertias about the center of mass, in kg m^2; or delete them: the compiler computes them "
            'from geoms (compiler inertiafromgeom="true").',
            "masses-and-inertias",
        )


def check_axes(subject: Subject) -> Iterator[Finding]:
    """Find bodies whose inertia and geoms are long along different axes."""
    odd = []
    for body, shape in bodies_with_shape(subject):
        moments, axes = np.linalg.eigh(shape.inertia)
        # a long shape has one small moment and two large ones
        if moments[1] < LONG * moments[0]:
            continue
        tensor = tensor_of(subject, body)
        actual, own = np.linalg.eigh(tensor)
        angle = float(np.degrees(np.arccos(min(1.0, abs(float(axes[:, 0] @ own[:, 0]))))))
        along = float(axes[:, 0] @ tensor @ axes[:, 0])
        if angle > ASKEW and (actual[1] > LONG * actual[0] or along > 0.9 * actual[2] > LONG * actual[0] / 2):
            text = f"{subject.label('body', body)}: {angle:.0f} degrees between the long axes of inertia and geoms"
            odd.append((angle, text))
    if odd:
        yield finding(
            "inertia-axes",
            "Principal axes of the inertia do not fit the shape.",
            worst_first(odd),
            "Look for swapped moments (ixx and izz), a wrong orientation of the inertial frame, and signs of products.",
            "masses-and-inertias",
        )


def check_ratios(subject: Subject) -> Iterator[Finding]:
    """Find links with joints that are extremely light compared with their parents, and have no armature."""
    model = subject.model
    odd = []
    for body in range(1, model.nbody):
        joints, first = int(model.body_jntnum[body]), int(model.body_dofadr[body])
        above = int(model.body_parentid[body])
        if not joints or not subject.moves[above] or any(model.dof_armature[first : first + model.body_dofnum[body]]):
            continue
        light, heavy = float(model.body_subtreemass[body]), float(model.body_subtreemass[above])
        if light < LIGHT * heavy:
            odd.append((heavy / max(light, 1e-15), f"{subject.label('body', body)}: {light:.3g} kg on {heavy:.3g} kg"))
    if odd:
        yield finding(
            "inertia-ratio",
            "Links are much lighter than their parents, so small forces accelerate them strongly.",
            worst_first(odd),
            "Give them their real mass, or give their joints armature.",
            "masses-and-inertias",
        )
