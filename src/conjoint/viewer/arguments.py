"""What a program gives to be shown."""

from __future__ import annotations

from typing import Any

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel


def check_world(model: Any, data: Any) -> None:
    """Look at a model and its world.

    Raises:
        ValueError: one of them is something else; the texts are the official ones.
    """
    if not isinstance(model, MjModel):
        raise ValueError(f"`model` is not a mujoco.MjModel: got {model!r}")
    if not isinstance(data, MjData):
        raise ValueError(f"`data` is not a mujoco.MjData: got {data!r}")
