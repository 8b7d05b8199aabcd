"""Which simulations a call runs on, and integers that it takes: all are checked before they become 32 bits long."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ids = npt.ArrayLike | None


def chosen(ids: Ids, nsim: int) -> np.ndarray:
    """Numbers of simulations, ascending.

    Args:
        ids: sorted numbers, each once; a mask of shape (nsim,); None for all.
        nsim: how many there are.

    Raises:
        ValueError: they are something else.
    """
    if ids is None:
        return np.arange(nsim)
    given = np.asarray(ids)
    if given.dtype == bool:
        if given.shape != (nsim,):
            raise ValueError(f"ids: a mask must have shape ({nsim},), not {given.shape}")
        return np.flatnonzero(given)
    if given.ndim != 1:
        raise ValueError(f"ids must be a vector, not of shape {given.shape}")
    if not len(given):
        return np.zeros(0, int)
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"ids must be integers, got {given.dtype}")
    falls = np.flatnonzero(given[1:] <= given[:-1])
    if len(falls):
        first = falls[0]
        raise ValueError(f"ids must be sorted, each once: got {given[first]} before {given[first + 1]}")
    for end in (given[0], given[-1]):
        if not 0 <= end < nsim:
            raise ValueError(f"ids must be in [0, {nsim}), got {end}")
    return given.astype(int)


def integers(name: str, given: npt.ArrayLike, shape: tuple[int, ...], least: int, end: int) -> np.ndarray:
    """Integers from `least` to below `end`, repeated to a shape.

    Raises:
        ValueError: they are something else.
    """
    values = np.asarray(given)
    if not np.issubdtype(values.dtype, np.integer):
        raise ValueError(f"{name} must be integers, got {values.dtype}")
    wrong = values[(values < least) | (values >= end)]
    if wrong.size:
        raise ValueError(f"{name} must be in [{least}, {end}), got {wrong.flat[0]}")
    return np.broadcast_to(values.astype(int), shape)
