"""Models with actuators, springs and sensors of versions after 3.3.5, and their recorded behavior.

The numbers of version 4.0.0 are in data/newer_actuation.json. If that version is installed as `mujoco`,
`python tests/newer_actuation.py` records them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

DATA = Path(__file__).parent / "data" / "newer_actuation.json"
STEPS = (1, 4, 20)
"""Numbers of steps after which fields are recorded."""
FIELDS = ("time", "qpos", "qvel", "act", "actuator_force", "qfrc_spring", "qfrc_damper", "sensordata", "history", "M")
INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")

BODIES = """<worldbody>
<site name="post" pos="0 .5 1"/>
<body name="a"><joint name="h" axis="0 1 0" {hinge}/><geom type="capsule" size=".04 .1" pos=".1 .02 .03" mass="1.5"/>
<site name="tip" pos=".3 0 0"/>
<body name="b" pos=".3 0 0"><joint name="s" type="slide" axis="1 .3 0" {slide}/><geom size=".05" pos="0 .04 0" mass=".7"/>
</body></body>
{more}</worldbody>"""
BALL = """<body name="c" pos="0 1 0"><joint name="ball" type="ball" {ball}/><geom type="box" size=".1 .05 .2" pos="0 .1 .1"
mass="2"/></body>"""
TENDONS = """<tendon><fixed name="f" {fixed}><joint joint="h" coef="1.5"/><joint joint="s" coef="-.5"/></fixed>
<spatial name="p" {spatial}><site site="post"/><site site="tip"/></spatial></tendon>"""


class Part(NamedTuple):
    """New features in a model: attributes of its joints and tendons, and further elements after the tendons."""

    hinge: str = ""
    slide: str = ""
    ball: str = ""
    fixed: str = ""
    spatial: str = ""
    rest: str = ""

    @property
    def model(self) -> str:
        """Return the XML of the model without its options."""
        more = BALL.format(ball=self.ball) if self.ball else ""
        bodies = BODIES.format(hinge=self.hinge, slide=self.slide, more=more)
        return bodies + TENDONS.format(fixed=self.fixed, spatial=self.spatial) + self.rest


POLYNOMIALS = Part(
    hinge='stiffness="3 2 5" springref="10" damping=".2 .3 .1"', slide='stiffness="0 4" damping="0 .5"',
    ball='stiffness="1 2 3" damping=".1 0 .2"', fixed='stiffness="2 1 4" damping="0 .2 .3" springlength="-.02 .01"',
    spatial='stiffness="5 -2" damping=".1 .2" springlength=".9"',
    rest='<sensor><e_potential/></sensor>',
)  # fmt: skip
MOTORS = Part(
    hinge='damping=".1"', ball=" ", slide='damping="0 .2"',
    rest="""<actuator><motor joint="h" gear="3" damping=".1 .05 .02" armature=".01"/>
<motor jointinparent="ball" gear="2 1 0" damping=".2" armature=".03"/><motor joint="s" gear=".5" armature=".2"/>
<position joint="h" kp="4" kv=".3" gear="2" armature=".02"/><motor tendon="f" gear="2" damping=".1" armature=".05"/>
<motor tendon="p" gear="3" damping="0 .1" armature=".04"/></actuator>""",
)  # fmt: skip
DELAYS = Part(
    rest="""<actuator><motor joint="h" nsample="3" delay=".025" ctrlrange="-.5 .5"/>
<position joint="s" kp="9" nsample="4" delay=".031" interp="linear"/>
<intvelocity joint="h" kp="2" actrange="-9 9" nsample="5" delay=".033" interp="cubic"/>
<velocity joint="s" kv=".2" nsample="2"/><motor name="plain" joint="h" gear=".3"/></actuator>
<sensor><jointpos joint="h" nsample="3" delay=".02"/><clock nsample="2" interval=".025"/>
<accelerometer site="tip" nsample="3" interval=".035 -.02" delay=".03" interp="linear"/>
<jointvel joint="s" nsample="4" delay=".017" interp="cubic" cutoff=".3"/><actuatorfrc actuator="plain"/>
<framepos objtype="site" objname="tip" nsample="2"/></sensor>""",
)  # fmt: skip
CONTROLLERS = Part(
    rest="""<actuator><pid joint="h" kp="5" kv=".3" gear="1.5"/><motor joint="h"/>
<pid joint="s" kp="20" kv="2" ki="30" imax=".02" input="pos vel ff" velrange="-.5 .5"/>
<pid tendon="f" kp="2" kv=".1" input="pos" slewmax="3" ki="4"/><pid joint="h" input="vel ff" kv=".2"/>
<pid joint="s" kp="3" kv=".1" input="pos" nsample="2" delay=".01" forcerange="-1 1"/></actuator>""",
)  # fmt: skip
DC_MOTORS = Part(
    rest="""<actuator><dcmotor joint="h" resistance="2" motorconst=".4 .5" gear="1.5"/>
