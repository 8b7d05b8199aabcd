"""Debug information: line tables that tell debuggers and profilers the kernel, file and line of each instruction.

Paths are relative to the package, because other checkouts use the same cached objects. Line numbers may be outdated: a
kernel is compiled again when its source changes, but not when it moves within its file.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from ..language.kernel import Kernel
from .source import Source

UNIT = "!2"
"""Metadata number of the compilation unit."""

HEADER = (
    f"!llvm.dbg.cu = !{{{UNIT}}}",
    "!llvm.module.flags = !{!4}",
    f"{UNIT} = distinct !DICompileUnit(language: DW_LANG_Python, file: !3, emissionKind: LineTablesOnly)",
    '!3 = !DIFile(filename: "conjoint", directory: "")',
    '!4 = !{i32 2, !"Debug Info Version", i32 3}',
    "!5 = !DISubroutineType(types: !1)",
)


FIRST, EACH = 100_000, 50_000_000
"""First metadata numbers of ordinary functions, and of functions for a single one of the worlds in lanes.

A module may contain functions of both types.
"""


class Numbers:
    """Counter of metadata numbers, shared by all functions of a library."""

    def __init__(self, first: int) -> None:
        self.count = itertools.count(first)
        self.files: dict[str, tuple[int, str]] = {}

    def file(self, kernel: Kernel, source: Source) -> tuple[int, str]:
        """Return the metadata number and definition of a source file."""
        known = self.files.get(source.file)
        if known is None:
            module = kernel.__module__.replace(".", "/") + ".py"
            path = module if source.file.replace("\\", "/").endswith(module) else source.file
            quoted = path.replace("\\", "/").replace('"', "")
            n = next(self.count)
            known = self.files[source.file] = n, f'!{n} = !DIFile(filename: "{quoted}", directory: "")'
        return known


class Origin:
    """Source location of one function.

    Attributes:
        file, kernel: path of the source file, and name of the kernel.
        lines: metadata that the module must contain.
        subprogram: debug annotation of the function definition.
    """

    def __init__(self, numbers: Numbers, kernel: Kernel, source: Source):
        self.numbers, self.line = numbers, source.line(source.tree)
        self.file, self.kernel = source.file, kernel.__name__
        file, definition = numbers.file(kernel, source)
        self.scope = next(numbers.count)
        self.lines = [
            definition,
            f'!{self.scope} = distinct !DISubprogram(name: "{kernel.__name__}", scope: !{file}, file: !{file}, '
            f"line: {self.line}, type: !5, scopeLine: {self.line}, spFlags: DISPFlagDefinition, unit: {UNIT})",
        ]
        self.marks: dict[int, str] = {}
        self.subprogram = f"!dbg !{self.scope}"

    def mark(self, line: int) -> str:
        """Return the debug annotation for instructions that are generated from a source line."""
        known = self.marks.get(line)
        if known is None:
            n = next(self.numbers.count)
            self.lines.append(f"!{n} = !DILocation(line: {line}, scope: !{self.scope})")
            known = self.marks[line] = f", !dbg !{n}"
        return known


def debug_information(origins: Iterable[Origin]) -> list[str]:
    """Return the debug metadata of a module."""
    return [*HEADER, *dict.fromkeys(line for origin in origins for line in origin.lines)]
