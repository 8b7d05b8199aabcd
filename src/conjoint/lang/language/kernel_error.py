"""Errors of kernels that break a rule of the kernel language, and those of the compiler itself."""


class KernelError(TypeError):
    """The text of a kernel breaks a rule. Compiling reports it as a `FatalError` with file, line and kernel.

    Nothing else that goes wrong while a kernel is compiled raises it: other errors are faults of the compiler.
    """


FAULT = "this is a fault of Conjoint, not of the kernel: please report it with this traceback"
"""Ends the note on an error of the compiler."""


def note_fault(error: Exception, occasion: str) -> None:
    """Note on an error that it is a fault of the compiler; once, on the innermost occasion.

    Args:
        error: which is raised on.
        occasion: what went wrong, with file, line and kernel.
    """
    if not any(note.endswith(FAULT) for note in getattr(error, "__notes__", ())):
        error.add_note(f"while {occasion}: {FAULT}")
