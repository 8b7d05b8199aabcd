"""The panels of a window, one file each, in the order in which they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conjoint.viewer.panels import (
    appearance,
    controls,
    equalities,
    file,
    groups,
    joints,
    physics,
    rendering,
    simulation,
    watch,
)

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk


@dataclass(frozen=True)
class Panel:
    """A part of a column.

    Attributes:
        title: what it is called.
        draw: says what is in it.
        opened: whether it is unfolded at first.
        needs_model: whether it is there only when there is a model.
    """

    title: str
    draw: Callable[[Desk], None]
    opened: bool = False
    needs_model: bool = True


LEFT = (
    Panel("File", file.draw, opened=True, needs_model=False),
    Panel("Simulation", simulation.draw, opened=True),
    Panel("Watch", watch.draw),
    Panel("Physics", physics.draw),
    Panel("Rendering", rendering.draw),
    Panel("Visualization", appearance.draw),
    Panel("Groups", groups.draw),
)

RIGHT = (
    Panel("Joints", joints.draw, opened=True),
    Panel("Controls", controls.draw, opened=True),
    Panel("Equalities", equalities.draw),
)
