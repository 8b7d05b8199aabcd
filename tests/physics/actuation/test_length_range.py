"""Ranges of actuator lengths that the compiler computes by simulation agree with MuJoCo's."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang import ModelError
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="thousands of uncompiled steps")

TOLERANCE = 1e-7

MODEL = """<mujoco><compiler autolimits="true">{compiler}</compiler><option {option}/>
<worldbody><geom type="plane" size="3 3 1"/><site name="wall" pos="-.1 .2 .1"/><site name="post" pos=".3 .5 0"/>
<body name="upper"><joint name="shoulder" axis="0 0 1" range="-40 70" damping=".3" stiffness="5"/>
  <geom type="capsule" fromto="0 0 0 .5 0 0" size=".04"/><geom name="drum" type="cylinder" size=".07 .1" mass="0"/><site name="u" pos=".2 .06 0"/>
  <body name="lower" pos=".5 0 0"><joint name="elbow" axis="0 0 1" range="0 120" damping=".1" frictionloss=".5"/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/><geom name="ball" type="sphere" size=".06" mass="0"/>
    <site name="l" pos=".1 .05 0"/><site name="tip" pos=".4 0 0" euler="0 90 0"/></body></body>
<body name="wheel" pos="0 2 0"><joint name="wheel" axis="0 0 1"/><geom type="cylinder" size=".3 .02" euler="90 0 0"/><site name="rim" pos=".3 0 0"/></body>
<body name="swing" pos="0 -1 0"><joint name="swing" type="ball" range="0 60" damping=".2"/><geom type="box" size=".02 .03 .2" pos="0 0 -.2"/>
  <site name="bob" pos="0 0 -.4"/></body></worldbody>
<tendon><spatial name="flexor"><site site="wall"/><geom geom="drum"/><site site="u"/><geom geom="ball"/><site site="l"/></spatial>
  <spatial name="short" range=".1 .3"><site site="u"/><site site="l"/></spatial>
  <spatial name="crank"><site site="post"/><site site="rim"/></spatial>
  <fixed name="sum"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-2"/></fixed></tendon>
