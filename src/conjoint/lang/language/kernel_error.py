"""Errors in kernels that break a rule of the kernel language, and notes on errors of the compiler itself."""


class KernelError(TypeError):
    """The source text of a kernel breaks a rule of the kernel language.

    Compilation reports this as a `FatalError` with file, line and kernel. It is raised for no other reason. All other
    errors during a compilation are faults of the compiler.
    """


FAULT = "this is a fault of Conjoint, not of the kernel: please report it with this traceback"
"""End of the note that is added to errors of the compiler."""


def note_fault(error: Exception, occasion: str) -> None:
    """Add a note to an error, saying that it is a fault of the compiler; only the innermost call adds one.

    Args:
        error: the error, which the caller raises again.
        occasion: what the compiler was doing, with file, line and kernel.
    """
    if not any(note.endswith(FAULT) for note in getattr(error, "__notes__", ())):
        error.add_note(f"while {occasion}: {FAULT}")
