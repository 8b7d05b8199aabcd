"""attach, replicate and actuator defaults agree with MuJoCo: numbers, names and saved models."""

from __future__ import annotations

from typing import Any

import mujoco
import pytest

import conjoint
from asset_files import CORNERS, FACES, skn
from conjoint.compiler.changes import saved_xml
from conjoint.schema.kinds import KINDS
from oracle import model_differences


def names(package: Any, m: Any) -> list[str]:
    """Return the names of all elements of a model."""
    types = {kind: int(getattr(mujoco.mjtObj, f"mjOBJ_{kind.name.upper()}")) for kind in KINDS}
    return [
        f"{kind.name} {package.mj_id2name(m, number, i) or ''}"
        for kind, number in types.items()
        for i in range(getattr(m, "nu" if kind.name == "actuator" else kind.size))
    ]


def assert_like_the_oracle(xml: str, files: dict[str, str] | None = None) -> None:
    """Assert that a model equals MuJoCo's, and that MuJoCo reads the same model from the saved text."""
    assets = {name: text.encode() for name, text in (files or {}).items()}
    official = mujoco.MjModel.from_xml_string(xml, assets)
    model = conjoint.MjModel.from_xml_string(xml, assets)
    assert model_differences(model, official) == {}
    assert names(conjoint, model) == names(mujoco, official)
    again = mujoco.MjModel.from_xml_string(saved_xml(model.spec), assets)
    assert model_differences(again, official) == {}
    assert names(mujoco, again) == names(mujoco, official)


def scene(body: str, before: str = "", after: str = "") -> str:
    """Return the XML of a model with `body` in its worldbody."""
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


MODEL = '<asset><model name="c" file="c.xml"/></asset>'
ATTACH = '<attach model="c" body="b" prefix="p_"/>'
WHOLE = '<attach model="c" prefix="p_"/>'
TWICE = ATTACH + ATTACH.replace("p_", "q_")
BODY = '<body name="b" pos="1 0 0"><joint name="j" range="-30 60"/><geom name="g" size="0.1"/><site name="s"/></body>'
OTHER = '<body name="r"><joint/><geom size="1"/></body>'
KEY = '<keyframe><key name="k" qpos="0.3" qvel="1" time="2"/></keyframe>'
FREE = scene(
    '<body name="b"><freejoint/><geom size="1"/></body>', "", '<keyframe><key qpos="1 2 3 0 1 0 0"/></keyframe>'
)
PID = '<extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="3"/></instance></plugin></extension>'
USES_PID = '<actuator><plugin plugin="mujoco.pid" instance="i" joint="j" name="a"/></actuator>'
CLASSES = '<default><geom rgba="1 0 0 1"/><joint damping="3"/><default class="k"><geom size="0.5"/></default></default>'
OWN = '<default><geom rgba="0 1 0 1"/><joint armature="1"/><default class="q"><geom size="2"/></default></default>'
OF_CLASS = '<body name="b"><joint/><geom class="k"/><geom size="1"/></body>'
REFERRING = """<contact><pair name="pp" geom1="g" geom2="w"/><exclude body1="b" body2="x"/></contact>
<equality><connect name="e" body1="b" anchor="0 0 1"/><weld body1="b" body2="x"/><joint joint1="j"/></equality>
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor name="m" joint="j"/><motor tendon="t"/>
<position joint="j" kp="3" dampratio="1"/><muscle tendon="t" lengthrange="0 1"/></actuator><sensor><jointpos name="n" joint="j"/>
<clock/><framepos objtype="body" objname="b"/><framepos objtype="body" objname="x"/><touch site="s"/></sensor>
<custom><numeric name="n" data="1"/><text name="tx" data="z"/></custom>"""
REFERRED = BODY + '<geom name="w" size="1"/><body name="x"><geom size="1"/></body>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"
MESH = '<compiler meshdir="sub"/><asset><mesh name="m" file="m.obj"/></asset>'