<actuator>{actuators}</actuator></mujoco>"""

MUSCLES = '<muscle tendon="flexor"/><muscle joint="elbow" gear="-2"/><muscle tendon="sum"/><motor joint="shoulder"/>'
HELD = (
    MUSCLES
    + """</actuator><equality><joint joint1="elbow" joint2="shoulder" polycoef=".9 1 .2" solref=".004 1"/>
  <connect body1="lower" body2="swing" anchor=".3 0 0" solref="-300 -30"/><tendon tendon1="crank" active="false"/>
  <weld body1="wheel" solimp=".99 .999"/></equality><actuator><muscle tendon="crank" lengthrange="0 1"/>"""
)
ON_ALL = """<motor joint="shoulder" gear="3"/><position tendon="short" kp="5"/><motor tendon="crank"/><motor site="tip" refsite="post" gear="0 1 0 0 0 0"/>
  <motor cranksite="tip" slidersite="wall" cranklength="2"/><motor joint="swing" gear="1 0 .5"/><motor jointinparent="swing" gear="0 1 0"/>"""

FOUND = {
    "muscles": ("", "", MUSCLES),
    "mode all": ('<lengthrange mode="all"/>', "", ON_ALL),
    "mode none": ('<lengthrange mode="none"/>', "", MUSCLES),
    "mode muscleuser": ('<lengthrange mode="muscleuser"/>', "", '<general tendon="flexor" gaintype="user"/><motor joint="wheel"/>'),
    "a range is written": ("", "", '<muscle tendon="flexor" lengthrange=".2 .3"/>'),
    "written ranges are ignored": ('<lengthrange useexisting="false"/>', "", '<muscle tendon="flexor" lengthrange=".2 .3"/>'),
    "limit of a joint": ('<lengthrange uselimit="true" mode="all"/>', "", '<motor joint="swing" gear="1 0 .5"/>'),
    "limit of a tendon": ('<lengthrange uselimit="true" mode="all"/>', "", '<muscle tendon="short"/>'),
    "no limit": ('<lengthrange uselimit="true"/>', "", '<muscle tendon="flexor"/>'),
    "small acceleration": ('<lengthrange accel="3" inttotal="20" interval="1"/>', "", MUSCLES),
    "small force": ('<lengthrange maxforce=".2" inttotal="12" timeconst=".5" tolrange=".9"/>', "", MUSCLES),
    "time step of the model": ('<lengthrange timestep="0" inttotal="4" tolrange=".9"/>', 'timestep=".004"', MUSCLES),
    "early": ('<lengthrange inttotal="1.5" interval=".2" tolrange=".9"/>', "", MUSCLES),
    "early, implicitfast": ('<lengthrange inttotal="1.5" interval=".2" tolrange=".9"/>', 'integrator="implicitfast"', MUSCLES),
    "early, implicit": ('<lengthrange inttotal="1.5" interval=".2" tolrange=".9"/>', 'integrator="implicit"', MUSCLES),
    "early, Runge-Kutta": ('<lengthrange inttotal="1.5" interval=".2" tolrange=".9"/>', 'integrator="RK4"', MUSCLES),
    "equalities": ("", "", HELD),
    "equalities, implicit": ("", 'integrator="implicit"', HELD),
    "options without effect": ("", 'density="1000" viscosity="1" noslip_iterations="3" cone="elliptic"', MUSCLES),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_ranges_equal_the_oracle(case: str) -> None:
    """Length ranges agree with MuJoCo for all modes and options, and other fields are unchanged."""
    compiler, option, actuators = FOUND[case]
    text = MODEL.format(compiler=compiler, option=option, actuators=actuators)
    official = mujoco.MjModel.from_xml_string(text)
    model = conjoint.MjModel.from_xml_string(text)
    if case != "mode none":
        assert (official.actuator_lengthrange[:, 1] > official.actuator_lengthrange[:, 0]).any()
    for name in ("actuator_lengthrange", "actuator_acc0", "actuator_length0", "actuator_gainprm", "actuator_biasprm"):
        np.testing.assert_allclose(getattr(model, name), getattr(official, name), rtol=0, atol=TOLERANCE, err_msg=name)
    assert model.opt.timestep == official.opt.timestep
    assert (model.opt.disableflags, model.opt.integrator) == (official.opt.disableflags, official.opt.integrator)


def test_limits_are_those_of_the_target() -> None:
    """Every actuator gets the limits of its target; in MuJoCo only the first actuator does."""
    text = MODEL.format(compiler='<lengthrange uselimit="true" mode="all"/>', option="", actuators=ON_ALL)
    model = conjoint.MjModel.from_xml_string(text)
    np.testing.assert_allclose(model.actuator_lengthrange[:2], [model.jnt_range[0], model.tendon_range[1]])


REFUSED = {
    "no limits": ("", "", '<muscle joint="wheel"/>', "does not settle"),
    "not settled": ('<lengthrange inttotal=".2" interval=".1" tolrange=".01"/>', "", MUSCLES, "does not settle"),
    "nothing moves": ('<lengthrange mode="all"/>', "", '<motor site="wall"/>', "is empty"),
    "nothing observed": ('<lengthrange interval="-1"/>', "", MUSCLES, "is empty"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_range_is_refused(case: str) -> None:
    """An actuator without a length range is refused, as in MuJoCo, with an error that names it and suggests a remedy."""
    compiler, option, actuators, message = REFUSED[case]
    text = MODEL.format(compiler=compiler, option=option, actuators=actuators)
    with pytest.raises(ValueError, match=r"(?i)lengthrange"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ModelError, match=f"(?s)<m.*{message}.*write lengthrange"):
        conjoint.MjModel.from_xml_string(text)


def test_models_that_cannot_be_simulated_say_so() -> None:
    """Models that diverge or need too many steps raise an error; MuJoCo does not terminate."""
    text = MODEL.format(compiler='<lengthrange accel="1e13"/>', option="", actuators='<muscle joint="wheel"/>')
    with pytest.raises(ModelError, match="unstable"):
        conjoint.MjModel.from_xml_string(text)
    text = MODEL.format(compiler='<lengthrange inttotal="1e9"/>', option="", actuators=MUSCLES)
    with pytest.raises(ModelError, match="more than 50000 steps"):
        conjoint.MjModel.from_xml_string(text)


def test_found_ranges_are_saved() -> None:
    """Computed length ranges are saved, so that loading the saved model needs no simulation."""
    spec = conjoint.MjSpec.from_string(MODEL.format(compiler="", option="", actuators=MUSCLES))
    model = spec.compile()
    again = conjoint.MjModel.from_xml_string(conjoint.MjSpec.from_string(spec.to_xml()).to_xml())
    np.testing.assert_allclose(again.actuator_lengthrange, model.actuator_lengthrange, rtol=1e-5)


def test_the_function_equals_the_oracle() -> None:
    """mj_setLengthRange uses the model's own options, and only changes one actuator."""
    text = MODEL.format(compiler='<lengthrange mode="none"/>', option="", actuators=MUSCLES).replace(
        "<option />",
        '<option timestep=".01"><flag gravity="disable" contact="disable" passive="disable" actuation="disable"/></option>',
    )
    found, numbers = [], []
    for package in (mujoco, conjoint):
        model = package.MjModel.from_xml_string(text)
        data = package.MjData(model)
        options = package.MjLROpt()
        package.mj_defaultLROpt(options)
        options.mode = package.mjtLRMode.mjLRMODE_ALL
        numbers.append({name: getattr(options, name) for name in dir(mujoco.MjLROpt) if not name.startswith("_")})
        package.mj_setLengthRange(model, data, 1, options)
        options.inttotal, options.interval, options.tolrange = 0.2, 0.1, 0.01
        with pytest.raises(package.FatalError):
            package.mj_setLengthRange(model, data, 2, options)
        with pytest.raises(package.FatalError, match="invalid actuator index"):
            package.mj_setLengthRange(model, data, 9, options)
        found.append(model.actuator_lengthrange[:2].copy())
    np.testing.assert_allclose(found[1], found[0], atol=TOLERANCE)
    assert numbers[1] == numbers[0]
