"""Textures, materials, and the looks and targets of geoms, sites, tendons, cameras and lights."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.schema.mjcf.asset import TEXTURE_ROLES
from conjoint.spec.rotation import unit

ROLES = len(TEXTURE_ROLES.split())
TEX_2D, SKYBOX = 0, 2
LINEAR, SRGB = 1, 2


def resolve_assets(draft: Draft) -> None:
    """Sizes of textures, textures of materials."""
    for material in draft.materials:
        if not material.name:
            draft.problems.about(material, "the name is missing")
        ids = [-1] * ROLES
        if material.texture:
            ids[1] = draft.find("texture", material.texture, material, "texture")
        for layer in material.layers:
            ids[layer.role] = draft.find("texture", layer.texture, layer, "texture")
        material.texid = ids


def resolve_looks(draft: Draft) -> None:
    """Materials of geoms, sites and tendons; targets and directions of cameras and lights."""
    for element in (*draft.geoms, *draft.sites, *draft.tendons, *draft.skins):
        element.matid = draft.find("material", element.material, element) if element.material else -1
    for skin in draft.skins:
        bones = skin.compiled.bones if skin.compiled is not None else []
        skin.bodyids = [draft.find("body", bone.bodyname, skin, "bone") for bone in bones]
    for camera in draft.cameras:
        _target(draft, camera)
        _optics(draft, camera)
    for light in draft.lights:
        _target(draft, light)
        light.texid = draft.find("texture", light.texture, light) if light.texture else -1
        try:
            light.dir = unit(light.dir)
        except ValueError:
            draft.problems.about(light, "dir is too short", "dir")


def _target(draft: Draft, element: Any) -> None:
    """Body that a camera or light looks at."""
    element.targetbodyid = -1
    if element.targetbody:
        element.targetbodyid = draft.find("body", element.targetbody, element, "target")


def _optics(draft: Draft, camera: Any) -> None:
    """Intrinsic parameters, and the field of view that follows from them (Modeling chapter, Cameras)."""
    znear = draft.spec.visual["map"].znear
    camera.intrinsic = (znear, znear, 0.0, 0.0)
    width, height = camera.sensor_size
    if camera.fovy >= 180:
        draft.problems.about(camera, "fovy must be below 180", "fovy")
    if min(camera.resolution) < 0 or min(camera.sensor_size) < 0:
        draft.problems.about(camera, "resolution and sensorsize cannot be negative", "resolution")
    if not (width and height):
        return
    per_pixel = (width / camera.resolution[0], height / camera.resolution[1])
    focal = _lengths(camera.focal_pixel, camera.focal_length, per_pixel)
    principal = _lengths(camera.principal_pixel, camera.principal_length, per_pixel)
    camera.intrinsic = (*focal, *principal)
    # the arithmetic is single precision, as the field of view is stored by the official compiler
    half = np.arctan2(np.float32(height) / np.float32(2), np.float32(focal[1]))
    camera.fovy = float(np.degrees(np.float32(2) * half))


def _lengths(pixels: tuple, lengths: tuple, per_pixel: tuple) -> tuple[float, float]:
    """Lengths given in pixels, or in meters."""
    values = [p * scale if p else length for p, length, scale in zip(pixels, lengths, per_pixel, strict=True)]
    return values[0], values[1]
