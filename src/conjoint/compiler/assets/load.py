"""Parallel loading of all assets of a model."""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from conjoint.compiler.assets.geoms import needing_hulls, needing_octrees
from conjoint.compiler.assets.texture import SKYBOX, compile_texture
from conjoint.compiler.draft import Draft
from conjoint.compiler.passes import declared
from conjoint.lang.language.name import Name, value_of
from conjoint.lang.system import processors
from conjoint.lang.warn import held_warnings, warn
from conjoint.schema.semantics import EDITION_4
from conjoint.spec.files import Files

assets = Name("conjoint.compiler.assets")

LARGE = 1 << 15
"""Minimum file size in bytes for loading in threads. Parsing of smaller files never releases the interpreter lock."""


@declared(
    reads="geom: meshname; hfield: name size; mesh: name pluginid scale; plugin: slot; site: meshname",
    early="skin: bones face file texcoord vert",
    changes="hfield: ncol nrow; texture: colorspace",
    writes="hfield: compiled path; mesh: compiled path; skin: compiled path; texture: compiled path",
)
def load_assets(draft: Draft) -> None:
    """Set `compiled` of every asset to its loaded contents. If loading fails, set it to None, and report a problem."""
    files = Files(draft.spec)
    hulls, octrees = needing_hulls(draft), needing_octrees(draft)
    newer = draft.spec.edition == EDITION_4
    work: list[tuple[Any, Callable[[], Any]]] = []
    for mesh in draft.meshes:
        plugin = draft.plugins[mesh.pluginid] if mesh.pluginid >= 0 else None
        if plugin is None and mesh.__dict__.get("plugin") is not None and not mesh.file:
            # already reported as a problem
            mesh.compiled, mesh.path = None, ""
            continue
        octree = mesh.name in octrees and plugin is None
        needs = value_of(assets.mesh).Needs(mesh.name in hulls, octree, newer)
        work.append((mesh, partial(value_of(assets.compile_mesh).compile_mesh, mesh, files, needs, plugin)))
    texture = partial(compile_texture, left=bool(draft.spec.compiler.passthrough))
    for elements, make in (
        (draft.hfields, assets.hfield.compile_hfield), (draft.textures, texture),
        (draft.skins, assets.skin.compile_skin),
    ):  # fmt: skip
        work.extend((element, partial(value_of(make), element, files)) for element in elements)
    for element, _ in work:
        element.path = files.recorded(element, element.file) if element.file else ""
        nameless = element.kind == "skin" or (element.kind == "texture" and element.type == SKYBOX)
        if not (element.name or nameless):
            draft.problems.about(element, "it needs a name, or a file that gives it one", "name")
    large = (files.size(element, element.file) > LARGE for element, _ in work if element.file)
    threaded = bool(draft.spec.compiler.usethread) and sum(large) > 1
    jobs = [job for _, job in work]
    for (element, _), (result, seconds) in zip(work, _results(jobs, threaded), strict=True):
        element.compiled = None
        draft.seconds[element.kind] = draft.seconds.get(element.kind, 0.0) + seconds
        if isinstance(result, ValueError):
            draft.problems.about(element, str(result), "file" if element.file else None)
        else:
            element.compiled = result
            if element.kind == "texture" and not result.size:
                # the texture is read from this path later
                element.path = files.path(element, element.file)


def _results(jobs: list[Callable[[], Any]], threaded: bool) -> list[tuple[Any, float]]:
    """Return for each job its result, or the ValueError that it raised, and its duration in seconds."""
    if not threaded:
        return [_result(job) for job in jobs]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(len(jobs), processors())) as pool:
        results = list(pool.map(_held_result, jobs))
    for _, reported in results:
        for warning in reported:
            warn(warning)
    return [result for result, _ in results]


def _held_result(job: Callable[[], Any]) -> tuple[tuple[Any, float], list[Warning]]:
    """Return the result of `_result(job)`, and the warnings that it issued.

    The caller issues them again in its thread.
    """
    with held_warnings() as reported:
        return _result(job), reported


def _result(job: Callable[[], Any]) -> tuple[Any, float]:
    begun = perf_counter()
    try:
        # numbers out of range are detected in the results
        with np.errstate(all="ignore"):
            return job(), perf_counter() - begun
    except ValueError as error:
        return error, perf_counter() - begun
