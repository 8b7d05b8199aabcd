"""Flexes and skins of bodies that frames scale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.compiler.scale import ONE, WIDTH, Scale, multiply, powers
from conjoint.schema.mjcf.lookup import defaults
from conjoint.spec import Element

LENGTHS: dict[str, Any] = {
    "radius": 1, "vert": 1, "node": 1, "thickness": 1, "margin": 1, "gap": 1, "friction": (0, 1, 1), "solimp": WIDTH,
}  # fmt: skip
"""Powers of the length in the values of a flex."""


def _scale_of(draft: Draft, element: Any, bodies: Iterable[str]) -> Scale:
    """Factors of the bodies of a flex or skin, which must be the same."""
    known = draft.ids["body"]
    found = [draft.scales.get(id(draft.bodies[known[name]]), ONE) for name in bodies if name in known]
    if len({scale.factors for scale in found}) > 1:
        draft.problems.about(element, f"frames must scale all bodies of a {element.kind} alike")
    if any(scale.stretch is not None for scale in found):
        draft.problems.about(element, f"a {element.kind} cannot be stretched by a frame")
    return found[0] if found else ONE


def scale_flexes(draft: Draft) -> None:
    """Scale flexes; `draft.scales` has their factors."""
    for flex in draft.flexes:
        scale = _scale_of(draft, flex, (*flex.vertbody, *flex.nodebody))
        if scale is ONE:
            continue
        draft.scales[id(flex)] = scale
        for name, exponents in LENGTHS.items():
            # no thickness is a negative number
            if name != "thickness" or flex.thickness > 0:
                multiply(flex, name, powers(scale.length, exponents))
        multiply(flex, "young", scale.unit(-1))
        for name in ("edgestiffness", "edgedamping"):
            multiply(flex, name, scale.unit(0))


def scale_skins(draft: Draft) -> None:
    """Scale skins, once they are read; what was in a file is written as numbers."""
    for skin in draft.skins if draft.scales else ():
        read = skin.compiled
        scale = _scale_of(draft, skin, [bone.bodyname for bone in read.bones]) if read is not None else ONE
        if scale is ONE:
            continue
        multiply(skin, "inflate", scale.length)
        read.vert = read.vert * np.float32(scale.length)
        skin.file, skin.bones = "", []
        for name in ("vert", "texcoord", "face"):
            setattr(skin, name, tuple(getattr(read, name).ravel().tolist()))
        for bone in read.bones:
            bone.bindpos = bone.bindpos * np.float32(scale.length)
            numbers = {
                name: tuple(np.ravel(value).tolist()) for name, value in vars(bone).items() if name != "bodyname"
            }
            skin.bones.append(Element("bone", {**defaults("bone"), "bodyname": bone.bodyname, **numbers}))
