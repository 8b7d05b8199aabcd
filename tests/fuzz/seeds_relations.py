"""Models with tendons, actuators, sensors, equality constraints and plugins."""

from __future__ import annotations

TREE = """
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/><site name="sw" pos="0 0 2"/><camera name="cam" resolution="10 20"/>
    <body name="a" pos="0 0 1"><freejoint name="root"/><geom name="ga" type="box" size=".1 .2 .3"/><site name="sa" pos="0 .1 0"/>
      <body name="b" pos=".5 0 0"><joint name="h1" range="-30 40"/><geom name="gb" type="cylinder" size=".1 .2"/>
        <site name="sb" pos=".1 .2 .3" euler="10 0 0"/><site name="side" pos="0 -.5 0"/>
        <body name="c" pos=".5 0 0"><joint name="h2" axis="0 1 0" ref="20" stiffness="2"/><joint name="s1" type="slide" range="-1 1"/>
          <geom name="gc" size=".1"/><site name="sc" pos="0 0 .3"/>
          <body name="d" pos="0 0 .5"><joint name="bl" type="ball"/><geom name="gd" type="capsule" size=".05 .1"/><site name="sd"/></body>
        </body></body></body>
    <body name="e" pos="3 0 0"><joint name="h3" axis="1 0 0"/><geom name="gs" size=".2"/><site name="se" pos="0 .3 0"/></body>
    <body name="m" mocap="true"/>
  </worldbody>
  <tendon>
    <fixed name="t1" range="-1 1" stiffness="3" damping=".1" springlength=".1 .2" frictionloss=".3" group="2" user="1 2" armature=".1">
      <joint joint="h1" coef="2"/><joint joint="s1" coef="-.5"/></fixed>
    <spatial name="t2" width=".01" rgba="1 0 0 1" limited="true" range="0 5" actuatorfrcrange="-1 1" margin=".1">
      <site site="sw"/><geom geom="gs" sidesite="se"/><site site="sa"/><pulley divisor="2"/><site site="sa"/><site site="sb"/>
      <pulley divisor="2"/><site site="sa"/><geom geom="gb" sidesite="side"/><site site="sc"/></spatial>
    <spatial name="t3"><site site="sc"/><site site="sd"/></spatial>
  </tendon>
"""
EQUALITY = f"""
<mujoco>{TREE}
  <contact><pair geom1="ga" geom2="floor" condim="6" friction="1 2 .1 .2 .3" solref=".1 1" solreffriction=".2 1" margin=".1" gap=".05"/>
    <pair geom1="gs" geom2="gc" name="p2"/><exclude body1="a" body2="e" name="x"/></contact>
  <equality>
    <connect name="e1" body1="c" body2="e" anchor="1 2 3"/><connect body1="d" anchor="0 0 1" active="false"/><connect site1="sa" site2="sc"/>
    <weld name="e2" body1="e" body2="a" torquescale="2" anchor="1 0 0"/><weld body1="e" relpose="1 0 0 1 1 0 0" solref=".1"/>
    <weld site1="se" site2="sd" torquescale=".5"/><weld body1="m" body2="d"/>
    <joint name="e3" joint1="h1" joint2="h2" polycoef=".1 2 3 4 5"/><joint joint1="s1" polycoef=".3"/>
    <tendon tendon1="t1" tendon2="t2" polycoef="0 .5"/><tendon tendon1="t3" solimp=".8 .9 .01"/>
  </equality>
</mujoco>
"""
ACTUATORS = f"""
<mujoco><compiler angle="degree"/><size nuser_actuator="2"/>{TREE}
  <actuator>
    <motor name="a1" joint="h1" gear="2" ctrlrange="-1 2" forcerange="-3 4" group="2" user="5 6" lengthrange="1 2"/>
    <position name="a2" joint="h1" kp="3" dampratio="1.5" inheritrange=".5"/><position tendon="t1" timeconst=".3" kv="1"/>
    <velocity name="a3" joint="s1" kv="2"/><intvelocity joint="h1" kp="2" inheritrange="1"/><damper joint="h2" kv="1" ctrlrange="0 1"/>
    <cylinder joint="s1" timeconst=".2" diameter=".3" bias="1 2 3"/>
    <muscle name="mus" tendon="t2" lengthrange=".1 2" timeconst=".01 .04" force="10" range=".7 1.1"/><muscle joint="h1" tausmooth=".1" lengthrange="-1 1"/>
    <adhesion body="c" gain="4" ctrlrange="0 1"/><general site="sa" refsite="sc" gear="1 2 3 4 5 6"/>
    <general site="sd" gear="0 0 1 0 0 1"/><general slidersite="sa" cranksite="sb" cranklength="1.3"/>
    <general jointinparent="bl" gear="1 2 3" dyntype="user" actdim="2" gaintype="user" actlimited="true" actrange="0 1"/>
    <general joint="root" gear="1 0 0 1" dyntype="filterexact" dynprm=".1" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="3 2 1" actearly="true"/>
    <general tendon="t1" dyntype="muscle" gaintype="muscle" biastype="muscle" gainprm=".75 1.05 -1 200 .5 1.6 1.5 1.3 1.2" lengthrange="0 1"/>
  </actuator>
  <keyframe><key name="home" time="2" mpos="1 2 3"/><key mquat="1 1 0 0"/></keyframe>
</mujoco>
"""
SENSORS = f"""
<mujoco><size nuser_sensor="2"/>{TREE}
  <actuator><motor name="act" joint="h1"/><position name="pos" tendon="t1"/></actuator>
  <sensor>
    <touch site="sa" cutoff="2" noise=".1" user="1"/><accelerometer site="sb"/><velocimeter site="sa"/><gyro site="sa" name="gy"/>
    <force site="sa"/><torque site="sb"/><magnetometer site="sc"/><rangefinder site="sd" cutoff="5"/><camprojection site="sa" camera="cam"/>
    <jointpos joint="h1"/><jointvel joint="s1" cutoff="3"/><tendonpos tendon="t1"/><tendonvel tendon="t2"/><actuatorpos actuator="act"/>
    <actuatorvel actuator="pos"/><actuatorfrc actuator="act"/><jointactuatorfrc joint="h2"/><tendonactuatorfrc tendon="t1"/>
    <ballquat joint="bl"/><ballangvel joint="bl"/><jointlimitpos joint="h1"/><jointlimitvel joint="s1"/><jointlimitfrc joint="h1"/>
    <tendonlimitpos tendon="t1"/><tendonlimitvel tendon="t2"/><tendonlimitfrc tendon="t1"/>
    <framepos objtype="site" objname="sa" reftype="body" refname="b"/><framequat objtype="xbody" objname="c"/>
    <framexaxis objtype="geom" objname="ga" reftype="camera" refname="cam"/><frameyaxis objtype="body" objname="d"/>
    <framezaxis objtype="camera" objname="cam"/><framelinvel objtype="geom" objname="gc" reftype="site" refname="se"/>
    <frameangvel objtype="body" objname="a"/><framelinacc objtype="site" objname="sd"/><frameangacc objtype="xbody" objname="e"/>
    <subtreecom body="a"/><subtreelinvel body="b"/><subtreeangmom body="c"/><insidesite objtype="site" objname="sa" site="sc"/>
    <distance geom1="ga" geom2="gs" cutoff="3"/><normal body1="a" body2="e" cutoff="1"/><fromto geom1="gc" body2="e" cutoff="2"/>
    <e_potential/><e_kinetic/><clock name="time"/><user dim="4" datatype="positive" needstage="vel"/><user dim="3" objtype="body" objname="a" datatype="axis"/>
  </sensor>
</mujoco>
"""
PLUGINS = """
<mujoco>
  <extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"><config key="twist" value="1e3"/><config key="bend" value="1e2"/></instance></plugin>
    <plugin plugin="mujoco.pid"/><plugin plugin="mujoco.sensor.touch_grid"/><plugin plugin="mujoco.sdf.torus"/></extension>
  <worldbody><body name="a"><joint name="j"/><geom name="g" size=".1"/><site name="s"/><plugin instance="i"/>
    <body name="b" pos="1 0 0"><joint name="j2" type="ball"/><geom size=".1"/><plugin plugin="mujoco.elasticity.cable" instance="i"/></body></body></worldbody>
  <actuator><plugin plugin="mujoco.pid" joint="j" actdim="2"><config key="kp" value="3"/><config key="ki" value="1"/><config key="slewmax" value="2"/></plugin>
    <motor joint="j"/></actuator>
  <sensor><plugin name="t" plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config key="size" value="2 3"/>
    <config key="fov" value="10 20"/><config key="gamma" value="0"/><config key="nchannel" value="1"/></plugin></sensor>
</mujoco>
"""
RELATIONS = {"equality": EQUALITY, "actuators": ACTUATORS, "sensors": SENSORS, "plugins": PLUGINS}
"""XML texts of the models of this module, by name."""
