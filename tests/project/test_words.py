"""Unclear names that were replaced must not be used again."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import ROOT

SOURCES = ROOT / "src" / "conjoint"

MODULES = {
    "batch/changed": "perturbed_steps",
    "batch/crew": "lang/threads/thread_pool",
    "batch/differences": "finite_differences",
    "batch/order": "world_order",
    "batch/pictures": "ray_rendering",
    "batch/poses": "drawn_poses",
    "batch/seen": "rendering",
    "batch/sight": "rendering",
    "batch/varied": "varied_models",
    "lang/call": "fast_call",
    "lang/extras": "optional_packages",
    "lang/frontend/words": "vocabulary",
    "lang/guard": "argument_guard",
    "lang/guard_code": "argument_guard_code",
    "lang/kept": "disk_cache",
    "lang/keys": "cache_keys",
    "lang/part": "world_part",
    "lang/plain": "plain_structs",
    "lang/rules": "argument_rules",
    "lang/servant": "worker",
    "lang/share": "shared_work",
    "lang/shipped": "shipped_objects",
    "lang/team": "thread_team",
    "lang/words": "vocabulary",
    "lang/worker": "compile_worker",
    "lang/workers": "compile_pool",
    "physics/collision/active": "visited_boxes",
    "physics/collision/flex/field": "contacts",
    "physics/collision/flex/flex_candidates": "feature",
    "physics/collision/flex/keep": "feature",
    "physics/collision/flex/own": "self_collision",
    "physics/collision/flex/within": "internal_contacts",
    "physics/collision/found": "contact_candidates",
    "physics/collision/grazing": "sweep_misses",
    "physics/collision/narrowphase": "finding",
    "physics/collision/nearest": "nearest_points",
    "physics/collision/solids": "sphere_solids",
    "physics/collision/table": "collider_table",
    "physics/collision/volumes": "bounding_volumes",
    "physics/derivative/changes": "step_differences",
    "physics/drive": "length_range_drive",
    "physics/principal": "principal_axes",
    "physics/sight": "ray_renderer",
    "runtime/flexes": "blocks",
    "runtime/own": "user/kernels",
    "runtime/plugin_numbers": "user/plugin_numbers",
    "runtime/plugin_registration": "user/plugin_registration",
    "runtime/plugins": "user/plugin_stages",
    "runtime/registration": "user/plugin_registration",
    "runtime/replaced": "user/installed",
    "runtime/sight": "ray_pictures",
    "runtime/smooth": "smooth_stages",
    "runtime/user_kernels": "user/kernels",
    "runtime/user_stages": "user/installed",
    "runtime/bvh_active": "on_demand",
    "runtime/nonzeros": "on_demand",
    "runtime/volumes": "on_demand",
    "schema/sight": "ray_picture",
    "solver/linear/fill": "sparsity",
    "solver/linear/springs": "newton_rows",
    "solver/method/newton_compressed": "newton_blocks",
    "solver/method/start": "descent",
}
"""Former names of modules and folders, with their new names."""

WORDS = {
    "activate_volumes": "mark_visits_pending",
    "collide_field": "collide_height_field",
    "collide_within": "find_internal_contacts",
    "compressed_product": "row_times",
    "drop_grazing": "drop_missed_pairs",
    "find_fill": "find_sparsity",
    "gather_compressed": "gather_all",
    "inv_compressed": "inv_constraint",
    "list_compressed": "list_in_order",
    "live_row": "share.order",
    "products_of_compressed": "multiply",
    "reach_all": "visit_all",
    "reference_compressed": "reference_constraint",
    "servant": "worker",
    "settle_volumes": "find_visited_boxes",
    "solve_newton_compressed": "solve_newton",
    "solve_springs": "solve_active",
    "solver_spring": "cost.stiffness",
    "times_compressed": "times_chunks",
    "volumes_settled": "visits_are_known",
}
"""Other former names in code and docs, with their new names."""

IDIOMS = re.compile(r"\S \+ 0(\.0)?(?![\w.])|\bwhere\([^,()]+, ([^,()]+), \2\)")
"""Pattern of code without effect: adding zero, or choosing between equal values."""


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Return the texts of code and documentation by path, without the change log."""
    folders = [ROOT / name for name in ("benchmarks", "docs", "examples", "src", "tests", "tools")]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".pyi", ".md")]
    paths = [path for path in (*paths, *ROOT.glob("*.md")) if path != Path(__file__) and path.name != "CHANGELOG.md"]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}


def test_no_module_has_its_former_name():
    # folders may remain with files that Python compiled
    there = [old for old in MODULES if (SOURCES / f"{old}.py").exists() or any((SOURCES / old).glob("*.py"))]
    assert there == [], {old: MODULES[old] for old in there}


def test_nobody_refers_to_a_former_name(texts):
    paths = "|".join(re.escape(old) for old in MODULES)
    dotted = "|".join(re.escape(old.replace("/", ".")) for old in MODULES)
    former = re.compile(rf"\bconjoint\.({dotted})\b|\b({paths})(\.py\b|/)")
    met = {path: former.findall(text) for path, text in texts.items()}
    assert {path: names for path, names in met.items() if names} == {}


def test_no_former_word_comes_back(texts):
    former = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
    met = {path: former.findall(text) for path, text in texts.items()}
    assert {path: {name: WORDS[name.lower()] for name in names} for path, names in met.items() if names} == {}


def test_kernels_add_no_zeros(texts):
    kernels = {path: text for path, text in texts.items() if path.startswith("src/")}
    met = {path: [line for line in text.splitlines() if IDIOMS.search(line)] for path, text in kernels.items()}
    assert {path: lines for path, lines in met.items() if lines} == {}


FOREIGN = {
    "render/opengl.py": {"_context"}, "compiler/inertia.py": {"_replace"}, "compiler/keyframe.py": {"_replace"},
    "compiler/scale.py": {"_replace"}, "compiler/scale_keys.py": {"_replace"}, "compiler/scale_relations.py": {"_replace"},
}  # fmt: skip
"""Private names in the given modules that belong to third-party objects."""

MOST_PARAMETERS = 9


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _own_names(tree: ast.AST) -> set[str]:
    """Return the private names that a module defines: functions, classes, variables, own attributes and keywords."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _of_itself(node):
            found.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return set(filter(_is_private, found))


def _of_itself(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _borrowed(tree: ast.AST) -> Iterator[str]:
    """Yield private names that a module uses but does not define."""
    own = _own_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("conjoint"):
            yield from (alias.name for alias in node.names if _is_private(alias.name))
        elif isinstance(node, ast.Attribute) and _is_private(node.attr) and not _of_itself(node):
            yield from {node.attr} - own


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.AST]:
    """Return the syntax trees of the package's modules, by path."""
    return {path.relative_to(SOURCES).as_posix(): ast.parse(path.read_text()) for path in SOURCES.rglob("*.py")}


def test_no_module_uses_private_names_of_another(trees):
    """Names that several modules use have no leading underscore."""
    known = set().union(*map(_own_names, trees.values()))
    met: dict[str, list[str]] = {}
    for path, tree in trees.items():
        met[path] = [name for name in _borrowed(tree) if name in known and name not in FOREIGN.get(path, ())]
    assert {path: names for path, names in met.items() if names} == {}


def test_kernels_have_few_parameters(trees):
    met: Counter[str] = Counter()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            marks = [ast.unparse(mark).partition("(")[0] for mark in getattr(node, "decorator_list", ())]
            if "kernel" in marks and len(node.args.args) > MOST_PARAMETERS:
                met[path] += 1
    assert met == {}
