"""Each world of a batch with varied fields equals a world of a separate model with the same edits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.varied_models import VARIABLE
from conjoint.cli.catalogue import all_stages
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import lanes, world_view
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import varied_rows
from places import ROOT

FOLDER = ROOT / "models"
NWORLD = 11
"""Number of worlds in most tests, not a multiple of any lane width."""

compiled = pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")

MACHINE = """<mujoco><option integrator="implicitfast" viscosity=".1"/><worldbody>
  <geom type="plane" size="9 9 1"/><body name="guide" mocap="true" pos="0 0 1"/>
  <body name="arm" pos="0 0 1"><joint name="shoulder" axis="0 1 0" stiffness="2" damping=".2" frictionloss=".1"
   limited="true" range="-1 1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="a" pos=".1 0 .1"/>
   <body pos=".4 0 0" gravcomp=".5"><joint type="ball" damping=".1"/><geom type="box" size=".1 .05 .05" pos=".1 0 0"/>
    <site name="b" pos=".1 0 .1"/></body></body>
  <body name="ball" pos="1 0 .09"><freejoint/><geom size=".1"/><site name="c"/></body>
  <body name="hung" pos="0 1 1"><freejoint/><geom size=".1"/></body></worldbody>
 <equality><weld body1="guide" body2="hung" relpose="0 1 0 1 0 0 0"/></equality>
 <tendon><spatial name="t" stiffness="3" damping=".2" springlength=".2" limited="true" range="0 .5">
  <site site="a"/><site site="b"/></spatial></tendon>
 <actuator><muscle name="m" tendon="t" lengthrange=".1 .6"/><position joint="shoulder" kp="3" kv=".3"/></actuator>
 <sensor><accelerometer site="b"/><actuatorfrc actuator="m"/></sensor></mujoco>"""

EDITED = (
    "body_mass", "body_inertia", "body_ipos", "body_pos", "body_gravcomp", "jnt_pos", "jnt_stiffness", "jnt_range",
    "jnt_solref", "dof_damping", "dof_armature", "dof_frictionloss", "geom_friction", "geom_pos", "geom_solimp",
    "geom_size", "geom_rbound", "site_pos", "actuator_gainprm", "actuator_biasprm", "actuator_gear", "actuator_dynprm",
    "tendon_stiffness", "tendon_damping", "tendon_range", "opt.gravity", "opt.timestep", "opt.wind",
)  # fmt: skip
"""Fields that tests change by a few percent."""


def edit(batch: Batch, seed: int = 0) -> None:
    """Change all varied fields of every world by a few percent, and set random velocities and controls."""
    generator = np.random.default_rng(seed)
    for name in worlds_of(batch).varied.names:
        group = batch
        for word in name.split(".")[:-1]:
            group = getattr(group, word)
        array = getattr(group, name.split(".")[-1])
        # bounding radii only grow, so that they still contain the geoms
        array *= (
            generator.uniform(1.1, 1.2, array.shape)
            if name == "geom_rbound"
            else generator.uniform(0.95, 1.05, array.shape)
        )
    batch.qvel = 0.3 * generator.standard_normal(batch.qvel.shape)
    batch.ctrl = generator.uniform(0.0, 0.5, batch.ctrl.shape)


def edited(batch: Batch, world: int) -> Any:
    """Return a copy of the batch's model with the varied fields of a world and the constants that depend on them."""
    model = conjoint.MjModel.__copy__(batch.model)
    for name in worlds_of(batch).varied.names:
        target = model.opt if name.startswith("opt.") else model
        word = name.split(".")[-1]
        value = worlds_of(batch).varied.arrays[name][world]
        if np.ndim(getattr(target, word)):
            getattr(target, word)[...] = value
        else:
            setattr(target, word, float(value))
    conjoint.mj_setConst(model, conjoint.MjData(model))
    return model


