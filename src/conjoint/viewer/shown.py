"""A program's world as a window or a page shows it: what both have in common."""

from __future__ import annotations

import contextlib
from typing import Any, Self

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvOption, MjvPerturb
from conjoint.viewer.exchange import Exchange


class Shown:
    """What a program holds while its world is shown; as a context manager it ends that.

    The viewer takes over the world, and the program what the user did, at `sync`. What both change (`opt`, `perturb`,
    `user_scn`, the model) is changed with `lock()` held.
    """

    def __init__(self, exchange: Exchange, data: MjData):
        self._exchange, self._data = exchange, data

    @property
    def opt(self) -> MjvOption:
        """What is shown."""
        return self._exchange.opt

    @property
    def perturb(self) -> MjvPerturb:
        """What the user does to a body."""
        return self._exchange.pert

    @property
    def user_scn(self) -> MjvScene:
        """Geoms that are shown beside those of the world, and flags of drawing."""
        return self._exchange.user_scn

    @property
    def m(self) -> MjModel:
        """The model."""
        return self._exchange.m

    @property
    def d(self) -> MjData:
        """The world of the program."""
        return self._data

    def is_running(self) -> bool:
        """Whether the world is still shown."""
        raise NotImplementedError

    def close(self) -> None:
        """End it."""
        raise NotImplementedError

    def lock(self) -> contextlib.AbstractContextManager[Any]:
        """A context in which the viewer reads and changes nothing of what it shares with the program."""
        return self._exchange.lock if self.is_running() else contextlib.nullcontext()

    def sync(self, state_only: bool = False) -> None:
        """Show the world as it is now, and do to it what the user wants: forces, poses, controls, options.

        Args:
            state_only: whether only the state has changed; the model is shown as it is in any case.
        """
        if not self.is_running():
            return
        exchange, d = self._exchange, self._data
        exchange.obey(d)
        exchange.perturb(d, paused=False)
        exchange.publish(d, again=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()
