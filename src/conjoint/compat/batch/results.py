"""Results of a batch's simulations: rows of states, warnings, bound fields and errors."""

from __future__ import annotations

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.compat.batch.fields import STATE, check_bound
from conjoint.schema.enums import mjtWarning

MOST_NAMED = 5
"""Maximum number of simulations listed in a message."""


class SimulationError(RuntimeError):
    """Error in some simulations of a call: these keep their former state; the others ran.

    Attributes:
        ids: numbers of these simulations; `Batch.error` returns the message of each.
    """

    def __init__(self, ids: np.ndarray, message: str, ncall: int | None = None):
        """Args:
        ids: the simulations.
        message: the error of the first.
        ncall: number of simulations in the call; None to omit it from the message.
        """
        self.ids = ids
        named = ", ".join(map(str, ids[:MOST_NAMED].tolist())) + (", ..." if len(ids) > MOST_NAMED else "")
        many = f"{len(ids)}" if ncall is None else f"{len(ids)} of {ncall}"
        super().__init__(f"an error came up in {many} simulations ({named}); simulation {ids[0]}: {message}")


class Results:
    """Arrays with a row for each simulation.

    Args:
        template: a world of the model.
        nsim: number of simulations.

    Attributes:
        state: the states, shape (nsim, nstate).
        places: columns of each field in the state, by name.
        warning: for each type of warning, the number in the last one and their count, shape (nsim, ntype, 2).
        status: 0, or 1 after an error in the last call, shape (nsim,).
        errors: messages of these errors, by simulation.
        bound: other fields that a program bound, by name.
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
        """Return the columns of a field in the state, as (nsim, ...)."""
        shape = self.template.world.data.view(name).shape
        return self.state[:, self.places[name]].reshape(self.nsim, *shape)

    def size(self, name: str) -> int:
        """Return the number of columns of the state that a field takes."""
        return self.places[name].stop - self.places[name].start

    def rows(self, name: str) -> np.ndarray:
        """Return a field of the state, or a bound one, of all simulations."""
        return self.component(name) if name in STATE else self.bound[name]

    def shape(self, name: str) -> tuple[tuple[int, ...], np.dtype]:
        """Return the shape of a field in one simulation, and its type in `MjData`."""
        value = np.asarray(getattr(self.template, name))
        return value.shape, np.dtype(np.int32) if isinstance(getattr(self.template, name), int) else value.dtype

    def bind(self, name: str) -> np.ndarray:
        """Return a live array of a field; computed fields are read-only, and zero until the next call.

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
        """Copy the bound fields from the world in which a simulation ran."""
        for name, values in self.bound.items():
            values[sim] = getattr(data, name)

    def succeed(self, sims: np.ndarray) -> None:
        """Clear the status and errors of simulations at the start of a call."""
        self.status[sims] = 0
        for sim in self.errors.keys() & set(sims.tolist()):
            del self.errors[sim]

    def fail(self, sim: int, error: Exception) -> None:
        """Record that a call ended with an error in a simulation."""
        self.status[sim] = 1
        self.errors[sim] = str(error) or type(error).__name__
