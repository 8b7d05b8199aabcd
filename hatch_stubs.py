"""Generator of the package's type stubs, which are derived from the schema and not committed.

It runs when the package is built, and by `make stubs`.

    python -m hatch_stubs        writes them into the installed package, which is src/ if that is editable

`conjoint/api/objects/attributes.pyi` declares every attribute of MjModel, MjData and their records, with its shape,
unit and meaning. `conjoint/batch/attributes.pyi` declares the attributes of a batch. `conjoint/spec/kinds.pyi` declares
the values of the elements of an editable model, by kind. `conjoint/__init__.pyi` declares every public name. Generating
the stubs compiles nothing and needs no package besides NumPy.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, get_args

import conjoint
from conjoint.api.argument_kinds import CALLBACK, TEXT, Array, Choice, Instance, Integer, Kind, Names, OrNone, Real
from conjoint.api.arguments import kind_of
from conjoint.api.objects.data import FIXED, VARIABLE
from conjoint.api.objects.option import last_part
from conjoint.api.objects.struct import TEXTS, describe
from conjoint.api.objects.views import ELEMENT_TYPES, ElementType, data_attributes, model_attributes
from conjoint.batch.arrays import LIVE, READABLE
from conjoint.batch.varied_models import VARIABLE as VARYING
from conjoint.batch.views import ACCESSORS
from conjoint.compat import data_fields, model_fields
from conjoint.compat.field_rows import Made
from conjoint.lang.memory.layout import COMPONENTS, Field
from conjoint.schema import scene
from conjoint.schema.arena import ARENA_FIELDS
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.mjcf.grammar import rows
from conjoint.schema.mjcf.table import Attribute
from conjoint.schema.model import ARRAY_FIELDS, MODEL_FIELDS
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS
from conjoint.schema.sizes import SIZE_FIELDS
from conjoint.spec import kinds

HEADER = '"""Made from the schema by hatch_stubs.py: change the schema, not this file."""\n\n'
ARRAYS = {"float": "Array[np.float32]", "int": "Array[np.int32]", "byte": "Array[np.uint8]", "long": "Array[np.int64]",
          "char": "Array[np.bytes_]"}  # fmt: skip
NUMBERS = {"real": "float", "float": "float"}
SUPPORT = '''
from collections.abc import Iterator
from typing import Any, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T", bound=np.generic)
R = TypeVar("R", covariant=True)

class Array(Generic[T]):
    """A NumPy view; assigning to it copies into it."""

    def __get__(self, owner: object, cls: type) -> NDArray[T]: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Shown(Generic[T]):
    """A NumPy array that is made when it is read, and can only be read."""

    def __get__(self, owner: object, cls: type) -> NDArray[T]: ...

class Text:
    """A text, kept as bytes of UTF-8."""

    def __get__(self, owner: object, cls: type) -> str: ...
    def __set__(self, owner: object, value: str | bytes) -> None: ...

class RecordList(Protocol[R]):
    """Records by index."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __iter__(self) -> Iterator[R]: ...
