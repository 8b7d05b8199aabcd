"""An error in a kernel is reported in one line with its location; an internal compiler error is passed on."""

from __future__ import annotations

import ast
import itertools
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

import conjoint.lang as cj
from conjoint import mjtJoint  # noqa: F401  kernels made of texts read it
from conjoint.lang import FatalError, Field, Kernel, Value, kernel
from conjoint.lang.frontend import module as frontend
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.frontend.variables import Variables
from conjoint.lang.language.kernel_error import FAULT, KernelError
from conjoint.lang.memory.realisation import WORLD, Realisation, dual_world, lanes
from conjoint.lang.objects.native import compiled_here, host
from conjoint.schema.memory import tangent_rows

pytestmark = pytest.mark.plain

MODEL = (Field("n", "int"), Field("mass", "real", ("n",)), Field("table", "real", ("n", 3)))
DATA = (
    Field("x", "real", ("n",)),
    Field("v", "vec3", ("n",)),
    Field("count", "int"),
    Field("team", "long", uniform=True),
)
WAYS = {
    WORLD: (MODEL, DATA), lanes("float32", 16): (MODEL, DATA),
    dual_world(["d.x", "d.v"]): ((*MODEL, *tangent_rows(MODEL)), (*DATA, *tangent_rows(DATA))),
}  # fmt: skip


@kernel
def sound(m, d):
    y = d.x[0]
    d.x[1] = y + 1.0


# ---- faults of the compiler


@pytest.mark.parametrize("error", [TypeError, AttributeError, ValueError, KeyError, IndexError, AssertionError])
@pytest.mark.parametrize("realisation", WAYS, ids=lambda r: r.name)
def test_a_fault_of_the_compiler_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, realisation: Realisation, error: type[Exception]
) -> None:
    def broken(*args: Any) -> None:
        raise error("of the compiler")

    monkeypatch.setattr(Variables, "assign", broken)
    monkeypatch.setattr(frontend, "_libraries", {})
    with pytest.raises(error, match="of the compiler") as caught:
        stage_module("unit", sound, realisation, *WAYS[realisation])
    line = sound.function.__code__.co_firstlineno + 2
    assert caught.value.__notes__ == [f"while compiling {__file__}:{line}: kernel sound: {FAULT}"]
    # the traceback still ends where the error was raised
    assert caught.traceback[-1].name == "broken"


def test_llvm_that_refuses_a_text_is_no_fault_of_a_kernel() -> None:
    text = "define i32 @sound-world-1234.entry(i64 %m) {\n  ret i64 %n\n}\n"
    with pytest.raises(RuntimeError) as caught:
        compiled_here(text, host())
    assert caught.value.__notes__ == [f"while compiling the LLVM IR of sound-world-1234: {FAULT}"]


def test_the_front_end_refuses_kernels_by_their_own_error() -> None:
    """The front end raises only KernelError or FatalError; other types would be reported as compiler bugs."""
    raised = set()
    for file in Path(frontend.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                raised.add(ast.unparse(node.exc.func))
    assert raised == {"KernelError", "FatalError", "refused"}


# ---- errors in kernels: every function, operator and statement with unsuitable operands


@cj.struct
def Body(kind=int, pos=cj.vec3, corners=(cj.vec3, 8)):
    """Struct with members of several types."""


@cj.group
def Pair(a, b):
    """Group of two arguments of any type."""


@kernel
def helper(x):
    return x


@kernel
def nothing(d):
    d.x[0] = 0.0


@cj.formula("real", "real")
def squared(x):
    return x**2


@cj.formula("vec3", "real")
def one_of_three(x):
    return x


@cj.formula("real", "vec3")
def fourth(v):
    return v[3]


@cj.formula(("real", "real"), "real")
def three_of_two(x):
    return x, x, x


PART = cj.Part("count", {})
THINGS = (
    "1", "-1", "1.5", "True", "m.n", "d.x[0]", "d.v[0]", "d.count", "d.x", "d.v", "m", "d", "cj.tile(d.x, 0)", "cj.panel(d.x, 0)",
    "cj.tile(d.x, 0) > 0.0", "d.x[0] > 0.0", "helper", "cj.vec3", "cj.sqrt", "cj.tile", "Body", "body", "body[0]", "None", "1j",
    "(1.0, 2.0)", "mjtJoint", "mjtJoint.mjJNT_HINGE", "Pair(1, d.x[0])", "Pair", "int", "cj", "PART", "nothing(d)", "1 << 70", "1 // 0",
)  # fmt: skip
FEW = (
    "1",
    "m.n",
    "d.x[0]",
    "d.v[0]",
    "d.count",
    "d.x",
    "cj.panel(d.x, 0)",
    "cj.tile(d.x, 0) > 0.0",
    "d.x[0] > 0.0",
    "body",
    "None",
)
OPERATORS = ("+", "*", "/", "//", "%", "@", "&", "<<", "<", "==", "is", "and")
WORDS = [f"cj.{name}" for name, item in sorted(vars(cj).items()) if isinstance(item, (cj.Formula, type(cj.tile)))]
CALLED = [*WORDS, "min", "abs", "int", "helper", "nothing", "squared", "one_of_three", "fourth", "three_of_two", "Pair"]
TARGETS = (
    "d.x", "d.count", "d", "m.n", "body[0]", "body", "body[0].pos", "body[0].corners", "body[0].nope", "d.v[0].x", "d.v[0][0]", "y, z",
    "y.x", "d.nope", "d.x[0]", "d.v[0]", "d.v[m.n, 0]",
)  # fmt: skip


NUMBERS = itertools.count()
"""Running numbers for the names of source files that do not exist."""

PLACE = re.compile(r"<statements \d+>:\d+: kernel |.+:\d+: kernel (helper|nothing): |.+ is not a stage")
"""Pattern of the start of an error message about a kernel: its location and name."""


def statements() -> list[str]:
    """Return statements for kernels; most of them are errors."""
    expressions = [f"({a}) {op} ({b})" for op in OPERATORS for a in FEW for b in FEW]
    expressions += [f"{sign}({a})" for sign in ("-", "+", "not ") for a in THINGS]
    expressions += [f"({a})[{b}]" for a in FEW for b in FEW] + [f"d.x[{a}, {b}]" for a in FEW for b in FEW]
    expressions += [f"({a}).{name}" for a in THINGS for name in ("x", "pos", "T", "parts", "nope", "text")]
    expressions += [f"{a} if {c} else d.x[0]" for a in FEW for c in FEW]
    expressions += [f"{called}({', '.join(given)})" for called in CALLED for given in [(), *zip(THINGS)]]
    expressions += [f"{called}({a}, {b})" for called in CALLED for a, b in itertools.product(FEW[1:4], FEW)]
    expressions += [
        f"{called}({a}, {b}, {c})" for called in CALLED[::2] for a, b, c in itertools.product(FEW[2:5], repeat=3)
    ]
    found = [f"y = {e}" for e in expressions] + [f"{t} = {a}" for t in TARGETS for a in THINGS]
    for head in (
        "for i in range({}): pass",
        "for i in {}: pass",
        "for i in cj.jam(range({})): y = d.x[i]",
        "if {}: pass",
    ):
        found += [head.format(a) for a in THINGS]
    return found + [f"return {a}" for a in THINGS] + ["for i in cj.jam(): pass", "cj.shared(helper, m, d, m.n)"]


def kernels_of(texts: list[str]) -> list[Kernel]:
    """Return one kernel for each statement."""
    head = "def kernel_{}(m, d):\n    body = cj.local(Body, 2)\n    y = d.x[0]\n    {}\n"
    source = "".join(head.format(k, text) for k, text in enumerate(texts))
    file, space = f"<statements {next(NUMBERS)}>", dict(globals())
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), space)
    return [kernel(space[f"kernel_{k}"]) for k in range(len(texts))]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("realisation", WAYS, ids=lambda r: r.name)
