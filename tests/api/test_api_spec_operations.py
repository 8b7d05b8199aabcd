"""Operations of newer MuJoCo versions: operations on whole models and on files in memory, and saving of edits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conjoint
from waiting import PATIENCE

BOX = b"""v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
f 1 2 3 4
f 5 8 7 6
f 1 5 6 2
f 2 6 7 3
f 3 7 8 4
f 4 8 5 1
"""
MESH = """<mujoco><asset><mesh name="box" file="box.obj" scale=".1 .1 .1"/></asset>
<worldbody><body name="b"><joint name="j"/><geom type="mesh" mesh="box"/></body></worldbody></mujoco>"""


def test_files_in_memory() -> None:
    with conjoint.MjVfs() as vfs:
        vfs["meshes/Box.obj"] = BOX
        vfs["other/Box.obj"] = b"another one"
        assert "box.obj" not in vfs and "meshes/Box.obj" in vfs
        del vfs["other/Box.obj"]
        assert conjoint.MjModel.from_xml_string(MESH, vfs=vfs).nmesh == 1
        spec = conjoint.MjSpec.from_string(MESH)
        first = spec.compile(vfs)
        spec.worldbody.add_body().add_geom(size=[1, 0, 0])
        assert spec.recompile(first, conjoint.MjData(first), vfs=vfs)[0].ngeom == 2
        assert not spec.assets
        with pytest.raises(ValueError, match="delete it first"):
            vfs["meshes/Box.obj"] = BOX
        with pytest.raises(ValueError, match="use one of them"):
            conjoint.MjModel.from_xml_string(MESH, {"box.obj": BOX}, vfs)
        del vfs["meshes/Box.obj"]
        with pytest.raises(KeyError):
            vfs["meshes/Box.obj"]
    with pytest.raises(RuntimeError, match="closed"):
        spec.compile(vfs)


TREE = """<mujoco>
  <asset><material name="red"/><texture name="grey" type="2d" builtin="flat" width="2" height="2"/></asset>
  <worldbody>
    <body name="arm"><joint name="j"/><geom name="link" size=".1" material="red"/>
      <body name="bracket" pos="1 0 0" euler="0 0 90">{inertial}
        <geom name="plate" size=".1" pos="0 .2 0"/>
        <geom name="look" size=".2" contype="0" conaffinity="0" group="3"/>
        <body name="hand" pos="0 0 1"><joint name="k"/><geom name="palm" size=".1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>"""
EXPLICIT = '<inertial pos=".1 0 0" mass="3" diaginertia=".3 .2 .2"/>'


def inertias(model: Any) -> np.ndarray:
    """Return the dense joint-space inertia matrix at the initial configuration."""
    data, dense = conjoint.MjData(model), np.zeros((model.nv, model.nv))
    conjoint.mj_forward(model, data)
    conjoint.mj_fullM(model, dense, data.qM)
    return dense


@pytest.mark.parametrize("inertial", ["", EXPLICIT])
def test_static_bodies_become_frames(inertial: str) -> None:
    spec = conjoint.MjSpec.from_string(TREE.format(inertial=inertial))
    before = spec.compile()
    assert spec.fuse_static() == 1
    assert spec.body("bracket") is None
    assert spec.geom("plate").parent is spec.body("arm")
    after = spec.compile()
    assert after.nbody == before.nbody - 1
    assert np.allclose(inertias(after), inertias(before))
    assert spec.fuse_static() == 0
    kept = conjoint.MjSpec.from_string(TREE.format(inertial=inertial))
    kept.body("bracket").fuse = False
    assert kept.fuse_static() == 0
    assert 'fuse="false"' in kept.to_xml()


def test_what_is_only_seen_is_discarded() -> None:
    spec = conjoint.MjSpec.from_string(TREE.format(inertial=""))
    before = spec.compile()
    # the three elements are a geom, a material and a texture
    assert spec.discard_visual() == 3
    after = spec.compile()
    assert (after.ngeom, after.nmat, after.ntex) == (before.ngeom - 1, 0, 0)
    assert np.allclose(inertias(after), inertias(before))
    spec = conjoint.MjSpec.from_string(TREE.format(inertial=""))
    spec.compiler.inertiafromgeom = 1
    with pytest.raises(ValueError, match="inertiafromgeom"):
        spec.discard_visual()
    assert spec.geom("look") is not None


def test_equal_assets_are_merged() -> None:
    spec = conjoint.MjSpec.from_string("""<mujoco><asset>
      <texture name="a" type="2d" builtin="flat" width="2" height="2"/><texture name="b" type="2d" builtin="flat" width="2" height="2"/>
      <texture name="c" type="2d" builtin="flat" width="2" height="4"/><material name="m" texture="b"/>
      <mesh name="one" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="two" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
      </asset><worldbody><geom type="mesh" mesh="two"/></worldbody></mujoco>""")
    assert spec.dedup_assets() == 2
    assert [texture.name for texture in spec.textures] == ["a", "c"]
    assert spec.geoms[0].meshname == "one"
    assert spec.material("m").textures[1] == "a"
    assert spec.compile().nmesh == 1
    assert spec.dedup_assets() == 0


