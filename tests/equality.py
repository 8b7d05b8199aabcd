"""Whether models or worlds hold the same numbers: as objects they are equal to themselves only, as officially."""

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel


def same_model(a: MjModel, b: MjModel) -> bool:
    """Whether all fields are equal, bit for bit."""
    return a._buffer.layout.sizes == b._buffer.layout.sizes and np.array_equal(a._buffer.bytes, b._buffer.bytes)


def same_world(a: MjData, b: MjData) -> bool:
    """Whether all public fields and contacts are equal."""
    same_sizes = a._world.data.layout.sizes == b._world.data.layout.sizes
    names = (*a._fields, "contact", "warning")
    return same_sizes and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)
