"""Small model with an element of nearly every type, for tests of schemas and objects."""

XML = """
<mujoco model="rich">
  <size nuserdata="3" nuser_geom="2" nuser_body="1"/>
  <asset>
    <texture name="tx" type="2d" builtin="flat" width="8" height="8"/>
    <material name="ma" texture="tx"/>
    <hfield name="hf" nrow="2" ncol="3" size="1 1 1 1"/>
    <mesh name="me" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
  </asset>
  <default><geom size=".1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <camera name="cam"/>
    <light name="light"/>
    <body name="target" mocap="true" pos="0 0 2"/>
    <body name="torso" user="7">
      <freejoint name="root"/>
      <geom name="ball" pos="0 0 0.05" user="1 2"/>
      <site name="tip"/>
      <body name="arm" pos="0 0 1">
        <joint name="elbow" range="-1 1" limited="true" frictionloss="1"/>
        <geom name="link" type="capsule" size=".1 .2"/>
      </body>
    </body>
    <body name="pendulum" pos="2 0 0"><joint name="pivot" type="ball"/><geom name="bob" pos="0 0 -1"/></body>
  </worldbody>
  <contact><pair geom1="ball" geom2="link" name="touching"/><exclude name="apart" body1="target" body2="torso"/></contact>
  <equality><joint name="held" joint1="elbow"/></equality>
  <tendon><fixed name="cable"><joint joint="elbow" coef="2"/></fixed></tendon>
  <actuator><motor name="motor" joint="elbow"/><general joint="elbow" name="muscle" dyntype="filter"/></actuator>
  <keyframe><key name="home" time="1" ctrl="0.5 0.25"/></keyframe>
  <sensor><framepos objtype="site" objname="tip" name="where"/><jointpos joint="elbow" name="angle"/></sensor>
  <custom>
    <numeric name="numbers" data="1 2 3"/>
    <text name="words" data="hello"/>
    <tuple name="pairs"><element objtype="body" objname="torso" prm="4"/></tuple>
  </custom>
</mujoco>
"""
