"""Errors that users of Conjoint meet."""


class ConjointError(Exception):
    """Base of all errors raised on purpose."""


class ModelError(ConjointError, ValueError):
    """A model (XML, specification or binary file) breaks a rule; the text names file, line, element and attribute."""


class FatalError(ConjointError, RuntimeError):
    """A call that cannot be carried out: sizes that do not match, an arena that cannot grow, a missing compiler."""


class ArgumentError(FatalError, ValueError):
    """An argument has a value that the call cannot use: a `FatalError` that is also a `ValueError`."""


class MissingExtraError(FatalError, ImportError):
    """Error: a required package is not installed; the text says which one to install."""


class UnexpectedError(ConjointError):
    """Error for compatibility: in MuJoCo it stands for bugs of the package. Programs may catch it, but nothing raises
    it.
    """


class ModelWarning(UserWarning):
    """A model contains something that is accepted, as in the official package, but is probably a mistake."""


class SimulationWarning(UserWarning):
    """A problem in a simulation that continues: a list or a scene that is full, a singular inertia.

    Attributes:
        worlds: numbers of the worlds of a batch that it is about; of a single world, none.
    """

    worlds: tuple[int, ...] = ()


class DivergenceWarning(SimulationWarning):
    """A state or control of the simulation is not finite, or huge."""
