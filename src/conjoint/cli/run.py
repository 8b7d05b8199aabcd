"""A simulation that was asked for, and what became of it."""

from dataclasses import dataclass, field
from pathlib import Path

DIVERGED = ("BADQPOS", "BADQVEL", "BADQACC", "BADCTRL")
"""Warnings after which the numbers of a run mean little."""


@dataclass
class Request:
    """What the user asked for; the options of the command."""

    model: Path
    seconds: float
    ctrl: str = "zero"
    seed: int = 0
    key: str | None = None
    worlds: int = 1
    threads: int = 1
    precision: str = "float64"
    every: int | None = None
    record: Path | None = None
    plot: Path | None = None
    policy: Path | None = None

    @property
    def controls(self) -> str:
        """Where controls come from, in words."""
        if self.policy:
            return f"policy {self.policy.name}"
        return f"random (seed {self.seed})" if self.ctrl == "random" else self.ctrl


@dataclass
class Run:
    """What a simulation did.

    Attributes:
        nstep: steps of each world.
        loading: seconds to read and compile the model.
        first_step: seconds of a step tried before the run, which may compile kernels.
        stepping: seconds of all steps of the run, without sampling.
        warnings: how often each warning was raised.
    """

    nstep: int
    loading: float = 0.0
    first_step: float = 0.0
    stepping: float = 0.0
    warnings: dict[str, int] = field(default_factory=dict)

    @property
    def diverged(self) -> bool:
        """Whether the state became bad on the way."""
        return any(name in self.warnings for name in DIVERGED)
