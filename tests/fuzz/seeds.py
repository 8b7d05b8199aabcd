"""Seed models for mutation, which are small and together cover every feature of the format."""

from __future__ import annotations

from pathlib import Path

from fuzz.seeds_relations import RELATIONS
from rich_model import XML

MODELS = Path(__file__).parents[2] / "models"

BODIES = """
<mujoco model="bodies">
  <compiler angle="radian" eulerseq="XYz" boundmass=".01" boundinertia="1e-4" inertiagrouprange="0 3"/>
  <size nuser_jnt="2" nuser_site="3"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" pos="0 0 -1"/>
    <body name="a" pos="1 2 3" euler=".1 .2 .3" gravcomp=".5" user="1 2">
      <freejoint name="root" align="true"/>
      <geom name="ga" type="box" size=".1 .2 .3" group="1" friction=".5" quat="1 2 3 4"/>
      <geom name="gc" type="capsule" size=".1" fromto="0 0 0 .3 .4 .5" mass="2"/>
      <frame name="f1" pos="0 0 .5" axisangle="0 1 0 .4">
        <geom name="ge" type="ellipsoid" size=".1 .2 .3" density="500" fluidshape="ellipsoid" fluidcoef=".3 .2 1 .5 .4"/>
        <body name="b" pos=".5 0 0" xyaxes="1 1 0 0 1 1">
          <inertial pos=".1 .2 .3" mass="1" diaginertia="1 2 2.5" euler=".1 0 0"/>
          <joint name="hinge" axis="1 2 3" range="-.5 .9" ref=".1" springref=".2" stiffness="3" damping="2"
             frictionloss="1" armature=".3" margin=".01" solreflimit=".1" actuatorfrcrange="-2 3" actuatorgravcomp="true"/>
          <joint name="slide" type="slide" axis="0 1 0" springdamper=".2 1.5" user="4"/>
          <site name="s1" pos="0 0 .1" zaxis="1 1 1" size=".1"/>
          <site name="s2" type="capsule" size=".01" fromto="0 0 0 1 1 0" group="2" rgba="1 0 0 1"/>
        </body>
      </frame>
      <body name="c" pos="0 .3 0" zaxis="1 0 1"><joint name="ball" type="ball" range="0 1" damping=".1"/>
        <geom name="gy" type="cylinder" size=".1 .2" contype="2" conaffinity="3" condim="4" priority="1" margin=".1" gap=".05"/>
        <camera name="cam" mode="targetbody" target="a" pos="1 1 1" fovy="30"/>
        <light name="lit" mode="track" dir="1 1 -1" pos="0 0 2" cutoff="30" diffuse="1 0 0"/>
      </body>
    </body>
    <body name="fixed" pos="2 0 0"><geom type="sphere" size=".3" name="gs"/>
      <body name="fixed2" pos="0 0 1"><geom size=".1" pos=".1 0 0"/><site name="s3"/></body></body>
    <body name="moc" mocap="true" pos="0 0 2"><geom type="box" size=".1 .1 .1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <keyframe><key name="k" qpos="1 0 0 1 0 0 0 .1 .2 1 0 0 0" mpos="1 2 3"/><key time="2" qvel="1 2 3 4 5 6 7 8 9 10 11"/></keyframe>
</mujoco>
"""
INERTIAS = """
<mujoco>
  <compiler inertiafromgeom="auto" balanceinertia="true" settotalmass="10" autolimits="false" angle="degree"/>
  <statistic extent="2" center="0 0 1"/>
  <default><geom density="300" type="box" size=".1 .2 .3"/><joint damping=".1" armature=".01"/></default>
  <worldbody>
    <body name="p" pos="0 0 1" childclass="main"><joint name="j1" limited="true" range="-45 60" ref="10" springref="20"/>
      <geom name="g1" euler="10 20 30"/><geom name="g2" type="sphere" size=".2" pos=".5 0 0" group="4"/>
      <body name="q"><joint name="j2" type="slide" limited="true" range="-1 1"/>
        <inertial pos="0 0 .1" mass="2" fullinertia="1 1.2 1.4 .1 .05 .02"/>
        <geom name="g3" type="cylinder" size=".1 .5"/></body>
      <body name="r" pos="1 0 0"><geom name="g4" type="capsule" size=".1 .3" axisangle="1 1 0 40"/>
        <body name="t"><joint name="j3" type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1.9" quat="1 1 0 0"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
CLASSES = """
<mujoco>
  <compiler autolimits="true"/>
  <default>
    <geom friction=".5" rgba="1 0 0 1" user="1 2"/> <joint damping="1" range="0 1"/> <motor gear="3" ctrlrange="0 1"/>
    <position kp="4" kv="2"/> <light directional="true"/> <camera fovy="33" resolution="10 20"/> <site size=".3" euler="0 0 .4"/>
    <tendon springlength=".3" width=".1" stiffness="2"/> <pair condim="4" friction=".7"/> <equality solref=".1" active="false"/>
    <mesh scale="2 2 2"/> <material rgba="0 1 0 1" shininess=".2"/> <cylinder diameter="2"/>
    <default class="a"> <geom size=".2" friction=".1 .2" type="sphere"/> <joint type="slide" axis="1 0 0"/>
      <general dyntype="filter" biastype="affine" biasprm="1 2 3"/>
      <default class="b"> <geom type="box" size=".1 .2 .3" quat="0 1 0 0"/> <general gear="7"/> <site type="box"/> </default>
    </default>
    <default class="c"> <geom type="capsule" size=".1 .2" mass="3"/> <joint type="hinge" stiffness="3" axis="0 1 0"/>
      <position kp="7" ctrlrange="0 1"/> <adhesion gain="3" ctrlrange="0 1"/> <damper kv="3" ctrlrange="0 2"/> </default>
  </default>
  <asset><material name="m" class="a" rgba="1 1 0 1"/><mesh name="tet" class="main" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/></asset>
  <worldbody>
    <light name="l1"/> <camera name="c1"/> <site name="s0"/> <site name="s1" quat="0 1 0 0" class="b" size=".1 .1 .1"/> <geom name="one" size="1" material="m"/>
    <body name="x" childclass="a"> <joint name="hip"/> <geom name="two"/> <geom class="b" euler="0 0 .1"/> <geom class="main" size="2"/>
      <frame childclass="b" euler="0 0 30"> <geom name="three" friction=".9"/> <body name="y"> <joint name="knee"/> <geom/> </body> </frame>
      <body name="z" childclass="c"> <joint name="toe"/> <geom name="four"/> <geom type="mesh" mesh="tet" class="a"/> </body>
    </body>
  </worldbody>
  <contact> <pair geom1="three" geom2="one" class="a" name="pa"/> <exclude body1="x" body2="z"/> </contact>
  <tendon> <fixed name="line" class="b"> <joint joint="hip" coef="2"/> <joint joint="toe" coef="-1"/> </fixed> </tendon>
  <equality> <joint joint1="hip" joint2="knee" class="a" polycoef="0 2"/> </equality>
  <actuator>
    <motor joint="hip"/> <position joint="hip" class="c"/> <position joint="hip" class="b" kp="1"/> <velocity tendon="line"/>
    <general joint="hip" class="b"/> <damper joint="toe" class="c"/> <cylinder joint="knee"/> <adhesion body="x" class="c"/>
    <intvelocity joint="toe" class="a" actrange="0 1"/>
  </actuator>
