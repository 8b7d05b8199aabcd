"""Everything of this package that is compiled: the objects that a wheel brings."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping

import conjoint
from conjoint.lang.argument_guard_code import GUARDS
from conjoint.lang.compile_pool import object_files
from conjoint.lang.compiled import unit_text
from conjoint.lang.driver import DRIVER
from conjoint.lang.entry import Entry
from conjoint.lang.fast_call import TRAMPOLINE
from conjoint.lang.native import text_key
from conjoint.lang.realisation import EXACT_WORLD, WORLD, Realisation, lanes, world_view
from conjoint.lang.shipped_objects import Kind
from conjoint.lang.sibling_thread import SIBLING_CODE
from conjoint.lang.thread_team import ASSIST
from conjoint.lang.transfer_code import DRIVE_WORLDS
from conjoint.lang.unit import Description, Unit
from conjoint.runtime.constants import CONSTANTS, SPRINGS
from conjoint.runtime.functions import every_stage
from conjoint.runtime.stage import Stage
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS

ROOMS = ("physics", "solver", "runtime", "compiler", "api", "batch", "viz")
"""Packages that declare entries."""

EXTRA = ("conjoint.batch.cluster", "conjoint.batch.ray_start")
"""Modules that need packages of an extra; they declare no entries."""

TEXTS = (TRAMPOLINE, GUARDS, DRIVER, DRIVE_WORLDS, SIBLING_CODE, ASSIST)
"""What is written in LLVM IR itself."""


def objects(kind: Kind) -> Iterator[tuple[str, bytes]]:
    """Name and contents of every object for a kind of processors, as they are finished."""
    texts: dict[str, tuple[str, Description | None]] = {text_key(text): (text, None) for text in TEXTS}
    texts |= {unit.key: unit_text(unit.key, unit) for unit in units(kind.widths)}
    keys = list(texts)
    for i, code in object_files(len(keys), (texts[key][0] for key in keys), kind.target):
        description = texts[keys[i]][1]
        yield keys[i], code if description is None else description.packed(code)


def units(widths: Mapping[str, int]) -> list[Unit]:
    """Every stage in every realisation, for blocks of these widths, and every entry."""
    found = {}
    for stage in all_stages():
        for realisation in realisations(stage, widths):
            unit = Unit(stage.kernel, realisation, MODEL_ROWS, DATA_STRUCT)
            found[unit.key] = unit
    for entry in all_entries():
        found[entry.unit.key] = entry.unit
    return list(found.values())


def realisations(stage: Stage, widths: Mapping[str, int]) -> list[Realisation]:
    """The ways in which a stage runs; constants are found in single worlds, as written."""
    exact = [EXACT_WORLD] if stage in CONSTANTS + SPRINGS else []
    if exact and stage.name == CONSTANTS[0].name:
        return exact
    if stage.kernel.single:
        return [WORLD, *exact]
    blocks = [(world_view if stage.kernel.per_world else lanes)(base, width) for base, width in widths.items()]
    return [WORLD, *blocks, *exact]


def all_stages() -> list[Stage]:
    """Every stage of every function, those that find constants of models included."""
    return list(dict.fromkeys((*every_stage(), *CONSTANTS, *SPRINGS)))


def all_entries() -> list[Entry]:
    """Every entry that a module declares."""
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