def compare_with_models(batch: Batch, nstep: int, tolerance: float) -> None:
    """Compare the steps of each world of a batch with those of a separate model with the same edits."""
    expected = []
    for world in range(batch.nworld):
        model = edited(batch, world)
        d = conjoint.MjData(model)
        for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat"):
            getattr(d, name)[...] = getattr(batch, name)[world]
        conjoint.mj_step(model, d, nstep)
        expected.append((model, d.qpos.copy(), d.qvel.copy(), d.sensordata.copy()))
    batch.step(nstep)
    for world, (model, qpos, qvel, sensordata) in enumerate(expected):
        for name in worlds_of(batch).varied.derived:
            value = model
            for word in name.split("."):
                value = getattr(value, word)
            np.testing.assert_allclose(
                worlds_of(batch).varied.arrays[name][world], value, tolerance, tolerance, err_msg=name
            )
        for found, value in ((batch.qpos, qpos), (batch.qvel, qvel), (batch.sensordata, sensordata)):
            np.testing.assert_allclose(found[world], value, rtol=tolerance, atol=tolerance)


# ---- fields that may vary


@compiled
def test_whatever_may_vary_reads_in_lanes() -> None:
    """Kernels compile for lanes even if every variable model field differs between worlds: no kernel branches on such a field."""
    rows = varied_rows(VARIABLE)
    kernels = [k for k in dict.fromkeys(stage.kernel for stage in all_stages()) if not k.single]
    assert sum(not kernel.per_world for kernel in kernels) > 80
    for kernel in kernels:
        if not kernel.per_world:
            stage_module(kernel.__name__, kernel, lanes("float64", 8), rows, DATA_STRUCT)
        elif kernel.writes_model:
            stage_module(kernel.__name__, kernel, world_view("float64", 8), rows, DATA_STRUCT)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("body_parentid", "belongs to the structure"),
        ("geom_contype", "determines which stages run and which geoms may touch"),
        ("body_subtreemass", "mj_setConst computes it"),
        ("jnt_limited", "share 'jnt_limited'"),
        ("key_qpos", "share 'key_qpos'"),
        ("geom_frictoin", "no field 'geom_frictoin'; did you mean 'geom_friction'"),
    ],
)
def test_what_cannot_vary_is_refused(name: str, text: str) -> None:
    model = conjoint.MjModel.from_xml_string(MACHINE)
    with pytest.raises(FatalError, match=text):
        Batch(model, 2, vary=[name])


def test_a_field_that_worlds_share_says_how_it_would_vary() -> None:
    batch = Batch(conjoint.MjModel.from_xml_string(MACHINE), 2, vary=["body_mass"])
    with pytest.raises(AttributeError, match=r"vary=\['geom_friction'\]"):
        _ = batch.geom_friction
    with pytest.raises(AttributeError, match=r"no field 'opt'; worlds share those of the model, .*vary=\['opt\.\w+'\]"):
        _ = batch.opt
    with pytest.raises(FatalError, match="'dof_invweight0' of a batch cannot be set: it depends on body_mass"):
        batch.dof_invweight0 = 1.0


# ---- worlds compared with edited models


@compiled
def test_worlds_equal_edited_models() -> None:
    """Fifty steps of a complex machine, in which every field varies, agree with those of separately edited models."""
    batch = Batch(conjoint.MjModel.from_xml_string(MACHINE), NWORLD, nthread=1, vary=EDITED)
    edit(batch)
    compare_with_models(batch, 50, 1e-9)
    assert len(np.unique(batch.qpos[:, 0])) == NWORLD


@compiled
@pytest.mark.parametrize("vary", [("body_mass",), ("geom_friction", "body_mass", "actuator_gainprm")])
@pytest.mark.parametrize("name", ["humanoid", "quadruped", "pile"])
def test_masses_frictions_and_gains(name: str, vary: tuple[str, ...]) -> None:
    batch = Batch(conjoint.MjModel.from_xml_path(str(FOLDER / f"{name}.xml")), NWORLD, nthread=1, vary=vary)
    edit(batch)
    compare_with_models(batch, 20, 1e-9)


