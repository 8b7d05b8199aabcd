"""One kernel, for given kinds of arguments, to the text of an LLVM function.

Statements are read from Python's syntax tree; expressions are computed with numbers that write instructions. Variables
live on the stack until LLVM puts them into registers. A variable that turns out to hold more than it first did (a real
in lanes after 0.0) makes the reading start again.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import operator
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import FatalError
from ..formula import Formula, Primitive
from ..kernel import Kernel
from ..values import Value
from ..words import Width, Word
from .number import Number, lifted
from .places import Array, Schema, Struct, Tile
from .signature import Signature, join, llvm_types, parts_of, rebuilt, signature
from .words import WRITERS, width
from .writer import Machine, Writer

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.MatMult: operator.matmul,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip


MOST_REPEATED = 400
"""Syntax nodes that a loop over constants may become."""


@dataclass
class Function:
    """A kernel for given kinds of arguments.

    Attributes:
        name: in LLVM.
        result: signature of what it returns, a list of them for several, None for nothing.
        text: definition.
        callees, intrinsics, tags: what else the module must hold.
    """

    name: str
    result: Any = None
    text: str = ""
    callees: dict[str, Any] = field(default_factory=dict)
    intrinsics: dict[str, str] = field(default_factory=dict)
    tags: set[int] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)


class Library:
    """All functions compiled for one realisation and one schema: stages share what they call."""

    def __init__(self, machine: Machine, schema: Schema):
        self.machine, self.schema = machine, schema
        self.functions: dict[Any, Function] = {}

    def function(self, kernel: Kernel, arguments: Sequence[Signature]) -> Function:
        """`kernel` for these kinds of arguments, compiled when first asked for."""
        key = (kernel, *arguments)
        found = self.functions.get(key)
        if found is None:
            found = self.functions[key] = Function(f"{kernel.__name__}.{len(self.functions)}")
            try:
                Reader(self, kernel, arguments, found).read()
            except BaseException:
                del self.functions[key]
                raise
        elif not found.text:
            raise TypeError(f"{kernel.__name__} calls itself")
        return found


@functools.cache
def _functions_in(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Every function of a source file by name and first line."""
    import linecache

    tree = ast.parse("".join(linecache.getlines(file)))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            found[node.name, first] = node
    return found


