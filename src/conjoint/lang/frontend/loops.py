"""Translation of loops: `while`, `for` over ranges, and short loops with constant bounds, which are unrolled."""

from __future__ import annotations

import ast
from typing import Any

from ..language.kernel_error import KernelError
from ..language.vocabulary import TILES, jam, tile, unique
from .arrays import shown
from .expressions import truth
from .flow import EMPTY, LEFT, REACHED, Flow, Loop
from .jam import Jam
from .liveness import NOTHING
from .machine import Extent
from .number import Number, lifted, varies
from .source import word_in
from .vocabulary import width_of

MOST_REPEATED = 400
"""Maximum number of syntax nodes after unrolling a loop with constant bounds."""


class Loops(Flow):
    """Translator for the loops of one kernel.

    Attributes:
        jams: jammed loops, with the statements that replace them.
    """

    jams: dict[ast.For, tuple[Jam, list[ast.stmt]]]

    def on_While(self, node: ast.While) -> int:
        if node.orelse:
            raise KernelError("loops have no else")
        out, variables, mask = self.out, self.variables, self.out.mask
        loop = Loop(out.label("again"), out.label("end"), node)
        head, body = out.label("while"), out.label("do")
        self.begin_loop(loop)
        out.jump(head)
        out.open(head)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        tested = False
        flags = mask.narrow, mask.narrow_in_turn
        # in later iterations, lanes that have left the loop are inactive
        mask.narrow = mask.narrow or node in self.losing | self.returning
        if endless:
            out.jump(body)
        elif out.machine.lanes == 1:
            self.branch(node.test, body, loop.end)
        else:
            test = self.value(node.test)
            tested = varies(test)
            if tested:
                out.note_varying("loop")
                if node not in self.losing:
                    self.losing.add(node)
                    self.wider = True
                active = mask.both(mask.current(), truth(test).text)
                mask.set(active)
                out.fork(mask.some(active), body, loop.end)
            else:
                self.fork(test, body, loop.end)
        mask.narrow, mask.narrow_in_turn = flags
        before = variables.assigned
        out.open(body)
        self.turn(loop, node.body, tested)
        out.jump(head)
        if endless and not loop.breaks and not loop.returned:
            return LEFT
        variables.assigned = frozenset.intersection(*loop.breaks) if endless and loop.breaks else before
        self.end_loop(loop)
        return EMPTY if endless and not loop.breaks else REACHED

    def on_For(self, node: ast.For) -> int:
        if isinstance(node.iter, ast.Call) and word_in(node.iter.func) == unique.__name__:
            return self.unique_turns(node, node.iter)
        call = range_in(node)
        if call is not node.iter and self.jammed(node, call):
            return REACHED
        start, stop, step = self.bounds(call)
        known = range(start, stop, step) if isinstance(start, int) and isinstance(stop, int) else None
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        if known is not None and repeats(node, name, known):
            return self.turns(node, name, known)
        return self.counted(node, start, stop, step, known)

    def counted(self, node: ast.For, start: Any, stop: Any, step: int, known: range | None) -> int:
        """Emit a counting loop; `known` is its range if that is known at compile time, else None."""
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        out, variables = self.out, self.variables
        # all lanes share one counter, to which each lane adds its start
        shift = start if varies(start) else None
        first = 0 if shift is not None else start
        tested = shift is not None or varies(stop)
        loop = Loop(out.label("again"), out.label("end"), node)
        head, body, before = (out.label(n) for n in ("for", "do", "before"))
        bumped = f"%{out.label('bumped')}"
        # in lanes, several blocks may separate two iterations
        bump = out.label("bump") if out.machine.lanes > 1 else loop.again
        self.begin_loop(loop)
        out.jump(before)
        out.open(before)
        out.jump(head)
        out.open(head)
        i = out.value(f"phi i64 [ {lifted(out, first).text}, %{before} ], [ {bumped}, %{bump} ]")
        turn = Number(out, i, "int") if shift is None else shift + Number(out, i, "int")
        if tested:
            self.narrow_by(node, turn.compare(stop, "<" if step > 0 else ">"), body, loop.end)
        else:
            test = out.value(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {lifted(out, stop).text}")
            out.fork(test, body, loop.end)
        assigned = variables.assigned
        out.open(body)
        waits = tested or node in self.losing
        with self.lanes_wait(*([self.liveness.after.get(node, NOTHING)] if waits else [])):
            self.assign_variable(name, turn, waits)
        self.turn(loop, node.body, tested)
        if bump != loop.again:
            out.jump(bump)
            out.open(bump)
        out.do(f"{bumped} = add nsw i64 {i}, {step}")
        out.jump(head)
        # after a loop with at least one iteration, variables that every iteration assigns are assigned
        ways = [*loop.continues, *loop.breaks]
        variables.assigned = frozenset.intersection(*ways) if known and ways else assigned
        self.end_loop(loop)
        return REACHED

    def unique_turns(self, node: ast.For, call: ast.Call) -> int:
        """Emit a loop with one iteration for each distinct number among the lanes."""
        if node.orelse or not isinstance(node.target, ast.Name) or len(call.args) != 1 or call.keywords:
            raise KernelError("a loop over unique() has one variable and one number, and no else")
        out, variables, mask, name = self.out, self.variables, self.out.mask, node.target.id
        number = lifted(out, self.value(call.args[0]))
        if number.kind != "int":
            raise KernelError(f"unique needs an integer, not {number!r}")
        if not varies(number):
            return self.counted(node, number, number + 1, 1, None)
        out.note_varying("loop")
        loop = Loop(out.label("again"), out.label("end"), node)
        head, body, before, bump = (out.label(n) for n in ("for", "do", "before", "bump"))
        left, word = f"%{out.label('left')}", mask.word_type
        self.begin_loop(loop)
        lanes = mask.word(loop.before)
        out.jump(before)
        out.open(before)
        out.jump(head)
        out.open(head)
        rest = out.value(f"phi {word} [ {lanes}, %{before} ], [ {left}, %{bump} ]")
        out.fork(out.value(f"icmp ne {word} {rest}, 0"), body, loop.end)
        assigned = variables.assigned
        out.open(body)
        lane = out.call(f"llvm.cttz.{word}", word, [(word, rest), ("i1", "true")])
        text = out.value(f"extractelement {number.type} {number.text}, {word} {lane}")
        one = Number(out, out.value(f"sext i32 {text} to i64"), "int")
        alike = number.compare(one, "==").text
        out.do(f"{left} = and {word} {rest}, {out.value(f'xor {word} {mask.word(alike)}, -1')}")
        mask.set(mask.both(out.value(f"bitcast {word} {rest} to {mask.type}"), alike))
        live = self.liveness
        # two groups of lanes wait: those that have run their iteration, and those that have not yet
        with self.lanes_wait(live.after.get(node, NOTHING), live.again.get(node, NOTHING)):
            self.assign_variable(name, one, True)
            self.turn(loop, node.body, True)
        out.jump(bump)
        out.open(bump)
        out.jump(head)
        variables.assigned = assigned
        self.end_loop(loop)
        return REACHED

    def narrow_by(self, node: ast.For, test: Number, body: str, end: str) -> None:
        """Continue with the lanes that have a further iteration; leave the loop if there are none."""
        out, mask = self.out, self.out.mask
        out.note_varying("loop")
        if node not in self.losing:
            self.losing.add(node)
            self.wider = True
        flags = mask.narrow, mask.narrow_in_turn
        mask.narrow = True
        active = mask.both(mask.current(), test.to("bool", Extent.LANES).text)
        mask.set(active)
        out.fork(mask.some(active), body, end)
        mask.narrow, mask.narrow_in_turn = flags

    def assign_variable(self, name: str, value: Any, narrow: bool = False) -> None:
        """Assign a variable in the active lanes; inactive lanes keep its value if they will read it."""
        mask = self.out.mask
        before, mask.narrow = mask.narrow, mask.narrow or narrow
        self.variables.assign(self.out, name, value, mask.partial and self.keeps(name))
        mask.narrow = before

    def bounds(self, call: ast.Call) -> tuple[Any, Any, int]:
        """Return the start, stop and step of a range.

        Raises:
            KernelError: one of them is not an integer.
        """
        bounds = [self.value(a) for a in call.args]
        for bound in bounds:
            if not (bound.kind == "int" if isinstance(bound, Number) else type(bound) is int):
                raise KernelError(f"a range needs integers, not {shown(bound)}")
            lifted(self.out, bound)
        start, stop, step = {1: [0, *bounds, 1], 2: [*bounds, 1], 3: bounds}[len(bounds)]
        return start, stop, checked_step(step)

    def turns(self, node: ast.For, name: str, turns: range) -> int:
        """Unroll a loop whose range is known at compile time."""
        for i in turns:
            self.variables.known[name] = i
            code = self.statements(node.body)
            if code != REACHED:
                # the body contains an endless loop
                return code
        self.variables.known.pop(name, None)
        if turns:
            self.assign_variable(name, turns[-1])
        return REACHED

    def jammed(self, node: ast.For, call: ast.Call) -> bool:
        """Emit a jammed loop over a range, and return True.

        Emit nothing and return False if it must be an ordinary loop, because lanes may be inactive or registers are too
        few.
        """
        machine, variables = self.out.machine, self.variables
        tiles = any(word_in(n) == tile.__name__ for s in node.body for n in ast.walk(s))
        if machine.exact or self.out.mask.partial or (tiles and width_of(TILES, machine) < 2):
            return False
        if node not in self.jams:
            # rewrite the loop only once, because facts about the loops in it persist between attempts
            parts = Jam(node, lambda loop: self.texts(range_in(loop)))
            self.jams[node] = parts, parts.statements()
            if self.out.machine.lanes > 1:
                self.liveness.read(self.jams[node][1], self.liveness.after.get(node, NOTHING))
        (parts, body), before = self.jams[node], variables.assigned
        variables.names |= parts.names
        variables.assigned -= parts.own
        self.statements(body)
        # variables of a single iteration have no meaning after the loop
        variables.assigned = before - parts.own
        return True

    def texts(self, call: ast.Call) -> tuple[str, str, int]:
        """Return the start and stop of a range as source text, and its step."""
        start, stop, *step = call.args if len(call.args) > 1 else [ast.Constant(0), *call.args]
        return ast.unparse(start), ast.unparse(stop), checked_step(self.value(step[0]) if step else 1)


def checked_step(step: Any) -> int:
    """Return the step of a range.

    Raises:
        KernelError: the step is 0, or not known at compile time.
    """
    if not isinstance(step, int) or step == 0:
        raise KernelError("the step of a range is a constant that is not 0")
    return step


def range_in(node: ast.For) -> ast.Call:
    """Return the call to `range` over which a loop iterates, directly or through `jam`.

    Raises:
        KernelError: the loop iterates over anything else.
    """
    call = node.iter
    if isinstance(call, ast.Call) and word_in(call.func) == jam.__name__:
        call = call.args[0] if len(call.args) == 1 else call
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
        raise KernelError("loops go over range(), or over jam() of one")
    if node.orelse:
        raise KernelError("loops have no else")
    if not isinstance(node.target, ast.Name) or call.keywords or not 1 <= len(call.args) <= 3:
        raise KernelError("a loop has one variable and one to three bounds")
    return call


def repeats(node: ast.For, name: str, turns: range) -> bool:
    """Return True if a loop with constant bounds is short enough to be unrolled."""
    nodes = [n for statement in node.body for n in ast.walk(statement)]
    return len(turns) * len(nodes) <= MOST_REPEATED and not any(
        isinstance(n, (ast.Break, ast.Continue, ast.Return))
        or (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
        for n in nodes
    )
