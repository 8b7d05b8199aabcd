"""Sizes and arrays of the assets of a model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.lang.memory.layout import Buffer

PATHS = {"hfield": "hfields", "mesh": "meshes", "skin": "skins", "tex": "textures"}
"""Names of the draft's asset lists by prefix of the assets' fields, in the order in which `paths` stores file paths."""


def asset_sizes(draft: Draft) -> dict[str, int]:
    """Return the model sizes that count parts of assets, such as vertices. Sizes that are zero may be omitted."""
    if not any(getattr(draft, elements) for elements in PATHS.values()):
        return {"npaths": 1}
    meshes = [mesh.compiled for mesh in draft.meshes if mesh.compiled is not None]
    triangles = [mesh.triangles for mesh in meshes]
    skins = [skin.compiled for skin in draft.skins if skin.compiled is not None]
    bones = [bone for skin in skins for bone in skin.bones]
    return {
        "nmeshvert": sum(len(mesh.vert) for mesh in triangles),
        "nmeshnormal": sum(len(mesh.normal) for mesh in triangles),
        "nmeshtexcoord": sum(len(mesh.texcoord) for mesh in triangles if mesh.texcoord is not None),
        "nmeshface": sum(len(mesh.face) for mesh in triangles),
        "nmeshgraph": sum(len(mesh.graph) for mesh in meshes),
        "nmeshpoly": sum(len(mesh.polygons.num) for mesh in meshes),
        "nmeshpolyvert": sum(len(mesh.polygons.vert) for mesh in meshes),
        "noct": sum(len(mesh.octree.depth) for mesh in meshes if mesh.octree is not None),
        "nmeshpolymap": sum(len(mesh.polygons.map) for mesh in meshes),
        "nskinvert": sum(len(skin.vert) for skin in skins),
        "nskintexvert": sum(len(skin.texcoord) for skin in skins),
        "nskinface": sum(len(skin.face) for skin in skins),
        "nskinbone": len(bones),
        "nskinbonevert": sum(len(bone.vertid) for bone in bones),
        "nhfielddata": sum(hfield.compiled.size for hfield in draft.hfields if hfield.compiled is not None),
        "ntexdata": sum(texture.compiled.size for texture in draft.textures if texture.compiled is not None),
        "npaths": max(1, len(_paths(draft)[0])),
    }


def fill_assets(draft: Draft, buffer: Buffer) -> None:
    """Write the fields of meshes, height fields, textures, skins and file paths."""
    if draft.meshes:
        _meshes(draft, buffer)
    if draft.hfields:
        _hfields(draft, buffer)
    if draft.textures:
        _textures(draft, buffer)
    if draft.skins:
        _skins(draft, buffer)
    text, addresses = _paths(draft)
    buffer.view("paths")[:] = np.frombuffer(text or b"\0", np.uint8)
    for prefix, column in addresses.items():
        buffer.view(prefix + "_pathadr")[:] = column


def _paths(draft: Draft) -> tuple[bytes, dict[str, list[int]]]:
    """Return all file paths as one text, and the start address of each asset's path, by asset type (-1 for no path)."""
    text = b""
    addresses: dict[str, list[int]] = {}
    for prefix, elements in PATHS.items():
        column = addresses[prefix] = []
        for element in getattr(draft, elements):
            column.append(len(text) if element.path else -1)
            text += element.path.encode() + b"\0" if element.path else b""
            if prefix == "tex" and not element.compiled.size and element.content_type:
                # stored after the path of the external file
                text += element.content_type.encode() + b"\0"
    return text, addresses