def test_what_does_not_fit_is_a_fault_of_the_kernel(realisation: Realisation) -> None:
    # each compiled variant gets a different ninth of the statements
    faults, good, texts = {}, 0, statements()[[*WAYS].index(realisation) :: 9]
    for text, item in zip(texts, kernels_of(texts), strict=True):
        try:
            stage_module("unit", item, realisation, *WAYS[realisation])
            good += 1
        except FatalError as error:
            assert PLACE.match(str(error)), (text, error)
        except Exception as error:
            faults[text] = repr(error)
    assert faults == {}
    assert 0 < good < len(texts) / 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("y = squared(d.x[0])", "the formula squared fails: TypeError: unsupported operand"),
        ("y = fourth(d.v[0])", "the formula fourth fails: IndexError"),
        ("y = one_of_three(d.x[0]).x", "a formula of vec3 returns 3 components, not a real"),
        ("y, z = three_of_two(d.x[0])", "a formula of 2 results returns (a real, a real, a real)"),
        ("y = d.v[0].nope", "a vec3 has no attribute 'nope'"),
        ("y = mjtJoint.nope", "has no attribute 'nope'"),
        ("y = 1 // 0", "there is no floordiv of 1 and 0: integer division or modulo by zero"),
        ("y = m.n + (1 << 70)", "the integer 1180591620717411303424 is too large"),
        ("y = cj.where(d.x[0] > 0.0, d.v[0], 1.0).x", "where needs a number, not a vec3"),
        ("y = cj.total(cj.tile(d.x, 0) + cj.panel(d.x, 0) * 0.0)", None),
        ("y = cj.rotate((1.0, 2.0), d.v[0]).x", "rotate needs a quat, not (1.0, 2.0)"),
    ],
)
def test_what_is_said_of_a_kernel(text: str, sentence: str | None) -> None:
    (item,) = kernels_of([text])
    if sentence is None:
        stage_module("unit", item, WORLD, MODEL, DATA)
        sentence = "a tile and a panel cannot be combined"
    with pytest.raises(FatalError, match=re.escape(sentence)):
        stage_module("unit", item, lanes("float64", 8), MODEL, DATA)


def test_values_refuse_by_the_same_error() -> None:
    with pytest.raises(KernelError, match=r"expected a vec3, got quat\(1, 0, 0, 0\)"):
        cj.vec3(0.0, 0.0, 0.0) + cj.quat(1.0, 0.0, 0.0, 0.0)
    with pytest.raises(AttributeError, match="a vec3 has no attribute 'w'"):
        _ = cj.vec3(0.0, 0.0, 0.0).w
    assert not hasattr(Value("vec3", [0.0] * 3), "w")


def test_a_kernel_has_a_source() -> None:
    space: dict[str, Any] = {}
    exec("def unwritten(m, d):\n    d.x[0] = 1.0", space)
    for item in (kernel(space["unwritten"]), kernel(lambda m, d: None)):
        with pytest.raises(
            FatalError, match=r":\d+: kernel (unwritten|<lambda>): a kernel must be a function \(def\) in a file"
        ):
            stage_module("unit", item, WORLD, MODEL, DATA)