def test_an_inferred_inertia_is_adopted() -> None:
    spec = conjoint.MjSpec.from_string(TREE.format(inertial=""))
    before = spec.compile()
    spec.adopt_inertial(spec.body("hand"))
    spec.geom("palm").size[0] = 1
    after = spec.compile()
    hand = before.body("hand").id
    for name in ("body_mass", "body_inertia", "body_ipos"):
        assert np.allclose(getattr(after, name)[hand], getattr(before, name)[hand])


def test_changes_of_a_model_come_back() -> None:
    """Values edited in the compiled model are written back to the specification, in the frames and units used there.

    If a value cannot be expressed there, an error is raised and nothing is written.
    """
    spec = conjoint.MjSpec.from_string("""<mujoco><worldbody>
      <frame pos="1 0 0" euler="0 0 90"><body name="b" pos="1 0 0"><joint name="j" range="-90 90" damping="1"/>
      <geom name="g" type="capsule" fromto="0 0 0 0 0 1" size=".1"/></body></frame></worldbody>
      <actuator><motor name="a" joint="j"/></actuator><keyframe><key qpos="1"/></keyframe></mujoco>""")
    model = spec.compile()
    model.body("b").pos[:] = 4, 0, 0
    model.joint("j").range[1] = 1
    model.joint("j").damping[:] = 2
    model.geom("g").size[:2] = 0.2, 0.3
    model.actuator("a").gear[0] = 7
    model.key_qpos[0] = 0.5
    model.opt.timestep = 0.001
    model.body("b").mass = 9
    spec.copy_back(model)
    assert np.allclose(spec.body("b").pos, (0, -3, 0))
    assert np.allclose(spec.joint("j").range, (-90, np.degrees(1)))
    again = spec.compile()
    names = ("body_pos", "jnt_range", "dof_damping", "geom_size", "geom_pos", "actuator_gear", "key_qpos", "body_mass")
    for name in names:
        assert np.allclose(getattr(again, name), getattr(model, name)), name
    assert again.opt.timestep == 0.001
    spec = conjoint.MjSpec.from_string(MESH, assets={"box.obj": BOX})
    model = spec.compile()
    model.geom_size[0], model.jnt_pos[0] = 1, 1
    with pytest.raises(ValueError, match="geom_size"):
        spec.copy_back(model)
    assert not spec.joint("j").pos.any()


def test_encoding(tmp_path: Path) -> None:
    spec = conjoint.MjSpec.from_string(MESH, assets={"box.obj": BOX})
    model = spec.compile()
    model.opt.timestep = 0.001
    for ending in ("xml", "mjb", "txt", "mjz"):
        path = tmp_path / f"model.{ending}"
        assert spec.encode(path, model) == path.stat().st_size > 0
    assert conjoint.MjModel.from_binary_path(tmp_path / "model.mjb").opt.timestep == 0.001
    assert conjoint.MjSpec.from_zip(tmp_path / "model.mjz").compile().opt.timestep == 0.001
    with pytest.raises(conjoint.FatalError, match="no encoder"):
        spec.encode(tmp_path / "model.unknown", model)
    with pytest.raises(conjoint.FatalError, match="pass it as `model`"):
        spec.encode(tmp_path / "model.mjb")


CHILD = '<mujoco><option timestep=".001" iterations="150"/><worldbody><body name="c"><geom size="1"/></body></worldbody></mujoco>'
PARENT = """<mujoco><compiler conflict="{how}"/><option timestep=".005" iterations="50"/>
<asset><model name="child" file="child.xml"/></asset>
<worldbody><attach model="child" body="c" prefix="x-"/></worldbody></mujoco>"""


def test_options_of_attached_models() -> None:
    """Options of attached models are merged, dropped or rejected, as in MuJoCo."""

    def read(how: str) -> Any:
        return conjoint.MjModel.from_xml_string(PARENT.format(how=how), {"child.xml": CHILD})

    merged = read("merge")
    assert (merged.opt.timestep, merged.opt.iterations) == (0.001, 150)
    with pytest.warns(UserWarning, match="timestep"):
        assert read("warning").opt.timestep == 0.005
    with pytest.raises(ValueError, match="timestep"):
        read("error")
    parent, child = conjoint.MjSpec(), conjoint.MjSpec()
    parent.compiler.conflict = conjoint.mjtConflict.mjCONFLICT_MERGE
    parent.option.integrator = conjoint.mjtIntegrator.mjINT_RK4
    child.option.integrator, child.option.timestep = conjoint.mjtIntegrator.mjINT_IMPLICIT, 0.001
    with pytest.raises(ValueError, match="integrator"):
        parent.worldbody.add_frame().attach_body(child.worldbody.add_body(), "x-", "")
    assert parent.option.timestep == 0.002


