"""Comparison of models and data by value; as objects, they are equal only to themselves, as in MuJoCo."""

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import fields_of


def same_model(a: MjModel, b: MjModel) -> bool:
    """Return True if all fields of two models are equal, bit for bit."""
    return a.memory.layout.sizes == b.memory.layout.sizes and np.array_equal(a.memory.bytes, b.memory.bytes)


def same_world(a: MjData, b: MjData) -> bool:
    """Return True if all public fields and contacts of two data are equal."""
    same_sizes = a.world.data.layout.sizes == b.world.data.layout.sizes
    names = (*fields_of(a), "contact", "warning")
    return same_sizes and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)