'''


def attribute(name: str, annotation: str, text: str) -> list[str]:
    """Return the lines that declare an attribute, with its text as docstring."""
    return [
        f"    {name}: {annotation}",
        *textwrap.wrap(f'"""{text}"""', 116, initial_indent="    ", subsequent_indent="    "),
    ]


def field_lines(fields: Iterable[Field], name: Callable[[str], str], element: bool = False) -> list[str]:
    """Return the declarations of fields; if `element`, declare one element along the first dimension of each field."""
    lines = []
    for field in fields:
        if field.name in TEXTS:
            annotation = "bytes"
        elif field.kind == "char" and len(field.shape) == 1 + int(element):
            annotation = "Text"
        elif COMPONENTS[field.kind] == 1 and len(field.shape) == int(element):
            annotation = NUMBERS.get(field.kind, "int")
        else:
            annotation = ARRAYS.get(field.kind, "Array[np.float64]")
        lines += attribute(name(field.name), annotation, describe(field))
    return lines


def shown_lines(made: Iterable[Made]) -> list[str]:
    """Return the declarations of attributes that are read-only arrays."""
    types = {**ARRAYS, "bool": "Array[np.bool_]"}
    shown = ((field, types.get(field.kind, "Array[np.float64]").replace("Array", "Shown")) for field, _ in made)
    return [line for field, kind in shown for line in attribute(field.name, kind, describe(field))]


def number_lines(made: Iterable[Made]) -> list[str]:
    """Return the declarations of attributes that are numbers or flags, computed when a program reads them."""
    types = {"long": "int", "bool": "bool"}
    return [line for field, _ in made for line in attribute(field.name, types[field.kind], describe(field))]


def class_lines(name: str, doc: str, body: list[str]) -> list[str]:
    """Return the lines of a class with this body; the class derives from its public class if `PLACES` contains it."""
    base = f"({PLACES[name]}.{name})" if name in PLACES else ""
    return ["", f"class {name}{base}:", f'    """{doc}"""', "", *body]


def view_lines(owner: str, attributes: Callable[[ElementType], dict], accessors: str) -> list[str]:
    """Return the declarations of the classes of named views of elements; `owner` is "Model" or "Data"."""
    lines = []
    for element in ELEMENT_TYPES:
        if getattr(element, accessors):
            # attributes may have names of builtin types, which the annotation `Array` does not use
            body = [f"    {name}: Array" for name in attributes(element)]
            lines += class_lines(
                f"{owner}{element.title}Views", f"One {element.title.lower()}.", ["    id: int", "    name: str", *body]
            )
    return lines


def accessor_lines(owner: str, accessors: str) -> list[str]:
    """Return the declarations of the methods that find elements by name or id."""
    return [
        f"    def {method}(self, key: int | str = ...) -> {owner}{element.title}Views: ..."
        for element in ELEMENT_TYPES
        for method in getattr(element, accessors)
    ]


def list_lines(name: str, record: str, fields: list[Field], prefix: str) -> list[str]:
    """Return the declaration of the class of a list of records, which has an array for every field of the record."""
    body = [f"    {field.name.removeprefix(prefix)}: {ARRAYS.get(field.kind, 'Array[np.float64]')}" for field in fields]
    return ["", f"class {name}(RecordList[{record}]):", *body]


VISUALIZER = {
    "MjvCamera": ("A camera of the visualizer.", scene.CAMERA_FIELDS),
    "MjvOption": ("What the visualizer shows.", scene.VISUAL_OPTION_FIELDS),
    "MjvPerturb": ("What a user does to a body.", scene.PERTURB_FIELDS),
    "MjvFigure": ("A plot of lines.", scene.FIGURE_FIELDS),
    "MjvGeom": ("A geom of a scene.", scene.GEOM_FIELDS),
    "MjvLight": ("A light of a scene.", scene.LIGHT_FIELDS),
    "MjvGLCamera": ("A camera as OpenGL takes it.", scene.GL_CAMERA_FIELDS),
}
"""Docstrings and fields of the visualizer's records, by class name."""
PLACES = dict.fromkeys(("MjvScene", "MjvFigure"), "visual")
"""Modules of `conjoint.api.objects` that define record classes in their source, by class name."""
IN_SCENES = {"geoms": "MjvGeom", "lights": "MjvLight", "camera": "MjvGLCamera"}
"""Record classes of the lists of a scene, by attribute."""


def visualizer_lines() -> list[str]:
    """Return the declarations of the visualizer's record classes."""
    lines: list[str] = []
    for record, (doc, fields) in VISUALIZER.items():
        lines += class_lines(record, doc, field_lines(fields, last_part, element=record in IN_SCENES.values()))
    for name, record in IN_SCENES.items():
        lines += list_lines(f"{record}List", record, list(VISUALIZER[record][1]), f"{name}.")
    made = ["    def __init__(self, model: Any = ..., maxgeom: int | None = ...) -> None: ..."]
    lists = [f"    {name}: {record}List" for name, record in IN_SCENES.items()]
    scenes = field_lines(scene.SCENE_FIELDS, str)
    return [*lines, *class_lines("MjvScene", "What the visualizer shows.", made + lists + scenes)]


def attributes_stub() -> str:
    """Return the text of `api/objects/attributes.pyi`."""
    lines: list[str] = []
    lines += class_lines("MjOption", "Options of the simulation.", field_lines(OPTION_FIELDS, last_part))
    lines += class_lines("MjStatistic", "Statistics of the model.", field_lines(STATISTIC_FIELDS, last_part))
    groups = list(dict.fromkeys(field.name.split(".")[1] for field in VISUAL_FIELDS))
    for group in groups:
        fields = [field for field in VISUAL_FIELDS if field.name.split(".")[1] == group]
        lines += class_lines(
            f"Visual{group.capitalize()}", f"Settings of the visualizer: {group}.", field_lines(fields, last_part)
        )
    members = [f"    {group.replace('global', 'global_')}: Visual{group.capitalize()}" for group in groups]
    lines += class_lines("MjVisual", "Settings of the visualizer, in groups.", members)
    for prefix, record, doc in (
        ("contact_", "MjContact", "A contact."),
        ("warning.", "MjWarningStat", "Statistics of a warning."),
        ("timer.", "MjTimerStat", "Statistics of a timer."),
        ("solver.", "MjSolverStat", "Statistics of an iteration of the solver."),
    ):
        fields = [field for field in ARENA_FIELDS + DATA_FIELDS if field.name.startswith(prefix)]
        own = field_lines(fields, lambda name, prefix=prefix: name.removeprefix(prefix), element=True)  # type: ignore[misc]
        contact = prefix == "contact_"
        lines += class_lines(record, doc, own + (["    geom1: int", "    geom2: int"] if contact else []))
        lines += list_lines(f"{record}List", record, fields, prefix)
        lines += ["    geom1: Array[np.int32]", "    geom2: Array[np.int32]"] if contact else []
    lines += visualizer_lines()
    lines += view_lines("Model", model_attributes, "accessors") + view_lines("Data", data_attributes, "data_accessors")
    sizes = [line for field in SIZE_FIELDS for line in attribute(field.name, "int", describe(field))]
    sizes += number_lines(model_fields.SIZES)
    model = ["    opt: MjOption", "    stat: MjStatistic", "    vis: MjVisual", *sizes, *field_lines(ARRAY_FIELDS, str)]
    model += [f"    {name}: Shown[np.int32]" for name in model_fields.STRUCTURE]
    model += number_lines(model_fields.FLAGS) + shown_lines(model_fields.ARRAYS)
    lines += class_lines("ModelAttributes", "Attributes of `MjModel`.", model + accessor_lines("Model", "accessors"))
    lists = [
        "    @property",
        "    def contact(self) -> MjContactList: ...",
        *(f"    {name}: Mj{name.capitalize()}StatList" for name in ("warning", "timer", "solver")),
    ]
    variable = [
        line
        for field in VARIABLE.values()
        for line in attribute(field.name, ARRAYS.get(field.kind, "Array[np.float64]"), describe(field))
    ]
    numbers = number_lines((*data_fields.SIZES, *data_fields.FLAGS))
    fixed = field_lines(FIXED.values(), str) + numbers + shown_lines(data_fields.ARRAYS)
    lines += class_lines(
        "DataAttributes", "Attributes of `MjData`.", lists + fixed + variable + accessor_lines("Data", "data_accessors")
    )
    bases = f"from conjoint.api.objects import {', '.join(sorted(PLACES.values()))}\n"
    support = SUPPORT.lstrip().replace("\nT = ", f"\n{bases}\nT = ", 1)
    return HEADER + support + "\n".join(lines) + "\n"


BATCH_SUPPORT = '''
from typing import Any, Never

