"""Cameras, options and perturbations of the abstract visualizer. Scenes and their rendering are not built yet.

Programs that make these objects when they start can be imported and can simulate; those that draw get a FatalError.
"""

from typing import Any

from conjoint.api.objects.struct import record_class
from conjoint.lang.errors import FatalError
from conjoint.lang.layout import Field
from conjoint.schema.constants import mjVISSTRING

GROUPS = (1, 1, 1, 0, 0, 0)
"""Groups of elements that are shown."""

CAMERA_FIELDS = (
    Field("type", "int", meaning="type of camera (mjtCamera)"),
    Field("fixedcamid", "int", (), -1, meaning="id of the fixed camera"),
    Field("trackbodyid", "int", (), -1, meaning="id of the body to track"),
    Field("lookat", "vec3", unit="m", meaning="point to look at"),
    Field("distance", "real", (), 2.0, "m", meaning="distance to the point or body"),
    Field("azimuth", "real", (), 90.0, "deg", meaning="angle about the z axis"),
    Field("elevation", "real", (), -45.0, "deg", meaning="angle above the horizon"),
    Field("orthographic", "int", meaning="1: no perspective"),
)
OPTION_FIELDS = (
    Field("label", "int", meaning="what labels show (mjtLabel)"),
    Field("frame", "int", meaning="which frames are shown (mjtFrame)"),
    *(
        Field(f"{kind}group", "byte", (6,), GROUPS, meaning=f"which groups of {kind}s are shown")
        for kind in ("geom", "site", "joint", "tendon", "actuator", "flex", "skin")
    ),
    Field("flags", "byte", (31,), tuple(int(on) for _, on, _ in mjVISSTRING), meaning="what is shown (mjtVisFlag)"),
    Field("bvh_depth", "int", (), 1, meaning="depth of the bounding volumes that are shown"),
    Field("flex_layer", "int", meaning="layer of flexible bodies that is shown"),
)
PERTURB_FIELDS = (
    Field("select", "int", meaning="id of the selected body; 0: none"),
    Field("flexselect", "int", (), -1, meaning="id of the selected flexible body; -1: none"),
    Field("skinselect", "int", (), -1, meaning="id of the selected skin; -1: none"),
    Field("active", "int", meaning="perturbations that act (mjtPertBit)"),
    Field("active2", "int", meaning="a second set of them"),
    Field("refpos", "vec3", unit="m", meaning="position that the body shall have"),
    Field("refquat", "quat", (), (1.0, 0.0, 0.0, 0.0), meaning="orientation that it shall have"),
    Field("refselpos", "vec3", unit="m", meaning="position that the selected point shall have"),
    Field("localpos", "vec3", unit="m", meaning="the selected point in the frame of the body"),
    Field("localmass", "real", unit="kg", meaning="mass felt at the selected point"),
    Field("scale", "real", (), 1.0, meaning="motion of the perturbation per motion of the mouse"),
)
RECT_FIELDS = tuple(Field(name, "int", unit="pixel") for name in ("left", "bottom", "width", "height"))

MjvCamera: Any = record_class("MjvCamera", "A camera of the visualizer.", CAMERA_FIELDS, str)
MjvPerturb: Any = record_class("MjvPerturb", "What a user does to a body.", PERTURB_FIELDS, str)
MjvOption: Any = record_class("MjvOption", "What the visualizer shows.", OPTION_FIELDS, str)
_Rect: Any = record_class("_Rect", "Fields of MjrRect.", RECT_FIELDS, str)


class MjrRect(_Rect):
    """A rectangle of pixels."""

    def __init__(self, left: int, bottom: int, width: int, height: int):
        """The rectangle with this corner and size."""
        super().__init__()
        self.left, self.bottom, self.width, self.height = left, bottom, width, height


class _NotBuilt:
    def __init__(self, *args: Any, **kwargs: Any):
        raise FatalError(f"{type(self).__name__}: rendering is not built yet")


class MjvScene(_NotBuilt):
    """Geoms to draw: not built yet."""


class MjvFigure(_NotBuilt):
    """A plot to draw: not built yet."""


class MjrContext(_NotBuilt):
    """A connection to the graphics card: not built yet."""


for _cls in (MjvCamera, MjvOption, MjvPerturb):
    _cls.__module__ = __name__
