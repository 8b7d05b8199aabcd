"""The error of kernels that break a rule of the kernel language."""


class KernelError(TypeError):
    """The text of a kernel breaks a rule. Compiling reports it as a `FatalError` with file, line and kernel.

    Nothing else that goes wrong while a kernel is compiled raises it: other errors are faults of the compiler.
    """
