"""Each compiler pass reads and writes only what it declares, and every field is written before it is read."""

from __future__ import annotations

import struct
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.api.spec.new import new_element
from conjoint.compiler import compile as compiler
from conjoint.compiler import kinds, read_string
from conjoint.compiler.draft import NAMED, Draft
from conjoint.compiler.passes import Pass
from conjoint.lang.errors import ModelError
from conjoint.schema.mjcf.grammar import defaults
from flex_models import FLEXES
from newer_scales import SCALES
from newer_scales import xml as scaled
from recorded_draft import Record, recorded
from rich_model import XML
from sensor_models import ALL as SENSORS
from tendon_models import TENDON_MODELS

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))
from seeds import SEEDS
from seeds_relations import RELATIONS

SOFT = """<mujoco><asset>
  <skin name="s" inflate=".1" vertex="0 0 0  1 0 0  0 1 0" texcoord="0 0  1 0  0 1" face="0 1 2">
    <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></asset>
<worldbody><frame scale="2"><body name="a"><geom size=".1"/></body>
  <body name="f1"><joint type="slide"/><geom size=".1"/></body>
  <body name="f2" pos="1 0 0"><joint type="slide"/><geom size=".1"/></body>
  <body name="f3" pos="0 1 0"><joint type="slide"/><geom size=".1"/></body></frame></worldbody>
<deformable><flex name="f" dim="2" body="f1 f2 f3" element="0 1 2" radius=".01">
  <elasticity young="10" thickness=".1"/><edge stiffness="0" damping="1"/></flex></deformable></mujoco>"""

TETRAHEDRON = 'vertex="0 0 0  1 0 0  0 1 0  0 0 1"'
PLACES = f"""<mujoco><compiler alignfree="true"/><extension><plugin plugin="mujoco.sdf.torus"/></extension><asset>
  <material name="m" rgba="1 0 0 1"/><mesh name="t" {TETRAHEDRON} material="m"/>
  <mesh name="p"><plugin plugin="mujoco.sdf.torus"><config key="radius1" value=".3"/></plugin></mesh>
  <hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/><texture name="x" type="skybox" builtin="flat" width="4"/></asset>
<worldbody><geom type="hfield" hfield="h"/><site name="s" type="mesh" mesh="t"/>
  <frame scale="2"><site type="mesh" mesh="t"/><geom type="hfield" hfield="h" pos="0 0 5"/>
    <frame pos="1 0 0"><body name="in"><geom size=".1" mass="1"/></body></frame></frame>
  <body name="b" pos="0 0 1"><freejoint name="j"/><geom name="a" type="capsule" size=".1" fromto="0 0 0 1 0 0"/>
    <frame pos="1 1 0" euler="0 30 0"><geom type="capsule" size=".1" fromto="0 0 0 0 0 1"/><site pos="-.2 0 1"/>
      <light pos="0 0 1" dir="0 -1 -1"/><camera pos="0 0 1" euler="10 20 30"/></frame></body>
  <body pos="0 0 3"><frame euler="90 0 0"><joint name="ball" type="ball" pos="0 0 1"/><joint type="slide" pos="0 1 0"/></frame>
    <geom type="mesh" mesh="t"/></body>
  <body name="c"><flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" material="m" radius=".01"/></body></worldbody>
<actuator><general joint="ball" gaintype="so3" biastype="so3" gainprm="2" biasprm="0 -2 -.1"/></actuator>
<sensor><contact geom1="a" data="force"/><tactile geom="a" mesh="t"/></sensor>
<custom><tuple name="u"><element objtype="site" objname="s"/></tuple></custom></mujoco>"""
UNSEEN = """<mujoco><compiler discardvisual="true"/><worldbody><site name="a" pos="1 0 0"/>
  <body name="b"><joint name="h" springref="10"/><geom name="g" size=".1"/><site name="s" pos="0 1 0"/></body></worldbody>
<tendon><spatial name="t"><site site="a"/><geom geom="g"/><site site="s"/></spatial></tendon>
<custom><tuple name="u"><element objtype="geom" objname="g"/></tuple></custom></mujoco>"""

FILES = {
    "dot": struct.pack("<2i3B", 1, 1, 1, 2, 3),
    "arm.xml": """<mujoco><worldbody><body name="arm"><joint name="h" springref="10" springyield="1"/><geom size=".1"/>
      </body></worldbody><tendon><fixed name="t" springyield="1" springlength=".1 .2"><joint joint="h" coef="1"/></fixed></tendon>
      <keyframe><key name="k" qpos=".3"/></keyframe></mujoco>""",
}  # fmt: skip
FROM_FILES = """<mujoco><asset><texture name="x" type="2d" file="dot" content_type="image/vnd.mujoco.texture"/>
  <model name="o" file="arm.xml"/></asset><worldbody><attach model="o" prefix="p"/></worldbody></mujoco>"""

