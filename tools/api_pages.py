"""Generator of the pages of the Python API reference for mkdocstrings.

A page has a line `::: conjoint.NAME` for every function and class. When the site is built, mkdocstrings replaces this
line with the signature and the docstring. Enumerations and constants are written out here.
"""

import ast
import enum
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin

import numpy as np
from api_texts import ARGUMENTS, ARGUMENTS_PAGE, CONSTANTS_TEXT, ENUMERATIONS_TEXT, TEXTS

import conjoint
from conjoint.api.argument_kinds import Array, Kind
from conjoint.api.arguments import kind_of
from conjoint.api.spec.field_types import Field
from conjoint.api.spec.fields import fields
from hatch_stubs import public_names


@dataclass(frozen=True)
class ApiPage:
    """A page of the Python API reference.

    Attributes:
        title: heading of the page.
        text: introduction before the entries.
        groups: sources of the entries below each heading, in order. A source is a module of `conjoint`, which stands
            for all its public names, or a single name written as "module:name".
        module: name of the module that the page describes, if it is an attribute of `conjoint`.
    """

    title: str
    text: str
    groups: dict[str, tuple[str, ...]]
    module: str = ""


ERRORS = ("ConjointError", "FatalError", "ArgumentError", "MissingExtraError", "ModelError", "UnexpectedError")
WARNINGS = ("SimulationWarning", "DivergenceWarning", "ModelWarning")
"""Names of the warning classes in `lang.errors`, base classes first; `ERRORS` has the names of the error classes."""

WHOLE_STEPS = (
    "mj_step", "mj_step1", "mj_step2", "mj_forward", "mj_forwardSkip", "mj_forwardPosthoc", "mj_inverse",
    "mj_inverseSkip", "mj_inversePosthoc",
)  # fmt: skip
"""Functions that run a whole step or half of a step."""

PARTS_OF_A_STEP = (
    "mj_checkPos", "mj_checkVel", "mj_fwdPosition", "mj_kinematics", "mj_comPos", "mj_camlight", "mj_flex", "mj_tendon",
    "mj_makeM", "mj_crb", "mj_factorM", "mj_collision", "mj_addContact", "mj_makeConstraint", "mj_island",
    "mj_projectConstraint", "mj_transmission", "mj_sensorPos", "mj_energyPos", "mj_fwdVelocity", "mj_comVel",
    "mj_passive", "mj_referenceConstraint", "mj_sensorVel", "mj_subtreeVel", "mj_energyVel", "mj_fwdActuation",
    "mj_fwdAcceleration", "mj_fwdConstraint", "mj_rnePostConstraint", "mj_sensorAcc", "mj_checkAcc", "mj_Euler",
    "mj_RungeKutta", "mj_implicit",
)  # fmt: skip
"""Functions that run parts of a step, in the order of the step; a function that runs several parts precedes them."""

PARTS_OF_INVERSE_DYNAMICS = ("mj_invPosition", "mj_invVelocity", "mj_invConstraint", "mj_compareFwdInv")
"""Functions for those parts of inverse dynamics that do not belong to a step, in the order in which they run."""


