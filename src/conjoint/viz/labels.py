"""Texts of the geoms of a scene that kernels marked."""

import numpy as np

from conjoint.api.objects.scene import MjvScene
from conjoint.schema.enums_visual import mjtLabel
from conjoint.viz.kernels.geom import MARKED
from conjoint.viz.kernels.labels import write_labels
from conjoint.viz.view import entry

_write_labels = entry(write_labels, "int")


def write_texts(scn: MjvScene, label: int, first: int = 0) -> None:
    """Write the texts of the marked geoms of a scene, from geom `first` on."""
    if label != mjtLabel.mjLABEL_SELPNT:
        _write_labels(scn.view.plan, scn.view, first)
        return
    texts = scn.memory.view("geoms.label")[first : scn.ngeom]
    a, b, c = scn.view.groups["pert"].view("localpos")
    for g in first + np.flatnonzero(texts[:, 0] == MARKED):
        geom = scn.geoms[int(g)]
        x, y, z = geom.pos
        geom.label = f"{x:.3f} {y:.3f} {z:.3f} (local {a:.3f} {b:.3f} {c:.3f})"
