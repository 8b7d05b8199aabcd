"""From a kernel to an object file: Numba infers types and writes LLVM IR, one LLVM pipeline optimises it."""

from __future__ import annotations

import contextlib
import enum
import re
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numba
from llvmlite import binding, ir
from numba import _dynfunc
from numba.core import codegen, cpu, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import typeof_impl

from ..errors import FatalError
from ..kernel import Kernel
from ..layout import Field
from ..native import target_machine
from ..realisation import Realisation
from ..rules import broken_rules_of_all
from . import structs  # noqa: F401  registers fields and structs with Numba
from .operators import register_formulas, register_operators
from .types import INT32, INT64, StructType

ENTRY = "conjoint_stage"
"""Name of the compiled function in every object file: int32 (int64 m, int64 d, int64 lane)."""

_dispatchers: dict[int, Any] = {}

register_operators()


def dispatcher(kernel: Kernel) -> Any:
    """Numba's dispatcher for a kernel, made once."""
    if id(kernel) not in _dispatchers:
        _dispatchers[id(kernel)] = numba.njit(
            error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, boundscheck=False
        )(_with_plain_integers(kernel.function))
    return _dispatchers[id(kernel)]


def _with_plain_integers(function: Any) -> Any:
    """The same function, to which members of an IntEnum are integer constants."""
    names = {}
    for name, value in function.__globals__.items():
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            constants = ModuleType(name)
            constants.__dict__.update({key: int(member) for key, member in value.__members__.items()})
            names[name] = constants
        elif isinstance(value, enum.IntEnum):
            names[name] = int(value)
    if not names:
        return function
    copied = FunctionType(
        function.__code__, function.__globals__ | names, function.__name__, None, function.__closure__
    )
    copied.__module__, copied.__qualname__ = function.__module__, function.__qualname__
    return copied


@typeof_impl.register(Kernel)
def _typeof_kernel(kernel: Kernel, context: Any) -> types.Type:
    return types.Dispatcher(dispatcher(kernel))


def _not_loaded(context: Any, library: Any, fndesc: Any, env: Any) -> Any:
    """Numba's handle of a function that is only linked: its address is never called."""
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 1, env, (library,))


def _only_mark_finalized(library: Any) -> None:
    library._finalized = True


@contextlib.contextmanager
def _linked_only() -> Iterator[None]:
    """Leave optimisation and machine code to the end: Numba would do both for each helper, again in every caller."""
    library = codegen.CPUCodeLibrary
    replaced = {
        (library, "_optimize_final_module"): lambda self: None,
        (library, "_optimize_functions"): lambda self, module: None,
        (library, "_finalize_final_module"): _only_mark_finalized,
        (cpu.CPUContext, "get_executable"): _not_loaded,
    }
    saved = {(owner, name): getattr(owner, name) for owner, name in replaced}
    try:
        for (owner, name), function in replaced.items():
            setattr(owner, name, function)
        yield
    finally:
        for (owner, name), function in saved.items():
            setattr(owner, name, function)


def stage_module(
    kernel: Kernel, realisation: Realisation, model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> Any:
    """Optimised LLVM module whose function `ENTRY` runs `kernel` on one world or block.

    Raises:
        FatalError: the kernel breaks a rule of the kernel language.
    """
    broken = broken_rules_of_all(kernel, model_fields, data_fields)
    if broken:
        raise FatalError(f"{kernel} breaks rules of the kernel language:\n" + "\n".join(broken))
    register_formulas()
    model = StructType("model", model_fields, realisation, invariant=not kernel.writes_model)
    data = StructType("data", data_fields, realisation, invariant=False)
    with global_compiler_lock, _linked_only():
        numba_function = dispatcher(kernel)
        try:
            numba_function.compile((model, data))
        except numba.core.errors.NumbaError as error:
            raise FatalError(f"{kernel} does not compile as {realisation.name}:\n{explained(error)}") from None
        result = numba_function.overloads[(model, data)]
        library = cpu_target.target_context.codegen().create_library(f"{kernel.__name__}-{realisation.name}")
        library.add_ir_module(_entry(result, library.name))
        library.add_linking_library(result.library)
        library.finalize()
    module = library._final_module
    for function in module.functions:
        if not function.is_declaration and function.name != ENTRY:
            function.linkage = "internal"
    optimise(module)
    return module


def explained(error: Exception) -> str:
    """What stopped Numba, without its walls of text: the innermost place in a kernel, and a sentence about it."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = re.findall(r'File "([^"]+)", line (\d+)', text)
    missing = re.findall(r"found for signature:\s+(?:>>> )?(.+)", text)
    named = re.findall(
        r"(?:Unknown attribute|Cannot unify|Undecided type|NameError|Untyped global|cannot assign).*", text
    )
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    sentence = f"the kernel language has no {missing[-1]}" if missing else (named or lines)[-1 if named else 0]
    place = f"{places[-1][0]}:{places[-1][1]}: " if places else ""
    return f"{place}{sentence}; see docs/kernel-language.md"


def _entry(result: Any, name: str) -> ir.Module:
    """The C-callable entry around Numba's function."""
    context = result.target_context
    module = ir.Module(name)
    entry = ir.Function(module, ir.FunctionType(INT32, [INT64, INT64, INT64]), ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block())
    m, d, lane = entry.args

    def struct(address: ir.Value, lane: ir.Value) -> ir.Value:
        array = ir.Constant(ir.ArrayType(INT64, 2), ir.Undefined)
        return builder.insert_value(builder.insert_value(array, address, 0), lane, 1)

    signature = result.signature
    function = context.declare_function(module, result.fndesc)
    arguments = [struct(m, ir.Constant(INT64, 0)), struct(d, lane)]
    _, value = context.call_conv.call_function(builder, function, signature.return_type, signature.args, arguments)
    if isinstance(signature.return_type, types.Integer):
        builder.ret(builder.trunc(context.cast(builder, value, signature.return_type, types.int64), INT32))
    else:
        builder.ret(ir.Constant(INT32, 0))
    return module


def optimise(module: Any) -> None:
    """Run LLVM's full pipeline, with loop and straight-line vectorisation."""
    machine = target_machine()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_interleaving = True
    options.loop_unrolling = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def stage_object(
    kernel: Kernel, realisation: Realisation, model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> bytes:
    """Object file of a kernel; see `stage_module`."""
    return target_machine().emit_object(stage_module(kernel, realisation, model_fields, data_fields))


def stage_assembly(
    kernel: Kernel, realisation: Realisation, model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> str:
    """Assembly text of a kernel; see `stage_module`."""
    return target_machine().emit_assembly(stage_module(kernel, realisation, model_fields, data_fields))