from numpy.typing import ArrayLike, NDArray

from conjoint.batch.views import WorldsElement

class Worlds:
    """An array with a row for each world; assigning to it copies into it."""

    def __get__(self, owner: object, cls: type) -> NDArray[Any]: ...
    def __set__(self, owner: object, value: ArrayLike) -> None: ...

class Copies:
    """A copy of what worlds computed, with a row for each world; it cannot be set."""

    def __get__(self, owner: object, cls: type) -> NDArray[Any]: ...
    def __set__(self, owner: object, value: Never) -> None: ...
'''


def batch_stub() -> str:
    """Return the text of `batch/attributes.pyi`."""
    rows = [field for field in MODEL_FIELDS if field.name in VARYING]
    groups = dict.fromkeys(field.name.rpartition(".")[0] for field in rows)
    lines, body = [BATCH_SUPPORT.strip()], []
    for group in groups:
        own = [
            line
            for field in rows
            if field.name.rpartition(".")[0] == group
            for line in attribute(last_part(field.name), "Worlds", f"{describe(field)}; if it is named in vary")
        ]
        if group:
            lines += class_lines(f"Varied{group.capitalize()}", f"Rows of `{group}` that vary.", own)
            body.append(f"    {group}: Varied{group.capitalize()}")
        else:
            varied = own
    for field in READABLE.values():
        if "." not in field.name:
            body += attribute(field.name, "Worlds" if field.name in LIVE else "Copies", describe(field))
    found = [f"    def {name}(self, key: int | str) -> WorldsElement: ..." for name in ACCESSORS]
    lines += class_lines("WorldsAttributes", "Fields of the worlds of a `Batch`.", body + varied + found)
    return HEADER + "\n".join(lines) + "\n"


RECORDS = (
    "MjOption", "MjStatistic", "MjContact", "MjWarningStat", "MjTimerStat", "MjSolverStat", *VISUALIZER, "MjvScene"
)  # fmt: skip
"""Names of the classes whose attributes are declared only in a stub."""

PACKAGE_SUPPORT = """
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from conjoint.schema.semantics import Choice
"""
KINDS = """
from typing import Any

from conjoint.spec.element import Body as BodyElement, Element
from conjoint.spec.rotation import Quaternion, Vector
"""
CLOSED = ("__getattr__: None  # type: ignore[assignment,misc]", "__setattr__: None  # type: ignore[assignment,misc]")
"""Declarations that make type checkers report unknown attributes of a class."""


def kinds_stub() -> str:
    """Return the text of `spec/kinds.pyi`: element kinds with their values, from the grammar and from `spec.kinds`."""
    values: dict[str, dict[str, str]] = {}
    for row in rows():
        for value in row.attributes.values():
            if value.lands:
                values.setdefault(row.kind, {}).setdefault(value.lands, value_type(value))
    parts = []
    for node in ast.parse(inspect.getsource(kinds)).body:
        if isinstance(node, ast.ClassDef):
            own = [line for line in node.body if isinstance(line, ast.AnnAssign)]
            known = values.get(node.name.lower(), {}) | {"id": "int"}
            known |= {ast.unparse(line.target): ast.unparse(line.annotation) for line in own}
            bases = ", ".join(map(ast.unparse, node.bases))
            lines = [*(CLOSED if "Element" in bases else ()), *(f"{name}: {kind}" for name, kind in known.items())]
            parts += ["", f"class {node.name}({bases}):", *("    " + line for line in lines)]
    return HEADER + KINDS + "\n".join(parts) + "\n"


def value_type(value: Attribute) -> str:
    """Return the type of the Python value that an attribute of the grammar is converted to."""
    if value.turns and value.default is None:
        return "tuple[str, tuple[float, ...]] | None"
    one = {"real": "float", "word": "str", "words": "str", "text": "str"}.get(value.type, "int")
    several = {("float", 3): "Vector", ("float", 4): "Quaternion", ("float", 2): "tuple[float, float]"}
    found = one if value.scalar else several.get((one, value.most or 0), f"tuple[{one}, ...]")
    return found + (" | None" if value.default is None and not value.required else "")


def package_stub() -> str:
    """Return the text of `__init__.pyi`: imports of every public name, and signatures that the sources lack."""
    lines, functions = ["# ruff: noqa: I001", HEADER.rstrip(), PACKAGE_SUPPORT], []
    for module, names in public_names().items():
        path = f"conjoint.{module}"
        written = written_names(path)
        for name in names:
            found = getattr(import_module(path), name, None)
            if isinstance(found, FunctionType) and (name not in written or takes_arrays(found)):
                functions += function_lines(name, found)
            else:
                lines.append(f"from {path} import {name} as {name}")
    lines += [f"from conjoint import {module} as {module}" for module in conjoint.MODULES]
    own = (
        "def semantics(edition: str) -> Choice: ...",
        "def install_as_mujoco(version: str | None = ..., semantics: str | None = ...) -> None: ...",
    )
    return "\n".join([*lines, "", "__version__: str", "", *own, *functions, ""])


def public_names() -> dict[str, list[str]]:
    """Return the public names of the package without its modules, by the module in which type checkers find them."""
    modules: dict[str, list[str]] = {module: [] for module in conjoint._MODULES}
    homes = dict.fromkeys(RECORDS, "")
    modules["api.objects.attributes"] = list(RECORDS)
    for module in modules:
        for name, value in vars(import_module(f"conjoint.{module}")).items():
            if conjoint._is_public(name) and name != "MjEnum":
                home = getattr(value, "__module__", "").removeprefix("conjoint.")
                # some of these modules import functions of other modules
                homes.setdefault(name, home if isinstance(value, FunctionType) and home in modules else module)
    for name, home in sorted(homes.items()) + list((conjoint.FAMILY | conjoint.BESIDE).items()):
        if home:
            modules.setdefault(home, []).append(name)
    return modules


def takes_arrays(function: FunctionType) -> bool:
    """Return True if an argument of `function` may be anything that NumPy converts to an array.

    The annotations in the source do not say that, so the stub must.
    """
    return any("ArrayLike" in typed(kind_of(annotation)) for annotation in annotations_of(function).values())


def typed(kind: Kind) -> str:
    """Return the annotation that type checkers need for arguments of a kind."""
    match kind:
        case OrNone():
            return f"{typed(kind.kind)} | None"
        case Array():
            return "np.ndarray" if kind.output else "ArrayLike"
        case Choice():
            return f"Literal[{', '.join(map(repr, kind.words))}]"
        case Instance():
            return " | ".join(each.__name__ for each in get_args(kind.of) or (kind.of,))
        case Integer() | Real():
            return "int" if isinstance(kind, Integer) else "float"
        case Names():
            return "Sequence[str]"
    return "str" if kind is TEXT else "Callable[..., Any]" if kind is CALLBACK else PLAIN[kind.official]


PLAIN = {"object": "object", "bool": "bool", "str": "str | os.PathLike[str]"}
"""Annotations of the remaining argument kinds, by type name in MuJoCo's signatures."""


def annotations_of(function: FunctionType) -> dict[str, Any]:
    """Return the annotations of the arguments of a function."""
    found = inspect.get_annotations(inspect.unwrap(function), eval_str=True)
    return {name: found.get(name, object) for name in inspect.signature(function).parameters}


def function_lines(name: str, function: FunctionType) -> list[str]:
    """Return the lines that declare a function, with its docstring."""
    arguments = []
    annotations = annotations_of(function)
    for argument, parameter in inspect.signature(function).parameters.items():
        kind = kind_of(annotations[argument])
        # a callback keeps the annotation of its source
        callback = CALLBACK in (kind, getattr(kind, "kind", None))
        written = source_text(annotations[argument]) if callback else typed(kind)
        arguments += ["*"] if parameter.kind is parameter.KEYWORD_ONLY and "*" not in arguments else []
        arguments.append(f"{argument}: {written}" + ("" if parameter.default is parameter.empty else " = ..."))
    returned = inspect.get_annotations(inspect.unwrap(function), eval_str=True).get("return")
    text = inspect.cleandoc(function.__doc__ or "")
    # leave out the docstring's first line if it is the signature, as in MuJoCo
    text = text.partition("\n\n")[2] if text.startswith(f"{name}(") else text
    text = textwrap.indent(text, "    ").strip()
    return [f"def {name}({', '.join(arguments)}) -> {source_text(returned)}:", f'    """{text}"""', ""]


def source_text(annotation: Any) -> str:
    """Return an annotation as it is written in the source, without module prefixes."""
    return re.sub(
        r"\b(?:conjoint|numpy|collections|typing)\.(?:\w+\.)*(?=\w)", "", inspect.formatannotation(annotation)
    )


def written_names(module: str) -> set[str]:
    """Return the names that a type checker finds in a module's source; other names are created on import."""
    body = ast.parse(Path(import_module(module).__file__ or "").read_text(encoding="utf-8")).body
    nodes = (name for node in body for name in ast.walk(node))
    return {
        getattr(name, "asname", None) or getattr(name, "name", None) or getattr(name, "id", "")
        for name in nodes
        if isinstance(name, ast.alias | ast.Name | ast.FunctionDef | ast.ClassDef)
    }


STUBS = {
    "conjoint/api/objects/attributes.pyi": attributes_stub,
    "conjoint/batch/attributes.pyi": batch_stub,
    "conjoint/spec/kinds.pyi": kinds_stub,
    "conjoint/__init__.pyi": package_stub,
}
"""Functions that return the text of each stub, by its path relative to the folder of the package."""


def write_stubs(folder: Path) -> dict[str, Path]:
    """Write the stubs into the package below `folder`, and create missing folders; return the paths by relative path.

    A stub that is up to date is not written again, so that type checkers keep their caches.
    """
    paths = {place: folder / place for place in STUBS}
    for place, path in paths.items():
        text = STUBS[place]()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return paths


if __name__ == "__main__":
    write_stubs(Path(conjoint.__file__).parent.parent)
