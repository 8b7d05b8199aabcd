"""The mouse in a page: a click selects a body, dragging with Ctrl pulls at it."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.objects.scene import MjvScene
from conjoint.schema.enums_visual import mjtPertBit
from conjoint.viewer.exchange import Exchange
from conjoint.viz.perturb import mjv_initPerturb

MODIFIER = "cmd/ctrl"
"""What is held to pull."""


class Pointer:
    """Clicks and drags on the bodies of a world.

    Args:
        exchange: of the world.
        scn: its scene.
    """

    def __init__(self, exchange: Exchange, scn: MjvScene):
        self.exchange, self.scn = exchange, scn

    def watch(self, handle: Any, body: int) -> None:
        """Let a node of the browser stand for a body."""

        # events of one browser come in their order to functions that are async
        async def click(event: Any) -> None:
            self.select(body)

        async def drag(event: Any) -> None:
            if event.phase == "start":
                self.grab(body, np.array(event.start_position))
            elif event.phase == "end":
                self.release()
            self.pull(np.array(event.end_position))

        handle.on_click(click)
        handle.on_drag("left", modifier=MODIFIER)(drag)

    def select(self, body: int) -> None:
        """Select a body at its origin."""
        with self.exchange.lock:
            self.exchange.pert.select = body
            self.exchange.pert.localpos = np.zeros(3)

    def grab(self, body: int, point: np.ndarray) -> None:
        """Begin to pull a body at a point of the world."""
        m, d, pert = self.exchange.m, self.exchange.take(), self.exchange.pert
        with self.exchange.lock:
            pert.select = body
            pert.localpos = d.xmat[body].reshape(3, 3).T @ (point - d.xpos[body])
            mjv_initPerturb(m, d, self.scn, pert)
            pert.active = int(mjtPertBit.mjPERT_TRANSLATE)

    def pull(self, point: np.ndarray) -> None:
        """Pull towards a point of the world."""
        pert = self.exchange.pert
        with self.exchange.lock:
            if pert.active:
                pert.refpos = pert.refpos + (point - pert.refselpos)
                pert.refselpos = point

    def release(self) -> None:
        """Pull no more."""
        with self.exchange.lock:
            self.exchange.pert.active = 0
