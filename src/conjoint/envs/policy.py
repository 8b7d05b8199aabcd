"""`Policy`: a small network that maps observations to actions, with loading and saving."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np


class Policy:
    """Network from normalized observations to action means: linear layers with tanh between them.

    Args:
        task: name of the task for which it was trained.
        weights: weight matrix of each layer, shape (inputs, outputs).
        biases: bias of each layer, shape (outputs,).
        mean: mean of observations.
        scale: standard deviation of observations.

    Raises:
        ValueError: the shapes are inconsistent, or some numbers are not finite.
    """

    LIMIT = 10.0
    """Bound to which normalized observations are clipped."""

    def __init__(
        self,
        task: str,
        weights: Sequence[np.ndarray],
        biases: Sequence[np.ndarray],
        mean: np.ndarray,
        scale: np.ndarray,
    ):
        sizes = [len(mean), *(len(bias) for bias in biases)]
        if [w.shape for w in weights] != list(pairwise(sizes)) or len(scale) != len(mean):
            raise ValueError(f"the layers of a policy have incompatible shapes: {[w.shape for w in weights]}")
        if not all(np.isfinite(array).all() for array in (*weights, *biases, mean, scale)):
            raise ValueError("the policy contains numbers that are NaN or infinite")
        self.task, self.weights, self.biases = task, list(weights), list(biases)
        self.mean, self.scale = np.asarray(mean), np.asarray(scale)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Return actions for observations, shapes (..., nu) and (..., n); actions are between -1 and 1."""
        x = np.clip((observations - self.mean) / self.scale, -self.LIMIT, self.LIMIT)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = np.tanh(x @ weight + bias)
        return np.clip(x @ self.weights[-1] + self.biases[-1], -1, 1)

    def save(self, path: str | Path) -> None:
        """Write the policy to an archive of arrays (.npz).

        Args:
            path: the file.
        """
        layers: dict[str, Any] = {f"weight{k}": w for k, w in enumerate(self.weights)}
        layers |= {f"bias{k}": b for k, b in enumerate(self.biases)}
        np.savez(path, task=self.task, mean=self.mean, scale=self.scale, **layers)

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy that `save` wrote.

        Args:
            path: the file.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file does not contain a policy.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                arrays = dict(archive)
        except (ValueError, EOFError, TypeError, IndexError, BadZipFile):
            raise ValueError(
                f"{path} is not a policy file: expected an archive (.npz) that Policy.save wrote"
            ) from None
        count = sum(name.startswith("weight") for name in arrays)
        try:
            weights, biases = ([arrays[f"{kind}{k}"] for k in range(count)] for kind in ("weight", "bias"))
            return cls(str(arrays["task"]), weights, biases, arrays["mean"], arrays["scale"])
        except KeyError as error:
            raise ValueError(f"{path} is not a policy file: it lacks {error}") from None
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None
