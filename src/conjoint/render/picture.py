"""Uniform data of a picture for shaders (`shaders.PICTURE`), and shader programs for geoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conjoint.render import shaders
from conjoint.render.camera import Eye
from conjoint.render.reversed_depth import ReversedDepth
from conjoint.render.shaders import (
    CUBE_UNIT,
    DEPTHS_UNIT,
    IMAGE_UNIT,
    MAX_LIGHTS,
    MIRROR_UNIT,
    SHADOW_MAPS,
    SHADOW_UNIT,
    Variant,
)

LIGHT_ROWS = ("pos", "dir", "ambient", "diffuse", "specular", "attenuation", "cone")

PICTURE = np.dtype([
    ("view", "f4", (4, 4)), ("projection", "f4", (4, 4)), ("shadow_matrix", "f4", (SHADOW_MAPS, 4, 4)),
    *((f"light_{name}", "f4", (MAX_LIGHTS, 4)) for name in LIGHT_ROWS),
    ("eye", "f4", 4), ("haze_color", "f4", 4), ("fog_color", "f4", 4), ("fog_range", "f4", 4),
    ("clip", "f4", 4), ("mirror_normal", "f4", 4), ("depth_factors", "f4", 4),
    ("shadow_plane", "f4", (SHADOW_MAPS, 4, 4)), ("shadow_lens", "f4", (SHADOW_MAPS, 4)),
])  # fmt: skip
"""Layout of the uniform block. Matrices are stored in column-major order."""


@dataclass
class Air:
    """Fog and haze between the geoms of a picture and the camera.

    Attributes:
        haze: relative width of the haze over infinite planes; 0 for none.
        haze_color: color of the haze.
        fog: distances (m) at which fog begins and is complete; None for no fog.
        fog_color: color of the fog.
    """

    haze: float
    haze_color: tuple[float, ...]
    fog: tuple[float, float] | None
    fog_color: tuple[float, ...]


class Picture:
    """Uniform buffer of a picture.

    Args:
        context: the moderngl context.

    Attributes:
        row: values of the uniform block (`PICTURE`).
    """

    def __init__(self, context: Any):
        self._buffer = context.buffer(reserve=PICTURE.itemsize, dynamic=True)
        self.row = np.zeros((), PICTURE)

    def look(self, eye: Eye, depths: ReversedDepth, reach: float, clip: tuple[float, ...] | None) -> None:
        """Set the camera, the reach of the haze and the clipping plane, and upload them."""
        row = self.row
        row["view"], row["projection"] = eye.view.T, depths.projection(eye).T
        row["depth_factors"][:3] = depths.factors(eye)
        row["eye"] = *eye.pos, reach
        row["clip"] = (0.0, 0.0, 0.0, 1.0) if clip is None else clip
        self.send()

    def breathe(self, air: Air) -> None:
        """Set the haze and the fog."""
        row = self.row
        row["haze_color"], row["fog_color"] = (*air.haze_color, air.haze), (*air.fog_color, 1.0)
        row["fog_range"][:2] = air.fog or (0.0, 1.0)

    def send(self) -> None:
        """Upload the uniform buffer."""
        self._buffer.write(self.row.tobytes())
        self._buffer.bind_to_uniform_block(0)

    def release(self) -> None:
        """Release the uniform buffer."""
        self._buffer.release()


class Programs:
    """Shader programs for geoms, created on first use.

    Args:
        context: the moderngl context.
        depth_written: whether the fragment shaders write depths.
    """

    def __init__(self, context: Any, depth_written: bool):
        self._context, self._depth_written = context, depth_written
        self._made: dict[Variant, Any] = {}
        self.number = self._prepared(Variant(lit=False), shaders.number_fragment(depth_written))

    def lit(self, variant: Variant) -> Any:
        """Return the shader program for a variant."""
        if variant not in self._made:
            self._made[variant] = self._prepared(variant, shaders.geom_fragment(variant, self._depth_written))
        return self._made[variant]

    def release(self) -> None:
        """Release all shader programs."""
        for program in (self.number, *self._made.values()):
            program.release()
        self._made.clear()

    def _prepared(self, variant: Variant, fragment: str) -> Any:
        """Return a shader program with its uniform block and textures bound."""
        program = self._context.program(shaders.geom_vertex(variant), fragment)
        units = {"image": IMAGE_UNIT, "cube": CUBE_UNIT, "mirror": MIRROR_UNIT}
        units |= {f"shadow_map{k}": SHADOW_UNIT + k for k in range(SHADOW_MAPS)}
        units |= {f"shadow_depths{k}": DEPTHS_UNIT + k for k in range(SHADOW_MAPS)}
        for name, unit in units.items():
            if name in program:
                program[name].value = unit
        program["Picture"].binding = 0
        return program
