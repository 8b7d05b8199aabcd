"""Values set by programs, compared with MuJoCo: settings, orientations, plugins, copies, paths and keyframes."""

from __future__ import annotations

import copy
import pickle

import mujoco
import numpy as np
import pytest

import conjoint
from oracle import model_differences
from spec_programs import CLASSED, both, same_model

WRONG = [
    lambda M, s, f: s.attach("child", prefix="x-", frame=f),
    lambda M, s, f: f.attach_body(M.MjSpec().worldbody.add_body(), 3),
    lambda M, s, f: s.recompile(s.compile(), None),
    lambda M, s, f: s.recompile("x", M.MjData(s.compile())),
    lambda M, s, f: M.mj_name2id(s.compile(), 5, 3),
    lambda M, s, f: M.mj_name2id(s.compile(), "geom", "x"),
    lambda M, s, f: M.mj_id2name(s.compile(), 5, "x"),
    lambda M, s, f: M.MjModel.from_xml_string("<mujoco/>", [("a", b"")]),
    lambda M, s, f: M.MjModel.from_xml_string("<mujoco/>", {"a": 3}),
    lambda M, s, f: M.MjModel.from_xml_string("<mujoco/>", {3: b""}),
    lambda M, s, f: s.add_material().textures.__setitem__(0, 3),
    lambda M, s, f: s.compile().body(0.0),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_arguments_of_the_wrong_type_are_type_errors(number):
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        with pytest.raises(TypeError):
            WRONG[number](M, spec, spec.worldbody.add_frame(name="f"))


def test_views_of_an_element_are_the_same_while_they_are_held():
    for M in (mujoco, conjoint):
        model = M.MjModel.from_xml_string(CLASSED)
        data = M.MjData(model)
        assert model.geom("fg") is model.geom(0) and model.geom(name="fg") == model.geom(0)
        assert data.body("a") is data.body(1) and data.body("a") is not data.body("b")


def test_groups_of_settings_can_be_assigned():
    def program(M):
        spec, other = M.MjSpec(), M.MjSpec()
        other.option.timestep, other.option.gravity[2] = 0.5, -1
        other.stat.extent, other.visual.global_.fovy, other.visual.rgba.fog[0] = 3, 30, 0.25
        other.compiler.degree, other.compiler.eulerseq, other.compiler.LRopt.accel = False, ["z", "y", "x"], 7
        spec.option, spec.stat, spec.visual, spec.compiler = other.option, other.stat, other.visual, other.compiler
        other.option.gravity[2] = -2
        other.visual.quality.shadowsize = 1000
        spec.visual.quality = other.visual.quality
        with pytest.raises(TypeError):
            spec.option = other.stat
        with pytest.raises(TypeError):
            spec.visual.global_ = other.visual.quality
        compiler = spec.compiler
        seen = [spec.option.gravity.tolist(), compiler.degree, list(compiler.eulerseq), compiler.LRopt.accel]
        model = spec.compile()
        return [*seen, model.opt.timestep, model.stat.extent, model.vis.global_.fovy, model.vis.rgba.fog.tolist(),
                model.vis.quality.shadowsize]  # fmt: skip

    both(program)


def test_orientations_can_be_assigned():
    def program(M):
        spec = M.MjSpec()
        first, second = spec.worldbody.add_body(euler=[0, 0, 90], ieuler=[10, 0, 0]), spec.worldbody.add_body()
        second.alt = first.alt
        second.mass, second.inertia, second.ipos = 1, [1, 2, 2.5], [0, 0, 0]
        second.ialt = first.ialt
        first.alt.euler[2] = 0
        return spec

    same_model(program)


def test_values_of_classes_can_be_assigned():
    # in MuJoCo, this assignment has no effect
    spec = conjoint.MjSpec()
    soft = spec.add_default("soft", spec.default)
    soft.geom.rgba, soft.geom.size[0] = [0, 1, 0, 1], 0.5
    spec.default.geom = soft.geom
    with pytest.raises(TypeError):
        soft.geom = soft.joint
    soft.geom.size[0] = 1
    assert spec.worldbody.add_geom().size[0] == 0.5 and spec.compile().geom_rgba.tolist() == [[0, 1, 0, 1]]


def test_archives_are_written_into_new_folders(tmp_path):
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        spec.modelname = "boxes"
        spec.worldbody.add_geom(size=[1, 0, 0])
        spec.compile()
        file = str(tmp_path / M.__name__ / "new" / "a.zip")
        M.to_zip(spec, file)
        assert M.from_zip(file).compile().ngeom == 1


def test_fields_cannot_be_deleted():
    for M in (mujoco, conjoint):
        model = M.MjModel.from_xml_string(CLASSED)
        for owner, name in ((model, "nv"), (model, "geom_size"), (M.MjData(model), "qpos"), (model.opt, "timestep")):
            with pytest.raises(AttributeError):
                delattr(owner, name)


def test_binding_is_by_structure():
    for M in (mujoco, conjoint):
        spec = M.MjSpec.from_string(CLASSED)
        geom = spec.geom("ag")
        model = spec.compile()
        geom.name = "renamed"
        assert model.bind(geom).name == "ag" and model.bind([geom, spec.site("gs")]).pos is not None
        twin = M.MjSpec.from_string(CLASSED)
        twin.compile()
        assert model.bind(twin.geom("fg")).size[0] == 0.1
        twin.delete(twin.geom("fg"))
        twin.compile()
        with pytest.raises(ValueError, match="does not match"):
            model.bind(twin.geom("ag"))


CABLE = "mujoco.elasticity.cable"


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("way", ["instance", "name"])
def test_plugins_of_elements_count_while_they_are_active(way, active):
    def program(M):
        spec = M.MjSpec()
        spec.activate_plugin(CABLE)
        instance = spec.add_plugin(name="i", plugin_name=CABLE, active=active)
        instance.config = {"twist": "10", "bend": "1"}
        body = spec.worldbody.add_body()
        body.add_geom(type=M.mjtGeom.mjGEOM_BOX, size=[1, 1, 1])
        if way == "instance":
            # in MuJoCo, this assignment alone has no effect
            body.plugin = instance
        body.plugin.name = "i"
        body.plugin.active = active
        model = spec.compile()
        return [model.nplugin, model.body_plugin.tolist(), body.plugin.name, bool(body.plugin.active)]

    both(program)


def test_a_plugin_can_be_made_active_later():
    spec = conjoint.MjSpec()
    spec.activate_plugin(CABLE)
    body = spec.worldbody.add_body()
    body.add_geom(type=conjoint.mjtGeom.mjGEOM_BOX, size=[1, 1, 1])
    body.plugin.plugin_name, body.plugin.config = CABLE, {"twist": "1", "bend": "1"}
    assert spec.compile().nplugin == 0 and spec.copy().compile().nplugin == 0
    body.plugin.active = True
    assert spec.compile().nplugin == 1 and spec.copy().compile().nplugin == 1
    body.plugin.active = False
    assert spec.compile().nplugin == 0 and body.plugin.config["twist"] == "1"


REFUSED = [
    lambda M, s: s.add_tuple(name="t", objtype=[1, 1], objname=["world"], objprm=[1]),
    lambda M, s: s.add_tuple(name="t", objtype=[1], objname=["world"]),
    lambda M, s: setattr(s, "nuserdata", -1),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_models_that_do_not_compile(number):
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        REFUSED[number](M, spec)
        error = ValueError if M is mujoco else conjoint.ModelError
        with pytest.raises(error):
            spec.compile()
        with pytest.raises(error):
            spec.to_xml()


def test_pixels_are_not_lost_in_a_file():
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        texture = spec.add_texture(name="t", width=2, height=2, type=M.mjtTexture.mjTEXTURE_2D)
        texture.data = bytes(12)
        assert spec.compile().tex_data.tolist() == [0] * 12
        with pytest.raises(M.FatalError, match=r"textures|pixels"):
            spec.to_xml()


def test_a_class_that_is_a_keyword_is_passed_on():
    def program(M):
        spec = M.MjSpec.from_string(CLASSED)
        body = spec.worldbody.add_body(name="new", childclass="c")
        geom = body.add_geom(size=[1, 0, 0])
        return body.childclass, geom.rgba.tolist(), body.add_body().add_joint().damping

    both(program)


def test_a_copy_of_a_compiled_model_is_compiled_too():
    def program(M):
        spec = M.MjSpec.from_string(CLASSED)
        model = spec.compile()
        copy = spec.copy()
        return [body.id for body in copy.bodies], model.bind(copy.geom("ag")).id, [site.id for site in copy.sites]

    both(program)
    spec = conjoint.MjSpec.from_string(CLASSED)
    data = conjoint.MjData(spec.compile())
    data.qpos[:] = [0.25, 0.5]
    copy = spec.copy()
    copy.delete(copy.body("a"))
    assert copy.recompile(data.model, data)[1].qpos.tolist() == [0.5]


def test_paths_of_tendons():
    for M in (mujoco, conjoint):
        spec = M.MjSpec.from_string(CLASSED)
        tendon = spec.add_tendon(name="t")
        for wrong in (lambda t: t.wrap_site(3), lambda t: t.wrap_geom("g", None), lambda t: t.wrap_joint("bj")):
            with pytest.raises(TypeError):
                wrong(tendon)
        wrap = tendon.wrap_joint("bj", 2)
        wrap.info = "made here"
        assert wrap.info == "made here" and spec.compile().wrap_prm.tolist() == [2]


def test_ranges_are_given_or_inherited():
    for M in (mujoco, conjoint):
        actuator = M.MjSpec().add_actuator(ctrlrange=[-1, 1])
        actuator.set_to_intvelocity(kp=1, inheritrange=True)
        with pytest.raises(ValueError, match="ctrlrange and inheritrange"):
            actuator.set_to_position(kp=1, inheritrange=True)
        actuator.actrange = [-1, 1]
        with pytest.raises(ValueError, match="actrange and inheritrange"):
            actuator.set_to_intvelocity(kp=1, inheritrange=True)


def test_heights_that_are_no_numbers():
    spec = conjoint.MjSpec()
    field = spec.add_hfield(name="h", nrow=2, ncol=2, size=[1, 1, 1, 1], userdata=[np.nan] * 4)
    assert np.isnan(list(field.userdata)).all()
    spec.worldbody.add_geom(type=conjoint.mjtGeom.mjGEOM_HFIELD, hfieldname="h")
    assert spec.copy().hfields[0].userdata.shape == (4,)


MOVED = """<mujoco>
  <worldbody>
    <body name="m1" mocap="true" pos="1 0 0"/><body name="m2" mocap="true" pos="0 2 0"/>
    <body name="a"><joint name="j"/><geom size="1"/></body>
  </worldbody>
  <actuator><general joint="j" dyntype="integrator"/></actuator>
  <keyframe>
    <key name="k" mpos="1 2 3 4 5 6" mquat="1 0 0 0 0 1 0 0" qpos="1" act=".5" ctrl=".1"/><key name="none"/>
    <key name="q" qpos="2"/><key name="p" mpos="1 2 3 4 5 6"/>
  </keyframe>
</mujoco>"""


@pytest.mark.parametrize("gone", ["m1", "m2", "a"])
@pytest.mark.parametrize("compiled", [False, True])
def test_keyframes_of_mocap_bodies_that_are_deleted(gone, compiled):
    """Keyframes that a deletion affects are listed only after compilation, after keyframes added in the meantime."""
    found = []
    for M in (conjoint, mujoco):
        spec = M.MjSpec.from_string(MOVED)
        if compiled:
            spec.compile()
        spec.delete(spec.body(gone))
        assert (len(spec.keys), spec.key("k")) == (0, None)
        spec.add_key(name="new", time=3)
        found.append(spec.compile())
        assert [key.name for key in spec.keys] == ["new", "k", "none", "q", "p"]
        assert spec.key("none").name == "none"
    assert model_differences(*found) == {}
    assert [found[0].key(i).name for i in range(5)] == ["new", "k", "none", "q", "p"]


def test_keyframes_of_attached_models_are_listed_once_they_are_compiled():
    for M in (conjoint, mujoco):
        spec = M.MjSpec()
        spec.attach(M.MjSpec.from_string(MOVED), prefix="p_", frame=spec.worldbody.add_frame())
        assert (len(spec.keys), spec.key("p_k")) == (0, None)
        spec.compile()
        assert [key.name for key in spec.keys] == ["p_k", "p_none", "p_q", "p_p"]
        assert list(spec.key("p_k").qpos) == [1]


def test_what_went_elsewhere_is_told():
    text = '<mujoco><worldbody><body name="b"><joint name="j"/><geom name="g" size=".1"/></body></worldbody></mujoco>'
    mine, other = conjoint.MjSpec.from_string(text), conjoint.MjSpec()
    body, joint = mine.body("b"), mine.joint("j")
    other.worldbody.add_frame().attach_body(body, "x-", "")
    other.delete(joint)
    other.delete(body)
    for gone in (body, joint):
        for spec in (mine, other):
            with pytest.raises(ValueError, match=r"is (not|no longer) an element of"):
                spec.delete(gone)
    other.compile()


def test_pickles_of_specs_say_what_to_do():
    spec = conjoint.MjSpec()
    for one in (spec, spec.worldbody, spec.option, spec.visual.rgba):
        with pytest.raises(TypeError, match=r"cannot be pickled.*to_xml"):
            pickle.dumps(one)
    with pytest.raises(TypeError, match=r"copy the MjSpec with `spec.copy\(\)`"):
        copy.deepcopy(spec.worldbody)
    assert copy.deepcopy(spec).compile().nbody == 1


WEIGHED = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"


@pytest.mark.parametrize(
    "edit", ["mass = 2", "inertia = [1, 2, 3]", "fullinertia = [1, 2, 3, 0, 0, 0]", "ipos = [1, 0, 0]"]
)
def test_the_world_may_be_given_a_mass(edit):
    official, ours = (package.MjSpec.from_string(WEIGHED) for package in (mujoco, conjoint))
    for spec in (official, ours):
        exec(f"spec.worldbody.{edit}", {"spec": spec})
    a, b = official.compile(), ours.compile()
    for name in ("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_subtreemass"):
        assert np.allclose(getattr(a, name), getattr(b, name), rtol=0, atol=1e-12), name
