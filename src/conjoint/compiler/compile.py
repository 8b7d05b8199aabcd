"""Spec to model: the order of the compiler's stages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.compiler.actuator import resolve_actuators
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.assets.geoms import resolve_shapes, resolve_site_shapes
from conjoint.compiler.assets.load import load_assets
from conjoint.compiler.draft import Draft
from conjoint.compiler.fill import fill
from conjoint.compiler.fuse import fuse_static
from conjoint.compiler.inertia import align_free_bodies, check_moving, resolve_bodies, resolve_geoms, set_total_mass
from conjoint.compiler.joint import resolve_joints, set_springdampers
from conjoint.compiler.length_range import search_ranges
from conjoint.compiler.looks import discard_visual, resolve_assets, resolve_looks
from conjoint.compiler.names import Names
from conjoint.compiler.plugin import check_plugins, resolve_plugins
from conjoint.compiler.pose import resolve_poses
from conjoint.compiler.relations import (
    complete_keys,
    initial_qpos,
    resolve_contacts,
    resolve_custom,
    resolve_equalities,
    resolve_keys,
)
from conjoint.compiler.scale import resolve_scales
from conjoint.compiler.scale_relations import scale_flexes, scale_relations, scale_skins
from conjoint.compiler.sensor import resolve_sensors
from conjoint.compiler.settings import fill_settings, fill_statistics
from conjoint.compiler.sizes import model_sizes
from conjoint.compiler.tendon import resolve_tendons
from conjoint.compiler.tree import Tree, sleep_policies
from conjoint.lang.errors import ModelError
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.text import as_path, in_utf8, is_text
from conjoint.once import MAKING
from conjoint.runtime.constants import complete
from conjoint.runtime.structure import Structure
from conjoint.schema.memory import model_layout
from conjoint.spec import Spec
from conjoint.spec.filename import PackagePath, given_file, given_files, packages_in
from conjoint.spec.problems import guarded

MOST_BYTES = 1 << 34
"""Largest model, in bytes."""


@guarded
def read_path(path: Any, assets: Mapping[str, bytes | str] | None = None, package_path: PackagePath = None) -> Spec:
    """Specification in the MJCF or URDF file at `path`.

    Args:
        path: path of the file, or a key of `assets`: a string, bytes or an object with `__fspath__`.
        assets: contents of files by name, looked up before the disk; folders and case of names do not matter.
        package_path: folders where `package://` is looked up first.

    Raises:
        ModelError: the file is missing or broken; the message lists what was found, with file, line and column.
    """
    with MAKING.held:
        from conjoint.mjcf import read_path, read_string

    path, files = as_path(path, "the file name of a model"), given_files(assets)
    given = given_file(files, path)
    with packages_in(package_path):
        return read_path(path, files) if given is None else read_string(given, files, name=path)


@guarded
def read_string(
    xml: str | bytes, assets: Mapping[str, bytes | str] | None = None, package_path: PackagePath = None
) -> Spec:
    """Specification in the MJCF or URDF text `xml`; arguments and errors are those of `read_path`."""
    with MAKING.held:
        from conjoint.mjcf import read_string

    if not is_text(xml):
        raise TypeError(f"expected the text of a model, MJCF or URDF, not {xml!r}")
    if isinstance(xml, str) and not in_utf8(xml):
        raise TypeError("the text of a model has half a character (a lone surrogate) in it: write it in UTF-8")
    with packages_in(package_path):
        return read_string(bytes(xml) if isinstance(xml, bytearray) else xml, given_files(assets))


def compile_path(path: str | Path, assets: Mapping[str, bytes | str] | None = None) -> Buffer:
    """Model in a file: a buffer of the fields `MODEL_FIELDS`; arguments and errors are those of `read_path`."""
    return compile_spec(read_path(path, assets))


def compile_string(xml: str, assets: Mapping[str, bytes | str] | None = None) -> Buffer:
    """Model in the text `xml`; arguments and errors are those of `read_path`."""
    return compile_spec(read_string(xml, assets))


def compile_spec(spec: Spec) -> Buffer:
    """Model of an edited specification, which is not changed. Raises ModelError as `read_path`."""
    return compile_draft(spec)[1].model


@guarded
@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def compile_draft(spec: Spec) -> tuple[Draft, Structure]:
    """As `compile_spec`: the draft that tells which element became what, and the model with its structure."""
    # absurd numbers lead to infinite ones, as in the official compiler
    draft = Draft(spec)
    resolve_scales(draft)
    scale_flexes(draft)
    scale_relations(draft)
    # the tree
    resolve_poses(draft)
    resolve_joints(draft)
    resolve_plugins(draft)
    load_assets(draft)
    scale_skins(draft)
    resolve_shapes(draft)
    resolve_site_shapes(draft)
    resolve_geoms(draft)
    resolve_bodies(draft)
    # before bodies lose children
    align_free_bodies(draft)
    fuse_static(draft)
    check_moving(draft)
    set_total_mass(draft)
    discard_visual(draft)
    # what refers to it
    resolve_assets(draft)
    if draft.flexes:
        value_of(Name("conjoint.compiler.flex")).resolve_flexes(draft)
    resolve_contacts(draft)
    resolve_tendons(draft)
    resolve_equalities(draft)
    resolve_looks(draft)
    resolve_actuators(draft)
    check_plugins(draft)
    resolve_sensors(draft)
    resolve_custom(draft)
    draft.qpos0, draft.qpos_spring = initial_qpos(draft)
    resolve_keys(draft)
    draft.problems.check()
    # the arrays
    tree = Tree(draft)
    tree.sleep_policy = sleep_policies(draft, tree)
    names = Names(draft)
    sizes = model_sizes(draft, tree, names)
    draft.problems.check()
    layout = model_layout(sizes)
    if layout.nbytes > MOST_BYTES:
        raise ModelError(f"the model needs {layout.nbytes >> 30} GiB, more than {MOST_BYTES >> 30}")
    buffer = Buffer(layout)
    fill(draft, tree, names, buffer)
    fill_settings(spec, buffer)
    # what follows from them
    structure, m = complete(buffer), Arrays(buffer)
    fill_statistics(spec, buffer)
    set_springdampers(draft.joints, m)
    complete_keys(draft, m)
    search_ranges(draft, m)
    draft.problems.check()
    return draft, structure
