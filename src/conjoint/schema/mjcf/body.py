"""worldbody, bodies and frames, and what may be inside."""

from conjoint.schema.mjcf.asset import PLUGIN
from conjoint.schema.mjcf.composite import COMPOSITE
from conjoint.schema.mjcf.deformable import FLEXCOMP
from conjoint.schema.mjcf.parts import CAMERA, FREEJOINT, GEOM, INERTIAL, JOINT, LIGHT, SITE
from conjoint.schema.mjcf.shared import FRAME, NAME, USER
from conjoint.schema.mjcf.table import Element, choice, element, flag, integer, real, upto, word

ATTACH = element(
    "attach", "A body or frame of another model, or of this one.",
    word("model", "Model; this one if it is not given."),
    word("body", "Body; if neither it nor a frame is given, all that is in the world of the other model."),
    word("frame", "Frame, with what is in it."),
    word("prefix", "Prefix of names.", required=True),
)  # fmt: skip

CHILDCLASS = word("childclass", "Defaults class of what is inside.")


def _holder(name: str, meaning: str, *rows, **more) -> Element:
    """An element that holds bodies and what is in them."""
    return element(name, meaning, *rows, GEOM, SITE, CAMERA, LIGHT, ATTACH, COMPOSITE, FLEXCOMP, **more)


SCALE = (
    upto("scale", (1.0, 1.0, 1.0), "Factor of all lengths inside, or one for each axis.", fill="first"),
    choice("scaling", "similar geometry", "similar", "Whether forces follow: similar, or geometry alone."),
    real("massscale", 0.0, "Factor of all masses inside; 0: that of volumes."),
)
SLEEP = {"auto": 0, "never": 3, "allowed": 4, "init": 5}
"""Words of `sleep`, and their numbers in mjtSleepPolicy."""

FRAME_ROW = _holder(
    "frame", "Frame that is resolved at compile time.", NAME, CHILDCLASS, *FRAME, *SCALE, INERTIAL, JOINT, FREEJOINT,
    kind="frame", recursive=True,
)  # fmt: skip
REPLICATE = _holder(
    "replicate", "Copies of what is inside.",
    integer("count", 0, "Number of copies.", required=True),
    real("offset", (0.0, 0.0, 0.0), "Translation from copy to copy.", 3, unit="m"),
    real("euler", (0.0, 0.0, 0.0), "Rotation from copy to copy.", 3, unit="angle"),
    word("sep", "Separator of names."),
    word("prefix", "Not used: names of copies have suffixes."),
    CHILDCLASS, INERTIAL, JOINT, FREEJOINT, recursive=True,
)  # fmt: skip
BODY = _holder(
    "body", "Rigid body.", NAME, CHILDCLASS, *FRAME,
    flag("mocap", False, "Moved by motion capture."),
    real("gravcomp", 0.0, "Gravity compensation, times weight."),
    flag("fuse", True, "May be fused with its parent."),
    choice("sleep", SLEEP, "auto", "Whether the tree below may sleep."),
    choice("simple", "false auto", "auto", "Whether a part of the inertia matrix that is diagonal is stored so."),
    USER, INERTIAL, JOINT, FREEJOINT, PLUGIN, kind="body", recursive=True,
)  # fmt: skip
WORLDBODY = _holder("worldbody", "The world, which has no attributes.", kind="body")

for _row in (BODY, FRAME_ROW, REPLICATE, WORLDBODY):
    for _inner in (BODY, FRAME_ROW, REPLICATE):
        _row.children[_inner.name] = _inner  # type: ignore[index]  # the grammar is recursive here
