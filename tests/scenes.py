"""Rendered scenes of the same model in both packages, for comparison."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import conjoint

NUMBERS = ("size", "pos", "mat", "rgba", "emission", "specular", "shininess", "reflectance", "modelrbound")
IDS = ("type", "category", "objtype", "objid", "segid", "dataid", "matid", "texcoord")
LIGHTS = ("pos", "dir", "type", "texid", "attenuation", "cutoff", "exponent", "ambient", "diffuse", "specular",
          "headlight", "castshadow", "bulbradius", "intensity", "range")  # fmt: skip
CAMERAS = ("pos", "forward", "up", "frustum_center", "frustum_width", "frustum_bottom", "frustum_top", "frustum_near",
           "frustum_far", "orthographic")  # fmt: skip


class Pair:
    """Model, data and scene in both packages, in a state of MuJoCo's simulation.

    Attributes:
        models, worlds, scenes: pairs of Conjoint's object and MuJoCo's.
    """

    def __init__(self, xml: str, steps: int = 0, ctrl: float = 0.0, maxgeom: int = 2000, official: str = ""):
        """Step MuJoCo's model with constant controls and copy the state; `official` is MuJoCo's XML if it differs."""
        self.models = (conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(official or xml))
        self.worlds = (conjoint.MjData(self.models[0]), mujoco.MjData(self.models[1]))
        world = self.worlds[1]
        world.ctrl[:] = ctrl
        mujoco.mj_step(self.models[1], world, steps)
        mujoco.mj_forward(self.models[1], world)
        self.copy_state()
        self.scenes = (conjoint.MjvScene(self.models[0], maxgeom), mujoco.MjvScene(self.models[1], maxgeom))

    def copy_state(self) -> None:
        """Copy the state of MuJoCo's data to Conjoint's, and run `mj_forward`."""
        d, official = self.worlds
        for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "xfrc_applied", "qacc_warmstart"):
            getattr(d, name)[...] = getattr(official, name)
        d.time = official.time
        conjoint.mj_forward(self.models[0], d)

    def update(self, catmask: int = 7, **settings: Any) -> tuple[Any, Any]:
        """Update both scenes with settings such as `opt_flags={flag: value}` or `cam_type`."""
        for package, m, d, scene in zip((conjoint, mujoco), self.models, self.worlds, self.scenes, strict=True):
            records = {"opt": package.MjvOption(), "pert": package.MjvPerturb(), "cam": package.MjvCamera()}
            package.mjv_defaultFreeCamera(m, records["cam"])
            for name, value in settings.items():
                kind, _, field = name.partition("_")
                if isinstance(value, dict):
                    for index, one in value.items():
                        getattr(records[kind], field)[index] = one
                else:
                    setattr(records[kind], field, value)
            package.mjv_updateScene(m, d, records["opt"], records["pert"], records["cam"], catmask, scene)
        return self.scenes

    def agree(self, catmask: int = 7, tolerance: float = 1e-5, **settings: Any) -> list[Any]:
        """Check that all fields of both scenes agree, and return MuJoCo's geoms."""
        ours, official = self.update(catmask, **settings)
        assert [_ids(g) for g in ours.geoms[: ours.ngeom]] == [_ids(g) for g in official.geoms[: official.ngeom]]
        for mine, its in zip(ours.geoms[: ours.ngeom], official.geoms[: official.ngeom], strict=True):
            _close(mine, its, NUMBERS, tolerance)
        assert ours.nlight == official.nlight
        for mine, its in zip(ours.lights[: ours.nlight], official.lights[: official.nlight], strict=True):
            _close(mine, its, LIGHTS, tolerance)
        for mine, its in zip(ours.camera, official.camera, strict=True):
            _close(mine, its, CAMERAS, tolerance)
        return list(official.geoms[: official.ngeom])


def _ids(geom: Any) -> tuple:
    return (*(int(getattr(geom, name)) for name in IDS), geom.label)


def _close(mine: Any, its: Any, names: tuple[str, ...], tolerance: float) -> None:
    for name in names:
        a, b = np.asarray(getattr(mine, name), float), np.asarray(getattr(its, name), float)
        assert np.all(np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b))), (
            name,
            a,
            b,
            _ids(its) if name in NUMBERS else "",
        )
