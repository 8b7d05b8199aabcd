"""Scenes that need a constraint solver, and Conjoint data with MuJoCo's constraint rows."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from adopt import adopt_model, adopt_state
from conjoint.runtime.functions import stages_of
from conjoint.schema.enums import mjtDisableBit

SCENES = {
    "friction loss and limits": """
        <mujoco><worldbody>
          <body><joint name="a" axis="0 1 0" range="-20 20" limited="true" frictionloss="0.3" armature="0.01"/>
            <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
            <body pos="0.4 0 0"><joint axis="0 1 0" range="-30 5" limited="true" frictionloss="5"/>
              <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
              <body pos="0.3 0 0"><joint type="ball" range="0 15" limited="true" damping="0.01"/>
                <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/></body></body></body>
        </worldbody></mujoco>""",
    "few bodies, many contacts": """
        <mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="5 5 .1"/>
          <body pos="0 0 0.099"><freejoint/><geom type="box" size=".2 .3 .1"/></body>
          <body pos="0 0 0.295"><freejoint/><geom type="box" size=".2 .2 .1" condim="4"/></body>
          <body pos="0.5 0 0.11"><freejoint/><geom type="sphere" size=".12" condim="6"/></body>
          <body pos="0.9 0 0.05"><freejoint/><geom type="capsule" size=".06 .2" euler="90 0 0" condim="1"/></body>
        </worldbody></mujoco>""",
    "tree with contacts and equalities": """
        <mujoco><worldbody><geom type="plane" size="5 5 .1" friction="0.8"/>
          <body name="torso" pos="0 0 0.24"><freejoint/><geom type="box" size=".2 .1 .05" mass="4"/>
            <body pos=".2 .1 0"><joint axis="0 1 0" range="-40 40" limited="true"/>
              <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/>
              <body name="foot" pos="0 0 -.2"><joint name="ankle" axis="1 0 0" frictionloss=".1"/>
                <geom type="sphere" size=".05"/></body></body>
            <body pos=".2 -.1 0"><joint axis="0 1 0" range="-40 40" limited="true"/>
              <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/>
              <body pos="0 0 -.2"><joint name="other" axis="1 0 0" frictionloss=".1"/>
                <geom type="sphere" size=".05"/></body></body>
            <body name="tail" pos="-.2 0 0"><joint type="ball"/><geom type="capsule" fromto="0 0 0 -.3 0 -.15" size=".02"/></body>
          </body>
          <body name="ring" pos="-.5 0 .1"><joint type="slide" axis="0 0 1"/><geom type="sphere" size=".05"/></body>
        </worldbody>
        <equality><joint joint1="ankle" joint2="other"/><connect body1="tail" body2="ring" anchor="-.3 0 -.15"/></equality>
        </mujoco>""",
}  # fmt: skip
"""XML by name. The first scene has more dofs than rows, the second has more rows than dofs."""

ROWS = ("efc_type", "efc_id", "efc_D", "efc_R", "efc_aref", "efc_frictionloss")
SMOOTH = ("M", "qM", "qLD", "qLDiagInv", "qacc_smooth", "qfrc_smooth")


def scene(name: str, **options: Any) -> Any:
    """Return MuJoCo's model of a scene, with options."""
    model = mujoco.MjModel.from_xml_string(SCENES[name])
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    for option, value in options.items():
        setattr(model.opt, option, value)
    return model


def constraint_stages(m: Any, plan: Any = None) -> list[Any]:
    """Return the kernels of `mj_fwdConstraint` for a model's options or for a given plan."""
    stages = stages_of("mj_fwdConstraint", plan or m.plans.current)
    return [stage.kernel for stage in stages if stage.name == "mj_fwdConstraint"]


def solved_states(model: Any, count: int = 6, apart: int = 12, seed: int = 0) -> list[tuple[Any, np.ndarray]]:
    """Return MuJoCo data after forward passes with constraint rows, and the warm starts of these passes."""
    generator = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    data.qvel[:] = 0.3 * generator.standard_normal(model.nv)
    found: list[tuple[Any, np.ndarray]] = []
    for _ in range(40 * count):
        for _ in range(apart):
            data.qfrc_applied[:] = 2.0 * generator.standard_normal(model.nv)
            mujoco.mj_step(model, data)
        start = data.qacc_warmstart + 0.0
        reached = mujoco.MjData(model)
        for field in ("qpos", "qvel", "qfrc_applied", "qacc_warmstart"):
            getattr(reached, field)[:] = getattr(data, field)
        mujoco.mj_forward(model, reached)
        if reached.nefc:
            found.append((reached, start))
        if len(found) == count:
            return found
    raise AssertionError("the scene has no constraints")


def adopt_rows(ours: Any, official: Any, start: np.ndarray) -> Any:
    """Copy MuJoCo's constraint rows and smooth dynamics to Conjoint's data, and return its world.

    All reals that are not copied are NaN.
    """
    world, n = ours.world, official.nefc
    world.grow(nefc=n + 8, nefc_dual=n + 8)
    for field in world.arena.layout.fields:
        view = world.arena.view(field.name)
        if view.dtype.kind == "f":
            view[...] = np.nan
    for name in ("nefc", "ne", "nf"):
        world.data.view(name)[...] = getattr(official, name)
    for name in SMOOTH:
        world.data.view(name)[...] = getattr(official, name)
    world.data.view("qacc_warmstart")[...] = start
    for name in ROWS:
        world.arena.view(name)[:n] = getattr(official, name)
    world.arena.view("efc_J")[:n] = official.efc_J.reshape(n, len(official.qvel))
    world.grow(ncon=official.ncon)
    for k, contact in enumerate(official.contact[: official.ncon]):
        world.arena.view("contact_geom")[k] = contact.geom
        if contact.efc_address >= 0 and contact.dim > 1:
            rows = slice(contact.efc_address, contact.efc_address + contact.dim)
            world.arena.view("cone_scale")[rows] = [contact.mu, *contact.friction[: contact.dim - 1]]
    return world


def unpacked(arena: Any, n: int, lane: int | None = None) -> tuple[np.ndarray, int]:
    """Return the first n rows that a solver stores in blocks of eight columns, as a matrix, and the count of stored numbers."""
    numbers, start, count, block = (arena.view(f"packed.{name}") for name in ("value", "start", "count", "block"))
    numbers = numbers.reshape(numbers.shape[0] * numbers.shape[1], -1)[:, lane or 0]
    rows = np.zeros((n, 8 * block.shape[1]))
    for r in range(n):
        for p in range(count.ravel()[r]):
            column, at = 8 * block[r].ravel()[p], start.ravel()[r] + 8 * p
            rows[r, column : column + 8] = numbers[at : at + 8]
    return rows, 8 * int(count.ravel()[:n].sum())


def worlds_of(model: Any, states: list[tuple[Any, np.ndarray]]) -> tuple[Any, list[Any]]:
    """Return Conjoint's model, and data and world for each state; islands are disabled because MuJoCo's rows lack them."""
    m = adopt_model(model)
    m.opt.disableflags |= int(mjtDisableBit.mjDSBL_ISLAND)
    worlds = []
    for official, start in states:
        ours = adopt_state(m, model, official)
        # keep the owner of the memory alive as long as the world
        worlds.append((ours, adopt_rows(ours, official, start)))
    return m, worlds
