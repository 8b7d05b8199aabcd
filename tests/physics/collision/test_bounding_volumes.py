"""Flags of active bounding volumes equal MuJoCo's whenever they are read."""

from __future__ import annotations

import pickle
from pathlib import Path

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch.batch import Batch, worlds_of
from places import ROOT, model_text
from scenes import Pair

MODELS = ROOT / "models"
STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart")

LUMP = '<geom size=".1"/><geom type="box" size=".05 .1 .15" pos=".2 0 .1"/><geom type="capsule" size=".04 .1" pos="0 .2 0"/>'
PARTS = {
    "lump": LUMP,
    "ball": '<geom size=".12"/>',
    "row": "".join(f'<geom size=".05" pos="{0.11 * k} 0 0" margin=".01"/>' for k in range(7)),
    "odd": '<geom size=".1" contype="2" conaffinity="2"/><geom size=".1" pos=".15 0 0"/><geom size=".2" contype="0" conaffinity="0"/>',
}
FLOORS = {
    "plane": '<geom type="plane" size="0 0 1"/><geom type="box" size="1 .1 .1" pos="0 .5 0"/>',
    "fixed": '<body pos="0 0 -.1"><geom type="plane" size="1 1 1"/><geom size=".3"/></body>',
    "field": '<geom type="hfield" hfield="h"/><geom size=".4" pos=".3 0 0"/>',
}
OPTIONS = {
    "default": "<option/>",
    "override": '<option o_margin=".1"><flag override="enable"/></option>',
    "parents": '<option><flag filterparent="disable"/></option>',
    "no midphase": '<option><flag midphase="disable"/></option>',
    "no contacts": '<option><flag contact="disable"/></option>',
    "not marked": '<visual><global bvactive="false"/></visual>',
    "no room": '<size nconmax="0"/>',
}
SOFT = """<mujoco><option jacobian="sparse"/><worldbody><geom type="plane" size="0 0 1"/><geom size=".1" pos=".3 .3 .05"/>
<body pos=".1 .1 .14"><freejoint/><geom size=".03"/><geom type="box" size=".1 .02 .02"/></body>
<flexcomp name="a" type="grid" dim="2" count="6 6 1" spacing=".06 .06 .06" pos="0 0 .1" radius=".01" mass="1">
<contact internal="false" selfcollide="{way}"/><edge equality="true"/></flexcomp>
<flexcomp name="b" type="grid" dim="3" count="3 3 3" spacing=".06 .06 .06" pos=".02 .02 .18" radius=".01" mass="1">
<contact internal="false" selfcollide="auto"/><edge equality="true"/></flexcomp>
<flexcomp name="c" type="grid" dim="1" count="6 1 1" spacing=".06 .06 .06" pos="0 .1 .05" radius=".01" mass="1">
<contact internal="false" selfcollide="none"/><edge equality="true"/></flexcomp></worldbody></mujoco>"""


def pile(kinds: list[str], floor: str = "plane", option: str = "default", seed: int = 0) -> str:
    """Return a model of random bodies above a floor, some with a child; one pair is excluded."""
    rng = np.random.default_rng(seed)
    bodies = ""
    for k, kind in enumerate(kinds):
        x, y, z = rng.uniform((-0.3, -0.3, 0), (0.3, 0.3, 0.5)).round(3)
        turn = " ".join(str(angle) for angle in rng.integers(0, 180, 3))
        child = f'<body pos=".1 0 .1"><joint axis="0 1 0"/>{PARTS[kind]}</body>' if k % 2 else ""
        bodies += f'<body name="b{k}" pos="{x} {y} {z}" euler="{turn}"><freejoint/>{PARTS[kind]}{child}</body>'
    return f"""<mujoco>{OPTIONS[option]}<asset><hfield name="h" nrow="3" ncol="3" size="1 1 .1 .1" elevation="0 0 0 0 1 0 0 0 0"/>
    </asset><worldbody>{FLOORS[floor]}{bodies}</worldbody><contact><exclude body1="b0" body2="b1"/></contact></mujoco>"""


