"""Kernels that fill a whole scene: the work of `mjv_updateScene` and `mjv_addGeoms`."""

from conjoint.lang import kernel
from conjoint.schema.enums_visual import mjtCatBit
from conjoint.viz.kernels.bodies import (
    add_body_frames,
    add_body_labels,
    add_centers,
    add_inertias,
    add_island_labels,
    add_joints,
    add_selected_point,
    add_skeleton,
)
from conjoint.viz.kernels.camera import is_there, make_lights, update_camera
from conjoint.viz.kernels.elements import (
    add_flexes,
    add_geoms,
    add_sites,
    add_skins,
    add_slider_cranks,
    add_tendons,
)
from conjoint.viz.kernels.flexes import take_flex_options
from conjoint.viz.kernels.forces import (
    add_actuators,
    add_constraints,
    add_contacts,
    add_external_forces,
    add_perturbation,
)
from conjoint.viz.kernels.optics import add_cameras, add_lights, add_rangefinders
from conjoint.viz.kernels.volumes import add_volumes, volumes_are_pending

NO_CAMERA, MISSING, LABELLED, FLEXIBLE, VOLUMES_DUE = 1, 2, 4, 8, 16
"""Flags for work that remains for the caller.

The caller raises the error for a camera, warns of missing geoms, writes labels, or updates flexes and skins. For
`VOLUMES_DUE`, it finds active bounding volumes and calls the kernel again.
"""


@kernel
def update_scene(m, d, categories, first):
    """Update lights, cameras, and geoms from index `first` upward (mjv_updateScene); return remaining work flags."""
    if not is_there(m, d):
        return int(NO_CAMERA)
    if volumes_are_pending(d):
        return int(VOLUMES_DUE)
    d.scn.ngeom = first
    take_flex_options(d)
    # as in MuJoCo, geoms are placed relative to the cameras of the previous update
    left = add_all(m, d, categories)
    update_camera(m, d)
    make_lights(m, d)
    return left


@kernel
def look(m, d):
    """Set both cameras of the scene (mjv_updateCamera); return flags for remaining work."""
    if not is_there(m, d):
        return int(NO_CAMERA)
    update_camera(m, d)
    return 0


@kernel
def add_all(m, d, categories):
    """Add the geoms of some categories in MuJoCo's order (mjv_addGeoms); return flags for remaining work."""
    if volumes_are_pending(d):
        return int(VOLUMES_DUE)
    d.tally.missing = 0
    decor = (categories & mjtCatBit.mjCAT_DECOR) != 0
    add_flexes(m, d, categories)
    add_skins(m, d, categories)
    if decor:
        add_volumes(m, d)
        add_inertias(m, d, categories)
        add_perturbation(m, d)
        add_body_frames(m, d, categories)
        add_selected_point(m, d)
        add_body_labels(m, d, categories)
        add_joints(m, d)
        add_actuators(m, d)
        add_island_labels(m, d, categories)
    add_geoms(m, d, categories)
    add_sites(m, d, categories)
    if decor:
        add_cameras(m, d)
        add_lights(m, d)
    add_tendons(m, d, categories)
    add_slider_cranks(m, d, categories)
    if decor:
        add_centers(m, d)
        add_skeleton(m, d)
        add_rangefinders(m, d)
        add_external_forces(m, d)
        add_constraints(m, d)
        add_contacts(m, d)
    left = FLEXIBLE if m.nflex > 0 or m.nskin > 0 else 0
    if d.opt.label != 0:
        left = left | LABELLED
    if d.tally.missing != 0:
        left = left | MISSING
    return left
