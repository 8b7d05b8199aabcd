"""Whether models or worlds hold the same numbers: as objects they are equal to themselves only, as officially."""

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import fields_of


def same_model(a: MjModel, b: MjModel) -> bool:
    """Whether all fields are equal, bit for bit."""
    return a.memory.layout.sizes == b.memory.layout.sizes and np.array_equal(a.memory.bytes, b.memory.bytes)


def same_world(a: MjData, b: MjData) -> bool:
    """Whether all public fields and contacts are equal."""
    same_sizes = a.world.data.layout.sizes == b.world.data.layout.sizes
    names = (*fields_of(a), "contact", "warning")
    return same_sizes and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)
