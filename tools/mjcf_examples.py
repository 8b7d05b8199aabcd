"""Introductions to the pages on model files: the purpose of each section, and an example model."""


def example(text: str, model: str) -> str:
    """Return an introduction in Markdown: a text, and a model as a code block."""
    return f"{text}\n\n```xml\n{model.strip()}\n```"


EXAMPLES = {
    "mujoco": example(
        "A model file has one element `mujoco`, which contains sections. Each section is described on a page of its "
        "own. `include` inserts other files.",
        """
<mujoco model="pendulum">
  <worldbody>
    <body pos="0 0 1">
      <joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/>
    </body>
  </worldbody>
</mujoco>
""",
    ),
    "compiler": example(
        "`compiler` determines how a file is read. In this example, angles are in radians, and meshes are in the "
        "folder `meshes`.",
        """
<mujoco>
  <compiler angle="radian" meshdir="meshes"/>
  <worldbody>
    <body><joint range="-1.57 1.57"/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
""",
    ),
    "option": example(
        "`option` determines how a model is simulated: timestep, integrator, solver, gravity and the medium.",
        """
<mujoco>
  <option timestep="0.005" integrator="implicitfast" gravity="0 0 -1.62">
    <flag energy="enable"/>
  </option>
</mujoco>
""",
    ),
    "size": example(
        "`size` reserves memory that the elements do not determine. In this example, it is an array of ten numbers for "
        "a program.",
        """
<mujoco>
  <size nuserdata="10"/>
</mujoco>
""",
    ),
    "visual": example(
        "`visual` determines how a model is drawn. The settings apply to the whole model; settings of single elements "
        "are attributes of `material`, `light` and `camera`.",
        """
<mujoco>
  <visual>
    <global azimuth="120" elevation="-20" offwidth="1920" offheight="1080"/>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.25 0.25 0.25"/>
    <rgba haze="0.93 0.95 0.97 1"/>
  </visual>
</mujoco>
""",
    ),
    "statistic": example(
        "`statistic` replaces numbers that the compiler derives from a model. It is mostly used to center the view.",
        """
<mujoco>
  <statistic center="0 0 0.5" extent="1.2"/>
</mujoco>
""",
    ),
    "default": example(
        "`default` sets attributes of many elements at once. In this model, every geom is orange, and geoms of the "
        "class `finger` are capsules with more friction.",
        """
<mujoco>
  <default>
    <geom rgba="0.95 0.45 0.13 1"/>
    <default class="finger">
      <geom type="capsule" size="0.01" friction="2"/>
    </default>
  </default>
  <worldbody>
    <body childclass="finger"><joint/><geom fromto="0 0 0 0.1 0 0"/></body>
  </worldbody>
</mujoco>
""",
    ),
    "extension": example(
        "`extension` declares plugins and their shared instances. [Plugins](../plugins.md) explains how to write one.",
        """
<mujoco>
  <extension>
    <plugin plugin="mujoco.pid">
      <instance name="servo"><config key="kp" value="40"/><config key="kd" value="2"/></instance>
    </plugin>
  </extension>
  <worldbody><body><joint name="hinge"/><geom size="0.1"/></body></worldbody>
  <actuator><plugin joint="hinge" plugin="mujoco.pid" instance="servo"/></actuator>
</mujoco>
""",
    ),
    "custom": example(
        '`custom` stores data for programs in a model. `model.numeric("goal").data` reads the array below.',
        """
<mujoco>
  <custom>
    <numeric name="goal" data="0.4 0 0.2"/>
    <text name="task" data="reach"/>
  </custom>
</mujoco>
""",
    ),
    "asset": example(
        "`asset` defines resources that other elements refer to by name: meshes, height fields, textures, materials "
        "and other models.",
        """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1" scale="0.1 0.1 0.1"/>
    <texture name="checks" type="2d" builtin="checker" width="256" height="256"
             rgb1="0.80 0.79 0.77" rgb2="0.76 0.75 0.73"/>
    <material name="floor" texture="checks" texrepeat="8 8" reflectance="0.1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="4 4 0.1" material="floor"/>
    <body pos="0 0 1"><freejoint/><geom type="mesh" mesh="wedge"/></body>
  </worldbody>
</mujoco>
""",
    ),
    "worldbody": example(
        "`worldbody` contains the model itself: nested bodies with joints, geoms, sites, cameras and lights.",
        """
<mujoco>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="2 2 0.1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" range="0 150"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <site name="hand" pos="0.3 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    ),
    "deformable": example(
        "`deformable` contains flexes and skins. Most models instead use a "
        "[`flexcomp`](worldbody.md#worldbodyflexcomp), which generates a flex. In this example, it generates a cloth "
        "that hangs from two corners.",
        """
<mujoco>
  <option integrator="implicitfast"/>
  <worldbody>
    <flexcomp name="cloth" type="grid" count="8 8 1" spacing="0.05 0.05 0.05" pos="0 0 1" radius="0.005" mass="0.2">
      <edge equality="true" damping="0.01"/>
      <contact selfcollide="none"/>
      <pin id="0 7"/>
    </flexcomp>
  </worldbody>
</mujoco>
""",
    ),
    "contact": example(
        "`contact` overrides which geoms can collide, and with what parameters. For all other pairs, `contype` and "
        "`conaffinity` of the geoms determine whether they can collide.",
        """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="foot" pos="0 0 0.2"><freejoint/><geom name="sole" type="box" size="0.1 0.05 0.02"/></body>
  </worldbody>
  <contact>
    <pair geom1="floor" geom2="sole" friction="2 2 0.01 0.001 0.001"/>
  </contact>
</mujoco>
""",
    ),
    "equality": example(
        "`equality` couples elements. In this example, the second joint turns twice as far as the first.",
        """
<mujoco>
  <worldbody>
    <body><joint name="a"/><geom size="0.1" pos="0.2 0 0"/></body>
    <body pos="1 0 0"><joint name="b"/><geom size="0.1" pos="0.2 0 0"/></body>
  </worldbody>
  <equality>
    <joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/>
  </equality>
</mujoco>
""",
    ),
    "tendon": example(
        "`tendon` defines cables, muscle paths and sums of joint positions. In this example, a cable holds a weight.",
        """
<mujoco>
  <worldbody>
    <site name="hook" pos="0 0 1"/>
    <body pos="0 0 0.6"><freejoint/><geom size="0.05"/><site name="eye" pos="0 0 0.05"/></body>
  </worldbody>
  <tendon>
    <spatial range="0 0.4" width="0.004"><site site="hook"/><site site="eye"/></spatial>
  </tendon>
</mujoco>
""",
    ),
    "actuator": example(
        "`actuator` lists motors and servos. Programs set `data.ctrl`. In this example, it has one number per "
        "actuator: a torque for the motor and a target angle for the servo.",
        """
<mujoco>
  <worldbody>
    <body><joint name="a" damping="1"/><geom size="0.1" pos="0.2 0 0"/></body>
    <body pos="1 0 0"><joint name="b" damping="1"/><geom size="0.1" pos="0.2 0 0"/></body>
  </worldbody>
  <actuator>
    <motor joint="a" ctrlrange="-5 5"/>
    <position joint="b" kp="60" dampratio="1" ctrlrange="-1.5 1.5"/>
  </actuator>
</mujoco>
""",
    ),
    "sensor": example(
        "`sensor` lists the quantities to measure. `data.sensordata` contains all readings in the order of the file; "
        '`data.sensor("imu")` gives access to one sensor.',
        """
<mujoco>
  <worldbody>
    <body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.05"/><site name="chip"/></body>
  </worldbody>
  <sensor>
    <accelerometer name="imu" site="chip"/>
    <gyro site="chip"/>
    <framepos objtype="site" objname="chip"/>
  </sensor>
</mujoco>
""",
    ),
    "keyframe": example(
        '`keyframe` stores states. `mj_resetDataKeyframe(model, data, model.key("bent").id)` resets a world to one of '
        "them.",
        """
<mujoco>
  <worldbody><body><joint name="hinge"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
  <keyframe>
    <key name="bent" qpos="0.8"/>
  </keyframe>
</mujoco>
""",
    ),
    "urdf": example(
        "URDF files are loaded in the same way as MJCF files. The elements below are read. Other elements are ignored, "
        "because such files contain data for many programs. [Modeling](../modeling.md#urdf) explains what to set for "
        "floating robots and meshes.",
        """
<robot name="door">
  <link name="frame"/>
  <link name="leaf">
    <inertial><mass value="12"/><inertia ixx="2" iyy="1.5" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.04 2"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1.9" effort="50"/>
  </joint>
</robot>
""",
    ),
}
"""Introductions to the pages on model files, by page name."""