def listed(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return sources "module:name" for functions of a step, each with the module that defines the function."""
    modules = {name: module for module in STEP_MODULES for name in public_names()[module]}
    return tuple(f"{modules[name]}:{name}" for name in names)


STEP_MODULES = ("api.functions.functions", "api.functions.constraint")
"""Modules that define the functions of a step."""

PAGES = {
    "models-and-data": ApiPage(
        "MjModel and MjData",
        TEXTS["models-and-data"],
        {
            "Models and worlds": ("api.objects.model:MjModel", "api.objects.data:MjData"),
            "Sample models": ("sample_models",),
            "Records": ("api.objects.attributes", "api.objects.model:MjVisual", "api.objects.visual"),
        },
    ),
    "simulation-functions": ApiPage(
        "Functions: simulation",
        TEXTS["simulation-functions"],
        {
            "Whole steps": listed(WHOLE_STEPS),
            "Parts of a step": listed(PARTS_OF_A_STEP),
            "Parts of inverse dynamics": listed(PARTS_OF_INVERSE_DYNAMICS),
            "Other parts": ("api.functions.functions", "api.functions.constraint"),
            "State: save, load, reset": ("api.functions.state", "api.functions.history", "batch.determinism"),
            "Constants of a model": ("api.functions.constants",),
            "Callbacks and colliders": ("api.functions.callback", "api.functions.collider"),
            "Plugins and stages": ("api.functions.plugin",),
            "Threads": ("api.functions.threads",),
        },
    ),
    "support-functions": ApiPage(
        "Functions: Jacobians, inertia, rays, names",
        TEXTS["support-functions"],
        {
            "Jacobians": ("api.functions.jacobian",),
            "Inertia matrix and bias forces": ("api.functions.inertia",),
            "Exact derivatives": ("derivative.matrices",),
            "Derivatives by finite differences": ("batch.finite_differences", "api.functions.derivative"),
            "Forces, velocities, positions, names": ("api.functions.support",),
            "Rays and distances": ("api.functions.ray", "api.functions.distance"),
            "Functions from newer MuJoCo versions": ("compat.functions",),
            "Files and printing": ("api.functions.files",),
        },
    ),
    "math-functions": ApiPage(
        "Functions: mju, vectors and matrices",
        TEXTS["math-functions"],
        {
            "Vectors": ("api.mju.vectors",),
            "Quaternions and poses": ("api.mju.quaternions",),
            "Matrices": ("api.mju.matrices",),
            "Factorization and quadratic programs": ("api.mju.factors",),
            "Numbers, muscles and noise": ("api.mju.numbers",),
        },
    ),
    "model-editing-api": ApiPage(
        "MjSpec",
        TEXTS["model-editing-api"],
        {
            "The model": ("api.spec.model",),
            "Files in memory": ("api.objects.vfs",),
            "Bodies and their elements": ("api.spec.body",),
            "Elements": ("api.spec.elements", "api.spec.base"),
            "Settings": ("api.spec.settings",),
        },
    ),
    "batch-api": ApiPage(
        "Batch",
        TEXTS["batch-api"],
        {
            "Batches": ("batch", "batch.fields:World", "batch.cluster:ClusterBatch"),
            "MuJoCo's batch": ("compat.batch",),
        },
    ),
    "derivative-api": ApiPage(
        "Functions: exact derivatives",
        TEXTS["derivative-api"],
        {"Functions and their types": ("derivative",)},
        "derivative",
    ),
    "doctor-api": ApiPage(
        "Model doctor",
        TEXTS["doctor-api"],
        {"Functions and their types": ("doctor",)},
        "doctor",
    ),
    "environments-api": ApiPage(
        "Environments",
        TEXTS["environments-api"],
        {"Tasks and environments": ("envs",)},
        "envs",
    ),
    "rollout-and-minimize": ApiPage(
        "Rollout, least squares, mesh conversion",
        TEXTS["rollout-and-minimize"],
        {
            "Rollout { #conjoint.rollout }": ("rollout",),
            "Least squares { #conjoint.minimize }": ("minimize",),
            "Meshes": ("compat.msh2obj",),
        },
    ),
    "rendering-api": ApiPage(
        "Renderers, recorders and films",
        TEXTS["rendering-api"],
        {
            "Renderers and films": ("render",),
            "OpenGL drawing commands": ("render.mjr_context", "render.commands", "render.writing", "render.figure"),
        },
    ),
    "viewer-api": ApiPage(
        "Viewers",
        TEXTS["viewer-api"],
        {"Viewer": ("viewer",), "Web viewer": ("viewer.web",)},
        "viewer",
    ),
    "scene-functions": ApiPage(
        "Functions: scenes, cameras, perturbation",
        TEXTS["scene-functions"],
        {
            "Defaults": ("api.functions.visual",),
            "Scenes": ("viz.scene", "viz.flexes", "viz.geom"),
            "Cameras": ("viz.camera",),
            "Mouse and perturbation": ("viz.mouse", "viz.perturb"),
        },
    ),
    "kernel-api": ApiPage(
        "Kernel language",
        TEXTS["kernel-api"],
        {
            "Kernels": ("lang",),
            "Available only as attributes of the module": ("lang:abs", "lang:all", "lang:any", "lang:pow"),
        },
    ),
    "errors": ApiPage(
        "Errors and warnings",
        TEXTS["errors"],
        {
            "Errors": tuple(f"lang.errors:{name}" for name in ERRORS),
            "Warnings": tuple(f"lang.errors:{name}" for name in WARNINGS),
            "MuJoCo compatibility and editions of the physics": ("install_as_mujoco", "semantics"),
        },
    ),
}
"""Pages of the Python API reference, by file name without suffix."""


@cache
def stub_names() -> dict[str, list[str]]:
    """Return the public names of `conjoint`, grouped by defining module; module names lack the prefix "conjoint."."""
    return public_names()


def own_names(module: str) -> list[str]:
    """Return the public functions and classes of a module whose names `conjoint` itself does not export."""
    found = import_module(f"conjoint.{module}")
    listed = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items() if not name.startswith("_") and is_own(value, found.__name__)
    ]
    errors = stub_names()["lang.errors"]
    return [name for name in listed if callable(getattr(found, name)) and name not in errors]


def is_own(value: Any, module: str) -> bool:
    """Return True if a value is a class or function defined in a module or one of its submodules."""
    return callable(value) and getattr(value, "__module__", "").startswith(module)


def entries(source: str) -> Iterator[str]:
    """Yield the full names that a source stands for; it is a module, "module:name", or a name of the package."""
    module, _, only = source.partition(":")
    known = stub_names()
    if only:
        yield f"conjoint.{only}" if only in known.get(module, ()) else f"conjoint.{module}.{only}"
    elif module in known:
        yield from (f"conjoint.{name}" for name in known[module])
    elif callable(getattr(conjoint, module, None)):
        yield f"conjoint.{module}"
    else:
        yield from (f"conjoint.{module}.{name}" for name in own_names(module))


def api_page(page: ApiPage, seen: set[str]) -> str:
    """Return the text of a page without the names in `seen`, and add the names on the page to `seen`."""
    anchor = f" {{ #conjoint.{page.module} }}" if page.module else ""
    lines = [f"# {page.title}{anchor}", "", page.text]
    if page.title.startswith("Functions"):
        lines += ["", ARGUMENTS]
    for heading, sources in page.groups.items():
        names = dict.fromkeys(name for source in sources for name in entries(source) if name not in seen)
        seen.update(names)
        lines += ["", f"## {heading}"] if heading else []
        for name in names:
            lines += ["", f"::: {name}", *option_lines(name)]
    return "\n".join(lines) + "\n"


def option_lines(name: str) -> list[str]:
    """Return the mkdocstrings options of an entry; classes that programs do not instantiate get no signature."""
    made_by_others = name.startswith(("conjoint.Mjs", "conjoint.MjVisual")) or name.endswith(".Handle")
    return ["    options: {merge_init_into_class: false}"] if made_by_others else []


def values_text(kind: str) -> str:
    """Return a sentence that lists the attributes of an `MjSpec` element kind with their types; "" if it has none."""
    types = [f"`{field.name}` ({value_type(field)})" for field in fields(kind).values()] if kind else []
    return f"Values: {', '.join(types)}." if types else ""


VALUE_TYPES = {
    "real": "float",
    "int": "int",
    "text": "str",
    "reals": "array",
    "ints": "integers",
    "words": "list of str",
    "bytes": "bytes",
}
"""Type names shown in the reference for attributes of editable models, by internal type name."""


def value_type(field: Field) -> str:
    """Return the type of an attribute of an editable model, as the reference shows it."""
    length = f" of {field.size}" if field.size else ""
    return field.enum.__name__ if field.type == "enum" else VALUE_TYPES[field.type] + length


def enumerations_page() -> str:
    """Return the text of the reference page on enumerations."""
    lines = ["# Enumerations", "", ENUMERATIONS_TEXT]
    for module in ("schema.enums", "schema.enums_visual", "schema.enums_newer"):
        for name in stub_names()[module]:
            members: type[enum.IntEnum] = getattr(import_module(f"conjoint.{module}"), name)
            lines += [
                "",
                f"## {name} {{ #conjoint.{name} }}",
                "",
                members.__doc__ or "",
                "",
                "| member | value |",
                "|---|---|",
            ]
            lines += [f"| `{member}` | {value.value} |" for member, value in members.__members__.items()]
    return "\n".join(lines) + "\n"


def constants_page() -> str:
    """Return the text of the page of constants: a table with their values and meanings."""
    module = import_module("conjoint.schema.constants")
    docs = attribute_docs(Path(module.__file__ or ""))
    lines = ["# Constants", "", CONSTANTS_TEXT, "", "| name | value | meaning |", "|---|---|---|"]
    for name in (*stub_names()["schema.constants"], "__version__"):
        value = getattr(module, name, None)
        text = ", ".join(f"`{part}`" for part in value) if isinstance(value, tuple) else f"`{value!r}`"
        text = text if value is not None else "as installed"
        anchor = f'<a id="conjoint.{name}"></a>'
        lines.append(f"| {anchor}`{name}` | {text} | {docs.get(name, STRINGS.get(name, ''))} |")
    return "\n".join(lines) + "\n"


def arguments_page() -> str:
    """Return the text of the page that describes the argument types in signatures."""
    module = import_module("conjoint.api.arguments")
    lines = []
    for name, annotation in vars(module).items():
        if get_origin(annotation) in (Annotated, Literal) and not name.startswith("_"):
            about = kind_of(annotation)
            written = ", which the function writes to" if getattr(about, "output", False) else ""
            lines += ["", f"### {name} {{ #conjoint.api.arguments.{name} }}", "", f"{argument_text(about)}{written}."]
    lines += ["", "### FileName { #conjoint.api.arguments.FileName }", "", "A path: `str` or `pathlib.Path`."]
    return ARGUMENTS_PAGE + "\n".join(lines) + "\n"


def argument_text(about: Kind) -> str:
    """Return the text that describes an argument type, without a final period."""
    if not isinstance(about, Array):
        text = str(about)
        return text[0].upper() + text[1:]
    lengths = ["any number" if length is None else str(length) for length in about.shape]
    return f"An array of {np.dtype(about.dtype).name}, shape ({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


STRINGS = {
    "mjDISABLESTRING": "Names of the bits of `mjtDisableBit`.",
    "mjENABLESTRING": "Names of the bits of `mjtEnableBit`.",
    "mjFRAMESTRING": "Names of the members of `mjtFrame`.",
    "mjLABELSTRING": "Names of the members of `mjtLabel`.",
    "mjTIMERSTRING": "Names of the members of `mjtTimer`.",
    "mjNTIMER": "Number of timers.",
    "mjNWARNING": "Number of kinds of warnings.",
    "mjRNDSTRING": "Names, defaults and keys of the flags `mjtRndFlag`.",
    "mjVISSTRING": "Names, defaults and keys of the flags `mjtVisFlag`.",
    "__version__": "The version of Conjoint.",
}
"""Descriptions of the constants that have no docstring."""


def attribute_docs(path: Path) -> dict[str, str]:
    """Return the docstrings of a module's variables (strings that follow an assignment), by variable name."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {
        node.targets[0].id: after.value.value
        for node, after in itertools.pairwise(body)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
    }


def api_pages() -> dict[str, str]:
    """Return the texts of all pages of the Python API reference, by file name without suffix."""
    seen: set[str] = set()
    return {
        **{name: api_page(page, seen) for name, page in PAGES.items()},
        "argument-types": arguments_page(),
        "enumerations": enumerations_page(),
        "constants": constants_page(),
    }
