"""What a call tells about simulations that raised an error."""

from __future__ import annotations

import numpy as np

MOST_NAMED = 5
"""Simulations whose numbers a message has."""


class SimulationError(RuntimeError):
    """Some simulations of a call raised an error: they have the state that they had before; the others ran.

    Attributes:
        ids: numbers of these simulations; `Batch.error` has the message of each.
    """

    def __init__(self, ids: np.ndarray, message: str, ncall: int | None = None):
        """Args:
        ids: the simulations.
        message: the error of the first.
        ncall: how many simulations the call had; None: it is not told.
        """
        self.ids = ids
        named = ", ".join(map(str, ids[:MOST_NAMED].tolist())) + (", ..." if len(ids) > MOST_NAMED else "")
        many = f"{len(ids)}" if ncall is None else f"{len(ids)} of {ncall}"
        super().__init__(f"an error came up in {many} simulations ({named}); simulation {ids[0]}: {message}")
