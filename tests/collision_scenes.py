"""Scenes for tests of collision and constraints, and comparison of contacts and constraint rows with MuJoCo's."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import conjoint
from adopt import adopt_model, adopt_state

CONTACT_FIELDS = (
    "dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "geom", "flex", "elem",
    "vert", "exclude",
)  # fmt: skip
ROW_FIELDS = ("type", "id", "pos", "margin", "frictionloss", "KBIP", "R", "D", "diagApprox", "vel", "aref")

TOLERANCE = 1e-6
"""Tolerance of differences, relative to one plus MuJoCo's value.

The lowest point of a nearly upright cylinder is a difference of nearly equal numbers, whose rounding the slope of the
impedance amplifies. All other values agree to 1e-13.
"""

SCENE = """
<mujoco>
  <option {option}/>
  <default><geom solref="0.03 0.8" margin=".02"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" friction=".7 .01 .002" contype="3" conaffinity="3"/>
    <geom name="wall" type="plane" size="5 5 .1" pos="-1 0 0" euler="0 70 0" solimp="0.8 0.99 0.01 0.3 3" gap=".01"
          contype="3" conaffinity="3"/>
    <geom name="post" type="capsule" size=".1 .5" pos="0 0 .3" priority="1" condim="6" friction="2 .1 .1" solref="-100 -5"/>
    {bodies}
  </worldbody>
  <contact>
    <exclude body1="b0" body2="b1"/>
    <exclude body1="b6" body2="b8"/>
    <pair geom1="g0" geom2="post" condim="3" friction="1 2 .3 .4 .5" solreffriction="-100 -3" margin=".2" gap=".01"/>
    <pair geom1="g3" geom2="floor"/>
    <pair geom1="g4" geom2="floor" condim="6"/>
    <pair geom1="g5" geom2="floor" condim="4"/>
    <pair geom1="g9" geom2="wall"/>
    <pair geom1="g11" geom2="wall" solreffriction=".05 1.2"/>
    <pair geom1="g2" geom2="g7"/>
  </contact>
</mujoco>
"""

SHAPES = (
    'type="sphere" size=".12" solmix="3" solref="-50 -3" condim="4"',
    'type="capsule" size=".08 .15" solmix="0" condim="1" gap=".005"',
    'type="capsule" size=".08 .2" margin=".05" gap=".03" solimp=".9 .9 .01"',
    'type="ellipsoid" size=".08 .1 .2" contype="2" conaffinity="0"',
    'type="cylinder" size=".08 .1" contype="2" conaffinity="0" condim="6"',
    'type="box" size=".08 .1 .12" contype="2" conaffinity="0"',
)
"""Attributes of one geom of each type; the last three (ellipsoid, cylinder, box) touch only the planes."""

LIMITS = """
<mujoco>
  <option {option}/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 1">
      <joint name="ball" type="ball" range="0 .5" limited="true" margin=".2" frictionloss=".1" solreflimit=".05 .7"
             solimplimit=".5 .9 .3 .4 4"/>
      <geom type="capsule" size=".05 .2"/>
      <body pos="0 0 .4">
        <joint name="hinge" axis="0 1 0" range="-.3 .3" limited="true" margin=".7" frictionloss=".3" solreffriction=".04 1"
               solimpfriction=".7 .8 .1"/>
        <geom type="sphere" size=".1"/>
        <body pos="0 0 .3">
          <joint name="slide" type="slide" range="-.1 .1" limited="true" margin=".02"/>
          <geom type="capsule" size=".05 .1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both" limited="true" range="-.1 .1" margin=".05" frictionloss=".2">
      <joint joint="hinge" coef="1"/> <joint joint="slide" coef="-2"/>
    </fixed>
    <fixed name="one" frictionloss=".2"><joint joint="slide" coef="-2"/></fixed>
  </tendon>
