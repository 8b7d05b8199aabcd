"""Control flow in lanes: branches and loop iterations under masks, and lanes that leave them.

Functions that emit statements return `REACHED` if some lanes continue after the statements, `EMPTY` if control
continues without a lane, and `LEFT` if control does not continue.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .conditions import Conditions, is_arithmetic
from .liveness import NOTHING, Liveness, Names
from .machine import Extent
from .masks import NONE, RETURNED
from .number import Number

REACHED, LEFT, EMPTY = range(3)

SHORT = 24
"""Maximum number of instructions in an arm of an `if` that is generated without a branch.

Such an arm accesses no memory and calls nothing.
"""


@dataclass
class Loop:
    """Loop being generated: labels to which `continue` and `break` jump, and the variables assigned before each jump.

    Attributes:
        before: mask of the lanes that were active when the loop began.
        waiting: stack slot with the lanes that wait for the next iteration; "" if there are none.
        loses: True if some lanes have left the loop while others stay.
        returned: True if some lanes have returned from the kernel inside the loop.
        node: syntax of the loop.
    """

    again: str
    end: str
    node: ast.stmt
    before: str = ""
    waiting: str = ""
    loses: bool = False
    returned: bool = False
    continues: list[frozenset[str]] = field(default_factory=list)
    breaks: list[frozenset[str]] = field(default_factory=list)


class Flow(Conditions):
    """Translator for the control flow of one kernel.

    Attributes:
        liveness: variables that are read later.
        waiting: for each group of waiting lanes, the variables that they will read.
        ends: labels where control continues when no lane is left, innermost last.
        loops: loops that enclose the current statement, outermost first.
        losing: loops that some lanes leave while others continue. This set and the next two persist between attempts
            to generate the function.
        returning: loops from which some lanes leave by `return` while others continue.
        continuing: loops in which some lanes wait for the next iteration while others continue.
        wider: True if a loop was added to one of these sets, so that the code generated before is wrong.
    """

    liveness: Liveness
    waiting: list[Names]
    ends: list[str]
    loops: list[Loop]
    losing: set[ast.stmt]
    returning: set[ast.stmt]
    continuing: set[ast.stmt]
    wider: bool

    def statements(self, body: Sequence[ast.stmt]) -> int:
        """Emit statements; return `REACHED`, `LEFT` or `EMPTY`."""
        raise NotImplementedError

    def keeps(self, name: str) -> bool:
        """Return True if waiting lanes will read a variable."""
        return any(name in names for names in self.waiting)

    @contextlib.contextmanager
    def lanes_wait(self, *names: Names) -> Iterator[None]:
        """Within this context, emit code that runs while other lanes, which will read these variables, wait."""
        count = len(self.waiting)
        self.waiting += names
        yield
        del self.waiting[count:]

    def lanes_left(self) -> None:
        """Emit a branch to the end of the region, taken if no lane is active any more."""
        out = self.out
        out.mask.narrow = out.mask.narrow_in_turn = True
        more = out.label("more")
        out.fork(out.mask.some(), more, self.ends[-1])
        out.open(more)

    # ---- if

    def masked_if(self, node: ast.If, test: Number) -> int:
        """Emit both arms of an `if`, each for the lanes that enter it; return `REACHED` or `EMPTY`."""
        variables, mask = self.variables, self.out.mask
        self.out.note_varying("branch")
        before, assigned, left = mask.current(), variables.assigned, mask.left
        condition = test.to("bool", Extent.LANES).text
        masks = mask.both(before, condition), mask.without(before, condition)
        # variables that lanes of the other arm, which wait meanwhile, will read
        others = self.liveness.otherwise.get(node, NOTHING), self.liveness.after.get(node, NOTHING)
        ways, after = [], []
        for active, body, live in zip(masks, (node.body, node.orelse), others, strict=True):
            variables.assigned = assigned
            code: int = REACHED
            if body:
                with mask.narrowed(active), self.lanes_wait(live):
                    code = self.arm(body)
                    after.append(mask.current())
            else:
                after.append(active)
            if code == REACHED:
                ways.append(variables.assigned)
        variables.assigned = frozenset.intersection(*ways) if ways else assigned
        if mask.left == left:
            return REACHED
        mask.narrow = mask.narrow_in_turn = True
        mask.set(mask.either(*after))
        if not ways:
            return EMPTY
        self.lanes_left()
        return REACHED

    def arm(self, body: Sequence[ast.stmt]) -> int:
        """Emit an arm of an `if`, which is skipped if no lane is active; return `REACHED`, `LEFT` or `EMPTY`."""
        out = self.out
        lines, block, start, end = out.lines, out.block, out.label("then"), out.label("join")
        out.lines = []
        out.open(start)
        self.ends.append(end)
        code = self.statements(body)
        self.ends.pop()
        written, out.lines = out.lines, lines
        if is_short(written):
            out.lines += written[1:]
            out.block = block
            return code
        out.fork(out.mask.some(), start, end)
        out.lines += written
        if code != LEFT:
            out.jump(end)
        out.open(end)
        return code

    # ---- lanes that leave

    def lanes_leave(self) -> int:
        """Deactivate the active lanes; other lanes may continue."""
        mask = self.out.mask
        mask.left += 1
        mask.set(NONE)
        return EMPTY

    def on_Break(self, node: ast.Break) -> int:
        loop, mask = self.loops[-1], self.out.mask
        loop.breaks.append(self.variables.assigned)
        if not mask.narrow_in_turn:
            self.out.jump(loop.end)
            return LEFT
        loop.loses = True
        return self.lanes_leave()

    def on_Continue(self, node: ast.Continue) -> int:
        loop, out = self.loops[-1], self.out
        loop.continues.append(self.variables.assigned)
        if not out.mask.narrow_in_turn:
            out.jump(loop.again)
            return LEFT
        if loop.waiting:
            before = out.value(f"load {out.mask.type}, ptr {loop.waiting}")
            out.do(f"store {out.mask.type} {out.mask.either(out.mask.current(), before)}, ptr {loop.waiting}")
        else:
            self.continuing.add(loop.node)
            self.wider = True
        return self.lanes_leave()

    def leave_kernel(self) -> int:
        """Let the active lanes return from the kernel."""
        out, mask = self.out, self.out.mask
        gone = out.value(f"load {mask.type}, ptr {RETURNED}")
        out.do(f"store {mask.type} {mask.either(gone, mask.current())}, ptr {RETURNED}")
        for loop in self.loops:
            loop.returned = True
        return self.lanes_leave()

    # ---- loops

    def begin_loop(self, loop: Loop) -> None:
        """Save the mask of the lanes that enter a loop."""
        out = self.out
        loop.before = out.mask.current()
        if loop.node in self.losing | self.returning:
            # from the second iteration on, the mask is read, which may not have been written yet
            out.mask.set(loop.before)
        if loop.node in self.continuing:
            loop.waiting = out.first(f"alloca {out.mask.type}")
            out.prologue.append(f"  store {out.mask.type} zeroinitializer, ptr {loop.waiting}")

    def turn(self, loop: Loop, body: Sequence[ast.stmt], tested: bool) -> None:
        """Emit the body of a loop and the code between two iterations; the last block stays open.

        Args:
            loop: the loop.
            body: statements of its body.
            tested: True if the loop's head ends the loop when no lane is left.
        """
        out, mask = self.out, self.out.mask
        flags, left = (mask.narrow, mask.narrow_in_turn), mask.left
        loses = tested or loop.node in self.losing
        mask.narrow, mask.narrow_in_turn = mask.narrow or loses or loop.node in self.returning, False
        wait = [self.liveness.after.get(loop.node, NOTHING)] if loses else []
        if loop.node in self.continuing:
            wait.append(self.liveness.again.get(loop.node, NOTHING))
        with self.lanes_wait(*wait):
            self.loops.append(loop)
            self.ends.append(loop.again)
            code = self.statements(body)
            if code != LEFT:
                if code == REACHED:
                    loop.continues.append(self.variables.assigned)
                out.jump(loop.again)
            self.ends.pop()
            self.loops.pop()
        out.open(loop.again)
        if loop.waiting:
            mask.set(mask.either(mask.current(), out.value(f"load {mask.type}, ptr {loop.waiting}")))
            out.do(f"store {mask.type} zeroinitializer, ptr {loop.waiting}")
        for leaves, known in ((loop.loses, self.losing), (loop.returned, self.returning)):
            if leaves and loop.node not in known:
                known.add(loop.node)
                self.wider = True
        if (loop.loses or loop.returned) and not tested:
            mask.narrow = True
            more = out.label("more")
            out.fork(mask.some(), more, loop.end)
            out.open(more)
        mask.narrow, mask.narrow_in_turn = flags
        mask.left = left + loop.returned

    def end_loop(self, loop: Loop) -> None:
        """Continue after a loop with the lanes that entered it and have not returned."""
        out, mask = self.out, self.out.mask
        out.open(loop.end)
        if loop.returned:
            gone = out.value(f"load {mask.type}, ptr {RETURNED}")
            mask.narrow = mask.narrow_in_turn = mask.used = True
            mask.set(mask.without(loop.before, gone))
            self.lanes_left()
        elif mask.partial:
            mask.set(loop.before)


def is_short(lines: Sequence[str]) -> bool:
    """Return True if an arm of an `if` is best computed without a branch: it is short and accesses only variables."""
    stores = [line for line in lines if line.startswith("  store ") and ".slot" not in line and "%mask." not in line]
    return len(lines) <= SHORT and not stores and is_arithmetic(lines[1:])