</mujoco>
"""
ASSETS = """
<mujoco>
  <compiler fitaabb="false" inertiafromgeom="true"/>
  <asset>
    <texture name="flat" type="2d" builtin="flat" width="4" height="8" rgb1="1 0 0" mark="cross" markrgb="1 1 1"/>
    <texture name="grad" type="cube" builtin="gradient" width="4" height="24" rgb1="1 0 0" rgb2="0 1 0"/>
    <texture name="check" type="2d" builtin="checker" width="6" height="6" mark="edge" hflip="true" nchannel="4"/>
    <texture type="skybox" builtin="gradient" width="4" height="4" mark="random" random=".3"/>
    <material name="one" texture="flat" texrepeat="2 3" texuniform="true" reflectance=".3" metallic=".1" roughness=".2"/>
    <material name="two"><layer texture="check" role="rgb"/><layer texture="flat" role="normal"/></material>
    <hfield name="hills" nrow="3" ncol="4" size="1 2 .5 .1" elevation="0 1 2 3 4 5 6 7 8 9 10 11"/>
    <hfield name="plain" nrow="2" ncol="2" size="1 1 1 1"/>
    <mesh name="tet" vertex="0 0 0 1 0 0 0 2 0 0 0 3" inertia="exact" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
    <mesh name="cube" vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1.5" scale=".1 .2 .3" refpos="1 0 0"
      refquat="1 1 0 0" inertia="convex" maxhullvert="6"/>
    <mesh name="shell" vertex="0 0 0 1 0 0 0 2 0 0 0 3" face="0 2 1 0 1 3 0 3 2" inertia="shell" smoothnormal="true"
      texcoord="0 0 1 0 0 1 1 1"/>
    <skin name="skin" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2" texcoord="0 0 1 0 0 1" material="one" inflate=".1">
      <bone body="x" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 .5"/>
      <bone body="y" bindpos="0 0 1" bindquat="1 1 0 0" vertid="2" vertweight=".5"/></skin>
  </asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="hills" pos="0 0 -1"/>
    <light type="directional" texture="flat"/>
    <body name="x"><freejoint/><geom type="mesh" mesh="tet" material="one" name="m1"/>
      <geom type="box" mesh="cube" name="fit" fitscale="1.2" pos="1 0 0" euler="10 20 30"/>
      <geom type="capsule" mesh="tet" name="fit2" density="200"/><geom type="sphere" mesh="tet" name="fit3"/>
      <body name="y" pos="0 0 1"><joint type="ball"/><geom type="mesh" mesh="cube" mass="2" quat="1 0 1 0"/>
      <geom type="ellipsoid" mesh="cube"/><geom type="cylinder" mesh="tet"/></body>
    </body>
    <body name="z" pos="5 0 0"><geom type="mesh" mesh="shell" material="two" density="10"/></body>
  </worldbody>
