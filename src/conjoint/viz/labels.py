"""Texts of the geoms of a scene that kernels marked."""

import numpy as np

from conjoint.api.functions.names import mj_id2name
from conjoint.api.functions.support import mj_contactForce
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvOption
from conjoint.schema.enums import mjtObj
from conjoint.schema.enums_visual import mjtLabel
from conjoint.viz.kernels.geom import MARKED

OBJECTS = {
    mjtLabel.mjLABEL_JOINT: ("joint", mjtObj.mjOBJ_JOINT), mjtLabel.mjLABEL_GEOM: ("geom", mjtObj.mjOBJ_GEOM),
    mjtLabel.mjLABEL_SITE: ("site", mjtObj.mjOBJ_SITE), mjtLabel.mjLABEL_CAMERA: ("camera", mjtObj.mjOBJ_CAMERA),
    mjtLabel.mjLABEL_LIGHT: ("light", mjtObj.mjOBJ_LIGHT), mjtLabel.mjLABEL_TENDON: ("tendon", mjtObj.mjOBJ_TENDON),
    mjtLabel.mjLABEL_ACTUATOR: ("actuator", mjtObj.mjOBJ_ACTUATOR), mjtLabel.mjLABEL_BODY: ("body", mjtObj.mjOBJ_BODY),
    mjtLabel.mjLABEL_CONSTRAINT: ("equality", mjtObj.mjOBJ_EQUALITY),
    mjtLabel.mjLABEL_SKIN: ("skin", mjtObj.mjOBJ_SKIN), mjtLabel.mjLABEL_FLEX: ("flex", mjtObj.mjOBJ_FLEX),
    mjtLabel.mjLABEL_SELECTION: ("body", mjtObj.mjOBJ_BODY),
}  # fmt: skip
"""What labels name: what a nameless one is called, and its type."""


def write_labels(m: MjModel, d: MjData, opt: MjvOption, scn: MjvScene, first: int = 0) -> None:
    """Write the texts of the geoms of a scene that are marked, from geom `first` on."""
    texts = scn.memory.view("geoms.label")[first : scn.ngeom]
    for g in first + np.flatnonzero(texts[:, 0] == MARKED):
        scn.geoms[int(g)].label = _text(m, d, opt.label, scn, int(g)).encode()[: texts.shape[1] - 1]


def _text(m: MjModel, d: MjData, label: int, scn: MjvScene, g: int) -> str:
    """The text of geom g."""
    id = int(scn.geoms.objid[g])
    if label in OBJECTS:
        kind, objtype = OBJECTS[mjtLabel(label)]
        return mj_id2name(m, objtype, id) or f"{kind} {id}"
    if label == mjtLabel.mjLABEL_SELPNT:
        return _point(scn, g)
    if label == mjtLabel.mjLABEL_ISLAND:
        return str(int(d.dof_island[m.body_dofadr[m.body_weldid[id]]]))
    if label == mjtLabel.mjLABEL_CONTACTFORCE:
        wrench = np.zeros(6)
        mj_contactForce(m, d, id, wrench)
        return f"{np.linalg.norm(wrench[:3]):.3g}"
    return " | ".join(_partner(m, d, id, side) for side in range(2))


def _point(scn: MjvScene, g: int) -> str:
    """Where the selected point is, and where it is in its body."""
    x, y, z = scn.geoms.pos[g]
    a, b, c = scn.view.groups["pert"].view("localpos")
    return f"{x:.3f} {y:.3f} {z:.3f} (local {a:.3f} {b:.3f} {c:.3f})"


def _partner(m: MjModel, d: MjData, contact: int, side: int) -> str:
    """What touches on one side of a contact."""
    found = d.contact[contact]
    geom, flex = int(found.geom[side]), int(found.flex[side])
    if geom >= 0:
        return mj_id2name(m, mjtObj.mjOBJ_GEOM, geom) or f"g{geom}"
    name = mj_id2name(m, mjtObj.mjOBJ_FLEX, flex) or f"f{flex}"
    element, vertex = int(found.elem[side]), int(found.vert[side])
    return f"{name}.e{element}" if element >= 0 else f"{name}.v{vertex}"
