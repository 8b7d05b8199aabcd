"""Models that use features of the smooth stages, with one topic for each model."""

TREE = """<body name="base" pos="0 0 1"><freejoint name="root"/><geom name="trunk" type="box" size=".2 .1 .05" pos=".1 0 0" euler="10 20 0"/>
  <site name="imu" pos=".1 .2 .3" euler="30 0 0"/><camera name="eye" pos="0 0 1" euler="0 10 0"/>
  <body name="arm" pos=".3 0 0" quat="1 .2 0 .1"><joint name="shoulder" type="ball" pos="0 .1 0" damping=".2" stiffness="3"/>
    <geom name="upper" type="capsule" fromto="0 0 0 .4 0 .1" size=".04"/><site name="hand" pos=".4 0 0"/>
    <body name="fore" pos=".4 0 .1"><joint name="elbow" axis="0 1 0" range="-60 60" stiffness="5" springref="20" damping=".3" armature=".01"/>
      <joint name="wrist" axis="1 0 1" pos="0 0 .1" ref="15" frictionloss=".1"/><geom type="ellipsoid" size=".1 .05 .04" pos=".2 0 0"/>
      <body name="tip" pos=".3 0 0"><joint name="finger" type="slide" axis="1 1 0" stiffness="40" damping="1" ref=".1" springref=".2"/>
        <geom type="sphere" size=".03" pos=".05 0 0"/></body></body></body>
  <body name="leg" pos="-.2 0 0"><joint name="hip" axis="0 0 1"/><geom type="cylinder" size=".05 .2" pos="0 0 -.2"/></body></body>
<body name="rail" pos="1 0 0"><joint name="slider" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>
<body name="ball" pos="-1 0 .4"><freejoint/><geom type="sphere" size=".1"/></body>
<body name="plate" pos="0 2 0"><geom type="box" size=".3 .3 .01"/><body name="knob" pos="0 0 .1"><joint name="knob" damping=".05"/>
  <geom type="cylinder" size=".05 .02" pos=".03 0 0"/></body></body>
<body name="marker" mocap="true" pos="0 0 2" quat="1 0 1 0"><geom type="box" size=".1 .1 .1"/></body>"""

SENSORS = """<sensor><jointpos joint="elbow"/><jointvel joint="finger"/><ballquat joint="shoulder"/><ballangvel joint="shoulder"/>
  <framepos objtype="site" objname="hand"/><framepos objtype="body" objname="tip" reftype="camera" refname="eye"/>
  <framequat objtype="geom" objname="trunk" reftype="site" refname="imu"/><framequat objtype="xbody" objname="fore"/>
  <framequat objtype="body" objname="fore"/><framexaxis objtype="site" objname="imu"/><frameyaxis objtype="body" objname="arm"/>
  <framezaxis objtype="xbody" objname="arm" reftype="geom" refname="trunk"/><framelinvel objtype="site" objname="hand"/>
  <framelinvel objtype="body" objname="tip" reftype="xbody" refname="arm"/><frameangvel objtype="geom" objname="upper"/>
  <frameangvel objtype="body" objname="tip" reftype="site" refname="imu"/><framelinacc objtype="site" objname="hand"/>
  <frameangacc objtype="body" objname="tip"/><framelinacc objtype="camera" objname="eye"/><gyro site="imu"/><velocimeter site="hand"/>
  <accelerometer site="imu"/><accelerometer site="hand" cutoff="3"/><force site="hand"/><torque site="hand"/>
  <magnetometer site="imu"/><subtreecom body="arm"/><subtreelinvel body="base"/><subtreeangmom body="arm"/><subtreeangmom body="world"/>
  <clock/><e_potential/><e_kinetic/><jointlimitpos joint="elbow"/><jointlimitvel joint="elbow"/><jointlimitfrc joint="elbow"/></sensor>"""

TENDONS = """<tendon><fixed name="pair" stiffness="10" damping="2" springlength=".1 .3" limited="true" range="-.5 .5">
    <joint joint="wrist" coef="2"/><joint joint="elbow" coef="-1.5"/></fixed>
  <fixed name="loose" stiffness="4" armature=".2" frictionloss=".3"><joint joint="slider" coef="1"/><joint joint="hip" coef=".5"/></fixed>
  <fixed name="stiff" armature=".1" actuatorfrclimited="true" actuatorfrcrange="-1 2"><joint joint="elbow" coef=".7"/>
    <joint joint="finger" coef="2"/></fixed></tendon>"""