</mujoco>
"""
LOOKS = """
<mujoco>
  <option timestep=".005" gravity="0 0 -1" wind="1 0 0" density="1.2" viscosity="1e-5" integrator="implicitfast" cone="elliptic"
    solver="CG" jacobian="sparse" iterations="7" o_margin=".1" o_solref=".1 1" actuatorgroupdisable="1 3" impratio="2">
    <flag contact="disable" energy="enable" override="enable" island="enable"/></option>
  <visual><global fovy="30" offwidth="99" azimuth="10" cameraid="0"/><quality shadowsize="7"/><headlight active="0" ambient="1 1 1"/>
    <map znear=".02" zfar="9" force=".1"/><scale com="2" jointlength="3"/><rgba fog="1 0 1 .5"/></visual>
  <statistic meaninertia="1" meanmass="2" meansize="3"/>
  <size memory="2M" nuserdata="4" nkey="3" nuser_cam="2" nuser_geom="-1"/>
  <custom><numeric name="n" data="1 2 3" size="5"/><numeric name="n2" size="2"/><text name="t" data="hello"/>
    <tuple name="tu"><element objtype="body" objname="b" prm="3"/><element objtype="geom" objname="g"/></tuple></custom>
  <worldbody>
    <camera name="c0" orthographic="true" fovy="2"/>
    <camera name="c1" sensorsize="1 2" resolution="100 200" focal=".5 .6" principal=".1 .2"/>
    <camera name="c2" sensorsize=".01 .02" resolution="64 48" focalpixel="30 50" principalpixel="3 4" user="1 2"/>
    <light name="l0" type="point" attenuation="1 .5 .2" bulbradius=".1" intensity="3" range="20"/>
    <light name="l1" mode="trackcom" active="false" castshadow="false" exponent="3" ambient=".1 .1 .1" specular="1 1 1"/>
    <body name="b"><joint name="j"/><geom name="g" size=".1"/>
      <camera name="c3" mode="trackcom" pos="0 0 1" euler="30 0 0" ipd=".1"/>
      <camera name="c4" mode="targetbodycom" target="b" pos="1 0 0"/><light mode="targetbodycom" target="b" dir="0 1 0"/></body>
  </worldbody>
  <keyframe><key name="a" qpos="1" ctrl=""/><key time="1"/></keyframe>