def syntax_tree(kernel: Kernel) -> tuple[ast.FunctionDef, int]:
    """Definition of a kernel, and what to add to its line numbers."""
    code = kernel.function.__code__
    found = _functions_in(code.co_filename).get((code.co_name, code.co_firstlineno))
    if found is not None:
        return found, 0
    lines, first = inspect.getsourcelines(kernel.function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    return next(n for n in tree.body if isinstance(n, ast.FunctionDef)), first - 1


class Reader:
    """Reads one kernel for one set of arguments."""

    def __init__(self, library: Library, kernel: Kernel, arguments: Sequence[Signature], function: Function):
        self.library, self.kernel, self.arguments, self.function = library, kernel, arguments, function
        self.tree, self.offset = syntax_tree(kernel)
        self.parameters = [a.arg for a in self.tree.args.args]
        if len(self.parameters) != len(arguments):
            raise TypeError(f"{kernel.__name__} takes {len(self.parameters)} arguments, not {len(arguments)}")
        self.assigned = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.kinds: dict[str, Signature] = {}
        self.result: list[Signature] | None = None
        self.several = False

    def read(self) -> None:
        """Write the function, as often as it takes for all variables to have their kinds."""
        self.changed = True
        while self.changed:
            self.changed = False
            self.attempt()

    def attempt(self) -> None:
        machine = self.library.machine
        self.out = out = Writer(machine, self.library.schema)
        self.slots: dict[str, list[str]] = {}
        self.loops: list[tuple[str, str]] = []
        self.fixed: dict[str, Any] = {}
        header = ["ptr noalias readonly %m", "ptr noalias readonly %d", "i64 %lane"]
        for name, kind in zip(self.parameters, self.arguments, strict=True):
            types = llvm_types(machine, kind)
            names = [f"%{name}.{k}" for k in range(len(types))]
            header += [f"{t} {n}" for t, n in zip(types, names, strict=True)]
            value = rebuilt(out, kind, names)
            if name in self.assigned:
                self.assign_name(name, value)
            else:
                self.fixed[name] = value
        ended = self.statements(self.tree.body)
        if not ended:
            if self.result is not None:
                raise FatalError(
                    f"{self.place(self.tree)}: not every way through {self.kernel.__name__} returns a value"
                )
            out.jump("exit")
        out.open("exit")
        result = self.finish()
        allocas = [f"  {slot} = alloca {t}" for name, slots in self.slots.items() if name in self.kinds
                   for slot, t in zip(slots, llvm_types(machine, self.kinds[name]), strict=False)]  # fmt: skip
        if self.result is not None:
            types = [t for kind in self.result for t in llvm_types(machine, kind)]
            allocas += [f"  %return.{k} = alloca {t}" for k, t in enumerate(types)]
        f = self.function
        body = [f"define internal {result} @{f.name}({', '.join(header)}) nounwind {{", "entry:"]
        body += [*allocas, *out.prologue, "  br label %body", "body:", *out.lines, "}"]
        f.text = "\n".join(body)
        f.result = None if self.result is None else self.result if self.several else self.result[0]
        f.callees, f.intrinsics, f.tags, f.fields = out.callees, out.intrinsics, out.tags, out.fields

    def finish(self) -> str:
        """Return what was stored; LLVM's type of it."""
        out = self.out
        types = [] if self.result is None else [t for k in self.result for t in llvm_types(out.machine, k)]
        if not types:
            out.do("ret void")
            return "void"
        parts = [out.value(f"load {t}, ptr %return.{k}") for k, t in enumerate(types)]
        if len(types) == 1:
            out.do(f"ret {types[0]} {parts[0]}")
            return types[0]
        whole = f"{{{', '.join(types)}}}"
        text = "poison"
        for k, part in enumerate(parts):
            text = out.value(f"insertvalue {whole} {text}, {types[k]} {part}, {k}")
        out.do(f"ret {whole} {text}")
        return whole

    # ---- statements

    def statements(self, body: Sequence[ast.stmt]) -> bool:
        """Write statements; True if control does not reach their end."""
        for statement in body:
            try:
                ended = getattr(self, "on_" + type(statement).__name__.lower())(statement)
            except (TypeError, AttributeError, ValueError, NotImplementedError) as error:
                raise FatalError(f"{self.place(statement)}: {error}; see docs/kernel-language.md") from error
            if ended:
                return True
        return False

    def place(self, node: ast.stmt) -> str:
        """File and line of a statement."""
        return f"{self.kernel.function.__code__.co_filename}:{node.lineno + self.offset}"

    def on_pass(self, node: ast.Pass) -> None:
        pass

    def on_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def on_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def on_augassign(self, node: ast.AugAssign) -> None:
        old = self.value(node.target)
        self.assign(node.target, self.operate(OPERATORS[type(node.op)], old, self.value(node.value)))

    def on_return(self, node: ast.Return) -> bool:
        value = None if node.value is None else self.value(node.value)
        if value is not None:
            self.several = isinstance(value, tuple)
            values = value if self.several else (value,)
            kinds = [signature(v) for v in values]
            joined = kinds if self.result is None else [join(a, b) for a, b in zip(self.result, kinds, strict=True)]
            if joined != self.result:
                self.changed = self.changed or self.result is not None
                self.result = joined
            k = 0
            for v, kind in zip(values, joined, strict=True):
                for t, part in zip(llvm_types(self.out.machine, kind), parts_of(self.out, v, kind), strict=True):
                    self.out.do(f"store {t} {part}, ptr %return.{k}")
                    k += 1
        self.out.jump("exit")
        return True

    def on_if(self, node: ast.If) -> bool:
        out = self.out
        yes, no, end = out.label("then"), out.label("else"), out.label("end")
        if isinstance(node.test, ast.BoolOp):
            self.branch(node.test, yes, no)
        else:
            test = self.value(node.test)
            if not isinstance(test, Number):
                # known while compiling: the other branch is not even read
                return self.statements(node.body if test else node.orelse)
            self.fork(test, yes, no)
        out.open(yes)
        ended = self.statements(node.body)
        if not ended:
            out.jump(end)
        out.open(no)
        other = self.statements(node.orelse)
        if not other:
            out.jump(end)
        if ended and other:
            return True
        out.open(end)
        return False

    def on_while(self, node: ast.While) -> None:
        out = self.out
        head, body, end = out.label("while"), out.label("do"), out.label("end")
        out.jump(head)
        out.open(head)
        self.branch(node.test, body, end)
        self.loop(node.body, body, head, end)
        out.open(end)

    def on_for(self, node: ast.For) -> None:
        out, call = self.out, node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            raise TypeError("loops go over range()")
        bounds = [self.value(a) for a in call.args]
        start, stop, step = {1: [0, *bounds, 1], 2: [*bounds, 1], 3: bounds}[len(bounds)]
        for bound in (start, stop, step):
            if signature(bound) != ("int", 1):
                raise TypeError("a range needs integers that are the same in every lane")
        if not isinstance(step, int):
            raise TypeError("the step of a range is a constant")
        if isinstance(start, int) and isinstance(stop, int) and self.repeats(node, range(start, stop, step)):
            return
        head, body, again, end = (out.label(n) for n in ("for", "do", "next", "end"))
        before, bumped = out.label("before"), f"%{out.label('bumped')}"
        out.jump(before)
        out.open(before)
        out.jump(head)
        out.open(head)
        i = out.value(f"phi i64 [ {lifted(out, start).text}, %{before} ], [ {bumped}, %{again} ]")
        test = out.value(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {lifted(out, stop).text}")
        out.fork(test, body, end)
        out.open(body)
        self.assign(node.target, Number(out, i, "int"))
        inside = out.label("do")
        out.jump(inside)
        self.loop(node.body, inside, again, end)
        out.open(again)
        out.do(f"{bumped} = add nsw i64 {i}, {step}")
        out.jump(head)
        out.open(end)

    def repeats(self, node: ast.For, numbers: range) -> bool:
        """Write a short loop over constants without a loop, its variable known while compiling; False if it is not."""
        nodes = [n for statement in node.body for n in ast.walk(statement)]
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        if len(numbers) * len(nodes) > MOST_REPEATED or any(
            isinstance(n, (ast.Break, ast.Continue, ast.Return))
            or (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
            for n in nodes
        ):
            return False
        for i in numbers:
            self.fixed[name] = i
            self.statements(node.body)
        self.fixed.pop(name, None)
        if len(numbers):
            self.assign_name(name, numbers[-1])
        return True

    def loop(self, statements: Sequence[ast.stmt], body: str, again: str, end: str) -> None:
        """Write the body of a loop."""
        self.out.open(body)
        self.loops.append((again, end))
        if not self.statements(statements):
            self.out.jump(again)
        self.loops.pop()

    def on_break(self, node: ast.Break) -> bool:
        self.out.jump(self.loops[-1][1])
        return True

    def on_continue(self, node: ast.Continue) -> bool:
        self.out.jump(self.loops[-1][0])
        return True

    # ---- variables

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                raise TypeError(f"{len(target.elts)} variables for {value!r}")
            for part, v in zip(target.elts, value, strict=True):
                self.assign(part, v)
        elif isinstance(target, ast.Subscript):
            array = self.value(target.value)
            if not isinstance(array, Array):
                raise TypeError(f"{array!r} is immutable")
            array.store(self.out, self.value(target.slice), value)
        elif isinstance(target, ast.Attribute):
            struct = self.value(target.value)
            if not isinstance(struct, Struct):
                raise TypeError(f"{struct!r} is immutable")
            struct.assign(self.out, target.attr, value)

    def assign_name(self, name: str, value: Any) -> None:
        kind = signature(value)
        known = self.kinds.get(name)
        joined = kind if known is None else join(known, kind)
        if joined != known:
            # what was written with the narrower kind is thrown away
            self.changed = self.changed or known is not None
            self.kinds[name] = joined
        types = llvm_types(self.out.machine, joined)
        slots = self.slots[name] = [f"%{name}.slot{k}" for k in range(len(types))]
        for t, slot, part in zip(types, slots, parts_of(self.out, value, joined), strict=True):
            self.out.do(f"store {t} {part}, ptr {slot}")

    # ---- conditions

    def branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to `yes` or `no`; `and`, `or` look at no more than they must."""
        if isinstance(node, ast.BoolOp):
            for value in node.values[:-1]:
                more = self.out.label("and")
                self.branch(value, *((more, no) if isinstance(node.op, ast.And) else (yes, more)))
                self.out.open(more)
            self.branch(node.values[-1], yes, no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.branch(node.operand, no, yes)
        else:
            self.fork(self.value(node), yes, no)

    def fork(self, test: Any, yes: str, no: str) -> None:
        if not isinstance(test, Number):
            self.out.jump(yes if test else no)
            return
        self.out.fork(self.truth(test).text, yes, no)

    def truth(self, test: Number) -> Number:
        """A condition that is the same in every lane."""
        if test.lanes != 1:
            raise TypeError("branches on what differs between lanes: use where() or any()")
        return test if test.kind == "bool" else test != 0

    # ---- expressions

    def value(self, node: ast.expr) -> Any:
        """Write an expression: a number, value, array, struct, tuple, constant or function."""
        return EXPRESSIONS[type(node)](self, node)

    def of_constant(self, node: ast.Constant) -> Any:
        return node.value

    def of_name(self, node: ast.Name) -> Any:
        name = node.id
        if name in self.fixed:
            return self.fixed[name]
        if name in self.assigned:
            kind = self.kinds.get(name)
            if kind is None:
                raise TypeError(f"{name} is used before it is assigned")
            slots = self.slots.setdefault(name, [f"%{name}.slot{k}" for k in range(64)])
            types = llvm_types(self.out.machine, kind)
            texts = [self.out.value(f"load {t}, ptr {s}") for t, s in zip(types, slots, strict=False)]
            return rebuilt(self.out, kind, texts)
        found = int if name == "int" else self.kernel.names.get(name)
        if found is None:
            raise TypeError(f"there is no {name}")
        if isinstance(found, Width):
            return width(found, self.out.machine)
        return int(found) if isinstance(found, enum.IntEnum) else found

    def of_attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        if isinstance(owner, Struct):
            return owner.member(self.out, node.attr)
        found = getattr(owner, node.attr)
        return int(found) if isinstance(found, enum.IntEnum) else found

    def of_subscript(self, node: ast.Subscript) -> Any:
        owner, i = self.value(node.value), self.value(node.slice)
        if isinstance(owner, Array):
            return owner.load(self.out, i)
        if isinstance(i, int):
            return owner.parts[i]
        return self.part(owner, i)

    def part(self, value: Value, i: Number) -> Number:
        """Component of a value whose place is known when the kernel runs."""
        out, (_, lanes) = self.out, signature(value)
        llvm = out.machine.type("real", lanes)
        memory = out.first(f"alloca [{len(value.parts)} x {llvm}]")
        for k, text in enumerate(parts_of(out, value, (value.kind, lanes))):
            out.do(f"store {llvm} {text}, ptr {out.value(f'getelementptr inbounds {llvm}, ptr {memory}, i64 {k}')}")
        pointer = out.value(f"getelementptr inbounds {llvm}, ptr {memory}, i64 {i.text}")
        return Number(out, out.value(f"load {llvm}, ptr {pointer}"), "real", lanes)

    def of_tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self.value(e) for e in node.elts)

    def of_binop(self, node: ast.BinOp) -> Any:
        return self.operate(OPERATORS[type(node.op)], self.value(node.left), self.value(node.right))

    def operate(self, op: Callable[..., Any], a: Any, b: Any) -> Any:
        """An arithmetic operator on numbers and values."""
        if isinstance(b, Value) and not isinstance(a, Value) and op is not operator.mul:
            raise TypeError(f"there is no {op.__name__} of {a!r} and {shown(b)}")
        if isinstance(a, Value):
            if isinstance(b, Value) != (op in (operator.add, operator.sub, operator.matmul)):
                raise TypeError(f"there is no {op.__name__} of {shown(a)} and {shown(b)}")
            if op is operator.truediv:
                return a * (1.0 / b)
        if isinstance(b, Tile) and not isinstance(a, Tile):
            return b.columns(lambda y, x: op(x, y), a)
        return op(a, b)

    def of_unaryop(self, node: ast.UnaryOp) -> Any:
        a = self.value(node.operand)
        if not isinstance(node.op, ast.Not):
            return OPERATORS[type(node.op)](a)
        return self.truth(a) ^ True if isinstance(a, Number) else not a

    def of_boolop(self, node: ast.BoolOp) -> Number:
        out = self.out
        yes, no, end = out.label("yes"), out.label("no"), out.label("end")
        self.branch(node, yes, no)
        for label in (yes, no):
            out.open(label)
            out.jump(end)
        out.open(end)
        return Number(out, out.value(f"phi i1 [ true, %{yes} ], [ false, %{no} ]"), "bool")

    def of_compare(self, node: ast.Compare) -> Any:
        left, result = self.value(node.left), None
        for op, right in zip(node.ops, node.comparators, strict=True):
            value = self.value(right)
            test = OPERATORS[type(op)](left, value)
            result = test if result is None else result & test
            left = value
        return result

    # ---- calls

    def of_call(self, node: ast.Call) -> Any:
        called, args = self.value(node.func), [self.value(a) for a in node.args]
        if isinstance(called, Kernel):
            return self.call_kernel(called, args)
        if isinstance(called, Word):
            return WRITERS[called.__name__](self.out, *args)
        if isinstance(called, Formula):
            return self.call_formula(called, args)
        if called is int and signature(args[0]) == ("int", 1):
            return args[0]
        raise TypeError(f"kernels do not call {called!r}")

    def call_kernel(self, kernel: Kernel, args: Sequence[Any]) -> Any:
        out = self.out
        kinds = [signature(a) for a in args]
        function = self.library.function(kernel, kinds)
        out.callees[function.name] = function
        texts = ["ptr %m", "ptr %d", "i64 %lane"]
        for kind, arg in zip(kinds, args, strict=True):
            parts = parts_of(out, arg, kind)
            texts += [f"{t} {p}" for t, p in zip(llvm_types(out.machine, kind), parts, strict=True)]
        if function.result is None:
            out.do(f"call void @{function.name}({', '.join(texts)})")
            return None
        results = function.result if isinstance(function.result, list) else [function.result]
        types = [llvm_types(out.machine, kind) for kind in results]
        flat = [t for part in types for t in part]
        whole = flat[0] if len(flat) == 1 else f"{{{', '.join(flat)}}}"
        answer = out.value(f"call {whole} @{function.name}({', '.join(texts)})")
        parts = (
            [answer] if len(flat) == 1 else [out.value(f"extractvalue {whole} {answer}, {k}") for k in range(len(flat))]
        )
        values = []
        for kind, part in zip(results, types, strict=True):
            values.append(rebuilt(out, kind, parts[: len(part)]))
            parts = parts[len(part) :]
        return tuple(values) if isinstance(function.result, list) else values[0]

    def call_formula(self, item: Formula, args: list[Any]) -> Any:
        """Expand a formula in place."""
        if len(args) != len(item.kinds):
            raise TypeError(f"{item.__name__} takes {len(item.kinds)} arguments, not {len(args)}")
        if any(isinstance(a, Tile) for a in args):
            return self.on_tiles(item, args)
        if isinstance(item, Primitive):
            return item.function(*args) if item.__name__ != "where" else item(*args)
        if not any(isinstance(a, (Number, Value)) for a in args):
            # of constants: computed now
            return self.wrapped(item.result, item.function(*args))
        for k, kind in enumerate(item.kinds):
            if kind == "real":
                number = lifted(self.out, args[k])
                args[k] = number.to("real", number.lanes)
            elif not isinstance(args[k], Value) or args[k].kind != kind:
                raise TypeError(f"{item.__name__} needs a {kind}, not {shown(args[k])}")
        if item.exact:
            args = [a.exactly() if isinstance(a, Number) else Value(a.kind, [p.exactly() for p in a]) for a in args]
        result = item.function(*args)
        if isinstance(item.result, tuple):
            return tuple(self.wrapped(kind, part) for kind, part in zip(item.result, result, strict=True))
        return self.wrapped(item.result, result)

    def wrapped(self, kind: str | tuple[str, ...], result: Any) -> Any:
        """The outcome of a formula as kernels see it."""
        if isinstance(kind, tuple):
            return tuple(self.wrapped(k, part) for k, part in zip(kind, result, strict=True))
        if kind in ("real", "bool"):
            return result.freely() if isinstance(result, Number) else result
        parts = [lifted(self.out, part) for part in (result.parts if isinstance(result, Value) else result)]
        return Value(kind, [part.to("real", part.lanes).freely() for part in parts])

    def on_tiles(self, item: Formula, args: list[Any]) -> Tile:
        """A formula of reals, in every column."""
        k = next(k for k, a in enumerate(args) if isinstance(a, Tile))
        return args[k].columns(
            lambda a, *rest: self.call_formula(item, [*rest[:k], a, *rest[k:]]), *args[:k], *args[k + 1 :]
        )


def shown(x: Any) -> str:
    """What `x` is, in an error."""
    return f"a {x.kind}" if isinstance(x, (Value, Tile)) else f"{x!r}"


EXPRESSIONS: dict[type[ast.AST], Callable[[Reader, Any], Any]] = {
    ast.Constant: Reader.of_constant, ast.Name: Reader.of_name, ast.Attribute: Reader.of_attribute,
    ast.Subscript: Reader.of_subscript, ast.Tuple: Reader.of_tuple, ast.BinOp: Reader.of_binop,
    ast.UnaryOp: Reader.of_unaryop, ast.BoolOp: Reader.of_boolop, ast.Compare: Reader.of_compare,
    ast.Call: Reader.of_call,
}  # fmt: skip
