"""Calls of a kernel that threads share: a loop where a world has only one, else work for a `threads/thread_team.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..language.kernel import Kernel
from ..language.shared_work import TEAM
from ..routines.thread_team_code import together
from .arrays import shown
from .library import Function, Library
from .machine import Extent, Machine
from .number import lifted
from .signature import Signature, llvm_types, parts_of, signature
from .structs import Struct
from .writer import Writer

SUFFIX = ".shared"
"""What the name of a function that shares work ends with."""


def call_shared(library: Library, caller: Kernel, out: Writer, args: Sequence[Any]) -> None:
    """Write a call of `shared` with these arguments."""
    if len(args) < 4 or not isinstance(args[0], Kernel) or not all(isinstance(a, Struct) for a in args[1:3]):
        raise TypeError("shared takes a kernel, m, d, a count, and what else the kernel takes")
    kernel, m, d, count, *rest = args
    if kernel.per_world and not out.machine.alone:
        raise TypeError(f"shares {kernel.__name__}, which runs per world: only a per-world kernel may")
    if kernel.single and not caller.single:
        raise TypeError(f"shares {kernel.__name__}, which works on blocks of one world; only @kernel(single=True) may")
    if signature(count) != ("int", Extent.ONE):
        raise TypeError(f"the count of shared calls is an integer that all worlds have, not {shown(count)}")
    kinds = [signature(a) for a in rest]
    piece = library.function(kernel, [m, d, ("int", Extent.ONE), *kinds])
    if piece.results:
        raise TypeError(f"{kernel.__name__} returns something: what is shared writes to fields")
    if any(name.endswith(SUFFIX) for name in _reached(piece)):
        raise TypeError(f"{kernel.__name__} shares work itself: it cannot be shared")
    function = _together(library, piece, kinds)
    out.callees[function.name] = function
    texts = ["ptr %m", "ptr %d", "i64 %lane", f"i64 {lifted(out, count).text}"]
    if _has_team(library.machine):
        texts.append(f"i64 {library.schema.data.member(out, TEAM).text}")
    for kind, arg in zip(kinds, rest, strict=True):
        texts += [f"{t} {p}" for t, p in zip(llvm_types(out.machine, kind), parts_of(out, arg, kind), strict=True)]
    out.do(f"call void @{function.name}({', '.join(texts)})")


def _has_team(machine: Machine) -> bool:
    """Whether work may have threads: worlds side by side are shared among threads as a whole."""
    return machine.stride == 1 and not machine.threads


def _reached(function: Function) -> Iterator[str]:
    """Names of all functions that a function calls."""
    for name, callee in function.callees.items():
        yield name
        yield from _reached(callee)


def _together(library: Library, piece: Function, kinds: Sequence[Signature]) -> Function:
    """The function that calls a piece for every number below a count."""
    types = [t for kind in kinds for t in llvm_types(library.machine, kind)]
    function = Function(piece.name + SUFFIX, piece.origin, callees={piece.name: piece})
    extra = "".join(f", {t} %a{k}" for k, t in enumerate(types))
    if _has_team(library.machine):
        team = library.function(together, [("int", Extent.ONE)] * 4)
        function.callees[team.name] = team
        function.text = _team_text(function.name, piece.name, team.name, types, extra)
    else:
        head = f"define internal void @{function.name}(ptr %m, ptr %d, i64 %lane, i64 %count{extra}) nounwind {{"
        function.text = "\n".join([head, "entry:", "  br label %loop", *_loop("entry", piece.name, extra), "}"])
    return function


def _loop(before: str, piece: str, extra: str) -> list[str]:
    """Blocks that call a piece for every number, from the block `before`, and return."""
    return [
        "loop:",
        f"  %k = phi i64 [ 0, %{before} ], [ %next, %body ]",
        "  %more = icmp slt i64 %k, %count",
        "  br i1 %more, label %body, label %end",
        "body:",
        f"  call void @{piece}(ptr %m, ptr %d, i64 %lane, i64 %k{extra})",
        "  %next = add nsw i64 %k, 1",
        "  br label %loop",
        "end:",
        "  ret void",
    ]


def _team_text(name: str, piece: str, together: str, types: Sequence[str], extra: str) -> str:
    """LLVM IR: the loop, or the same calls by a team, which gets the arguments in a frame on the caller's stack."""
    frame = "{ " + ", ".join(["ptr", "ptr", "i64", *types]) + " }"
    values = ["ptr %m", "ptr %d", "i64 %lane", *(f"{t} %a{k}" for k, t in enumerate(types))]
    stores, loads = [], []
    for k, value in enumerate(values):
        kind, text = value.split(" %")
        place = f"getelementptr inbounds {frame}, ptr %frame, i64 0, i32 {k}"
        stores += [f"  %p{k} = {place}", f"  store {value}, ptr %p{k}"]
        loads += [f"  %p{k} = {place}", f"  %{text} = load {kind}, ptr %p{k}"]
    return "\n".join([
        f"define internal void @{name}.one(i64 %at, i64 %k) nounwind {{",
        "  %frame = inttoptr i64 %at to ptr",
        *loads,
        f"  call void @{piece}(ptr %m, ptr %d, i64 %lane, i64 %k{extra})",
        "  ret void",
        "}",
        f"define internal void @{name}(ptr %m, ptr %d, i64 %lane, i64 %count, i64 %team{extra}) nounwind {{",
        "entry:",
        f"  %frame = alloca {frame}",
        "  %alone = icmp eq i64 %team, 0",
        "  %few = icmp slt i64 %count, 2",
        "  %here = or i1 %alone, %few",
        "  br i1 %here, label %loop, label %together",
        "together:",
        *stores,
        "  %at = ptrtoint ptr %frame to i64",
        f"  %one = ptrtoint ptr @{name}.one to i64",
        f"  call void @{together}(ptr null, ptr null, i64 0, i64 %team, i64 %one, i64 %at, i64 %count)",
        "  ret void",
        *_loop("entry", piece, extra),
        "}",
    ])  # fmt: skip