class Twins:
    """Model and data of one scene in both packages, in the same state."""

    def __init__(self, model: conjoint.MjModel, official: mujoco.MjModel):
        self.m, self.official = model, official
        self.d, self.theirs = conjoint.MjData(model), mujoco.MjData(official)

    @classmethod
    def of(cls, xml: str) -> Twins:
        return cls(conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml))

    def forward(self, steps: int = 0) -> None:
        """Step MuJoCo, copy the state to Conjoint, and run forward dynamics in both."""
        mujoco.mj_step(self.official, self.theirs, steps)
        for name in STATE:
            getattr(self.d, name)[...] = getattr(self.theirs, name)
        mujoco.mj_forward(self.official, self.theirs)
        conjoint.mj_forward(self.m, self.d)

    def agree(self) -> int:
        """Check that the active volumes are equal, and return their number."""
        np.testing.assert_array_equal(self.d.bvh_active, self.theirs.bvh_active)
        return int(self.theirs.bvh_active.sum())


@pytest.mark.plain
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    "floor", ["field", *(pytest.param(f, marks=pytest.mark.compiled_only) for f in ("plane", "fixed"))]
)
def test_active_volumes_are_the_official_ones(floor: str, option: str):
    twins = Twins.of(pile(["lump", "row", "ball", "odd", "lump", "ball"], floor, option))
    twins.forward()
    found = twins.agree()
    assert (found == 0) == (option in ("no midphase", "no contacts", "not marked", "no room"))


@pytest.mark.parametrize("seed", range(8))
def test_they_follow_a_pile_that_falls(seed: int):
    kinds = list(np.random.default_rng(seed).choice(list(PARTS), 9))
    twins = Twins.of(pile(kinds, seed=seed))
    assert sum(twins.forward(15) or twins.agree() for _ in range(6)) > 0


@pytest.mark.parametrize("name", sorted(path.name for path in MODELS.glob("*.xml")))
def test_models_of_the_repository(name: str):
    twins = Twins.of(model_text(MODELS / name))
    for steps in (0, 20, 60):
        twins.forward(steps)
        twins.agree()


@pytest.mark.parametrize("way", ["none", "narrow", "bvh", "sap"])
def test_flexes_mark_the_boxes_of_their_elements(way: str):
    twins = Twins.of(SOFT.format(way=way))
    found = 0
    for steps in (0, 10, 30):
        twins.forward(steps)
        twins.agree()
        found += int(twins.d.bvh_active[twins.m.nbvhstatic :].sum())
    assert found > 0


# ---- reads of the array


def test_who_holds_the_array_sees_each_collision():
    twins = Twins.of(pile(["lump"] * 4))
    held = twins.d.bvh_active
    assert not held.any()
    twins.forward(40)
    assert held is twins.d.bvh_active
    assert twins.agree() > 0
    conjoint.mj_resetData(twins.m, twins.d)
    assert not held.any()


def test_what_collision_reached_outlives_kinematics():
    """Active volumes are those of the last collision detection, even if they are read after the positions have changed."""
    twins = Twins.of(pile(["lump"] * 4))
    twins.forward(40)
    for package, m, d in ((conjoint, twins.m, twins.d), (mujoco, twins.official, twins.theirs)):
        d.qpos[:] = m.qpos0 + 3.0 * np.arange(m.nq)
        package.mj_kinematics(m, d)
    assert twins.agree() > 0


def test_after_a_step_they_are_those_of_its_collision():
    twins = Twins.of(pile(["lump"] * 4))
    twins.forward(30)
    conjoint.mj_step(twins.m, twins.d)
    mujoco.mj_step(twins.official, twins.theirs)
    assert twins.agree() > 0


def test_copies_have_what_is_due():
    twins = Twins.of(pile(["lump"] * 4))
    other = conjoint.MjData(twins.m)
    held = other.bvh_active
    twins.forward(40)
    conjoint.mj_copyData(other, twins.m, twins.d)
    np.testing.assert_array_equal(held, twins.theirs.bvh_active)
    restored = pickle.loads(pickle.dumps(twins.d))
    np.testing.assert_array_equal(restored.bvh_active, twins.theirs.bvh_active)
    assert twins.agree() > 0


def test_batches_do_without():
    m = conjoint.MjModel.from_xml_string(pile(["lump"] * 4))
    batch = Batch(m, 4)
    batch.step()
    assert not any(
        "volumes" in s.kernel.__name__ for pipes in worlds_of(batch).functions.values() for s in pipes[0].stages
    )


# ---- rays


