"""Model with sensors of every type that depends on more than the state."""

WORLD = """<mujoco><option><flag energy="enable"/></option><asset><material name="clear" rgba="1 1 1 0"/></asset><worldbody>
<geom name="floor" type="plane" size="3 3 .1"/><geom size=".3" pos="0 0 2" rgba="1 1 1 0"/><geom size=".3" pos="1 0 2" material="clear"/>
<site name="ball" size=".4" pos="0 0 .3"/><site name="pill" type="capsule" size=".3 .2" pos=".2 0 .3" euler="20 30 0"/>
<site name="egg" type="ellipsoid" size=".3 .5 .4" pos="0 .1 .3" euler="20 30 0"/><site name="tin" type="cylinder" size=".4 .3" pos="0 0 .4" euler="20 30 0"/>
<site name="crate" type="box" size=".3 .4 .3" pos="0 0 .3" euler="20 30 0"/>
<camera name="wide" pos="0 -3 1" xyaxes="1 0 0 0 .2 1" resolution="640 480" fovy="50"/>
<camera name="lens" pos="3 0 1" xyaxes="0 1 0 -.2 0 1" resolution="320 200" focal=".02 .03" sensorsize=".01 .02" principal="0 0"/>
<body name="a" pos="0 0 .35"><freejoint/><geom name="a0" size=".15"/><geom name="a1" type="capsule" size=".1 .2" pos=".3 0 0" euler="0 70 0"/>
  <site name="eye" pos=".1 0 0" euler="30 20 0"/><site name="down" euler="160 0 0"/><site name="side" euler="0 90 0"/><site name="back" euler="0 -80 0"/>
  <body name="a2" pos="-.4 0 0"><joint name="knee" axis="0 1 0" range="-20 20" limited="true" margin="1"/><geom name="a3" type="capsule" size=".08 .15"/><site name="foot" size=".2"/></body></body>
<body name="b" pos="0 .3 .3"><freejoint/><geom name="b0" size=".2"/><geom name="b1" size=".12" pos="0 0 .25"/><camera name="held" pos="0 0 .1" resolution="10 20"/></body>
<body name="c" pos="0 -1 .5"><joint name="slide" type="slide" axis="0 1 0"/><geom name="c0" type="capsule" size=".1 .2"/></body></worldbody>
<sensor>{}</sensor></mujoco>"""

RANGES = '<rangefinder site="eye"/><rangefinder site="down"/><rangefinder site="ball"/><rangefinder site="side"/><rangefinder site="back"/><rangefinder site="foot" cutoff=".3"/>'
CAMERAS = (
    '<camprojection site="eye" camera="wide"/><camprojection site="foot" camera="lens"/><camprojection site="eye" camera="held"/>'
    '<camprojection site="ball" camera="held" cutoff="7"/>'
)
INSIDE = "".join(
    f'<insidesite site="{site}" objtype="{kind}" objname="{name}"/>'
    for site in ("ball", "pill", "egg", "tin", "crate", "foot")
    for kind, name in (("geom", "a0"), ("body", "b"), ("xbody", "b"), ("site", "foot"), ("camera", "held"))
)
PAIRS = (
    'geom1="a0" geom2="b0"', 'geom1="b0" geom2="floor"', 'body1="a" body2="b"', 'body1="b" geom2="floor"', 'geom1="c0" body2="a"',
    'body1="c" body2="a2"', 'body1="world" body2="c"',
)  # fmt: skip
DISTANCES = "".join(
    f"<{tag} {pair} {cutoff}/>"
    for pair in PAIRS
    for cutoff in ('cutoff="2"', 'cutoff=".1"', "")
    for tag in ("distance", "normal", "fromto", "distance")
    if "world" not in pair or cutoff
) + "".join(
    f'<distance geom1="{first}" geom2="{second}" cutoff="2"/>'
    for first, second in (("a0", "b0"), ("a0", "floor"), ("a0", "b1"), ("a1", "b1"), ("b1", "a1"))
)
SOMETHING = (
    "", 'geom1="floor"', 'geom2="floor"', 'body1="a"', 'body2="a"', 'subtree1="a"', 'subtree2="a"', 'site="ball"', 'site="crate" body2="b"',
    'geom1="a0" geom2="floor"', 'geom1="floor" geom2="a0"', 'body1="b" body2="a"', 'subtree1="a" subtree2="b"', 'subtree2="a" body1="b"',
    'subtree1="a" subtree2="a"', 'body1="world" subtree2="a"', 'geom1="b0" body2="world"',
)  # fmt: skip
ALL_DATA = "found force torque dist pos normal tangent"
CONTACTS = "".join(
    f'<contact {what} num="{num}" reduce="{reduce}" data="{data}" {cutoff}/>'
    for what in SOMETHING
    for num, reduce, data, cutoff in (
        (1, "none", "found", ""),
        (6, "none", ALL_DATA, ""),
        (2, "mindist", "found dist normal", ""),
        (3, "maxforce", "force torque pos tangent", ""),
        (2, "netforce", ALL_DATA, ""),
        (2, "mindist", "dist pos", 'cutoff=".05"'),
    )
)
USERS = (
    '<user dim="2" needstage="pos"/><user dim="3" needstage="vel" cutoff="1"/><user dim="1" needstage="acc"/>'
    '<jointlimitpos joint="knee"/><jointlimitvel joint="knee"/><jointlimitfrc joint="knee"/><clock cutoff=".1"/>'
    '<e_potential cutoff="3"/><e_kinetic/>'
)
SENSORS = {
    "ranges": RANGES, "cameras": CAMERAS, "inside": INSIDE, "distances": DISTANCES, "contacts": CONTACTS, "users": USERS,
}  # fmt: skip

ALL = WORLD.format("".join(SENSORS.values()))
