"""`conjoint compile`, `testxml` and `schema`: format conversion, a test of saving models, and the XML Schema."""

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import conjoint
from conjoint.cli.failure import InputError, writing
from conjoint.cli.model_file import BINARY, load_model
from conjoint.schema.model import MODEL_FIELDS

TOLERANCE = 1e-6
"""Tolerance for a saved and reloaded model, because text rounds numbers (Programming chapter, testxml)."""
SCHEMA = ".xsd"
"""File name extension of XML Schemas."""
PLACES = {
    "names", "names_map", "paths", "nnames", "npaths", "nbuffer", "narena", "signature",
    "mesh_pathadr", "hfield_pathadr", "skin_pathadr", "tex_pathadr", "nbvh", "nbvhstatic",
}  # fmt: skip
"""Fields that depend on file locations or on compressed sizes, and are not compared."""


def convert(source: Path, target: Path, console: Console) -> None:
    """Convert the model in `source` to the format that the extension of `target` selects.

    Raises:
        InputError: a format is unknown, the formats are incompatible, or the file cannot be written.
    """
    writers = {".xml": _write_xml, ".mjb": conjoint.mj_saveModel, ".txt": conjoint.mj_printModel}
    write: Any = writers.get(target.suffix.lower())
    if write is None:
        raise InputError(f"cannot write {target}: the name must end in one of {', '.join(writers)}")
    model = load_model(source)
    if model.spec is None and target.suffix.lower() == ".xml":
        raise InputError(f"{source}: a binary model cannot be converted to XML; convert its source instead")
    with writing(target):
        write(model, str(target))
    console.print(f"{source} -> {target}: {target.stat().st_size} bytes")


def _write_xml(model: Any, filename: str) -> None:
    """Write a model as MJCF, with asset paths relative to the folder of the file."""
    from conjoint.compiler.changes import saved_xml

    Path(filename).write_text(saved_xml(model.spec, directory=str(Path(filename).parent)), encoding="utf-8")


def write_schema(target: Path, console: Console) -> None:
    """Write the XML Schema of the model format to `target`. Raises InputError if the file cannot be written."""
    from conjoint.mjcf.xsd import xml_schema

    if target.suffix.lower() != SCHEMA:
        raise InputError(f"cannot write {target}: the name of an XML Schema must end in {SCHEMA}")
    with writing(target):
        target.write_text(xml_schema(), encoding="utf-8")
    console.print(f"{target}: {target.stat().st_size} bytes")


def test_saving(source: Path, console: Console) -> bool:
    """Save a model as XML, load it again, and print the field that differs most.

    Returns:
        True if all fields agree.
    """
    from conjoint.compiler import compile_spec, read_string
    from conjoint.compiler.changes import saved_xml

    if source.suffix.lower() in BINARY:
        raise InputError(f"{source}: testxml needs a model in XML")
    model = load_model(source)
    text = saved_xml(model.spec, directory=str(Path.cwd()))
    before, after = model.memory, compile_spec(read_string(text, model.spec.assets))
    differences = {
        field.name: _difference(*used_rows(field.name, before.view(field.name), after.view(field.name)))
        for field in MODEL_FIELDS
        if field.public and field.name not in PLACES
    }
    worst = max(differences, key=lambda name: differences[name])
    console.print(f"{source}: saved {len(text)} characters of XML, compared {len(differences)} fields")
    apart = differences[worst]
    console.print(f"largest difference: {apart:.2g} in {worst}" if apart else "no differences")
    return apart <= TOLERANCE


def used_rows(name: str, before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of both arrays to compare, without surplus bounding volumes that fused bodies leave."""
    if not name.startswith("bvh_"):
        return before, after
    rows = min(len(before), len(after))
    return before[:rows], after[:rows]


def _difference(before: np.ndarray, after: np.ndarray) -> float:
    """Return the largest difference between two arrays, relative for numbers with a magnitude above one."""
    if before.shape != after.shape:
        return float("inf")
    if not before.size:
        return 0.0
    first, second = before.astype(float), after.astype(float)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(first - second) / np.maximum(1.0, np.abs(first)))
    return float(np.max(np.where(np.isnan(error), np.inf, error)))
