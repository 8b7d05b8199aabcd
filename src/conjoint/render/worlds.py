"""Scene that contains all worlds of a batch at their own positions, without offsets."""

from __future__ import annotations

import copy

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.visual import MjvCamera, MjvOption, MjvPerturb, MjvScene
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.exchange import fill_world
from conjoint.lang.errors import ArgumentError
from conjoint.schema.enums_visual import mjtCatBit
from conjoint.viz.scene import mjv_addGeoms, mjv_updateScene

MOVING = int(mjtCatBit.mjCAT_DYNAMIC | mjtCatBit.mjCAT_DECOR)
"""Categories of geoms that are drawn for every world."""


class SceneOfWorlds:
    """Scene of all worlds of a batch. Fixed geoms, lights and the camera come from the first world.

    Args:
        batch: the worlds.

    Raises:
        FatalError: the model has flexes or skins, which a scene can store for only one world.
    """

    def __init__(self, batch: Batch):
        if batch.model.nflex or batch.model.nskin:
            raise ArgumentError(
                "worlds with flexes or skins cannot be drawn together; draw one: update_scene(batch.get_data(world))"
            )
        self.batch, self._model = batch, copy.copy(batch.model)
        # `update` overwrites fields of this model, so mark all of them as writable
        self._model.plans.exposed.expose_all()
        self._data, self._perturb = MjData(self._model), MjvPerturb()

    def update(self, option: MjvOption, camera: MjvCamera, scene: MjvScene) -> None:
        """Update a scene to show the current state of the worlds.

        Raises:
            FatalError: the scene has too few geoms for all worlds, or the camera does not exist.
        """
        worlds, m, d = worlds_of(self.batch), self._model, self._data
        with worlds.turn.held:
            for world in range(self.batch.nworld):
                fill_world(m, d, worlds, world)
                mj_forward(m, d)
                if world:
                    mjv_addGeoms(m, d, option, self._perturb, MOVING, scene)
                else:
                    mjv_updateScene(m, d, option, None, camera, int(mjtCatBit.mjCAT_ALL), scene)
                if scene.ngeom >= scene.maxgeom:
                    raise ArgumentError(
                        f"the scene has space for {scene.maxgeom} geoms, which {world + 1} of {self.batch.nworld} "
                        "worlds fill: create the renderer with a larger max_geom"
                    )
