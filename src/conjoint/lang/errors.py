"""Exceptions and warnings that users of Conjoint may encounter."""


class ConjointError(Exception):
    """Base class of all exceptions that Conjoint raises on purpose."""


class ModelError(ConjointError, ValueError):
    """A model (XML, specification or binary file) breaks a rule; the text names file, line, element and attribute."""


class FatalError(ConjointError, RuntimeError):
    """A call cannot be carried out: sizes do not match, an arena cannot grow, or a compiler is missing."""


class ArgumentError(FatalError, ValueError):
    """An argument has a value that the call cannot use: a `FatalError` that is also a `ValueError`."""


class MissingExtraError(FatalError, ImportError):
    """A required package is not installed; the text says which one to install."""


class UnexpectedError(ConjointError):
    """Exception for compatibility only: MuJoCo raises it for bugs in its own package.

    Programs may catch it, but Conjoint never raises it.
    """


class ModelWarning(UserWarning):
    """A model contains something that is accepted, as in MuJoCo, but is probably a mistake."""


class SimulationWarning(UserWarning):
    """A problem that does not stop the simulation, such as a full contact list or scene, or a singular inertia.

    Attributes:
        worlds: indices of the affected worlds of a batch; empty for a single world.
    """

    worlds: tuple[int, ...] = ()


class DivergenceWarning(SimulationWarning):
    """A state or control of the simulation is huge or not finite."""