def test_what_a_file_gave_is_known() -> None:
    spec = conjoint.MjSpec.from_string(
        '<mujoco><option timestep=".01"><flag contact="disable" energy="enable"/></option>'
        '<visual><global fovy="60"/></visual></mujoco>'
    )
    authored = spec.authored
    assert authored.option
    assert authored.visual_global
    assert not authored.visual_map
    assert authored.disableflags == conjoint.mjtDisableBit.mjDSBL_CONTACT
    assert authored.enableflags == conjoint.mjtEnableBit.mjENBL_ENERGY
    assert conjoint.MjSpec().authored.option == conjoint.MjSpec().compiler.authored == 0


def test_what_is_kept_is_written() -> None:
    spec = conjoint.MjSpec.from_string(
        '<mujoco><asset><material name="m"/><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" material="m"/></asset>'
        '<worldbody><light softness=".5"/><geom type="mesh" mesh="t" castshadow="false"/></worldbody></mujoco>'
    )
    assert spec.compile().geom_matid.tolist() == [0]
    text = spec.to_xml()
    for written in ('softness="0.5"', 'castshadow="false"', 'material="m"'):
        assert written in text
    frame = conjoint.MjSpec().worldbody.add_frame(scale=2)
    assert frame.scale.tolist() == [2, 2, 2]
    frame.add_body().add_geom(size=[1, 0, 0])
    assert frame.spec.compile().geom_size[0, 0] == 2


def test_flexes_and_meshes_of_points() -> None:
    """`make_flex` creates the same flex as the flexcomp macro, and `make_grid` creates the same points as MuJoCo 4.0.0."""
    macro = """<mujoco><worldbody><body name="b"><flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"
      pos="1 2 3" rigid="false"><edge equality="true"/></flexcomp></body></worldbody></mujoco>"""
    wanted = conjoint.MjModel.from_xml_string(macro)
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_body(name="b")
    body.make_flex("f", "grid", 2, count=[3, 3, 1], spacing=[0.1, 0.1, 0.1], pos=[1, 2, 3], equality=1)
    made = spec.compile()
    for name in ("flexvert_J_rownnz", "body_pos", "body_mass", "flex_elem", "eq_type", "flexedge_length0"):
        if hasattr(wanted, name):
            assert np.array_equal(getattr(made, name), getattr(wanted, name)), name
    mesh = spec.add_mesh(name="cells")
    mesh.make_grid([2, 2, 2], [1, 1, 1])
    # these numbers are those of 4.0.0
    assert mesh.usernode[:6].tolist() == [-0.5, -0.5, -0.5, -0.5, -0.5, 0.5]
    assert mesh.usertet[:12].tolist() == [0, 2, 4, 3, 0, 4, 1, 3, 4, 2, 6, 3]
    assert spec.worldbody.make_flex("g", mesh="cells").dim == 3
    spec.add_mesh(name="flat").make_disc([3, 3, 1], [1, 1, 0])
    assert spec.compile().nflex == 2
    with pytest.raises(ValueError, match="mesh 'cels' not found"):
        body.make_flex("h", mesh="cels")
    with pytest.raises(ValueError, match=r"equality must be 0, 1 \(edges\) or 3"):
        body.make_flex("h", equality=2)


def test_defaults_of_textures() -> None:
    spec = conjoint.MjSpec.from_string(
        '<mujoco><default><default class="c"><texture type="2d" builtin="flat" width="2" height="3"/></default></default>'
        '<asset><texture name="t" class="c"/></asset></mujoco>'
    )
    assert spec.texture("t").height == 3
    assert spec.add_texture(spec.find_default("c"), name="u", height=4).width == 2
    assert spec.compile().tex_height.tolist() == [3, 4]
    assert 'class="c"' in spec.to_xml()


NEWER = """
import conjoint
conjoint.install_as_mujoco(version="4.0")
spec = conjoint.MjSpec.from_string('''<mujoco><worldbody><body name="b"><frame name="f"><geom name="g" size="1"/>
<frame><body name="c"><geom size="1"/></body></frame></frame></body></worldbody>
<sensor><framepos objtype="geom" objname="g"/></sensor></mujoco>''')
geom = spec.geom("g")
spec.delete(spec.frame("f"))
assert not spec.frames and not spec.geoms and not spec.sensors and len(spec.bodies) == 2 and geom.parent is None
texture = spec.add_texture(name="t", gridlayout=list(".U..LFRB.D.."))
texture.gridlayout = "LR"
assert texture.gridlayout == "LR" + 10 * "\\0"
assert spec.add_mesh(file="x.obj").name == "" and spec.mesh("x") is None
parent, child = conjoint.MjSpec(), conjoint.MjSpec()
child.assets, mesh = {"d/x.obj": b"1"}, child.add_mesh(name="m", file="x.obj")
parent.attach(child, prefix="p", suffix="s", frame=parent.worldbody.add_frame())
assert list(parent.assets) == ["d/pxs.obj"] and mesh.file == "pxs.obj"
assert "pos=" not in conjoint.MjSpec.from_string("<mujoco><worldbody><site/></worldbody></mujoco>").to_xml()
"""


def test_rules_of_newer_versions() -> None:
    subprocess.run([sys.executable, "-c", NEWER], check=True, timeout=PATIENCE)