</mujoco>
"""
MACROS = """
<mujoco>
  <compiler angle="radian"/>
  <asset><mesh name="flap" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <default><default class="k"><geom size=".03" type="sphere"/></default></default>
  <worldbody>
    <replicate count="3" offset="1 0 0" euler="0 0 .3" sep="-">
      <body name="rep" childclass="k"><joint name="rj"/><geom name="rg"/><site name="rs"/>
        <replicate count="2" offset="0 0 .1"><geom name="in" pos="0 1 0"/></replicate></body>
    </replicate>
    <frame name="f" pos="0 1 0" euler="0 0 1"><replicate count="2" euler="0 1 0"><geom size=".1" pos="1 0 0"/></replicate></frame>
    <body name="rope" pos="0 0 3">
      <composite type="cable" prefix="C" count="5 1 1" size="1" curve="s" initial="none">
        <joint kind="main" damping=".1"/><geom type="capsule" size=".02" condim="1"/></composite></body>
    <flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" radius=".01" mass="1" dim="2" pos="0 0 1">
      <contact selfcollide="none"/><edge equality="true" damping=".1"/><pin id="0 2"/></flexcomp>
    <body name="holder"><flexcomp name="soft" type="box" count="3 3 3" spacing=".1 .1 .1" dim="3" rigid="false">
      <elasticity young="1e3" poisson=".2" damping=".01"/><pin range="0 4"/></flexcomp></body>
    <body name="v0"><freejoint/><geom size=".1"/></body><body name="v1" pos="1 0 0"><freejoint/><geom size=".1"/></body>
    <body name="v2" pos="0 1 0"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <deformable><flex name="tri" dim="2" body="v0 v1 v2" element="0 1 2" radius=".01"><contact condim="1"/><elasticity young="3"/></flex></deformable>
  <actuator><motor joint="rj-0" gear="2"/></actuator>
  <sensor><jointpos joint="rj-1"/></sensor>
  <equality><flex flex="cloth" solref=".01"/></equality>
</mujoco>
"""
STATIC = """
<mujoco>
  <compiler fusestatic="true" discardvisual="true" alignfree="true" angle="radian" usethread="false"/>
  <asset><material name="unused"/><material name="used"/><texture name="t" builtin="flat" width="2" height="12"/>
    <mesh name="visual" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/><mesh name="solid" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/></asset>
  <worldbody>
    <body name="a" pos="1 0 0" euler="0 0 1"><geom size=".1" material="used"/><geom size=".2" contype="0" conaffinity="0" name="ghost"/>
      <body name="b" pos="0 1 0" euler=".3 0 0"><geom type="mesh" mesh="solid"/><site name="s" pos="1 1 1"/>
        <body name="c" pos="0 0 1"><joint name="j" ref=".3"/><geom size=".1" pos=".1 .2 .3"/><geom type="mesh" mesh="visual" contype="0" conaffinity="0" group="2"/></body></body></body>
    <body name="free" pos="0 0 3" quat="1 1 1 0"><freejoint name="fj"/><geom type="box" size=".1 .2 .3" pos=".1 0 0" euler=".1 .2 .3"/>
      <body name="d" pos="0 0 1"><geom size=".1"/><camera name="cam" pos="1 0 0"/></body></body>
  </worldbody>
  <sensor><framepos objtype="site" objname="s"/></sensor>
</mujoco>
"""
URDF = """
<robot name="arm">
  <mujoco><compiler strippath="true" fusestatic="false" discardvisual="false" balanceinertia="true"/></mujoco>
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 .1" rpy=".1 0 0"/><mass value="2"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz=".01" iyz="0"/></inertial>
    <visual><origin xyz="0 0 1"/><geometry><box size=".1 .2 .3"/></geometry><material name="red"/></visual>
    <collision><geometry><cylinder radius=".1" length=".5"/></geometry></collision></link>
  <link name="one"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="col"><origin xyz="0 0 .1" rpy="0 .3 0"/><geometry><sphere radius=".2"/></geometry></collision></link>
  <link name="two"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="three"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="four"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="one"/><origin xyz="0 0 1" rpy="0 0 .3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/><dynamics damping=".1" friction=".2"/></joint>
  <joint name="j2" type="prismatic"><parent link="one"/><child link="two"/><axis xyz="0 0 1"/><limit lower="0" upper="1" effort="5"/></joint>
  <joint name="j3" type="fixed"><parent link="one"/><child link="three"/><origin xyz="1 0 0"/></joint>
  <joint name="j4" type="continuous"><parent link="base"/><child link="four"/><axis xyz="1 0 0"/></joint>
</robot>
"""
SEEDS: dict[str, str] = {
    "rich": XML, "bodies": BODIES, "inertias": INERTIAS, "classes": CLASSES, "assets": ASSETS, "looks": LOOKS, "macros": MACROS,
    "static": STATIC, "urdf": URDF, **RELATIONS,
    # models with files are excluded, because rounding decides the order of boxes of symmetric meshes
    **{path.stem: text for path in sorted(MODELS.glob("*.xml")) if "assets/" not in (text := path.read_text())},
}  # fmt: skip
"""XML texts of the seed models, by name."""
