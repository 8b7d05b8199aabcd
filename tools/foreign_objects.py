"""Run object files of other systems: Windows objects on x86-64 Linux, macOS objects on AArch64 Linux.

LLVM loads objects in any format, but calling conventions and names differ: Windows passes arguments in other registers,
and names start with an underscore on macOS. Therefore small adapter functions connect the two conventions whenever
Python calls compiled code, or compiled code calls Python or the C library. That tests the objects of a wheel as far as
possible without its system; it does not test the system's own loader and C library.

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
"""LLVM types (result, argument) of the Python C API functions that use floating-point numbers."""

plain_load = native.load_objects
plain_builtin = fast_call.builtin
_shims: dict[str, int] = {}


def shim(name: str, address: int, *, into: str, result: str = "i64", first: str = "i64") -> int:
    """Return the address of an adapter function, which passes up to four arguments to another function.

    One of the two functions has the Windows calling convention, the other one that of Linux.

    Args:
        name: name of the adapter function.
        address: address of the function that the adapter calls.
        into: calling convention of the called function, "windows" or "linux"; the adapter has the other convention.
        result, first: LLVM types of the result and of the first argument; the other arguments are integers.
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
    """Return the address of a no-op `__chkstk`, which suffices because Linux maps the stack itself."""
    text = 'define void @probe() nounwind "frame-pointer"="none" { ret void }'
    return plain_load([object_file(text, native.host())], ["probe"])["probe"]


def load_of_windows(codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int]) -> dict[str, int]:
    """Load COFF objects, whose functions have the Windows calling convention; replaces `native.load_objects`."""
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
    """Call `fast_call.builtin` for a function that has the Windows calling convention."""
    return plain_builtin(name, shim(f"python.{len(fast_call.METHODS)}", address, into="windows"), *rest, **named)


def load_of_macos(codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int]) -> dict[str, int]:
    """Load Mach-O objects, whose symbols start with an underscore; replaces `native.load_objects`."""
    process: Any = ctypes.CDLL(None)
    called = {f"_{name}": address for name, address in symbols.items()}
    called |= {f"_{name}": ctypes.cast(process[name], ctypes.c_void_p).value or 0 for name in (*C_LIBRARY, "bzero")}
    return load_for("arm64-apple-macosx11.0.0", codes, names, called)


def load_for(triple: str, codes: Sequence[bytes], names: Sequence[str], symbols: Mapping[str, int]) -> dict[str, int]:
    """Load objects with an LLVM engine that expects the object format of a target triple; return addresses by name."""
    here: Any = native
    host = here.host
    here.host = lambda: host()._replace(triple=triple)
    try:
        return plain_load(codes, names, symbols)
    finally:
        here.host = host


def become(system: str, target: Target | None = None) -> None:
    """Make this process load objects of another system from now on; call this before anything is loaded.

    Args:
        system: "windows" or "macos".
        target: target for compiling missing objects; this machine if it is None.
    """
    load = load_of_windows if system == "windows" else load_of_macos
    # `Any`, because type checkers do not accept assignments to functions of modules
    modules: list[Any] = [native, compiled, fast_call, argument_guard]
    for module in modules:
        for name, function in (("load_objects", load), ("builtin", builtin_of_windows)):
            if hasattr(module, name) and (name != "builtin" or system == "windows"):
                setattr(module, name, function)
    if target is not None:
        # cached objects are compiled for this machine: neither read nor write the cache
        modules[1].host = lambda: target
        modules[1].found_object = lambda key: (None, "the compiler")
        modules[1].keep_object = lambda key, code: None


def use_archive(wheel: Path) -> str:
    """Use the compiled objects for this processor from a wheel; return the name of the processor kind."""
    features = llvm.get_host_cpu_features()
    with zipfile.ZipFile(wheel) as archive:
        names = [Path(name).stem for name in archive.namelist() if name.endswith(".objects")]
        fitting = [n for n in names if all(features.get(f) for f in shipped_objects.KINDS[n].needs)]
        # blocks of worlds must be as wide as on this machine
        (name,) = [n for n in fitting if shipped_objects.KINDS[n].widths["float64"] == compiled_width()]
        objects = shipped_objects.unpacked(archive.read(f"conjoint/objects/{name}.objects"))
    shipped: Any = shipped_objects
    shipped.load, shipped.kind = objects.get, lambda: name
    return name


def compiled_width() -> int:
    """Return the number of worlds that a float64 batch steps together (its block size) on this machine."""
    from conjoint.lang.memory.realisation import default_width

    return default_width("float64")


def main() -> None:
    """Step the humanoid with the objects of a wheel; exit with status 1 if the numbers differ from the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--compare", type=Path, default=ROOT / "tests" / "data" / "sample_run.json")
    given = parser.parse_args()
    become("windows" if "win_amd64" in given.wheel.name else "macos")
    print(f"{given.wheel.name}, {use_archive(given.wheel)}")
    found = sample(model_file())
    reported = differences(found, json.loads(given.compare.read_text(encoding="utf-8")))
    reported += [f"{name} was compiled" for name, origin in compiled.origins.items() if "package" not in origin]
    print("\n".join(reported) or "the numbers are those recorded, and nothing was compiled")
    sys.exit(1 if reported else 0)


if __name__ == "__main__":
    main()
