"""Statements: translation of one kernel, for given argument types, to the text of an LLVM function.

Statements are read from Python's syntax tree; expressions are evaluated on symbolic numbers that emit instructions.
Translation restarts if a variable needs a wider type than before, such as a real in lanes after 0.0. It also restarts
when an array on the stack receives its first dual number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import FatalError
from ..language.kernel import Kernel
from ..language.kernel_error import KernelError, note_fault
from .arrays import Array, shown
from .conditions import KNOWN
from .expressions import truth
from .flow import EMPTY, LEFT, REACHED
from .library import Function, Library
from .liveness import Liveness
from .local_structs import LocalStructs
from .loops import Loops
from .number import Number, varies
from .signature import Signature, in_lanes, join, llvm_types, parts_of, rebuilt, signature
from .source import refused, source_of
from .structs import Struct
from .variables import Variables
from .writer import Writer

LONG = 300
"""Minimum number of instructions in a function that is not inlined.

LLVM's compile time grows faster than the length of a function, and the cost of calling a kernel this long is
negligible.
"""


def read_kernel(library: Library, kernel: Kernel, arguments: Sequence[Signature], function: Function) -> None:
    """Generate the function of a kernel repeatedly until the types of all variables are known.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    statements = Statements(library, kernel, arguments, function)
    while statements.attempt():
        pass