<dcmotor joint="s" nominal="12 2 100" inductance="0 .004" saturation="0 1 900" cogging=".02 7 .3"/>
<dcmotor tendon="f" resistance="1.5" motorconst=".3" thermal="1.2 .05 0 .004 22 25" lugre="8 .1 .4 .6 .2"
input="pos vel ff voltage" controller="2 1 .1 4 .02 9"/>
<dcmotor joint="h" resistance="3" input="none" lugre="5 .2 .2 .4 .1"/>
<dcmotor joint="s" resistance="3" motorconst=".2" input="vel" controller="0 0 .5 0 0 2" saturation=".1"/></actuator>""",
)  # fmt: skip

ORIENTATIONS = Part(
    ball=" ",
    rest="""<actuator><motor joint="h"/><orientation name="q" joint="ball" kp="3" kv=".2" input="quat" nsample="2"
delay=".01"/><orientation site="tip" refsite="post" kp="1" forcerange="0 .8" ctrlrange="-.7 .7"/>
<general joint="ball" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="2" biasprm="0 -2 -.1"/>
<position name="p" joint="s" kp="5"/></actuator>
<sensor><actuatorpos actuator="q"/><actuatorfrc actuator="q"/><actuatorvel actuator="p"/></sensor>""",
)  # fmt: skip

PARTS = {
    "polynomials": POLYNOMIALS, "motors": MOTORS, "delays": DELAYS, "controllers": CONTROLLERS, "dc motors": DC_MOTORS,
    "orientations": ORIENTATIONS,
}  # fmt: skip
MODELS = {name: part.model for name, part in PARTS.items()}


def _together(*names: str) -> str:
    """Return a model with the actuators and sensors of several parts, and the joints and tendons of the first."""
    return PARTS[names[0]]._replace(rest="".join(PARTS[name].rest for name in names)).model


COMBINED = {
    "springs and servos": _together("polynomials", "delays", "controllers"),
    "motors": _together("motors", "dc motors", "orientations"),
}
"""Models that contain all parts; there are only two, because code for derivatives is compiled for each model's elements."""


def xml(name: str, integrator: str) -> str:
    """Return the XML of the named model with an integrator."""
    return with_options(MODELS[name], integrator)


def with_options(model: str, integrator: str) -> str:
    """Return the complete XML of a model with a timestep, an integrator and the flags that the model needs."""
    flags = '<flag energy="enable"/>' if "e_potential" in model else ""
    return f'<mujoco><option timestep=".01" integrator="{integrator}">{flags}</option>{model}</mujoco>'


def cases() -> list[tuple[str, str]]:
    """Return all models and integrators, except Runge-Kutta with ball joints, which 4.0.0 integrates differently."""
    return [(n, i) for n in MODELS for i in INTEGRATORS if i != "RK4" or "ball" not in MODELS[n]]


def begin(d: Any) -> None:
    """Set nonzero positions and velocities, so that the model moves."""
    d.qpos[:2] = 0.3, -0.1
    d.qvel[:] = np.linspace(-1.5, 2, len(d.qvel))


def controls(count: int, step: int) -> np.ndarray:
    """Return the controls of a step."""
    return np.sin(0.7 * step + 1.3 * np.arange(count)) + 0.4


def simulate(package: Any, name: str, integrator: str) -> list[list[float]]:
    """Return the constants of a model, followed by the recorded fields after each of `STEPS`."""
    m = package.MjModel.from_xml_string(xml(name, integrator))
    d = package.MjData(m)
    begin(d)
    constants = (m.dof_M0, m.dof_invweight0, m.actuator_acc0, m.actuator_biasprm, m.actuator_ctrlrange)
    found = [np.concatenate([np.ravel(field) for field in constants]).tolist()]
    for step in range(STEPS[-1]):
        d.ctrl[:] = controls(m.nu, step)
        package.mj_step(m, d)
        if step + 1 in STEPS:
            found.append(np.concatenate([np.ravel(getattr(d, field)) for field in FIELDS]).tolist())
    return found


def main() -> None:
    """Record the results of the installed MuJoCo 4.0.0."""
    import mujoco

    assert mujoco.__version__ == "4.0.0", mujoco.__version__
    found = {f"{name}, {integrator}": simulate(mujoco, name, integrator) for name, integrator in cases()}
    rounded = {key: [[float(f"{x:.12g}") for x in row] for row in rows] for key, rows in found.items()}
    lines = [f"{json.dumps(key)}: {json.dumps(rows)}" for key, rows in rounded.items()]
    DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