ACTUATORS = """<actuator><motor joint="elbow" gear="3" ctrllimited="true" ctrlrange="-.5 .5"/>
  <position joint="wrist" kp="20" kv="1" forcelimited="true" forcerange="-2 2"/><velocity joint="finger" kv="3" group="2"/>
  <motor joint="shoulder" gear="1 2 3"/><general jointinparent="shoulder" gear="1 -2 .5" gainprm="2"/>
  <motor joint="root" gear="1 2 3 4 5 6"/><general jointinparent="root" gear="1 2 3 4 5 6"/>
  <general joint="hip" dyntype="integrator" gainprm="2" biastype="affine" biasprm="1 -2 -.1" actlimited="true" actrange="-.3 .4"/>
  <general joint="slider" dyntype="filter" dynprm=".1" gaintype="affine" gainprm="1 2 3"/>
  <general joint="hip" dyntype="filterexact" dynprm=".05" actearly="true" group="1"/>
  <motor tendon="pair" gear="2"/><position tendon="stiff" kp="8"/><motor tendon="stiff" gear=".5"/>
  <intvelocity joint="elbow" kp="5" actrange="-1 1"/></actuator>"""

ACTUATOR_SENSORS = """<actuatorpos actuator="{0}"/><actuatorvel actuator="{0}"/><actuatorfrc actuator="{0}"/>"""


def model(world: str, rest: str = "", option: str = "") -> str:
    """Return the XML of a model without collisions."""
    return f"""<mujoco><option {option}/><default><geom contype="0" conaffinity="0"/></default>
<compiler autolimits="true"/><worldbody>{world}</worldbody>{rest}</mujoco>"""


def flagged(flags: str, option: str = "") -> str:
    """Return the XML of the model with all elements and with some flags set."""
    text = model(TREE, TENDONS + ACTUATORS + SENSORS, option)
    return text.replace(f"<option {option}/>", f"<option {option}><flag {flags}/></option>")


CAMERAS = """<camera name="fixed" pos="3 0 1" euler="30 40 0"/><camera name="aim" pos="2 2 2" mode="targetbody" target="leg"/>
  <light name="spot" pos="1 1 3" mode="targetbody" target="ball"/><light name="sun" dir="1 2 -3"/>"""
FOLLOWERS = """<camera name="track" pos="0 -1 1" mode="track"/><camera name="com" pos="0 -2 1" mode="trackcom"/>
  <camera name="look" pos="0 1 1" mode="targetbodycom" target="arm"/><light name="follow" pos="0 0 1" dir="0 1 -1" mode="track"/>
  <light name="mass" pos="0 0 2" dir="1 0 -1" mode="trackcom"/><light name="point" pos="0 0 2" mode="targetbodycom" target="leg"/>"""
FROM_ABOVE = """<body name="mark" pos="1 2 .5"/><camera name="down" pos="1 2 3" mode="targetbody" target="mark"/>
  <camera name="up" pos="1 2 0" mode="targetbody" target="mark"/><camera name="at" pos="1 2 .5" mode="targetbody" target="mark"/>
  <light name="at" pos="1 2 .5" mode="targetbody" target="mark"/>"""

MODELS = {
    "tree": model(TREE, option='gravity="1 2 -9"'),
    "cameras": model(CAMERAS + TREE.replace('<site name="imu"', FOLLOWERS + '<site name="imu"', 1)),
    "cameras without a horizon": model(FROM_ABOVE + TREE),
    "tendons": model(TREE, TENDONS),
    "negative armature": model(
        TREE,
        '<tendon><fixed armature="-.2"><joint joint="slider" coef="1"/><joint joint="hip" coef=".1"/></fixed></tendon>',
    ),
    "actuators": model(TREE, TENDONS + ACTUATORS),
    "sensors": model(TREE, TENDONS + ACTUATORS + SENSORS),
    "gravity compensation": model(
        TREE.replace('<body name="arm"', '<body name="arm" gravcomp="1"')
        .replace('<body name="tip"', '<body name="tip" gravcomp=".5"')
        .replace('name="elbow"', 'name="elbow" actuatorgravcomp="true" actuatorfrcrange="-1 1"'),
        TENDONS + ACTUATORS,
    ),
    "energy": flagged('energy="enable"'),
    "no passive compensation": flagged('passive="disable"').replace(
        '<body name="arm"', '<body name="arm" gravcomp="1"'
    ),
    "no passive": flagged('passive="disable" energy="enable"'),
    "no gravity": flagged('gravity="disable" energy="enable"'),
    "no clamp": flagged('clampctrl="disable"'),
    "no actuation": flagged('actuation="disable"'),
    "disabled group": model(TREE, TENDONS + ACTUATORS, 'actuatorgroupdisable="1 2"'),
    "free spring": model(TREE.replace('<freejoint name="root"/>', '<joint name="root" type="free" stiffness="3"/>')),
    "empty": model(""),
    "static": model('<body><geom size=".1"/></body>'),
}
