"""Assets that may come from files: meshes, height fields, textures and skins."""

from typing import Any

from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader, read_plugin
from conjoint.once import MAKING
from conjoint.schema.mjcf.asset import CUBE_FACES, GRID_SHAPES, MESH_SHAPES
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec.element import TOP
from conjoint.spec.filename import default_name

FILE_ASSETS = ("mesh", "hfield", "texture", "skin")
"""Tags of assets that may come from files."""


def read_file_asset(reader: ElementReader, node: Node, row: Row) -> None:
    """Read an asset that may come from a file, located relative to the folder of this model."""
    asset: Any = reader.element(node, row)
    asset.directory = reader.spec.directory
    for name in ("file", *("file" + face for face in CUBE_FACES if row.kind == "texture")):
        if asset.__dict__[name]:
            setattr(asset, name, reader.files.beside(asset, asset.__dict__[name], node.document.folder))
    if not asset.name:
        asset.name = default_name(asset.file)
    if row.kind == "skin":
        asset.bones = [reader.element(bone, bone_row) for bone, bone_row in reader.children(node, row)]
    elif row.kind == "mesh":
        _mesh(reader, node, row, asset)
    elif row.kind == "texture" and "gridlayout" in asset.written:
        rows, columns = asset.gridsize
        if len(asset.gridlayout) != rows * columns:
            message = f"{len(asset.gridlayout)} cells, but gridsize is {rows} x {columns}"
            reader.problems.about(asset, message, "gridlayout")
    getattr(reader.spec, TOP[row.kind]).append(asset)


def _mesh(reader: ElementReader, node: Node, row: Row, mesh: Any) -> None:
    """Read the plugin of a mesh, or its built-in shape."""
    for child, inner in reader.children(node, row):
        mesh.plugin = read_plugin(reader, child, inner, reader.values(child, inner))
    shape, parameters = mesh.__dict__.pop("builtin", None), mesh.__dict__.pop("params", None)
    if shape is None:
        return
    if mesh.file or mesh.uservert:
        given = "a file" if mesh.file else "vertices"
        reader.problems.about(mesh, f"cannot be given together with {given}", "builtin")
    elif "params" not in node.attributes:
        reader.problems.about(mesh, "the attribute 'params' is missing: the parameters of the shape", "builtin")
    elif parameters is not None:
        try:
            mesh.__dict__.update(_shape(shape, parameters, mesh.inertia))
        except ValueError as error:
            reader.problems.about(mesh, str(error), "params")


def _shape(number: int, parameters: tuple[float, ...], inertia: int) -> dict[str, Any]:
    """Return the values of a mesh with the built-in shape `number`. Raises ValueError if its parameters are invalid."""
    with MAKING.held:
        from conjoint.mjcf.flex_shapes import mesh_values, of_parameters
        from conjoint.spec.meshes.shapes import builtin

    words = MESH_SHAPES.split()
    if number < len(words):
        return builtin(words[number], parameters).values()
    return mesh_values(of_parameters(GRID_SHAPES.split()[number - len(words)], parameters), inertia)
