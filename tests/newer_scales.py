"""A model with nearly all types of elements in frames that scale their contents.

The numbers of version 4.0.0 are in data/newer_scales.json. If that version is installed as `mujoco`,
`python tests/newer_scales.py` records them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data" / "newer_scales.json"
SCALES = ('scale="2"', 'scale="2" scaling="geometry"', 'massscale="3"', 'scale=".5" massscale="3"')

FIELDS = [
    "body_pos",
    "body_mass",
    "body_inertia",
    "geom_pos",
    "geom_size",
    "geom_margin",
    "geom_gap",
    "geom_friction",
    "geom_solimp",
    "geom_surfacevel",
    "geom_adhesion",
    "geom_fluid",
    "site_pos",
    "site_size",
    "cam_pos",
    "cam_ipd",
    "cam_sensorsize",
    "cam_intrinsic",
    "light_pos",
    "light_bulbradius",
    "light_range",
    "light_attenuation",
    "jnt_pos",
    "jnt_range",
    "jnt_stiffness",
    "jnt_stiffnesspoly",
    "jnt_margin",
    "jnt_actfrcrange",
    "jnt_solimp",
    "dof_damping",
    "dof_dampingpoly",
    "dof_armature",
    "dof_frictionloss",
    "dof_solimp",
    "qpos0",
    "qpos_spring",
    "mesh_scale",
    "hfield_size",
    "pair_margin",
    "pair_gap",
    "pair_friction",
    "pair_solimp",
    "pair_adhesion",
    "tendon_range",
    "tendon_stiffness",
    "tendon_damping",
    "tendon_armature",
    "tendon_frictionloss",
    "tendon_lengthspring",
    "tendon_margin",
    "tendon_length0",
    "wrap_prm",
    "eq_data",
    "eq_solimp",
    "actuator_gainprm",
    "actuator_biasprm",
    "actuator_dynprm",
    "actuator_gear",
    "actuator_forcerange",
    "actuator_ctrlrange",
    "actuator_actrange",
    "actuator_lengthrange",
    "actuator_cranklength",
    "actuator_armature",
    "actuator_damping",
    "sensor_cutoff",
    "sensor_noise",
    "key_qpos",
    "key_qvel",
    "key_act",
    "key_ctrl",
]
"""Model fields that are compared."""

MODEL = """<mujoco><compiler angle="radian" autolimits="true"/><asset>
<mesh name="me" vertex="0 0 0 1 0 0 0 1 0 0 0 1 .2 .3 1.5" scale=".1 .2 .3"/>
<hfield name="hf" nrow="3" ncol="3" size="1 2 .5 .1" elevation="0 1 0 1 0 1 0 1 0"/><material name="mt"/></asset>
<worldbody><frame pos="1 2 3" {sc}><body name="b" pos=".1 .2 .3" quat="1 .1 .2 .3"><freejoint name="fr"/>
<geom name="g" type="box" size=".1 .2 .3" pos=".01 .02 .03" margin=".01" gap=".001" solref=".03 1.1" solimp=".8 .9
.003 .5 2" friction="1 .01 .001" surfacevel="1 2 3 4 5 6" adhesion="2"/>
</body></frame><body name="P" pos="0 0 5"><joint name="pj" type="hinge" axis="0 0 1" stiffness="1" damping="1"/>
<geom name="pg" size=".1"/><site name="ps" pos=".1 .2 .3"/><frame name="S" pos="1 2 3" {sc}>
<geom name="sg" size=".2" pos="1 0 0" density="500"/><body name="c" pos="1 0 0" gravcomp=".5" user="1 2">
<joint name="h" pos=".01 .02 .03" axis="1 2 3" stiffness="10 20 30" damping="2 3 4" armature=".3" frictionloss=".7"
springref=".2" ref=".1" range="-1 2" margin=".05" solreflimit=".03 1" solimplimit=".9 .95 .002 .5 2"
actuatorfrcrange="-3 4" user="3"/>
<joint name="s" type="slide" axis="0 0 1" stiffness="10 20 30" damping="2 3 4" armature=".3" frictionloss=".7"
springref=".2" ref=".1" range="-1 2" margin=".05" actuatorfrcrange="-3 4"/>
<geom name="cg" type="capsule" size=".05" fromto="0 0 0 0 0 .4" mass="2"/>
<geom name="mg" type="mesh" mesh="me" pos="0 .3 0"/>
<geom name="el" type="ellipsoid" size=".1 .2 .3" fluidshape="ellipsoid" fluidcoef="1 2 3 4 5"/>
<geom name="cy" type="cylinder" size=".1 .2" mass="0.5"/>
<site name="cs" type="box" size=".1 .2 .3" pos=".1 .1 .1"/><site name="cs2" size=".01" pos=".3 .1 .1"/>
<camera name="cam" pos=".1 .2 .3" ipd=".07" fovy="50"/>
<camera name="cam2" pos=".1 .2 .3" resolution="100 200" sensorsize=".1 .2" focal=".3 .4" principal=".01 .02"/>
<light name="l" pos=".1 .2 .3" dir="1 0 -1" attenuation="1 .2 .3" range="5" bulbradius=".04" cutoff="30"/>
<body name="e" pos=".4 0 0"><inertial pos=".1 0 0" mass="3" diaginertia=".1 .2 .25"/>
<joint name="ba" type="ball" stiffness="3 4 5" damping="2 3 4" armature=".1" frictionloss=".2" range="0 1.5"/>
<geom name="eg" size=".1" mass="0"/></body><body name="mo" pos="0 0 1">
<joint name="sj2" type="slide" springdamper=".5 1"/><geom size=".1"/></body></body></frame>
<body name="o" pos="0 0 2"><joint name="oj"/><geom name="og" size=".1"/><site name="os"/></body></body>
<geom type="hfield" hfield="hf"/><geom name="floor" type="plane" size="1 1 .1"/></worldbody>
<contact>
<pair name="p1" geom1="cg" geom2="sg" margin=".01" gap=".001" friction="1 1 .01 .01 .01" adhesion="1"
solreffriction=".1 1"/>
<pair name="p2" geom1="cg" geom2="og" margin=".01" gap=".001"/></contact>
<tendon>
<spatial name="t1" stiffness="10 20 30" damping="2 3 4" frictionloss=".7" springlength=".1 .2" range="0 2"
margin=".05" width=".02" actuatorfrcrange="-3 4">
<site site="cs"/><geom geom="sg"/><site site="cs2"/></spatial>
<spatial name="t2" stiffness="10 20" damping="2" armature=".3" frictionloss=".7" springlength=".1" range="0 2"
width=".02">
<site site="cs"/><site site="os"/></spatial>
<fixed name="t3" stiffness="10 20" damping="2" armature=".3" frictionloss=".7" springlength=".1" range="0 2"
margin=".05">
<joint joint="h" coef="2"/></fixed>
<fixed name="t4" stiffness="10" damping="2" frictionloss=".7" springlength=".1" range="0 2">
<joint joint="s" coef="2"/></fixed><fixed name="t5" stiffness="10" damping="2" springlength=".1" range="0 2">
<joint joint="s" coef="2"/><joint joint="h" coef="3"/></fixed>
<fixed name="t6" stiffness="10" damping="2" springlength=".1" range="0 2"><joint joint="s" coef="2"/>
<joint joint="oj" coef="3"/></fixed></tendon>
<equality><connect name="e1" body1="c" body2="o" anchor=".1 .2 .3" solref=".03 1" solimp=".9 .95 .002 .5 2"/>
<weld name="e2" body1="c" body2="e" relpose=".1 .2 .3 1 0 0 0" torquescale="2" anchor=".1 0 0"/>
<joint name="e3" joint1="s" joint2="h" polycoef=".1 .2 .3 .4 .5"/>
<joint name="e4" joint1="h" polycoef=".1 .2 .3 .4 .5"/><joint name="e5" joint1="s" polycoef=".1 .2 .3 .4 .5"/>
<joint name="e5b" joint1="h" joint2="s" polycoef=".1 .2 .3 .4 .5"/>
<joint name="e5c" joint1="oj" joint2="s" polycoef=".1 .2 .3 .4 .5"/>
<tendon name="e6" tendon1="t1" tendon2="t3" polycoef=".1 .2 .3 .4 .5"/>
<tendon name="e6b" tendon1="t1" polycoef=".1 .2 .3 .4 .5"/><connect name="e7" site1="cs" site2="os"/>
<weld name="e8" site1="os" site2="cs" torquescale="2"/><connect name="e9" body1="o" body2="c" anchor=".1 .2 .3"/>
</equality>
<actuator><motor name="a1" joint="h" gear="2" ctrlrange="-1 1" forcerange="-5 5"/>
<position name="a2" joint="h" kp="10" kv="2" ctrlrange="-1 1" forcerange="-5 5"/>
<position name="a3" joint="s" kp="10" kv="2" ctrlrange="-1 1" forcerange="-5 5" armature=".1" damping=".2"/>
<velocity name="a4" joint="s" kv="3"/><intvelocity name="a5" joint="s" kp="4" actrange="-1 1"/>
<damper name="a6" joint="s" kv="2" ctrlrange="0 1"/>
<cylinder name="a7" joint="s" timeconst="1" area=".5" bias="1 2 3"/>
<muscle name="a8" tendon="t1" force="100" lengthrange=".1 2"/>
<general name="a9" joint="s" dyntype="integrator" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5
6" dynprm="1 2 3" actrange="-1 2" ctrlrange="-2 1" lengthrange="1 2"/>
<motor name="a10" site="cs" gear="1 2 3 4 5 6"/><motor name="a11" site="os" refsite="cs" gear="1 2 3 4 5 6"/>
<position name="a12" tendon="t1" kp="5" kv="1" ctrlrange="0 1"/><motor name="a13" joint="oj" gear="3"/>
<position name="a14" joint="s" kp="10" dampratio="1"/><motor name="a15" jointinparent="ba" gear="1 2 3"/>
<motor name="a16" tendon="t6"/><adhesion name="a17" body="c" gain="3" ctrlrange="0 1"/>
<motor name="a18" cranksite="cs" slidersite="cs2" cranklength=".4"/>
<motor name="a19" joint="fr" gear="1 2 3 4 5 6" forcerange="-5 5"/>
<position name="a20" tendon="t3" kp="5" kv="1" ctrlrange="0 1"/>
<pid name="a21" joint="s" kp="20" kv="2" ki="30" imax=".1" slewmax="3" input="pos vel ff" ctrlrange="-1 1"/>
<position name="a23" joint="h" kp="10" inheritrange="1"/><position name="a24" joint="s" kp="10" inheritrange=".5"/>
</actuator>
<sensor><jointpos joint="s" cutoff="2" noise=".1"/><jointpos joint="h" cutoff="2" noise=".1"/>
<framepos objtype="body" objname="c" cutoff="2" noise=".1"/>
<framelinvel objtype="body" objname="c" cutoff="2" noise=".1"/><force site="cs" cutoff="2" noise=".1"/>
<torque site="cs" cutoff="2"/><touch site="cs" cutoff="2"/><accelerometer site="cs" cutoff="2"/>
<gyro site="cs" cutoff="2"/>
<tendonpos tendon="t1" cutoff="2"/>
<actuatorfrc actuator="a3" cutoff="2"/><rangefinder site="cs" cutoff="2"/><subtreecom body="c" cutoff="2"/>
<distance geom1="cg" geom2="og" cutoff="2"/><user objtype="body" objname="c" dim="2" cutoff="2" needstage="pos"/>
<clock cutoff="2"/><subtreeangmom body="c" cutoff="2"/><magnetometer site="cs" cutoff="2"/>
<jointvel joint="s" cutoff="2"/><jointactuatorfrc joint="s" cutoff="2"/><jointactuatorfrc joint="h" cutoff="2"/>
<distance geom1="cg" geom2="sg" cutoff="2"/>
<framepos objtype="body" objname="c" reftype="body" refname="o" cutoff="2"/>
<framepos objtype="body" objname="o" reftype="body" refname="c" cutoff="2"/>
<actuatorpos actuator="a3" cutoff="2"/>
<actuatorpos actuator="a12" cutoff="2"/><jointlimitfrc joint="s" cutoff="2"/><e_kinetic cutoff="2"/></sensor>
<keyframe>
<key name="k" qpos="{q}" qvel="{v}" ctrl="1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1" act="1 1 1 1 1"/>
</keyframe></mujoco>"""


def xml(scale: str) -> str:
    """Return the XML of the model in frames with a scale."""
    qvel = " ".join(str(0.1 * i) for i in range(1, 14))
    qpos = ".1 .2 .3 .4 1 0 0 0 .5 .6 1 0 0 0 .7 .8"
    return MODEL.replace("{sc}", scale).replace("{q}", qpos).replace("{v}", qvel)


def numbers(m: Any) -> dict[str, list[float]]:
    """Return the fields of a model as lists. MuJoCo uses 11 of the 12 numbers of an equality constraint."""
    found = {name: np.asarray(getattr(m, name), float) for name in FIELDS}
    found["eq_data"] = found["eq_data"][:, :11]
    return {name: np.ravel(field).tolist() for name, field in found.items()}


def main() -> None:
    """Record the values of the installed MuJoCo 4.0.0 that a scale changes."""
    import mujoco

    assert mujoco.__version__ == "4.0.0", mujoco.__version__
    plain = numbers(mujoco.MjModel.from_xml_string(xml("")))
    kept: dict[str, dict[str, list[list[float]]]] = {}
    for scale in SCALES:
        found = numbers(mujoco.MjModel.from_xml_string(xml(scale)))
        kept[scale] = {
            name: [[i, float(f"{b:.12g}")] for i, (a, b) in enumerate(zip(plain[name], values, strict=True)) if a != b]
            for name, values in found.items()
        }
    DATA.write_text(json.dumps(kept, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
