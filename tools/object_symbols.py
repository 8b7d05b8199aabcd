"""Requirements of an object file: its format, its processor, and the undefined names in it.

They are read from the symbol tables of ELF (System V ABI, chapter 4), Mach-O (`mach-o/nlist.h`) and COFF (Microsoft's
PE format, "COFF Symbol Table").
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MACHINES = {
    ("elf", 62): "x86_64", ("elf", 183): "aarch64", ("coff", 0x8664): "x86_64", ("mach-o", 0x0100000C): "aarch64",
}  # fmt: skip
"""Processors by object file format and machine number.

The numbers are EM_X86_64, EM_AARCH64, IMAGE_FILE_MACHINE_AMD64 and CPU_TYPE_ARM64.
"""

ELF_MAGIC, MACH_O_MAGIC = b"\x7fELF", b"\xcf\xfa\xed\xfe"
SYMBOL_TABLE = 2
"""Type number of a symbol table: SHT_SYMTAB in ELF and LC_SYMTAB in Mach-O have the same value."""


@dataclass(frozen=True)
class ObjectFile:
    """Requirements of an object file, which a program that loads it must meet.

    Attributes:
        format: object file format, "elf", "mach-o" or "coff".
        machine: processor, "x86_64" or "aarch64"; "" for any other processor.
        missing: names that other objects must define, without the underscore that Mach-O prepends.
    """

    format: str
    machine: str
    missing: frozenset[str]


def read_object(code: bytes) -> ObjectFile:
    """Parse an object file; return its format, its processor and its undefined names."""
    if code[:4] == ELF_MAGIC:
        return ObjectFile("elf", MACHINES.get(("elf", *struct.unpack_from("<H", code, 18)), ""), _of_elf(code))
    if code[:4] == MACH_O_MAGIC:
        return ObjectFile("mach-o", MACHINES.get(("mach-o", *struct.unpack_from("<I", code, 4)), ""), _of_mach_o(code))
    return ObjectFile("coff", MACHINES.get(("coff", *struct.unpack_from("<H", code)), ""), _of_coff(code))


def _text(code: bytes, at: int) -> str:
    """Return the zero-terminated name at offset `at` of an object file."""
    return code[at : code.index(b"\0", at)].decode()


def _of_elf(code: bytes) -> frozenset[str]:
    (sections,), (size, count) = struct.unpack_from("<Q", code, 40), struct.unpack_from("<HH", code, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", code, sections + size * k) for k in range(count)]
    found = set()
    for _, kind, _, _, start, length, link, _, _, _ in heads:
        if kind == SYMBOL_TABLE:
            names = heads[link][4]
            for at in range(start + 24, start + length, 24):
                name, _, _, section = struct.unpack_from("<IBBH", code, at)
                # the symbol is undefined (SHN_UNDEF)
                if section == 0:
                    found.add(_text(code, names + name))
    return frozenset(found)


def _of_mach_o(code: bytes) -> frozenset[str]:
    (count,), at, found = struct.unpack_from("<I", code, 16), 32, set()
    for _ in range(count):
        command, size = struct.unpack_from("<II", code, at)
        if command == SYMBOL_TABLE:
            symbols, number, names, _ = struct.unpack_from("<IIII", code, at + 8)
            for k in range(number):
                name, kind, _, _, _ = struct.unpack_from("<IBBHQ", code, symbols + 16 * k)
                # the symbol is undefined and external (N_UNDF and N_EXT); its name starts with an underscore
                if kind & 0x0F == 1:
                    found.add(_text(code, names + name)[1:])
        at += size
    return frozenset(found)


def _of_coff(code: bytes) -> frozenset[str]:
    start, count = struct.unpack_from("<II", code, 8)
    names, k, found = start + 18 * count, 0, set()
    while k < count:
        at = start + 18 * k
        zero, offset, value, section, _, storage, more = struct.unpack_from("<IIIhHBB", code, at)
        # IMAGE_SYM_UNDEFINED and IMAGE_SYM_CLASS_EXTERNAL; a nonzero value is the size of a common block
        if section == 0 and storage == 2 and value == 0:
            found.add(_text(code, names + offset) if zero == 0 else code[at : at + 8].rstrip(b"\0").decode())
        k += 1 + more
    return frozenset(found)
