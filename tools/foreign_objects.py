"""Run foreign object files: Windows objects on x86-64 Linux, macOS objects on AArch64 Linux.

LLVM loads objects in any format. Calling conventions and names differ: on Windows the
arguments lie in other registers, on macOS names start with an underscore. So small functions of both worlds stand
between: Python calls machine code, and machine code calls Python and the C library, through them. That tries the
objects of a wheel as far as this can be done without its system; it does not try the system's own loader and library.

    python -m tools.foreign_objects WHEEL      steps the humanoid, one world and batches, and compares the numbers
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from conjoint.lang.calls import argument_guard, compiled, fast_call
from conjoint.lang.objects import native, shipped_objects
from conjoint.lang.objects.compile_worker import Target, object_file
from tools.sample_run import differences, model_file, sample

ROOT = Path(__file__).parents[1]
C_LIBRARY = ("memcpy", "memmove", "memset")
REALS = {"PyFloat_AsDouble": ("double", "i64"), "PyFloat_FromDouble": ("i64", "double")}
"""Result and argument types of Python functions that do not only use integers."""

plain_load = native.load_objects
plain_builtin = fast_call.builtin
_shims: dict[str, int] = {}


def shim(name: str, address: int, *, into: str, result: str = "i64", first: str = "i64") -> int:
    """Address of a function that takes up to four arguments in one way and calls the one at an address in the other.

    Args:
        name: of the new function.
        address: of the function that it calls.
        into: "windows" if that one takes its arguments as Windows passes them, "linux" if as Linux does.
        result, first: LLVM types of the result and of the first argument; the others are integers.
    """
    outer, inner = ("", "win64cc ") if into == "windows" else ("win64cc ", "")
    parameters = f"{first} %a, i64 %b, i64 %c, i64 %d"
    text = f"""
    define {outer}{result} @"{name}"({parameters}) {{
        %f = inttoptr i64 {address} to ptr
        %r = call {inner}{result} %f({parameters})
        ret {result} %r
    }}
    """
    return plain_load([object_file(text, native.host())], [name])[name]


def stack_probe() -> int:
    """Return the address of a no-op `__chkstk`, because Linux maps the stack itself."""
    text = 'define void @probe() nounwind "frame-pointer"="none" { ret void }'
    return plain_load([object_file(text, native.host())], ["probe"])["probe"]


def load_of_windows(codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int]) -> dict[str, int]:
    """Replacement of `native.load_objects` for COFF objects, with the Windows calling convention."""
    if not _shims:
        process: Any = ctypes.CDLL(None)
        called = {name: ctypes.cast(process[name], ctypes.c_void_p).value or 0 for name in C_LIBRARY}
        called |= {name: address for name, address in symbols.items() if not name.startswith("slot.")}
        for name, address in called.items():
            result, first = REALS.get(name, ("i64", "i64"))
            _shims[name] = shim(f"windows.{name}", address, into="linux", result=result, first=first)
        _shims["__chkstk"] = stack_probe()
    return load_for(shipped_objects.WINDOWS, codes, names, {**symbols, **_shims})


def builtin_of_windows(name: str, address: int, *rest: Any, **named: Any) -> Any:
    """`fast_call.builtin` for a function that is called as on Windows."""
    return plain_builtin(name, shim(f"python.{len(fast_call.METHODS)}", address, into="windows"), *rest, **named)


def load_of_macos(codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int]) -> dict[str, int]:
    """Replacement of `native.load_objects` for Mach-O objects, whose symbols start with an underscore."""
    process: Any = ctypes.CDLL(None)
    called = {f"_{name}": address for name, address in symbols.items()}
    called |= {f"_{name}": ctypes.cast(process[name], ctypes.c_void_p).value or 0 for name in (*C_LIBRARY, "bzero")}
    return load_for("arm64-apple-macosx11.0.0", codes, names, called)


def load_for(triple: str, codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int]) -> dict[str, int]:
    """Return a `native.load_objects` whose LLVM engine expects the object format of a triple."""
    here: Any = native
    host = here.host
    here.host = lambda: host()._replace(triple=triple)
    try:
        return plain_load(codes, names, symbols)
    finally:
        here.host = host


def become(system: str, target: Target | None = None) -> None:
    """Let this process load objects of a system from now on; before anything was loaded.

    Args:
        system: "windows" or "macos".
        target: target for compiling missing objects; this machine if it is None.
    """
    load = load_of_windows if system == "windows" else load_of_macos
    # type checkers want functions alike in all
    modules: list[Any] = [native, compiled, fast_call, argument_guard]
    for module in modules:
        for name, function in (("load_objects", load), ("builtin", builtin_of_windows)):
            if hasattr(module, name) and (name != "builtin" or system == "windows"):
                setattr(module, name, function)
    if target is not None:
        # cached objects are for this machine
        modules[1].host = lambda: target
        modules[1].found_object = lambda key: (None, "the compiler")
        modules[1].keep_object = lambda key, code: None


def use_archive(wheel: Path) -> str:
    """Take objects from the archive of a wheel for this processor; the name of its kind."""
    features = llvm.get_host_cpu_features()
    with zipfile.ZipFile(wheel) as archive:
        names = [Path(name).stem for name in archive.namelist() if name.endswith(".objects")]
        fitting = [n for n in names if all(features.get(f) for f in shipped_objects.KINDS[n].needs)]
        # blocks are as wide as on this machine
        (name,) = [n for n in fitting if shipped_objects.KINDS[n].widths["float64"] == compiled_width()]
        objects = shipped_objects.unpacked(archive.read(f"conjoint/objects/{name}.objects"))
    shipped: Any = shipped_objects
    shipped.load, shipped.kind = objects.get, lambda: name
    return name


def compiled_width() -> int:
    """Return the number of worlds in a block on this machine."""
    from conjoint.lang.memory.realisation import default_width

    return default_width("float64")


def main() -> None:
    """Step the humanoid on the objects of a wheel, and compare where it is with the numbers recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--compare", type=Path, default=ROOT / "tests" / "data" / "sample_run.json")
    given = parser.parse_args()
    become("windows" if "win_amd64" in given.wheel.name else "macos")
    print(f"{given.wheel.name}, {use_archive(given.wheel)}")
    found = sample(model_file())
    told = differences(found, json.loads(given.compare.read_text(encoding="utf-8")))
    told += [f"{name} was compiled" for name, origin in compiled.origins.items() if "package" not in origin]
    print("\n".join(told) or "the numbers are those recorded, and nothing was compiled")
    sys.exit(1 if told else 0)


if __name__ == "__main__":
    main()