def _meshes(draft: Draft, buffer: Buffer) -> None:
    """Write all fields of meshes, except the bounding volumes of their faces."""
    meshes = [mesh.compiled for mesh in draft.meshes]
    parts = [mesh.triangles for mesh in meshes]
    _pack(buffer, "mesh_vert", [part.vert for part in parts], "mesh_vertadr", "mesh_vertnum")
    _pack(buffer, "mesh_normal", [part.normal for part in parts], "mesh_normaladr", "mesh_normalnum")
    _pack(buffer, "mesh_texcoord", [part.texcoord for part in parts], "mesh_texcoordadr", "mesh_texcoordnum")
    _pack(buffer, "mesh_face", [part.face for part in parts], "mesh_faceadr", "mesh_facenum")
    _pack(buffer, "mesh_facenormal", [part.facenormal for part in parts])
    without = [part.facetexcoord if part.texcoord is not None else np.zeros_like(part.face) for part in parts]
    _pack(buffer, "mesh_facetexcoord", without)
    _pack(buffer, "mesh_graph", [mesh.graph if len(mesh.graph) else None for mesh in meshes], "mesh_graphadr")
    buffer.view("mesh_scale")[:] = [mesh.scale for mesh in draft.meshes]
    buffer.view("mesh_pos")[:] = [mesh.pos for mesh in meshes]
    buffer.view("mesh_quat")[:] = [mesh.mass.quat for mesh in meshes]
    octrees = [mesh.octree for mesh in meshes]
    _pack(buffer, "oct_depth", [tree and tree.depth for tree in octrees], "mesh_octadr", "mesh_octnum")
    for name in ("child", "aabb", "coeff"):
        _pack(buffer, "oct_" + name, [tree and vars(tree)[name] for tree in octrees])
    polygons = [mesh.polygons for mesh in meshes]
    _pack(buffer, "mesh_polynormal", [part.normal for part in polygons], "mesh_polyadr", "mesh_polynum")
    for field, counts, lists in (
        ("mesh_polyvert", "num", [part.vert for part in polygons]),
        ("mesh_polymap", "mapnum", [part.map for part in polygons]),
    ):
        sizes = np.concatenate([vars(part)[counts] for part in polygons])
        buffer.view(field + "num")[:] = sizes
        buffer.view(field + "adr")[:] = np.cumsum(sizes) - sizes
        _pack(buffer, field, lists)


def _hfields(draft: Draft, buffer: Buffer) -> None:
    """Write all fields of height fields."""
    for name in ("size", "nrow", "ncol"):
        buffer.view("hfield_" + name)[:] = [getattr(hfield, name) for hfield in draft.hfields]
    _pack(buffer, "hfield_data", [hfield.compiled.reshape(-1) for hfield in draft.hfields], "hfield_adr")


def _textures(draft: Draft, buffer: Buffer) -> None:
    """Write all fields of textures."""
    for name in ("type", "colorspace"):
        buffer.view("tex_" + name)[:] = [getattr(texture, name) for texture in draft.textures]
    shapes = [texture.compiled.shape for texture in draft.textures]
    for name, column in zip(("height", "width", "nchannel"), zip(*shapes, strict=True), strict=True):
        buffer.view("tex_" + name)[:] = column
    pixels = [texture.compiled.reshape(-1) for texture in draft.textures]
    # textures left in their files have no address
    _pack(buffer, "tex_data", [part if len(part) else None for part in pixels], "tex_adr")


def _skins(draft: Draft, buffer: Buffer) -> None:
    """Write all fields of skins."""
    skins = [skin.compiled for skin in draft.skins]
    for name in ("matid", "group", "rgba", "inflate"):
        buffer.view("skin_" + name)[:] = [getattr(skin, name) for skin in draft.skins]
    _pack(buffer, "skin_vert", [skin.vert for skin in skins], "skin_vertadr", "skin_vertnum")
    texcoord = [skin.texcoord if len(skin.texcoord) else None for skin in skins]
    _pack(buffer, "skin_texcoord", texcoord, "skin_texcoordadr")
    _pack(buffer, "skin_face", [skin.face for skin in skins], "skin_faceadr", "skin_facenum")
    bones = [bone for skin in skins for bone in skin.bones]
    counts = [len(skin.bones) for skin in skins]
    buffer.view("skin_bonenum")[:] = counts
    buffer.view("skin_boneadr")[:] = np.cumsum([0, *counts[:-1]])
    buffer.view("skin_bonebodyid")[:] = [bodyid for skin in draft.skins for bodyid in skin.bodyids]
    for name in ("bindpos", "bindquat"):
        buffer.view("skin_bone" + name)[:] = [getattr(bone, name) for bone in bones]
    _pack(buffer, "skin_bonevertid", [bone.vertid for bone in bones], "skin_bonevertadr", "skin_bonevertnum")
    _pack(buffer, "skin_bonevertweight", [bone.vertweight for bone in bones])


def _pack(buffer: Buffer, field: str, blocks: Sequence[Any], adr: str = "", num: str = "") -> None:
    """Write blocks of rows one after the other, with their addresses (-1 for None) and row counts.

    `adr` and `num` are the names of the fields for addresses and row counts, or "".
    """
    view = buffer.view(field)
    at = 0
    addresses: list[int] = []
    for block in blocks:
        addresses.append(-1 if block is None else at)
        if block is not None:
            view[at : at + len(block)] = block
            at += len(block)
    if adr:
        buffer.view(adr)[:] = addresses
    if num:
        buffer.view(num)[:] = [0 if block is None else len(block) for block in blocks]
