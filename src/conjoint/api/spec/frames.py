"""The lists of what is in bodies, and the frames that it is in."""

from itertools import chain
from operator import itemgetter

from conjoint.spec import Body, Element
from conjoint.spec.lists import ATTACHED

LISTS = {
    "body": "bodies",
    "frame": "frames",
    **{kind: ATTACHED[kind] for kind in ("geom", "site", "joint", "light", "camera")},
}
"""What is in bodies, and the list that holds it."""


_contents = itemgetter(*[name for name in LISTS.values() if name != "frames"])


def unlisted(frame: Element) -> Element:
    """A frame with the pose of another one, without a name, which is not among the frames of its body."""
    copy = frame.copy()
    copy.__dict__.update(name="", childclass="", classname="main", unlisted=True)
    return copy


def frames_of(body: Body) -> list[Element]:
    """All frames of a body, outer ones first."""
    values = body.__dict__
    found = list(values.get("frames", ()))
    seen = {id(frame) for frame in found}
    for element in chain.from_iterable(_contents(values)):
        frame = element.__dict__.get("frame")
        if frame is None:
            continue
        around = []
        while frame is not None and id(frame) not in seen:
            seen.add(id(frame))
            if not frame.__dict__.get("unlisted"):
                around.append(frame)
            frame = frame.__dict__.get("frame")
        found += reversed(around)
    return found
