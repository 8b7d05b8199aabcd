"""Results of a batch's simulations: states, warnings, bound fields and errors."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.compat.batch.fields import STATE, check_bound
from conjoint.schema.enums import mjtWarning

MOST_NAMED = 5
"""Maximum number of simulations that an error message lists."""


class SimulationError(RuntimeError):
    """Error in some simulations of a call. Failed simulations keep their previous state. All other simulations ran.

    Attributes:
        ids: indices of the failed simulations. `Batch.error` returns their messages.
    """

    def __init__(self, ids: np.ndarray, message: str, ncall: int | None = None):
        """Create an error whose message lists the failed simulations.

        Args:
            ids: indices of the failed simulations.
            message: error message of the first failed simulation.
            ncall: number of simulations in the call, or None to omit it from the message.
        """
        self.ids = ids
        named = ", ".join(map(str, ids[:MOST_NAMED].tolist())) + (", ..." if len(ids) > MOST_NAMED else "")
        many = f"{len(ids)}" if ncall is None else f"{len(ids)} of {ncall}"
        super().__init__(f"an error occurred in {many} simulations ({named}); simulation {ids[0]}: {message}")


class Results:
    """Arrays of results with one row per simulation.

    Args:
        template: a world of the model.
        nsim: number of simulations.

    Attributes:
        state: states of all simulations, shape (nsim, nstate).
        places: columns of each field in the state, by name.
        warning: for each warning type, the value in the most recent warning and the number of warnings, shape (nsim,
            ntype, 2).
        status: 1 for simulations in which the last call failed, else 0, shape (nsim,).
        errors: error messages of failed simulations, by index.
        bound: values of bound fields that are not part of the state, by name.
    """

    def __init__(self, template: MjData, nsim: int):
        self.template, self.nsim = template, nsim
        self.places: dict[str, slice] = {}
        end = 0
        for name in STATE:
            first, end = end, end + template.world.data.view(name).size
            self.places[name] = slice(first, end)
        self.state = np.zeros((nsim, end))
        self.warning = np.zeros((nsim, int(mjtWarning.mjNWARNING), 2), np.int32)
        self.status = np.zeros(nsim, np.int32)
        self.errors: dict[int, str] = {}
        self.bound: dict[str, np.ndarray] = {}

    def component(self, name: str) -> np.ndarray:
        """Return a view of a field in the states, shape (nsim, ...)."""
        shape = self.template.world.data.view(name).shape
        return self.state[:, self.places[name]].reshape(self.nsim, *shape)

    def size(self, name: str) -> int:
        """Return the number of state columns that a field occupies."""
        return self.places[name].stop - self.places[name].start

    def rows(self, name: str) -> np.ndarray:
        """Return the values of a state field or bound field in all simulations."""
        return self.component(name) if name in STATE else self.bound[name]

    def shape(self, name: str) -> tuple[tuple[int, ...], np.dtype]:
        """Return the shape of a field in one simulation, and its dtype."""
        value = np.asarray(getattr(self.template, name))
        return value.shape, np.dtype(np.int32) if isinstance(getattr(self.template, name), int) else value.dtype

    def bind(self, name: str) -> np.ndarray:
        """Return an array of a field, which later calls update. Computed fields are read-only, and initially zero.

        Raises:
            ValueError: the field does not exist.
        """
        if name in STATE:
            return self.component(name)
        if name not in self.bound:
            check_bound(name, self.template)
            shape, dtype = self.shape(name)
            self.bound[name] = np.zeros((self.nsim, *shape), dtype)
        shown = self.bound[name].view()
        shown.flags.writeable = False
        return shown

    def take(self, data: MjData, sim: int) -> None:
        """Copy the bound fields of a simulation from the world in which it ran."""
        for name, values in self.bound.items():
            values[sim] = getattr(data, name)

    def succeed(self, sims: np.ndarray) -> None:
        """Clear the status and errors of simulations at the start of a call."""
        self.status[sims] = 0
        for sim in self.errors.keys() & set(sims.tolist()):
            del self.errors[sim]

    def fail(self, sim: int, error: Exception) -> None:
        """Record that a simulation failed with an error."""
        self.status[sim] = 1
        self.errors[sim] = str(error) or type(error).__name__