</mujoco>
"""


def scene(option: str = "", flag: str = "", seed: int = 1) -> str:
    """Return a model of eighteen free bodies of six shapes above two planes and a post, with explicit pairs and exclusions."""
    generator = np.random.default_rng(seed)
    bodies = []
    for i in range(18):
        x, y, z = generator.uniform(-0.5, 0.5, 3) + [0, 0, 0.6]
        geom = f'<geom name="g{i}" {SHAPES[i % 6]}/>'
        bodies.append(f'<body name="b{i}" pos="{x} {y} {z}"><freejoint/>{geom}</body>')
    xml = SCENE.format(option=option, bodies="\n".join(bodies))
    return xml.replace("</worldbody>", f"</worldbody><option><flag {flag}/></option>") if flag else xml


def two_geoms(first: str, second: str) -> str:
    """Return the XML of a model with a fixed geom and a free one."""
    return (
        f"""<mujoco><worldbody><geom {first}/><body><freejoint/><geom mass="1" {second}/></body></worldbody></mujoco>"""
    )


def run_position(m: Any, d: Any) -> None:
    """Run the stages up to the reference accelerations of the constraint rows."""
    conjoint.mj_fwdPosition(m, d)
    conjoint.mj_fwdVelocity(m, d)


def error(ours: Any, theirs: Any) -> float:
    """Return the largest difference, relative to one plus MuJoCo's value; infinite if shapes differ."""
    ours, theirs = np.ravel(np.asarray(ours, float)), np.ravel(np.asarray(theirs, float))
    if ours.shape != theirs.shape:
        return float("inf")
    return float(np.max(np.abs(ours - theirs) / (1.0 + np.abs(theirs)), initial=0.0))


def dense_jacobian(package: Any, model: Any, data: Any) -> np.ndarray:
    """Return efc_J as a dense matrix, for either package."""
    J = np.zeros((data.nefc, model.nv))
    if data.nefc and package.mj_isSparse(model):
        package.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    elif data.nefc:
        # nJ, the size of efc_J, also counts rows that no dof affects
        J[:] = data.efc_J[: J.size].reshape(J.shape)
    return J


def differences(d: Any, official_model: Any, official: Any) -> dict[str, float]:
    """Return the fields of contacts and constraint rows that differ from MuJoCo's; the order must be the same."""
    counts = ("ncon", "ne", "nf", "nl", "nefc")
    found = {name: error(getattr(d, name), getattr(official, name)) for name in counts}
    if not any(found.values()):
        arena = d.world.arena.view
        ncon, nefc = official.ncon, official.nefc
        for name in (*CONTACT_FIELDS, "mu", "efc_address"):
            found[f"contact.{name}"] = error(arena(f"contact_{name}")[:ncon], getattr(official.contact, name))
        for name in ROW_FIELDS:
            found[f"efc_{name}"] = error(arena(f"efc_{name}")[:nefc], getattr(official, f"efc_{name}"))
        rows = dense_jacobian(conjoint, d.model, d)
        found["efc_J"] = error(rows, dense_jacobian(mujoco, official_model, official))
        if conjoint.mj_isSparse(d.model):
            for name in ("efc_J_rownnz", "efc_J_rowadr", "efc_J_rowsuper", "efc_J_colind"):
                found[name] = error(getattr(d, name), getattr(official, name))
    return {name: value for name, value in found.items() if not value <= TOLERANCE}


def adopted(xml: str) -> tuple[Any, Any, Any]:
    """Return MuJoCo's model and data of `xml`, and the same model in Conjoint."""
    official_model = mujoco.MjModel.from_xml_string(xml)
    return official_model, mujoco.MjData(official_model), adopt_model(official_model)


def compare_here(m: Any, official_model: Any, official: Any) -> dict[str, float]:
    """Return the differences between contacts and rows of both packages in MuJoCo's current state."""
    mujoco.mj_forward(official_model, official)
    d = adopt_state(m, official_model, official)
    run_position(m, d)
    return differences(d, official_model, official)


def compare_along(xml: str, states: int, apart: int) -> tuple[int, int]:
    """Check contacts and rows in states of a MuJoCo simulation, and return the numbers of contacts and rows compared."""
    official_model, official, m = adopted(xml)
    generator = np.random.default_rng(0)
    contacts = rows = 0
    for _ in range(states):
        official.qvel[:] += 0.3 * generator.standard_normal(official_model.nv)
        mujoco.mj_step(official_model, official, apart)
        found = compare_here(m, official_model, official)
        assert not found, found
        contacts, rows = contacts + official.ncon, rows + official.nefc
    return contacts, rows