class Statements(Loops):
    """Translator for one kernel with one set of arguments."""

    def __init__(self, library: Library, kernel: Kernel, arguments: Sequence[Signature], function: Function):
        self.source, self.arguments, self.function = source_of(kernel), arguments, function
        super().__init__(library, kernel, Variables(self.source.variables))
        # kinds and lengths of arrays on the stack that need memory for tangents; the set grows
        self.dual_arrays: frozenset[tuple[str, int]] = frozenset()
        # signatures of the results; None before the first `return`
        self.results: list[Signature] | None = None
        self.several = False
        # control flow in lanes; these facts persist between attempts
        self.liveness = Liveness(self.source.tree if library.machine.lanes > 1 else None)
        self.losing, self.returning, self.continuing, self.jams = set(), set(), set(), {}

    def attempt(self) -> bool:
        """Generate the function from the variable types known so far; return True if it must be generated again."""
        self.out = Writer(
            self.library.machine,
            self.library.schema,
            self.kernel.__module__,
            writes_model=self.kernel.writes_model,
            fuses=not (self.kernel.exact or self.library.machine.exact),
            dual_arrays=self.dual_arrays,
            called_with_all=not self.function.masked,
        )
        self.variables.begin()
        self.loops, self.waiting, self.ends = [], [], ["exit"]
        self.wider = False
        header = self.checked(self.source.tree, self.parameters)
        code = self.statements(self.source.tree.body)
        if code == EMPTY:
            self.out.jump("exit")
        elif code == REACHED:
            self.checked(self.source.tree, self.leave)
        outgrown = self.out.outgrown & self.out.arrays
        self.dual_arrays |= {place.key for place in outgrown}
        if self.variables.changed or self.wider or outgrown:
            return True
        self.finish(header)
        return False

    def parameters(self) -> list[str]:
        """Assign the arguments to variables; return the LLVM parameters."""
        arguments, names = self.source.tree.args, self.source.parameters
        if arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
            raise KernelError("kernels can only have positional parameters without defaults")
        if len(names) != len(self.arguments):
            raise KernelError(f"takes {len(names)} arguments, not {len(self.arguments)}")
        # threads access memory at an offset from these pointers; elsewhere they point to tables, which nothing changes
        threads = self.out.machine.threads
        m = "" if threads and self.out.writes_model else "readonly "
        d = "" if threads else "readonly "
        header = [f"ptr noalias {m}%m", f"ptr noalias {d}%d", "i64 %lane", *self.out.mask.begin()]
        for name, kind in zip(names, self.arguments, strict=True):
            types = llvm_types(self.out.machine, kind)
            texts = [f"%{name}.{k}" for k in range(len(types))]
            header += [f"{t} {text}" for t, text in zip(types, texts, strict=True)]
            value = rebuilt(self.out, kind, iter(texts))
            if name in self.variables.names:
                self.variables.assign(self.out, name, value)
            else:
                self.variables.known[name] = value
        return header

    def finish(self, header: list[str]) -> None:
        """Assemble the text of the function."""
        out, f, machine = self.out, self.function, self.out.machine
        f.results, f.several = self.results or [], self.several
        types, returned = f.result_types(machine), f.returned(machine)
        slots = [f"  %return.{k} = alloca {t}" for k, t in enumerate(types)]
        if f.writes_results(machine):
            header, types, slots = [*header, *(f"ptr %return.{k}" for k in range(len(types)))], [], []
        out.open("exit")
        parts = [out.value(f"load {t}, ptr %return.{k}") for k, t in enumerate(types)]
        if len(types) > 1:
            text = "poison"
            for k, (t, part) in enumerate(zip(types, parts, strict=True)):
                text = out.value(f"insertvalue {returned} {text}, {t} {part}, {k}")
            parts = [text]
        out.do(f"ret {returned} {parts[0]}" if parts else "ret void")
        out.prologue[:0] = self.variables.slots(out) + out.mask.slots() + slots
        out.prologue += [f"  br label %body{f.origin.mark(f.origin.line)}", "body:"]
        long = len(out.prologue) + len(out.lines) >= LONG
        attributes = "cold noinline " if self.kernel.rare else "noinline " if long else ""
        f.close(out, f"internal {returned}", ", ".join(header), attributes)

    # ---- statements

    def statements(self, body: Sequence[ast.stmt]) -> int:
        """Emit statements; return `REACHED`, `LEFT` or `EMPTY` (`flow.py`)."""
        for statement in body:
            code: int = self.checked(statement, self.statement, statement)
            if code != REACHED:
                return code
        return REACHED

    def checked(self, node: ast.stmt, write: Callable[..., Any], *args: Any) -> Any:
        """Emit a statement by calling `write`. Errors name the statement's location.

        Raises:
            FatalError: the statement breaks a rule of the kernel language. All other errors are faults of the compiler,
                and are passed on with a note.
        """
        line = self.source.line(node)
        mark, self.out.mark = self.out.mark, self.function.origin.mark(line)
        place = f"{self.source.file}:{line}: kernel {self.kernel.__name__}"
        before, self.out.line = self.out.line, line
        try:
            return write(*args)
        except KernelError as error:
            raise FatalError(f"{place}: {error}") from error
        except Exception as error:
            if not isinstance(error, FatalError):
                note_fault(error, f"compiling {place}")
            raise
        finally:
            self.out.mark, self.out.line = mark, before

    def statement(self, node: ast.stmt) -> int:
        """Emit a statement; return `REACHED`, `LEFT` or `EMPTY` (`flow.py`)."""
        write = getattr(self, f"on_{type(node).__name__}", None)
        if write is None:
            raise refused(node)
        return write(node) or REACHED

    def on_Pass(self, node: ast.Pass) -> None:
        pass

    def on_Expr(self, node: ast.Expr) -> None:
        if node is not self.source.tree.body[0] or not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def on_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def on_AugAssign(self, node: ast.AugAssign) -> None:
        old = self.value(node.target)
        self.assign(node.target, self.operate(node.op, old, self.value(node.value)))

    def assign(self, target: ast.expr, value: Any) -> None:
        """Emit an assignment to a variable, a tuple of variables, an element, or a field."""
        if isinstance(target, ast.Name):
            self.assign_variable(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                what = f"{len(value)} values" if isinstance(value, tuple) else shown(value)
                raise KernelError(f"{len(target.elts)} variables for {what}")
            for part, v in zip(target.elts, value, strict=True):
                self.assign(part, v)
        elif isinstance(target, ast.Subscript):
            array = self.value(target.value)
            if not isinstance(array, (Array, LocalStructs)):
                raise KernelError(f"{shown(array)} is immutable")
            index = self.value(target.slice)
            with self.out.mask.storing(self.keeps_memory(target)):
                array.store(self.out, index, value)
        elif isinstance(target, ast.Attribute):
            struct = self.value(target.value)
            if not isinstance(struct, (Struct, LocalStructs)):
                raise KernelError(f"{shown(struct)} is immutable")
            with self.out.mask.storing(self.keeps_memory(target)):
                struct.assign(self.out, target.attr, value)
        else:
            raise refused(target)

    def keeps_memory(self, target: ast.expr) -> bool:
        """Return True if the memory of inactive lanes may be read after an assignment to `target`."""
        if not self.out.mask.partial:
            return False
        names = self.liveness.own(target)
        return names is None or any(names & live for live in self.waiting)

    # ---- control flow

    def on_If(self, node: ast.If) -> int:
        out = self.out
        if isinstance(node.test, ast.BoolOp) and out.machine.lanes == 1:
            yes, no = out.label("then"), out.label("else")
            self.branch(node.test, yes, no)
            return self.arms(yes, no, lambda: self.statements(node.body), lambda: self.statements(node.orelse))
        if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) and not node.orelse:
            return self.nested_if(node, node.test.values)
        return self.if_on(node, self.value(node.test))

    def nested_if(self, node: ast.If, values: Sequence[ast.expr]) -> int:
        """Generate lane-wise code for an `if` with several conditions.

        Each leading condition that is equal in all lanes becomes a branch.
        """
        test = self.value(values[0])
        if isinstance(test, KNOWN):
            if len(values) == 1 or not test:
                return self.if_on(node, bool(test))
            return self.nested_if(node, values[1:])
        if len(values) == 1 or not isinstance(test, Number) or varies(truth(test)):
            for part in values[1:]:
                test = self.joined(truth(test), part, False)
            return self.if_on(node, test)
        yes, no = self.out.label("then"), self.out.label("else")
        self.fork(test, yes, no)
        return self.arms(yes, no, lambda: self.nested_if(node, values[1:]), lambda: REACHED)

    def if_on(self, node: ast.If, test: Any) -> int:
        """Emit an `if` whose condition has already been computed."""
        if not isinstance(test, Number):
            # the condition is known at compile time: the other branch is not even translated
            return self.statements(node.body if test else node.orelse)
        test = truth(test)
        if varies(test):
            return self.masked_if(node, test)
        yes, no = self.out.label("then"), self.out.label("else")
        self.fork(test, yes, no)
        return self.arms(yes, no, lambda: self.statements(node.body), lambda: self.statements(node.orelse))

    def arms(self, yes: str, no: str, then: Callable[[], int], otherwise: Callable[[], int]) -> int:
        """Emit both branches of an `if` whose condition is equal in all lanes; return `REACHED`, `LEFT` or `EMPTY`.

        Args:
            yes, no: labels of the two branches.
            then, otherwise: functions that emit the branches, and return one of the same codes.
        """
        out, variables, mask = self.out, self.variables, self.out.mask
        end, before, is_reached = out.label("end"), variables.assigned, False
        after: list[frozenset[str]] = []
        flags, left = (mask.narrow, mask.narrow_in_turn), mask.left
        self.ends.append(end)
        for label, write in ((yes, then), (no, otherwise)):
            out.open(label)
            variables.assigned = before
            mask.narrow, mask.narrow_in_turn = flags
            code = write()
            if code != LEFT:
                out.jump(end)
                is_reached = True
            if code == REACHED:
                after.append(variables.assigned)
        self.ends.pop()
        mask.narrow, mask.narrow_in_turn = flags
        if not is_reached:
            return LEFT
        out.open(end)
        if not after:
            return EMPTY
        variables.assigned = frozenset.intersection(*after)
        if mask.left != left:
            self.lanes_left()
        return REACHED

    # ---- results

    def on_Return(self, node: ast.Return) -> int:
        # a call of a kernel without a result has no value
        value = () if node.value is None else self.value(node.value)
        value = () if value is None else value
        several = isinstance(value, tuple) and value != ()
        values = value if isinstance(value, tuple) else (value,)
        kinds = [signature(v) for v in values]
        mask = self.out.mask
        if mask.narrow:
            # results differ between lanes, because other lanes return elsewhere
            kinds = [in_lanes(kind) for kind in kinds]
        if self.results is None:
            self.results, self.several = kinds, several
        elif len(kinds) != len(self.results) or several != self.several:
            raise KernelError(f"returns {len(kinds)} values here and {len(self.results)} elsewhere")
        joined = [join(a, b) for a, b in zip(self.results, kinds, strict=True)]
        self.wider = self.wider or joined != self.results
        self.results = joined
        types = [t for kind in joined for t in llvm_types(self.out.machine, kind)]
        parts = [part for v, kind in zip(values, joined, strict=True) for part in parts_of(self.out, v, kind)]
        for k, (t, part) in enumerate(zip(types, parts, strict=True)):
            text = self.out.blended(t, part, f"%return.{k}") if mask.narrow else part
            self.out.do(f"store {t} {text}, ptr %return.{k}")
        if mask.narrow:
            return self.leave_kernel()
        self.out.jump("exit")
        return LEFT

    def leave(self) -> None:
        """Emit a jump to the end of the function, for control that reaches the end of its body."""
        if self.results:
            raise KernelError("some paths through the kernel do not return a value")
        self.out.jump("exit")
