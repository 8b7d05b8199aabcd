"""Catalog of all compiled objects of this package, which wheels contain."""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Mapping

import conjoint
from conjoint.lang.calls.compiled import unit_text
from conjoint.lang.calls.entry import Entry
from conjoint.lang.memory.realisation import EXACT_WORLD, WORLD, Realisation, lanes, world_view
from conjoint.lang.objects.cache_keys import rows_digest
from conjoint.lang.objects.compile_pool import object_files
from conjoint.lang.objects.shipped_objects import Kind
from conjoint.lang.objects.unit import Description, Unit
from conjoint.lang.routines import argument_guard_code, worker_code
from conjoint.lang.routines.call_cache_code import repeated
from conjoint.lang.routines.driver_code import drive
from conjoint.lang.routines.fast_call_code import call
from conjoint.lang.routines.thread_team_code import assist
from conjoint.lang.routines.transfer_code import drive_worlds
from conjoint.runtime.constants import CONSTANTS, SPRINGS
from conjoint.runtime.functions import every_stage
from conjoint.runtime.stage import BRANCHES, Stage
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS

ROOMS = ("physics", "solver", "runtime", "spec", "compiler", "api", "batch", "viz", "derivative")
"""Names of the subpackages whose modules declare compiled entry points."""

EXTRA = tuple(f"conjoint.batch.{name}" for name in ("cluster", "cluster_tasks", "cluster_worlds"))
"""Modules that are not imported, because they need optional packages. They declare no entry points."""

ROUTINES = (
    call, argument_guard_code.guarded, argument_guard_code.entered, repeated, drive, drive_worlds, assist,
    worker_code.serve, worker_code.await_work, worker_code.work_together,
)  # fmt: skip
"""Kernels that are compiled as C functions."""


def objects(
    kind: Kind, names: Collection[str] = (), advance: Callable[[int, int], None] = lambda done, count: None
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return all compiled objects for a processor type by cache key, and the archive's index, which contains the keys.

    Args:
        kind: processor type.
        names: names of kernels; empty for all.
        advance: callback that receives the number of finished objects and the total.
    """
    texts: dict[str, tuple[str, Description]] = {}
    keys: dict[str, str] = {}
    for unit in units(kind.widths):
        if not names or unit.kernel.__name__ in names:
            key, text, description = unit_text(unit)
            texts[key] = text, description
            keys[f"{rows_digest(unit)} {unit.place}"] = key
    found: dict[str, bytes] = {}
    order = sorted(texts)
    for i, code in object_files(len(order), (texts[key][0] for key in order), kind.target):
        found[order[i]] = texts[order[i]][1].packed(code)
        advance(len(found), len(order))
    return dict(sorted(found.items())), keys


def units(widths: Mapping[str, int]) -> list[Unit]:
    """Return the compilation units of all kernels: stages in every variant for these block widths, and entries."""
    found = [Unit(kernel, WORLD, (), ()) for kernel in ROUTINES]
    for stage in all_stages():
        for realisation in realisations(stage, widths):
            found.append(Unit(stage.work, realisation, MODEL_ROWS, DATA_STRUCT))
    found += [entry.unit for entry in all_entries()]
    return list({(rows_digest(unit), unit.place): unit for unit in found}.values())


def realisations(stage: Stage, widths: Mapping[str, int]) -> list[Realisation]:
    """Return the compiled variants of a stage. Stages that compute model constants run only in single worlds."""
    exact = [EXACT_WORLD] if stage in CONSTANTS + SPRINGS else []
    if exact and stage.name == CONSTANTS[0].name:
        return exact
    if stage.kernel.single:
        return [WORLD, *exact]
    blocks = [(world_view if stage.kernel.per_world else lanes)(base, width) for base, width in widths.items()]
    if any(isinstance(need, tuple) and BRANCHES in need for need in stage.needs):
        # such stages are used only for worlds in lanes
        return blocks
    return [WORLD, *blocks, *exact]


def all_stages() -> list[Stage]:
    """Return every stage of every function, including stages that compute constants of models."""
    return list(dict.fromkeys((*every_stage(), *CONSTANTS, *SPRINGS)))


def all_entries() -> list[Entry]:
    """Return all compiled entry points that modules of the subpackages in `ROOMS` declare."""
    found = {}
    for room in ROOMS:
        package = importlib.import_module(f"{conjoint.__name__}.{room}")
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name in EXTRA:
                continue
            for item in vars(importlib.import_module(info.name)).values():
                items = item.values() if isinstance(item, dict) else [item]
                found.update({id(entry): entry for entry in items if isinstance(entry, Entry)})
    return list(found.values())
