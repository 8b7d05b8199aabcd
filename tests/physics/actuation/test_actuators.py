"""Actuators, tendons and their limits agree with MuJoCo in random combinations; limits do not hide NaN."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_state

BODIES = """
<site name="w" pos=".3 .2 .5" euler="10 20 30"/><geom name="post" type="cylinder" size=".1 .3" pos=".1 0 .4"/>
<body name="trunk" pos="0 0 1" gravcomp=".5"><freejoint name="free"/><geom type="box" size=".2 .1 .05"/>
  <site name="s0" pos=".1 .2 .1" euler="30 20 10"/>
  <body pos=".3 0 0" quat="1 .2 0 .1" gravcomp="1"><joint name="ball" type="ball" pos="0 .1 0" damping=".2" stiffness="3"/>
    <geom size=".06" pos=".1 0 0"/><site name="s1" pos=".2 .1 0" euler="0 50 0"/>
    <body pos=".3 0 0"><joint name="h1" axis="0 1 0" {h1}/><joint name="h2" axis="1 0 1" pos="0 0 .1" ref="15" {h2}/>
      <geom type="capsule" size=".05 .1" pos=".1 0 0"/><site name="s2" pos=".2 0 .1" euler="20 10 0"/>
      <body pos=".2 0 0" gravcomp="-.3"><joint name="slide" type="slide" axis="1 1 0" {slide}/><geom size=".04" pos=".1 0 0"/>
        <site name="s3" pos=".1 0 .1"/></body></body></body></body>
<body pos="1 0 0"><joint name="h4" axis="0 0 1" {h4}/><geom name="wheel" size=".1" pos=".2 0 0"/><site name="s4" pos=".2 .1 .3"/>
  <site name="inside" pos=".2 0 0"/></body>"""

TENDONS = """
<fixed name="sum" {sum}><joint joint="h1" coef="-1.3"/><joint joint="slide" coef="2"/></fixed>
<spatial name="straight" {straight}><site site="w"/><site site="s2"/><pulley divisor="1.7"/><site site="s4"/><site site="s0"/>
  <site site="s3"/></spatial>
<spatial name="bent" {bent}><site site="s1"/><geom geom="wheel" {side}/><site site="s4"/><pulley divisor="2"/><site site="s0"/>
  <geom geom="post"/><site site="s3"/></spatial>"""

FLAGS = ("actuation", "clampctrl", "gravity", "eulerdamp", "passive", "limit", "frictionloss")
FIELDS = (
    "act_dot", "actuator_length", "actuator_velocity", "actuator_force", "qfrc_actuator", "qfrc_passive", "qfrc_gravcomp",
    "qfrc_bias", "qacc_smooth", "qacc", "ten_length", "ten_velocity", "efc_pos", "efc_aref", "efc_R", "efc_diagApprox",
)  # fmt: skip


class Dice:
    """Random generator of XML attributes."""

    def __init__(self, seed: int):
        self.generator = np.random.default_rng(seed)

    def number(self) -> str:
        g = self.generator
        return f"{g.choice([0.0, 1.0, -1.0, g.normal(), 3 * g.normal()]):.3g}"

    def between(self, low: float, high: float) -> str:
        return f"{self.generator.uniform(low, high):.3g}"

    def one(self, *choices: Any) -> Any:
        return choices[self.generator.integers(len(choices))]

    def maybe(self, probability: float, text: str) -> str:
        return text if self.generator.random() < probability else ""

    def joint(self) -> str:
        force = f"-{self.between(0.1, 3)} {self.between(0.1, 3)}"
        return " ".join(
            (
                self.maybe(0.4, f'actuatorfrcrange="{force}"'),
                self.maybe(0.4, 'actuatorgravcomp="true"'),
                self.maybe(0.3, f'frictionloss="{self.between(0, 1)}"'),
                self.maybe(0.3, f'damping="{self.between(0, 1)}"'),
                self.maybe(0.3, f'armature="{self.between(0, 1)}"'),
                self.maybe(0.4, f'range="-.3 .4" margin="{self.between(0, 0.3)}"'),
            )
        )

    def tendon(self, straight: bool) -> str:
        low, high = self.between(0, 0.6), self.between(0.6, 1.4)
        return " ".join(
            (
                self.maybe(0.5, f'stiffness="{self.between(0, 50)}"'),
                self.maybe(0.5, f'damping="{self.between(0, 5)}"'),
                self.one("", f'springlength="{low}"', f'springlength="{low} {high}"'),
                self.maybe(0.4, f'frictionloss="{self.between(0, 1)}"'),
                self.maybe(0.4, f'range="{low} {high}" margin="{self.between(0, 0.3)}"'),
                # 3.3.5 ignores a range without a limited attribute: docs/differences.md
                self.maybe(
                    0.3,
                    f'actuatorfrclimited="true" actuatorfrcrange="-{self.between(0.1, 3)} {self.between(0.1, 3)}"',
                ),
                self.maybe(0.5 * straight, f'armature="{self.between(0, 1)}"'),
            )
        )

    def muscle(self) -> str:
        ends = ((0.5, 0.9), (1.1, 1.5), (50, 300), (50, 300), (0.3, 0.6), (1.3, 1.8), (0.5, 3), (1, 1.5), (1, 1.5))
        numbers = [self.between(*pair) for pair in ends]
        numbers[2] = self.one("-1", numbers[2])
        return " ".join(numbers)

    def parameters(self, kind: str) -> str:
        return self.muscle() if kind == "muscle" else " ".join(self.number() for _ in range(3))

    def target(self) -> str:
        return self.one(
            f'joint="{self.one("h1", "h2", "slide", "h4", "ball", "free")}"',
            f'jointinparent="{self.one("ball", "free", "h1")}"',
            f'tendon="{self.one("sum", "straight", "bent")}"',
            f'cranksite="{self.one("s0", "s1", "s3")}" slidersite="{self.one("w", "s4")}" cranklength="{self.between(0.1, 2)}"',
            f'site="{self.one("s0", "s1", "s2")}"',
            f'site="{self.one("s2", "s3")}" refsite="{self.one("s0", "w", "s4")}"',
        )

    def actuator(self) -> str:
        dynamics = self.one("none", "none", "integrator", "filter", "filterexact", "muscle")
        gain, bias = self.one("fixed", "fixed", "affine", "muscle"), self.one("none", "affine", "affine", "muscle")
        constants = f"{self.between(0.005, 0.05)} {self.between(0.01, 0.1)} {self.one(0, 0.1, 0.5)}"
        gears = " ".join(self.number() for _ in range(6))
        return (
            f'<general {self.target()} dyntype="{dynamics}" gaintype="{gain}" biastype="{bias}" gear="{gears}" '
            f'lengthrange="-.5 .8" gainprm="{self.parameters(gain)}" biasprm="{self.parameters(bias)}" '
            + self.maybe(dynamics != "none", f'dynprm="{constants}"')
            + self.maybe(0.3 * (dynamics != "none"), ' actearly="true"')
            + self.maybe(0.4, f' ctrlrange="-{self.between(0, 1)} {self.between(0, 1)}"')
            + self.maybe(0.3, f' forcerange="-{self.between(0, 5)} {self.between(0, 5)}"')
            + self.maybe(0.3 * (dynamics != "none"), f' actrange="-{self.between(0, 1)} {self.between(0, 1)}"')
            + f' group="{self.one(0, 0, 1, 2, 3, 4, 5)}"/>'
        )

    def model(self) -> str:
        bodies = BODIES.format(**{name: self.joint() for name in ("h1", "h2", "slide", "h4")})
        side = self.maybe(0.5, 'sidesite="inside"')
        tendons = TENDONS.format(sum=self.tendon(True), straight=self.tendon(True), bent=self.tendon(False), side=side)
        flags = " ".join(self.maybe(0.07, f'{flag}="disable"') for flag in FLAGS)
        off = self.maybe(0.4, f'actuatorgroupdisable="{self.one(1, 2, 3)} {self.one(4, 5)}"')
        kinds = f'integrator="{self.one("Euler", "RK4")}" jacobian="{self.one("dense", "sparse")}"'
        return (
            f'<mujoco><compiler autolimits="true"/><option {off} {kinds}><flag {flags}/></option>'
            f'<default><geom contype="0" conaffinity="0"/></default><worldbody>{bodies}</worldbody>'
            f"<tendon>{tendons}</tendon><actuator>{''.join(self.actuator() for _ in range(12))}</actuator></mujoco>"
        )


def error(ours: Any, theirs: Any) -> float:
    """Return the largest difference, relative to MuJoCo's largest value."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape
    return float(np.max(np.abs(ours - theirs), initial=0.0) / max(1.0, np.max(np.abs(theirs), initial=0.0)))