def test_one_world_in_a_block() -> None:
    """Worlds that are stepped one at a time, as all worlds are without compilation, use their own varied fields."""
    flag = '<flag island="enable"/>'
    model = conjoint.MjModel.from_xml_string(MACHINE.replace('viscosity=".1"/>', f'viscosity=".1">{flag}</option>'))
    batch = Batch(model, 3, nthread=1, vary=EDITED)
    assert batch.lanes == 1
    edit(batch)
    compare_with_models(batch, 3, 1e-9)


@pytest.mark.plain
def test_worlds_of_a_pendulum() -> None:
    """Worlds with varied fields agree with separately edited models, with and without compilation."""
    xml = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size=".1" pos="0 0 -1"/></body></worldbody></mujoco>"""
    batch = Batch(conjoint.MjModel.from_xml_string(xml), 3, vary=["body_mass", "dof_damping", "qpos0"])
    batch.body_mass[:, 1] = [1.0, 2.0, 3.0]
    batch.dof_damping[:, 0] = [0.0, 1.0, 2.0]
    batch.qpos0[:, 0] = [0.1, 0.2, 0.3]
    batch.reset()
    np.testing.assert_array_equal(batch.qpos, batch.qpos0)
    batch.qpos = 0.5
    compare_with_models(batch, 2, 1e-12)


@compiled
def test_single_precision() -> None:
    """Twenty steps in float32 agree with float64 to 2e-3; contacts and stiff constraints amplify rounding."""
    model = conjoint.MjModel.from_xml_string(MACHINE)
    batch = Batch(model, NWORLD, precision="float32", nthread=1, vary=EDITED)
    edit(batch)
    assert batch.body_mass.dtype == np.float32
    compare_with_models(batch, 20, 2e-3)


# ---- independence of worlds


@compiled
@pytest.mark.parametrize(("precision", "integrator"), [("float64", "implicitfast"), ("float32", "Euler")])
def test_neighbours_and_threads_do_not_show(precision: str, integrator: str) -> None:
    """A world's results are bit-identical for any index, any neighbors and any number of threads."""
    model = conjoint.MjModel.from_xml_string(MACHINE.replace("implicitfast", integrator))
    reference = Batch(model, 40, precision=precision, nthread=1, vary=EDITED)
    edit(reference)
    for name in (
        "dof_damping",
        "jnt_stiffness",
        "dof_frictionloss",
        "tendon_stiffness",
        "tendon_damping",
        "body_gravcomp",
    ):
        getattr(reference, name)[::3] = 0.0
    reference.opt.gravity[::5] = 0.0
    other = Batch(model, 13, precision=precision, nthread=3, vary=EDITED)
    chosen = np.random.default_rng(1).permutation(40)[:13]
    for name in EDITED:
        worlds_of(other).varied.expose(name)[...] = worlds_of(reference).varied.arrays[name][chosen]
    other.qvel, other.ctrl = reference.qvel[chosen], reference.ctrl[chosen]
    reference.step(20)
    other.step(20)
    assert other.qpos.tobytes() == reference.qpos[chosen].tobytes()
    assert other.qvel.tobytes() == reference.qvel[chosen].tobytes()


@compiled
def test_what_could_differ_but_does_not_changes_nothing() -> None:
    """A batch with varied fields that are all equal has the trajectory of a batch that shares them."""
    model = conjoint.MjModel.from_xml_path(str(FOLDER / "humanoid.xml"))
    shared, own = (Batch(model, NWORLD, nthread=1, vary=vary) for vary in ((), ("geom_friction", "body_mass")))
    for batch in (shared, own):
        batch.qvel = 0.3 * np.random.default_rng(0).standard_normal(batch.qvel.shape)
        batch.step(30)
    np.testing.assert_allclose(own.qpos, shared.qpos, rtol=1e-9, atol=1e-9)


# ---- between steps


@compiled
def test_a_first_reading_sees_the_numbers_of_the_call() -> None:
    """Changes after a step do not affect the results of that step, even if they are read later."""
    model = conjoint.MjModel.from_xml_string(MACHINE)
    early, late = (Batch(model, NWORLD, nthread=1, vary=["body_mass", "dof_damping"], keep=k) for k in (["qacc"], []))
    for batch in (early, late):
        edit(batch)
        batch.step()
        batch.body_mass *= 2.0
        batch.dof_damping *= 3.0
    assert early.qacc.tobytes() == late.qacc.tobytes()


