"""Key light for models that have no lights."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.schema.enums import mjtLightType

DIRECTION = (0.45, 0.55, -1.0)
"""Direction of the key light: from the upper left, and from behind a camera that looks along x."""

KEY, KEY_SPECULAR = 0.65, 0.3
"""Diffuse and specular brightness of the key light."""

HEADLIGHT = {"ambient": 0.35, "diffuse": 0.25, "specular": 0.1}
"""Brightness of the headlight if a key light is added."""

PLAIN = {"ambient": 0.1, "diffuse": 0.4, "specular": 0.5}
"""Default brightness of the headlight."""


def add_key_light(m: MjModel, scn: MjvScene) -> None:
    """Add a key light with shadows to a scene if its model has no lights and the default headlight.

    Args:
        m: the model.
        scn: a scene that has just been updated.
    """
    head = m.vis.headlight
    plain = all(np.allclose(getattr(head, name), value) for name, value in PLAIN.items())
    count = int(scn.nlight)
    if m.nlight or not head.active or not plain or count != 1:
        return

    def row(name: str) -> np.ndarray:
        return scn.memory.view(f"lights.{name}")

    for name, value in HEADLIGHT.items():
        row(name)[0] = value
    for name in LIGHT:
        row(name)[count] = 0
    row("type")[count] = int(mjtLightType.mjLIGHT_DIRECTIONAL)
    row("dir")[count] = np.array(DIRECTION) / np.linalg.norm(DIRECTION)
    row("pos")[count] = m.stat.center - 2 * m.stat.extent * row("dir")[count]
    row("attenuation")[count] = 1.0, 0.0, 0.0
    row("diffuse")[count], row("specular")[count] = KEY, KEY_SPECULAR
    row("castshadow")[count], row("cutoff")[count] = 1, 180.0
    scn.nlight = count + 1


LIGHT = ("pos", "dir", "type", "attenuation", "cutoff", "exponent", "ambient", "diffuse", "specular", "headlight",
         "castshadow")  # fmt: skip
"""Fields of a light that affect drawing."""