ATTACHED = {
    "keyframes": (scene(OTHER + ATTACH, MODEL), scene(BODY, "", KEY)),
    "keyframes of both": (scene(OTHER + ATTACH, MODEL, KEY.replace('"0.3"', '"1 2"')), scene(BODY, "", KEY)),
    "keyframes, nkey": (scene(ATTACH, MODEL + '<size nkey="3"/>'), scene(BODY, '<size nkey="4"/>', KEY)),
    "keyframes of the whole": (scene(WHOLE, MODEL), scene(BODY, "", KEY)),
    "keyframes of free bodies": (scene('<frame euler="0 0 90">' + ATTACH + "</frame>", MODEL), FREE),
    "instances of plugins": (scene(TWICE, MODEL), scene(BODY, PID, USES_PID)),
    "sizes and options": (
        scene(ATTACH, MODEL + '<size nuser_geom="2"/>'),
        scene(BODY, '<size nuser_geom="5" nuserdata="7" memory="1M"/><option timestep="0.1"/><statistic extent="7"/>'),
    ),
    "classes": (scene(f'<body childclass="q"><geom/>{ATTACH}</body>', MODEL + OWN), scene(OF_CLASS, CLASSES)),
    "classes, used by the parent": (scene(ATTACH + '<geom class="p_k"/>', MODEL + OWN), scene(OF_CLASS, CLASSES)),
    "classes, without a prefix": (scene(ATTACH.replace("p_", ""), MODEL), scene(OF_CLASS, CLASSES)),
    "a body that is there": (scene(f'<body name="p_b"><geom size="1"/></body><frame pos="5 0 0">{ATTACH}</frame>', MODEL), scene(BODY)),
    "twice the same": (scene(ATTACH + f'<frame pos="5 0 0">{ATTACH}</frame>', MODEL), scene(BODY)),
    "models of one name": (scene(ATTACH, MODEL + MODEL.replace("c.xml", "m.obj")), scene(BODY)),
    "meshes from a folder": (scene(ATTACH, MODEL), scene('<body name="b"><geom type="mesh" mesh="m"/></body>', MESH)),
    "meshes from two folders": (
        scene(ATTACH + '<geom type="mesh" mesh="m"/>', MODEL + MESH.replace("sub", "other")),
        scene('<body name="b"><geom type="mesh" mesh="m"/></body>', MESH),
    ),
    "what refers to a body": (scene(TWICE, MODEL), scene(REFERRED, "", REFERRING)),
    "what refers to the whole": (scene(WHOLE, MODEL), scene(REFERRED, "", REFERRING)),
    "a flex": (scene(ATTACH, MODEL), scene('<body name="b"><flexcomp name="f" type="grid" count="3 3 1" spacing="1 1 1"/></body>')),
    "a flex in the world": (
        scene(WHOLE, MODEL),
        scene('<flexcomp name="f" type="grid" count="3 3 1" spacing="1 1 1"><edge equality="true"/></flexcomp>'),
    ),
    "other settings": (
        scene(f'<frame euler="0 1 0">{ATTACH}</frame>', MODEL + '<compiler angle="radian" autolimits="false"/>'),
        scene(
            '<body name="b" euler="0 0 90"><joint range="-30 30"/><geom size="1" group="3"/><geom size="2" group="4"/></body>',
            '<compiler inertiagrouprange="0 3" eulerseq="zyx" boundmass="0.5"/>',
        ),
    ),
}  # fmt: skip
"""Model and the model that it attaches, for each tested feature."""


@pytest.mark.parametrize("case", ATTACHED)
def test_attached(case):
    xml, child = ATTACHED[case]
    assert_like_the_oracle(xml, {"c.xml": child, "m.obj": TETRAHEDRON if "mesh" in case else scene("")})


def test_attached_inside_what_is_attached():
    middle = scene(
        f'<body name="e"><joint/><geom size="1"/>{ATTACH}</body>',
        MODEL,
        KEY.replace('"0.3"', '"1 2"').replace('="1"', '="1 1"'),
    )
    xml = scene('<attach model="d" body="e" prefix="d_"/>', MODEL.replace('"c', '"d'))
    assert_like_the_oracle(xml, {"c.xml": scene(BODY, "", KEY), "d.xml": middle})


def test_a_body_that_is_elsewhere():
    xml = scene(f'{ATTACH}<body name="q">{ATTACH}</body>', MODEL)
    with pytest.raises(conjoint.ModelError, match="there is a body 'p_b' already, with another parent"):
        conjoint.MjModel.from_xml_string(xml, {"c.xml": scene(BODY).encode()})


