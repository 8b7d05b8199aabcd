"""Skins follow their bones as in MuJoCo: inline skins, skin files, skins of cables and subgrids, and inflated skins."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from composite_models import MODELS as COMPOSITES
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.plain

INLINE = """<mujoco><worldbody><body name="a" pos=".1 .2 .3" euler="10 20 30"><freejoint/><geom size=".1"/>
<body name="b" pos="0 0 .3"><joint type="ball"/><geom size=".1"/></body></body></worldbody>
<deformable><skin inflate="{}" vertex="0 0 0 .1 0 0 .1 .1 0 0 .1 0 0 0 .3 .1 0 .3 .1 .1 .3 0 .1 .3"
face="0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7">
<bone body="a" bindpos=".02 .05 .1" bindquat="1 .1 .2 .3" vertid="0 1 2 3 4 5" vertweight="1 1 1 1 .4 .7"/>
<bone body="b" bindpos="0 0 .3" bindquat="1 0 0 0" vertid="4 5 6 7" vertweight=".6 .3 1 1"/></skin></deformable></mujoco>"""
CABLE = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"/></extension><worldbody>
<composite type="cable" curve="s" count="6 1 1" size="1" initial="none"><joint kind="main" damping="1"/>
<geom type="box" size=".1 .02 .01"/><skin texcoord="true" inflate=".01" subgrid="{}"/></composite></worldbody></mujoco>"""
MODELS = {
    "inline": INLINE.format(0), "inflated": INLINE.format(0.02),
    "cable": CABLE.format(0), "cable, fine": CABLE.format(3),
}  # fmt: skip


def skins_follow(m, official_model, seed: int) -> None:
    """Assert that all skin vertices and normals equal MuJoCo's in a random state."""
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    mujoco.mj_integratePos(official_model, official.qpos, 0.1 * np.random.default_rng(seed).standard_normal(m.nv), 1.0)
    d.qpos[:] = official.qpos
    conjoint.mj_kinematics(m, d)
    mujoco.mj_kinematics(official_model, official)
    scene = mujoco.MjvScene(official_model, 100)
    mujoco.mjv_updateSkin(official_model, official, scene)
    ours = conjoint.MjvScene(m, 100)
    conjoint.mjv_updateSkin(m, d, ours)
    assert m.nskin > 0
    # skins have single precision, which is lower still for normals of small triangles
    assert np.abs(ours.skinvert - scene.skinvert).max() < 1e-6
    assert np.abs(ours.skinnormal - scene.skinnormal).max() < 1e-4


@pytest.mark.parametrize("name", MODELS)
def test_skins_follow_their_bones(name: str) -> None:
    xml = MODELS[name]
    skins_follow(conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml), 0)


@pytest.mark.parametrize(("version", "name"), [("3.2.4", "net with a fine skin"), ("3.2.4", "box"), ("2.3.7", "cloth")])
def test_skins_of_older_composites_follow(version: str, name: str) -> None:
    """Skins of composites that MuJoCo no longer has follow their bones; MuJoCo reads the model with the composite expanded."""
    spec = conjoint.MjSpec.from_string(COMPOSITES[version][name])
    skins_follow(spec.compile(), mujoco.MjModel.from_xml_string(spec.to_xml()), 1)


@pytest.mark.skipif(not jit_enabled(), reason="one model more, uncompiled")
def test_a_rigid_motion_carries_the_skin() -> None:
    """If all bones move as one rigid body, the skin keeps the shape given in the file."""
    m = conjoint.MjModel.from_xml_string(INLINE.format(0))
    d = conjoint.MjData(m)
    conjoint.mj_kinematics(m, d)
    scene = conjoint.MjvScene(m, 0)
    conjoint.mjv_updateSkin(m, d, scene)
    before = scene.skinvert.reshape(-1, 3).copy()
    d.qpos[:3] += [1, 2, 3]
    conjoint.mj_kinematics(m, d)
    conjoint.mjv_updateSkin(m, d, scene)
    assert np.abs(scene.skinvert.reshape(-1, 3) - before - [1, 2, 3]).max() < 1e-5
    assert np.abs(np.linalg.norm(scene.skinnormal.reshape(-1, 3), axis=1) - 1).max() < 1e-6


@pytest.mark.parametrize("group", [0, 3])
@pytest.mark.parametrize("shown", [0, 1])
def test_hidden_skins_are_zero(group: int, shown: int) -> None:
    """A scene contains skins in the groups that its options show; `mjv_updateSkin` updates skins in the default groups."""
    found = []
    for package in (conjoint, mujoco):
        m = package.MjModel.from_xml_string(INLINE.format(0).replace("<skin ", f'<skin group="{group}" '))
        d, scene, option = package.MjData(m), package.MjvScene(m, 9), package.MjvOption()
        package.mj_forward(m, d)
        option.skingroup[group] = shown
        scene.skinvert[:] = scene.skinnormal[:] = 7
        package.mjv_updateScene(m, d, option, None, package.MjvCamera(), 7, scene)
        updated = np.array([scene.skinvert, scene.skinnormal])
        scene.skinvert[:] = scene.skinnormal[:] = 7
        package.mjv_updateSkin(m, d, scene)
        found.append((updated, np.array([scene.skinvert, scene.skinnormal])))
    (ours, ours_default), (theirs, theirs_default) = found
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours_default, theirs_default, rtol=0, atol=1e-6)
    assert ours.any() == bool(shown) and ours_default.any() == (group == 0)


def test_scenes_of_other_models_are_refused() -> None:
    m = conjoint.MjModel.from_xml_string(INLINE.format(0))
    d = conjoint.MjData(m)
    with pytest.raises(conjoint.FatalError, match="other skins than the model"):
        conjoint.mjv_updateSkin(m, d, conjoint.MjvScene())