RAYS = """<mujoco><asset><mesh name="m" {}/></asset><worldbody>
<geom type="mesh" mesh="m" pos="3 0 0"/><body pos="3 0 2"><freejoint/><geom type="mesh" mesh="m"/><geom size=".2"/></body>
<body><joint/><geom size=".1"/><site name="s" euler="0 80 0"/></body></worldbody>
<sensor><rangefinder site="s"/></sensor></mujoco>"""


def rays() -> str:
    """Return a model of a spherical mesh and a rangefinder inside it."""
    angles = [(a, b) for a in np.linspace(0.3, 2.8, 8) for b in np.linspace(0, 6, 12)]
    points = np.array([(np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)) for a, b in angles]).round(4)
    return RAYS.format(f'vertex="{" ".join(map(str, points.ravel()))}"')


@pytest.mark.parametrize("requested", [False, True])
def test_rays_mark_the_boxes_of_meshes(requested: bool):
    """Rays mark all bounding boxes that they cross, even beyond the hit, as active until the next collision detection."""
    twins = Twins.of(rays())
    first = int(twins.m.mesh_bvhadr[0])
    if requested:
        twins.agree()
    twins.forward(5)
    start, met = np.zeros(3), np.zeros((1, 1), np.int32)
    for way in ((1.0, 0.1, 0.05), (1.0, 0.0, 0.6)):
        found = conjoint.mj_ray(twins.m, twins.d, start, np.array(way), None, 1, -1, met[0])
        theirs = mujoco.mj_ray(twins.official, twins.theirs, start, np.array(way), None, 1, -1, met)
        assert found == pytest.approx(theirs)
    twins.agree()
    assert twins.d.bvh_active[first:].sum() > 10
    twins.m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_SENSOR)
    twins.official.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
    twins.forward(1)
    twins.agree()
    assert not twins.d.bvh_active[first:].any()


# ---- drawing


@pytest.mark.parametrize("depth", (0, 1, 2, 3, 5))
@pytest.mark.parametrize("flag", ["mjVIS_BODYBVH", "mjVIS_MESHBVH"])
@pytest.mark.parametrize("soft", [False, True])
def test_scenes_show_active_volumes(soft: bool, flag: str, depth: int):
    pair = Pair(SOFT.format(way="auto") if soft else pile(["lump", "row", "odd"]), steps=20, maxgeom=5000)
    found = pair.agree(opt_flags={int(conjoint.mjtVisFlag[flag]): 1}, opt_bvh_depth=depth)
    if flag == "mjVIS_BODYBVH" and not soft:
        colours = {tuple(np.round(g.rgba, 3)) for g in found if g.type == mujoco.mjtGeom.mjGEOM_LINEBOX}
        assert len(colours) == 2


# ---- public models

PUBLIC = (
    "mujoco-3.3.5/model/humanoid/22_humanoids.xml", "mujoco-3.3.5/model/adhesion/active_adhesion.xml",
    "mujoco-3.3.5/model/replicate/particle.xml", "mujoco-3.3.5/test/engine/testdata/collision_driver/midphase.xml",
    "mujoco-3.3.5/test/engine/testdata/collision_driver/planks.xml", "mujoco-3.3.5/model/cards/cards.xml",
    "mujoco-3.3.5/model/flex/pulley.xml", "mujoco-3.3.5/model/flex/jelly.xml", "mujoco-3.3.5/test/testdata/flex.xml",
    "dm_control_composed/soccer_ant/soccer_ant.xml", "urdf/panda/panda_arm_hand.urdf",
    "mujoco-3.3.5/test/benchmark/testdata/2humanoid100.xml",
)  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize("path", PUBLIC)
def test_public_models(corpus: Path, path: str):
    full = str(corpus / path)
    twins = Twins(conjoint.MjModel.from_xml_path(full), mujoco.MjModel.from_xml_path(full))
    assert sum(twins.forward(steps) or twins.agree() for steps in (0, 8)) > 0


@pytest.mark.plain
@pytest.mark.parametrize("geoms", ['<geom type="plane" size="1 1 1"/>', '<geom size=".1"/>' * 3])
def test_active_volumes_of_a_world_in_which_nothing_moves(geoms: str) -> None:
    """A world with only static geoms (a plane, or spheres with a common center) has the active volumes of MuJoCo."""
    found = []
    for package in (mujoco, conjoint):
        m = package.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
        d = package.MjData(m)
        package.mj_forward(m, d)
        found.append(np.array(d.bvh_active).ravel())
    np.testing.assert_array_equal(found[1], found[0])