SHORTCUTS = {
    "motor": "", "general": "", "velocity": "", "muscle": 'lengthrange="0 1"', "intvelocity": 'actrange="0 1"',
    "damper": 'kv="1" ctrlrange="0 1"', "cylinder": "", "position": "",
}  # fmt: skip
IN_CLASSES = {
    "general": '<general gainprm="3 4" biasprm="1 2 3" dynprm="5" dyntype="filter" gaintype="affine" biastype="affine"/>',
    "position": '<position kp="5" kv="2"/>',
    "damping ratio": '<position kp="5" dampratio="1" inheritrange="1" timeconst="0.2"/>',
    "velocity": '<velocity kv="3"/>',
    "motor": '<motor gear="3" ctrlrange="-1 1"/>',
    "intvelocity": '<intvelocity kp="2"/>',
    "two": '<position kp="5"/><motor gear="2"/>',
    "cylinder": '<cylinder area="2" timeconst="0.3"/>',
    "damper": '<damper kv="2" ctrlrange="0 1"/>',
}


@pytest.mark.parametrize("written", IN_CLASSES)
def test_shortcuts_of_actuators_with_defaults(written):
    classes = f'<default><default class="q">{IN_CLASSES[written]}</default></default>'
    for tag, more in SHORTCUTS.items():
        xml = scene(BODY, classes, f'<actuator><{tag} class="q" joint="j" {more}/></actuator>')
        try:
            mujoco.MjModel.from_xml_string(xml)
        except ValueError:
            with pytest.raises(conjoint.ModelError):
                conjoint.MjModel.from_xml_string(xml)
        else:
            assert_like_the_oracle(xml)


THREE = (
    '<mujoco model="three"><worldbody>'
    + "".join(f'<body name="b{i}"><joint name="j{i}"/><geom size=".1"/></body>' for i in (1, 2, 3))
    + "</worldbody><actuator>"
    + "".join(f'<motor name="m{i}" joint="j{i}"/>' for i in (1, 2, 3))
    + '</actuator><keyframe><key name="k" qpos=".1 .2 .3" qvel="4 5 6" ctrl="7 8 9"/></keyframe></mujoco>'
)
"""XML of a model with three bodies and a keyframe."""
IN_TURN = (
    "1 1",
    "1 2",
    "2 1",
    "1 2 3",
    "1 2 1 2",
    "1 1 2",
    "1 own 2",
    "1 all",
    "all 1",
    "copies 1",
)


@pytest.mark.parametrize("parts", IN_TURN)
def test_keyframes_of_parts_attached_in_turn(parts):
    own = '<body><joint/><geom size="1"/></body>'
    attached = {"own": own, "copies": f'<replicate count="2">{own}</replicate>'}
    body = ""
    for prefix, part in zip("pqrs", parts.split(), strict=False):
        source = "" if part == "all" else f'body="b{part}"'
        body += attached.get(part, f'<attach model="three" {source} prefix="{prefix}"/>')
    assert_like_the_oracle(scene(body, '<asset><model name="three" file="three.xml"/></asset>'), {"three.xml": THREE})


SKIN_BODIES = "".join(f'<body name="{name}"><freejoint/><geom size="1"/></body>' for name in "ab")
SKINNED = (
    f'<mujoco model="child"><deformable><skin file="s.skn"/></deformable><worldbody>{SKIN_BODIES}</worldbody></mujoco>'
)


def skin_file() -> bytes:
    """Return the contents of a skin file for a skin over bodies a and b."""
    bones = [(name, (0, 0, 1), (1, 0, 0, 0), (0, 1, 2, 3), (1, 1, 1, 1)) for name in "ab"]
    return skn(CORNERS[:4], FACES, bones)


