"""What a window shows beside its model."""

from dataclasses import dataclass


@dataclass
class Settings:
    """Choices of a user that belong to no model.

    Attributes:
        left, right: the panels of a side.
        help, info, profiler, sensors: what lies over the scene.
        key: keyframe that is loaded or stored.
        watched, element: a field that is watched, and the number of its element.
        path: the file that is typed.
    """

    left: bool = True
    right: bool = True
    help: bool = False
    info: bool = True
    profiler: bool = False
    sensors: bool = False
    key: int = 0
    watched: str = "qpos"
    element: int = 0
    path: str = ""
    vertical_sync: bool = True
