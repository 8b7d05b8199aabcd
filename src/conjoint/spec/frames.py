"""What is in frames."""

from typing import Any

from conjoint.spec.element import Body, Element
from conjoint.spec.lists import BODY_CONTENTS


def is_in(element: Any, frame: Element) -> bool:
    """True if `element` is in `frame`, or in a frame inside it."""
    here = element.__dict__.get("frame")
    while here is not None and here is not frame:
        here = here.__dict__.get("frame")
    return here is frame


def within(body: Body, frame: Element) -> Body:
    """A body that holds only what is in `frame`, and frames inside it."""
    found = Body({"name": "", "frames": [inner for inner in body.__dict__.get("frames", ()) if is_in(inner, frame)]})
    for name in BODY_CONTENTS:
        setattr(found, name, [element for element in getattr(body, name) if is_in(element, frame)])
    return found