@pytest.mark.parametrize("part", ["", 'body="a" '])
@pytest.mark.parametrize("prefix", ["", "p"])
def test_skins_of_files_come_along(tmp_path, part, prefix):
    """A skin file names bodies without a prefix, so models without bodies of these names are rejected."""
    (tmp_path / "child.xml").write_text(SKINNED)
    (tmp_path / "s.skn").write_bytes(skin_file())
    asset = '<asset><model name="child" file="child.xml"/></asset>'
    (tmp_path / "main.xml").write_text(scene(f'<attach model="child" {part}prefix="{prefix}"/>', asset))

    def by_file(M):
        return M.MjModel.from_xml_path(str(tmp_path / "main.xml"))

    def by_program(M):
        spec, child = M.MjSpec(), M.MjSpec.from_file(str(tmp_path / "child.xml"))
        frame = spec.worldbody.add_frame()
        if part:
            frame.attach_body(child.body("a"), prefix, "")
        else:
            spec.attach(child, prefix=prefix, frame=frame)
        return spec.compile()

    for make in (by_file, by_program):
        if part or prefix:
            for M in (mujoco, conjoint):
                with pytest.raises(ValueError, match="skin"):
                    make(M)
        else:
            model = make(conjoint)
            assert model.nskin == 1
            assert model_differences(model, make(mujoco)) == {}


def test_skins_of_files_are_not_copied_inside_a_model():
    spec = conjoint.MjSpec.from_string(SKINNED, assets={"s.skn": skin_file()})
    spec.worldbody.add_frame().attach_body(spec.body("a"), "p", "")
    model = spec.compile()
    assert (model.nbody, model.nskin) == (4, 1)


PLUGGED = {
    "mujoco.pid": (
        '<config key="kp" value="9"/>', '<joint name="j{0}"/><geom size=".1"/>',
        '<actuator><plugin name="u1" joint="j1" instance="i"/><plugin name="u2" joint="j2" instance="i"/></actuator>',
    ),
    "mujoco.sensor.touch_grid": (
        '<config key="size" value="2 2"/><config key="fov" value="90 90"/><config key="gamma" value="0"/>'
        '<config key="nchannel" value="1"/>', '<geom size=".1"/><site name="s{0}"/>',
        '<sensor><plugin name="t1" objtype="site" objname="s1" instance="i"/>'
        '<plugin name="t2" objtype="site" objname="s2" instance="i"/></sensor>',
    ),
    "mujoco.elasticity.cable": (
        '<config key="twist" value="1e4"/>',
        '<joint type="ball"/><geom type="capsule" size=".1 .1"/><plugin instance="i"/>', "",
    ),
}  # fmt: skip
"""For each plugin: settings of an instance, the contents of a body that uses it, and references to the body."""


@pytest.mark.parametrize("way", ["shared", "copied", "file"])
@pytest.mark.parametrize("plugin", PLUGGED)
def test_instances_of_plugins_come_with_what_uses_them(plugin, way):
    config, inside, rest = PLUGGED[plugin]
    instances = f'<instance name="i">{config}</instance><instance name="spare">{config}</instance>'
    bodies = "".join(f'<body name="b{i}">{inside.format(i)}</body>' for i in (1, 2))
    child = scene(
        f'<body name="b0"><geom size=".1"/></body>{bodies}',
        f'<extension><plugin plugin="{plugin}">{instances}</plugin></extension>', rest,
    )  # fmt: skip

    def attached(*parts: int) -> conjoint.MjModel:
        if way == "file":
            body = "".join(f'<attach model="c" body="b{i}" prefix="{k}-"/>' for k, i in enumerate(parts))
            model = '<asset><model name="c" file="c.xml"/></asset>'
            return conjoint.MjModel.from_xml_string(scene(body, model), {"c.xml": child.encode()})
        spec, source = conjoint.MjSpec(), conjoint.MjSpec.from_string(child)
        spec.copy_during_attach = way == "copied"
        for k, i in enumerate(parts):
            spec.worldbody.add_frame().attach_body(source.body(f"b{i}"), f"{k}-", "")
        return spec.compile()

    for parts in ((0,), (1,), (0, 1), (1, 0), (1, 2), (0, 2, 1)):
        model = attached(*parts)
        users = [f"{k}-i" for k, i in enumerate(parts) if i > 0]
        plugins = [mujoco.mjtObj.mjOBJ_PLUGIN] * model.nplugin
        assert [conjoint.mj_id2name(model, int(kind), i) for i, kind in enumerate(plugins)] == users
        used = [*model.actuator_plugin, *model.sensor_plugin, *model.body_plugin]
        assert sorted(i for i in used if i >= 0) == list(range(len(users)))
