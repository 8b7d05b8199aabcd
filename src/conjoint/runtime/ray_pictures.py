"""Memory of a ray-cast image, and kernel entry points that use it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conjoint.lang.calls.entry import Entry
from conjoint.lang.language.name import Name, Work
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.schema.enums import mjtTrn
from conjoint.schema.model import MODEL_ROWS
from conjoint.schema.ray_picture import CLUSTER, LIGHTS, PATCH, SIGHT_FIELDS

LARGEST_SIDE = 1 << 14
"""Maximum height and width of an image in pixels."""


def ray_picture_entry(work: Work, *kinds: str) -> Entry:
    """Return a Python function that calls a kernel with a `Plan`, a `RayPicture` and other arguments.

    `kinds` contains the types of the other arguments (`lang.calls.entry.Entry`).
    """
    return Entry(work, kinds, MODEL_ROWS, SIGHT_FIELDS)


SEE = ray_picture_entry(
    Name("conjoint.ray_renderer").view.see, "int", "int", "out float[]", "out int[]", "out float[]", "out byte[]"
)
"""Kernel that renders images by ray casting (`ray_renderer.view.see`)."""


def shape_room(plan: Plan) -> int:
    """Return the maximum number of shapes that an image of a model may show (see `ray_renderer.listing`).

    Raises:
        ValueError: the textures of the model are not in memory, but only in files.
    """
    sizes, view = plan.sizes, plan.model.view
    if (view("tex_adr") < 0).any():
        raise ValueError("rays cannot read textures that are not embedded: render mj_embedAssets(model)")
    # a slack tendon between two points may have more parts than its path
    parts = np.where(view("tendon_num") == 2, max(int(view("vis.quality.numslices")), 2), 2 * view("tendon_num"))
    cranks = int(np.count_nonzero(view("actuator_trntype") == mjtTrn.mjTRN_SLIDERCRANK))
    return sum(sizes[name] for name in ("ngeom", "nsite", "nflex", "nskin")) + int(parts.sum()) + 2 * cranks


def picture_sizes(sizes: Mapping[str, int], height: int, width: int, nshape: int) -> dict[str, int]:
    """Return the sizes of a ray picture.

    Args:
        sizes: sizes of the model.
        height, width: size of the image in pixels.
        nshape: capacity for shapes.
    """
    room = {"pixelroom": height * width, "shaperoom": nshape, "lightroom": LIGHTS}
    room["clusterroom"] = nshape // CLUSTER + 1
    # a skin may end anywhere within a patch
    room["patchroom"] = sizes["nskinface"] // PATCH + 2 * sizes["nskin"]
    return {"nnode": 0, **sizes, **room}


class RayPicture(KernelMemory):
    """Memory of the rendering kernels, for one world at a time.

    Args:
        sizes: sizes of the model. If lidars use this memory, "nnode" is the size of the static tree of its plan.
        height, width: size of the image in pixels.
        nshape: capacity for shapes.

    Attributes:
        buffer: memory of all fields (`schema.ray_picture.SIGHT_FIELDS`).
        room: height, width and capacity for shapes.
    """

    def __init__(self, sizes: Mapping[str, int], height: int, width: int, nshape: int):
        self.room = height, width, nshape
        self.buffer = Buffer(Layout(SIGHT_FIELDS, picture_sizes(sizes, height, width, nshape)))
        self.buffer.set_defaults()
        self.buffer.view("height")[...], self.buffer.view("width")[...] = height, width
        self.show(self.buffer)
