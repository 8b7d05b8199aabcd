"""Compilation of a Spec to a model, with the order of the compiler passes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.compiler.actuator import resolve_actuators
from conjoint.compiler.assets.geoms import resolve_shapes, resolve_site_shapes
from conjoint.compiler.assets.load import load_assets
from conjoint.compiler.draft import Draft
from conjoint.compiler.fill import fill, summarize
from conjoint.compiler.fuse import fuse_static
from conjoint.compiler.inertia import align_free_bodies, check_moving, resolve_bodies, resolve_geoms, set_total_mass
from conjoint.compiler.joint import resolve_joints, set_springdampers
from conjoint.compiler.length_range import search_ranges
from conjoint.compiler.looks import discard_visual, resolve_assets, resolve_looks
from conjoint.compiler.names import collect_names
from conjoint.compiler.passes import declared
from conjoint.compiler.plugin import check_plugins, resolve_plugins
from conjoint.compiler.pose import resolve_poses
from conjoint.compiler.relations import (
    complete_keys,
    find_initial_pose,
    resolve_contacts,
    resolve_custom,
    resolve_equalities,
    resolve_keys,
)
from conjoint.compiler.scale import resolve_scales
from conjoint.compiler.scale_relations import scale_flexes, scale_relations, scale_skins
from conjoint.compiler.sensor import resolve_sensors
from conjoint.compiler.settings import fill_settings, fill_statistics
from conjoint.compiler.sizes import count_sizes, flex, lay_out
from conjoint.compiler.tendon import resolve_tendons
from conjoint.compiler.tree import choose_sleep, describe_tree
from conjoint.lang.language.name import value_of
from conjoint.lang.memory.layout import Buffer
from conjoint.lang.text import as_path, in_utf8, is_text
from conjoint.once import MAKING
from conjoint.runtime.constants import complete
from conjoint.runtime.structure import Structure
from conjoint.spec import Spec
from conjoint.spec.filename import given_file, given_files
from conjoint.spec.model_source import model_file
from conjoint.spec.packages import PackagePath, packages_in
from conjoint.spec.problems import guarded


@guarded
def read_path(path: Any, assets: Mapping[str, bytes | str] | None = None, package_path: PackagePath = None) -> Spec:
    """Read a specification from the MJCF or URDF file at `path`.

    Args:
        path: path of the file, a name that `model_file` accepts, or a key of `assets`: a string, bytes or an object
            with `__fspath__`.
        assets: contents of files by name, looked up before the disk; folders and case of names do not matter.
        package_path: folders that are searched first for `package://` paths.

    Raises:
        ModelError: the file is missing or invalid. The message lists the problems, with file, line and column.
    """
    with MAKING.held:
        from conjoint.mjcf import read_path, read_string

    path, files = as_path(path, "the file name of a model"), given_files(assets)
    given = given_file(files, path)
    with packages_in(package_path):
        return read_path(model_file(path), files) if given is None else read_string(given, files, name=path)


@guarded
def read_string(
    xml: str | bytes, assets: Mapping[str, bytes | str] | None = None, package_path: PackagePath = None
) -> Spec:
    """Read a specification from the MJCF or URDF text `xml`. For arguments and errors see `read_path`."""
    with MAKING.held:
        from conjoint.mjcf import read_string

    if not is_text(xml):
        raise TypeError(f"expected the text of a model, MJCF or URDF, not {xml!r}")
    if isinstance(xml, str) and not in_utf8(xml):
        raise TypeError("the text of a model contains a lone surrogate: write it in UTF-8")
    with packages_in(package_path):
        return read_string(bytes(xml) if isinstance(xml, bytearray) else xml, given_files(assets))


def compile_path(path: str | Path, assets: Mapping[str, bytes | str] | None = None) -> Buffer:
    """Compile the model in a file to a buffer of `MODEL_FIELDS`. For arguments and errors see `read_path`."""
    return compile_spec(read_path(path, assets))


def compile_string(xml: str, assets: Mapping[str, bytes | str] | None = None) -> Buffer:
    """Compile the model in the text `xml`. For arguments and errors see `read_path`."""
    return compile_spec(read_string(xml, assets))


def compile_spec(spec: Spec) -> Buffer:
    """Compile a specification without changing it, and return the model. Raises ModelError as `read_path` does."""
    return compile_draft(spec)[1].model


@declared()
def report_problems(draft: Draft) -> None:
    """Raise ModelError if any problems have been recorded."""
    draft.problems.check()


@declared(
    reads=("body: id parentid pos quat; flex: edgedamping edgestiffness radius thickness vert young; material: id"),
    writes=(
        "flex: bending bodyids centered coordinate_ids coordinates edgeflap edges element_edges elements interp "
        "local matid node_local nodeids nodes nvert points rigid stiffness strain surface vert0"
    ),
)
def resolve_flexes(draft: Draft) -> None:
    """Compile every flex. The module that compiles flexes is imported only if there is one."""
    if draft.flexes:
        value_of(flex).resolve_flexes(draft)


@declared(
    reads="draft: model",
    writes="draft: structure",
)
def find_constants(draft: Draft) -> None:
    """Compute the constants of the model that require the physics engine."""
    draft.structure = complete(draft.model)


PASSES = (
    # frames that scale their contents
    resolve_scales,
    scale_flexes,
    scale_relations,
    # poses in bodies, joints, and contents of files
    resolve_poses,
    resolve_joints,
    resolve_plugins,
    load_assets,
    scale_skins,
    # shapes and masses
    resolve_shapes,
    resolve_site_shapes,
    resolve_geoms,
    resolve_bodies,
    # bodies and geoms that are converted or removed
    align_free_bodies,
    fuse_static,
    check_moving,
    set_total_mass,
    discard_visual,
    # elements that refer to bodies, geoms and other elements
    resolve_assets,
    resolve_flexes,
    resolve_contacts,
    resolve_tendons,
    resolve_equalities,
    resolve_looks,
    resolve_actuators,
    check_plugins,
    resolve_sensors,
    resolve_custom,
    find_initial_pose,
    resolve_keys,
    report_problems,
    # properties of the whole model: tree, names, sizes
    describe_tree,
    choose_sleep,
    summarize,
    collect_names,
    count_sizes,
    report_problems,
    # arrays, and values derived from them
    lay_out,
    fill,
    fill_settings,
    find_constants,
    fill_statistics,
    set_springdampers,
    complete_keys,
    search_ranges,
    report_problems,
)
"""Passes of the compiler, in order."""


@guarded
@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def compile_draft(spec: Spec) -> tuple[Draft, Structure]:
    """Compile a specification to a draft, which maps elements to ids, and a model with its structure."""
    # as in MuJoCo, extreme numbers overflow to infinity
    draft = Draft(spec)
    for step in PASSES:
        step(draft)
    structure = draft.structure
    # the draft must not keep the model alive
    del draft.model, draft.arrays, draft.structure
    return draft, structure