MODELS = {
    "places": PLACES, "unseen": UNSEEN, "files": FROM_FILES,
    "scaled": scaled(SCALES[3]), "soft": SOFT, "rich": XML, "sensors": SENSORS, **SEEDS, **RELATIONS,
    "pulleys": TENDON_MODELS["pulleys"], "kept": FLEXES["edges kept"], "stretching": FLEXES["stretching"],
}  # fmt: skip
NUMBERED = {f"{kind}.{name}" for kind in NAMED for name in ("id", "bodyid")} | {"body.parentid", "wrap.type"}
"""Fields that exist before the first pass, because new drafts have them or because the reader derives them from tags."""
NAMES = {id(step): name for name, step in vars(compiler).items() if isinstance(step, Pass)}

KEPT = {"plugin.slot"}
"""Fields that a pass reads only if a mesh is missing from the cache."""


@cache
def record() -> Record:
    """Return the fields that passes read and write for all `MODELS`, in both editions."""
    found = Record()
    for edition in ("3.3.5", "4.0"):
        for xml in MODELS.values():
            with conjoint.semantics(edition), np.errstate(all="ignore"), suppress(ModelError):
                draft = recorded(read_string(xml, FILES), found)
                for step in compiler.PASSES:
                    found.begin(NAMES[id(step)])
                    step(draft)
    return found


def faults(passes: tuple[Pass, ...]) -> list[str]:
    """Return the faults of a pass order: fields that are read before they are written or final."""
    wrong: list[str] = []
    begun: set[str] = set()
    for number, step in enumerate(passes):
        name = NAMES[id(step)]
        later = frozenset().union(*(other.writes | other.changes for other in passes[number + 1 :]))
        for field in step.reads | step.early | step.changes:
            if field not in begun and not given(field):
                wrong.append(f"{name} reads {field} before it is made")
        wrong += [f"{name} reads {field} before it is final" for field in step.reads & later]
        wrong += [f"{name} reads {field} early, but no later pass changes it" for field in step.early - later]
        begun |= step.writes | step.changes
    return wrong


def given(field: str) -> bool:
    """Return True if a field exists before the first pass, because the file or a new draft contains it."""
    kind, _, name = field.partition(".")
    if kind == "draft":
        return name in vars(Draft(conjoint.MjSpec().spec))
    return field in NUMBERED or name in vars(new_element(kind, defaults(kind), "main"))


def test_every_field_is_made_before_it_is_read() -> None:
    assert faults(compiler.PASSES) == []


def test_declarations_are_true() -> None:
    found = record()
    made = frozenset().union(*(step.writes | step.changes for step in compiler.PASSES))
    for step in compiler.PASSES:
        name = NAMES[id(step)]
        reads, writes = found.reads[name], found.writes[name]
        assert reads & made - writes <= step.reads | step.early, name
        assert reads & writes <= step.changes, name
        assert writes <= step.writes | step.changes, name
        unused = (step.reads | step.early | step.changes) - reads - KEPT, (step.writes | step.changes) - writes
        assert unused == (set(), set()), name


def test_all_fields_have_a_type() -> None:
    """The schema, `spec.kinds` or `compiler.kinds` declares every field that passes write."""
    for field in frozenset().union(*(step.writes | step.changes for step in compiler.PASSES)):
        kind, _, name = field.partition(".")
        if kind == "draft":
            assert name in Draft.__annotations__ or given(field), field
            continue
        made = getattr(kinds, kind.title(), None) or getattr(kinds.kinds, kind.title())
        known = {annotated for one in made.__mro__ for annotated in vars(one).get("__annotations__", {})}
        assert name in known | set(defaults(kind)) | {"id"}, field


def test_another_order_is_noticed() -> None:
    """A pass cannot run before passes whose fields it needs, nor after passes that would change its inputs."""
    passes = compiler.PASSES
    for step in (step for step in passes if step.reads | step.early):
        others = [other for other in passes if other is not step]
        assert faults((step, *others)) + faults((*others, step)), NAMES[id(step)]


@pytest.mark.parametrize(
    "first, second",
    [
        ("resolve_scales", "resolve_poses"), ("resolve_shapes", "resolve_geoms"), ("resolve_geoms", "resolve_bodies"),
        ("resolve_bodies", "align_free_bodies"), ("fuse_static", "resolve_tendons"), ("fuse_static", "check_moving"),
        ("discard_visual", "resolve_contacts"), ("resolve_actuators", "resolve_sensors"), ("resolve_keys", "fill"),
        ("check_moving", "set_total_mass"), ("describe_tree", "choose_sleep"), ("describe_tree", "summarize"),
    ],
)  # fmt: skip
def test_passes_that_change_places_are_noticed(first: str, second: str) -> None:
    passes = [*compiler.PASSES]
    one, other = (passes.index(vars(compiler)[name]) for name in (first, second))
    passes[one], passes[other] = passes[other], passes[one]
    assert faults(tuple(passes)) != []


def test_a_wrong_declaration_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An undeclared field that a pass reads or writes is detected."""
    step = compiler.resolve_joints
    monkeypatch.setattr(compiler, "PASSES", (replace(step, writes=step.writes - {"joint.qposadr"}),))
    monkeypatch.setitem(NAMES, id(compiler.PASSES[0]), "resolve_joints")
    with pytest.raises(AssertionError, match="resolve_joints"):
        test_declarations_are_true()