@pytest.mark.parametrize("seed", range(24))
def test_random_combinations(seed: int) -> None:
    text = Dice(seed).model()
    generator = np.random.default_rng(seed)
    official_model = mujoco.MjModel.from_xml_string(text)
    m = conjoint.MjModel.from_xml_string(text)
    for _ in range(3):
        official = mujoco.MjData(official_model)
        official.qpos[:] += 0.5 * generator.standard_normal(m.nq)
        for name in ("qvel", "ctrl", "act"):
            getattr(official, name)[:] = generator.standard_normal(len(getattr(official, name)))
        d = adopt_state(m, official_model, official)
        mujoco.mj_forward(official_model, official)
        conjoint.mj_forward(m, d)
        for name in FIELDS:
            assert error(getattr(d, name), getattr(official, name)) < 1e-8, name
        official.qacc[:] = d.qacc[:] = generator.standard_normal(m.nv)
        mujoco.mj_inverse(official_model, official)
        conjoint.mj_inverse(m, d)
        assert error(d.qfrc_inverse, official.qfrc_inverse) < 1e-8
        mujoco.mj_step(official_model, official)
        conjoint.mj_step(m, d)
        for name in ("qpos", "qvel", "act"):
            assert error(getattr(d, name), getattr(official, name)) < 1e-8, name


NOT_A_NUMBER = {
    "forcerange": ("", 'forcerange="-1 1"', "actuator_gainprm"),
    "actuatorfrcrange": ('actuatorfrcrange="-1 1"', "", "actuator_gainprm"),
    "actrange": ("", 'actrange="-1 1" actearly="true"', "act"),
}


@pytest.mark.plain
@pytest.mark.parametrize("limit", NOT_A_NUMBER)
def test_no_limit_hides_what_is_not_a_number(limit: str) -> None:
    """A force or an activation that is NaN stays NaN despite limits, so that the invalid step is detected."""
    joint, actuator, spoiled = NOT_A_NUMBER[limit]
    text = f"""<mujoco><worldbody><body><joint name="j" {joint}/><geom size=".1"/></body></worldbody>
    <actuator><general joint="j" dyntype="integrator" {actuator}/></actuator></mujoco>"""
    for package in (mujoco, conjoint):
        m = package.MjModel.from_xml_string(text)
        d = package.MjData(m)
        getattr(m if hasattr(m, spoiled) else d, spoiled).flat[0] = np.nan
        package.mj_forward(m, d)
        assert np.isnan(d.qfrc_actuator[0])