@compiled
def test_arrays_that_a_program_holds_are_live() -> None:
    """Views of varied fields and of derived constants stay current, however early they were created."""
    model = conjoint.MjModel.from_xml_string(MACHINE)
    held, fresh = (Batch(model, NWORLD, nthread=1, vary=["body_mass", "dof_damping"]) for _ in range(2))
    masses, dampings = held.body_mass, held.dof_damping[3:7, 0]
    for batch in (held, fresh):
        edit(batch)
        batch.step(3)
    masses[2] *= 1.5
    dampings += 0.5
    fresh.body_mass[2] *= 1.5
    fresh.dof_damping[3:7, 0] += 0.5
    for batch in (held, fresh):
        batch.step(3)
    assert held.qpos.tobytes() == fresh.qpos.tobytes()
    assert held.dof_invweight0.tobytes() == fresh.dof_invweight0.tobytes()
    assert not np.array_equal(held.dof_invweight0[2], held.dof_invweight0[1])


@compiled
def test_ground_that_differs() -> None:
    """Worlds can have different height fields, whose elevations are stored in 32 bits at any precision."""
    xml = """<mujoco><asset><hfield name="h" nrow="3" ncol="3" size="1 1 1 .1" elevation="0 0 0 0 0 0 0 0 0"/></asset>
      <worldbody><geom type="hfield" hfield="h"/><body pos="0 0 .6"><freejoint/><geom size=".1"/></body></worldbody>
      </mujoco>"""
    batch = Batch(conjoint.MjModel.from_xml_string(xml), NWORLD, nthread=1, vary=["hfield_data"])
    batch.hfield_data[:] = np.linspace(0.0, 0.4, NWORLD)[:, None]
    batch.step(500)
    np.testing.assert_allclose(batch.qpos[:, 2], 0.1 + np.linspace(0.0, 0.4, NWORLD), atol=2e-3)


@compiled
def test_constants_follow_only_where_something_changed() -> None:
    batch = Batch(conjoint.MjModel.from_xml_string(MACHINE), NWORLD, vary=["body_mass"])
    before = batch.dof_invweight0
    batch.body_mass[4] *= 2.0
    after = batch.dof_invweight0
    changed = (after != before).any(axis=1)
    assert changed.tolist() == [world == 4 for world in range(NWORLD)]
    batch.step()
    assert batch.dof_invweight0.tobytes() == after.tobytes()


@compiled
def test_a_world_that_diverges_begins_where_its_own_model_does() -> None:
    model = conjoint.MjModel.from_xml_string(MACHINE)
    batch = Batch(model, NWORLD, nthread=1, vary=["qpos0", "body_pos"])
    edit(batch)
    batch.qpos[3] = np.nan
    with pytest.warns(DivergenceWarning):
        batch.step()
    fresh = Batch(model, 1, nthread=1, vary=["qpos0", "body_pos"])
    fresh.qpos0, fresh.body_pos = batch.qpos0[3], batch.body_pos[3]
    fresh.reset()
    fresh.step()
    assert np.isfinite(batch.qpos).all()
    np.testing.assert_allclose(batch.qpos[3], fresh.qpos[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(batch.mocap_pos[3, 0], batch.body_pos[3, 1])


@compiled
def test_the_model_of_a_world() -> None:
    """`get_model` returns the world's own fields, the derived constants and all shared fields."""
    batch = Batch(conjoint.MjModel.from_xml_string(MACHINE), 3, vary=["body_mass", "opt.gravity"])
    edit(batch)
    model, other = batch.get_model(1), edited(batch, 1)
    np.testing.assert_array_equal(model.body_mass, batch.body_mass[1])
    np.testing.assert_array_equal(model.opt.gravity, batch.opt.gravity[1])
    np.testing.assert_allclose(model.dof_invweight0, other.dof_invweight0, rtol=1e-9)
    np.testing.assert_array_equal(model.geom_size, batch.model.geom_size)
    with pytest.raises(FatalError, match="no world 3"):
        batch.get_model(3)
