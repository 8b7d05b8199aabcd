"""Models with spatial tendons, and with actuators on sites, for the tests of the smooth stages."""

from smooth_models import model

ARM = """<site name="wall" pos="-.2 .1 .9"/><site name="post" pos=".1 -.4 1.2" euler="20 30 40"/>
<body name="upper" pos="0 0 1"><joint name="shoulder" type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".03"/>
  <geom name="head" type="sphere" size=".12" pos=".02 .03 0" mass="0"/><geom name="drum" type="cylinder" size=".09 .2" pos=".5 0 0" euler="80 0 10" mass="0"/>
  <site name="u1" pos=".2 .1 .05"/><site name="u2" pos=".3 -.1 .02" euler="10 20 30"/><site name="over" pos=".5 .3 0"/><site name="within" pos=".52 .03 0"/>
  <site name="core" pos=".03 .03 .02"/><site name="above" pos="0 0 .4"/>
  <body name="lower" pos=".5 0 0"><joint name="elbow" axis="0 0 1" range="-30 150" stiffness="1"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
    <site name="l1" pos=".2 .06 .01"/><site name="l2" pos=".3 -.05 0" euler="-30 0 50"/>
    <body name="wrist" pos=".4 0 0"><joint name="slide" type="slide" axis="1 1 0"/><joint name="turn" axis="1 0 0"/><geom type="box" size=".05 .02 .04"/>
      <site name="tip" pos=".1 0 .02"/></body></body></body>
<body name="weight" pos=".6 .6 .5"><freejoint/><geom type="box" size=".1 .05 .07"/><site name="eye" pos=".1 .05 .07"/>
  <geom name="free ball" type="sphere" size=".08" pos="-.1 0 0"/></body>
<body name="crank" pos="0 2 0"><joint name="crank" axis="0 0 1"/><geom type="box" size=".2 .02 .02"/><site name="pin" pos=".15 .02 .01"/></body>
<body name="rail" pos=".4 2 0"><joint name="rail" axis="1 .2 0"/><geom type="box" size=".1 .02 .02"/><site name="rail" euler="0 80 0"/></body>"""

VIA = """<spatial name="via" stiffness="20" damping="1" springlength=".2 .5" limited="true" range=".1 .9" frictionloss=".4"><site site="wall"/>
    <site site="u1"/><site site="l1"/><site site="eye"/></spatial>
  <spatial name="heavy" armature=".3" limited="true" range="0 .6"><site site="post"/><site site="tip"/><site site="eye"/></spatial>"""

PULLEYS = """<spatial name="pulleys" limited="true" range=".2 .3" stiffness="5" springlength=".4" armature=".2"><site site="wall"/><site site="u2"/><pulley divisor="2"/>
    <site site="u2"/><site site="l2"/><site site="tip"/><pulley divisor="3"/><site site="u1"/><site site="eye"/></spatial>"""

WRAPPED = """<spatial name="free"><site site="wall"/><geom geom="head"/><site site="u1"/><geom geom="drum"/><site site="l1"/></spatial>
  <fixed name="plain"><joint joint="elbow" coef="2"/><joint joint="slide" coef="1"/></fixed>
  <spatial name="sided" limited="true" range=".3 .6" damping="2"><site site="wall"/><geom geom="head" sidesite="above"/><site site="u2"/><geom geom="drum" sidesite="over"/><site site="l2"/>
    <pulley divisor="2"/><site site="l2"/><geom geom="drum" sidesite="over"/><site site="u1"/><site site="tip"/></spatial>
  <spatial name="inside" limited="true" range="1 1.2" stiffness="3" springlength=".1"><site site="post"/><geom geom="head" sidesite="core"/><site site="u1"/>
    <geom geom="drum" sidesite="within"/><site site="l1"/></spatial>
  <spatial name="moving"><site site="tip"/><geom geom="free ball"/><site site="wall"/></spatial>"""

PULLING = """<actuator><motor tendon="{0}" gear="2"/><position tendon="{1}" kp="8"/><general tendon="{1}" biastype="affine" biasprm="1 -2 -3"/></actuator>"""

READING = """<tendonpos tendon="{0}"/><tendonvel tendon="{0}"/><tendonactuatorfrc tendon="{0}"/>
  <tendonlimitpos tendon="{0}"/><tendonlimitvel tendon="{0}"/><tendonlimitfrc tendon="{0}"/>"""

ON_SITES = """<actuator><motor site="tip" gear="1 2 3 4 5 6"/><motor site="u2" refsite="post" gear="1 -2 3 .4 .5 .6"/>
  <position site="tip" refsite="u2" gear="0 0 1 0 0 0" kp="10"/><motor site="l2" refsite="eye" gear="0 0 0 1 0 -1"/>
  <motor site="post" gear="1 1 1 1 1 1"/><motor site="eye" refsite="wall" gear=".1 0 .2 .3 1 0"/>
  <motor cranksite="pin" slidersite="rail" cranklength=".5" gear="3"/><motor cranksite="pin" slidersite="rail" cranklength=".02"/>
  <motor cranksite="tip" slidersite="u2" cranklength=".9" gear="-2"/><motor cranksite="eye" slidersite="wall" cranklength="1.5"/></actuator>"""


MUSCLES = """<actuator><muscle tendon="free" lengthrange=".4 .9"/><muscle tendon="sided" lengthrange=".3 .7" tausmooth=".3" force="40" range=".6 1.3" lmin=".4" lmax="1.8"/>
  <muscle joint="elbow" lengthrange="-.5 1.5" timeconst=".05 .2" scale="5" vmax=".5" fpmax="2" fvmax="1.4" forcelimited="true" forcerange="-3 0"/>
  <muscle joint="crank" lengthrange="-.3 .4" range=".9 1.01"/><muscle joint="rail" lengthrange="-9 9" group="3"/>
  <general tendon="inside" dyntype="muscle" dynprm=".02 .05 .2" actearly="true"/><general tendon="moving" gaintype="muscle" gainprm=".7 1.1 5 1 .5 1.6 1.5 1.3 1.2" lengthrange=".2 .8"/>
  <general joint="slide" biastype="muscle" biasprm=".7 1.1 5 1 .5 1.6 1.5 1.3 1.2" lengthrange="-.1 .1"/></actuator>"""


def spatial(tendons: str, first: str, second: str, option: str = "") -> str:
    """Return the XML of a model with tendons; actuators and sensors are attached to two of them."""
    sensors = "".join(READING.format(name) for name in (first, second))
    return model(ARM, f"<tendon>{tendons}</tendon>{PULLING.format(first, second)}<sensor>{sensors}</sensor>", option)


TENDON_MODELS = {
    "via points": spatial(VIA, "via", "heavy", 'gravity="0 1 -9"'),
    "pulleys": spatial(VIA + PULLEYS, "pulleys", "via"),
    "wrapped tendons": spatial(WRAPPED + VIA, "sided", "inside"),
    "sites": model(ARM, ON_SITES),
    "muscles": model(ARM, f"<tendon>{WRAPPED}</tendon>{MUSCLES}", 'actuatorgroupdisable="3"'),
}
