"""Textures on all shapes agree with MuJoCo's renderer, both with OpenGL and with ray tracing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conjoint
import official_pictures
from asset_files import words
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = [
    pytest.mark.usefixtures("opengl"),
    pytest.mark.skipif(not jit_enabled(), reason="uncompiled, pictures take minutes"),
]

RNG = np.random.default_rng(0)
ASSETS = {
    "round": "",
    "sized": f"""<hfield name="h" nrow="8" ncol="8" size=".5 .4 .3 .1" elevation="{words(RNG.uniform(size=64).round(2))}"/>
<mesh name="k" vertex="{words((RNG.normal(size=(20, 3)) * 0.25).round(3))}"/>""",
    "soft": "",
}
SHAPES = {
    "round": """<geom type="cylinder" size=".2 .3" pos="-.7 .5 0" euler="20 30 0"/>
<geom type="cylinder" size=".2 .3" pos="-.7 -.5 0" euler="200 30 0"/><geom type="capsule" size=".2 .3" pos=".1 .5 0" euler="20 30 0"/>
<geom type="capsule" size=".2 .3" pos=".1 -.5 0" euler="200 30 0"/><geom type="ellipsoid" size=".4 .3 .2" pos=".9 .5 0" euler="10 20 30"/>
<geom size=".3" pos=".9 -.5 0"/>""",
    "sized": """<geom type="hfield" hfield="h" pos="-.6 .5 0"/><geom type="mesh" mesh="k" pos=".6 .6 0"/>
<geom type="box" size=".3 .2 .25" pos=".6 -.5 0" euler="10 20 30"/><geom type="plane" size=".5 .4 .1" pos="-.6 -.5 0" euler="0 20 0"/>""",
    "soft": """<flexcomp name="f" type="grid" count="5 5 5" spacing=".15 .15 .15" dim="3" mass="1" radius=".01" material="m" pos="-.6 .5 0">
<contact selfcollide="none"/></flexcomp><flexcomp name="g" type="grid" count="6 6 1" spacing=".15 .15 .15" dim="2" mass="1"
radius=".01" material="m" pos=".6 .5 0" euler="30 0 0"><contact selfcollide="none"/></flexcomp><body name="b" pos="0 -.5 .2"/>""",
}
CORNERS = ".9 0 0 .2 -.3 .3 .2 .3 0"
SKINS = """<deformable><skin name="s" material="m" vertex="{0}" face="0 2 1"{1}><bone body="b" bindpos="-.2 0 0" bindquat="1 0 0 0"
vertid="0 1 2" vertweight="1 1 1"/></skin><skin name="t" material="m" vertex="{0}" face="0 2 1" texcoord="0 0 .7 0 0 .8"><bone
body="b" bindpos=".9 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin><flex name="h" dim="2" radius=".01" body="b"
vertex="-.9 .2 0 -.2 .3 0 -.5 -.2 0" element="0 2 1" material="m"/></deformable>"""
TEXTURES = {
    "flat": 'type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"',
    "cube": 'type="cube" builtin="gradient" mark="edge" markrgb="0 1 0" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"',
}


def scene(shapes: str, texture: str, uniform: str) -> str:
    """Return the XML of a model whose shapes share one texture in ambient light."""
    soft = SKINS.format(CORNERS, "") if shapes == "soft" else ""
    return f"""<mujoco><visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/><quality offsamples="0"/></visual>
<default><geom material="m"/></default><asset><texture name="t" {TEXTURES[texture]}/>
<material name="m" texture="t" texrepeat="3 2" texuniform="{uniform}" specular="0"/>{ASSETS[shapes]}</asset><worldbody>
<camera name="c" pos="0 -1.5 1.9" xyaxes="1 0 0 0 .79 .62" fovy="55"/>{SHAPES[shapes]}</worldbody>{soft}</mujoco>"""


def other(picture: Any, wanted: Any) -> float:
    """Return the fraction of visible pixels whose color does not occur at or beside them in the expected image."""
    seen = wanted.sum(axis=-1) > 0
    around = [np.roll(wanted, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    best = np.min([np.abs(one - picture).max(axis=-1) for one in around], axis=0)
    return float(((best > 60) & seen).sum() / seen.sum())


@pytest.mark.parametrize("uniform", ["false", "true"])
@pytest.mark.parametrize("texture", TEXTURES)
@pytest.mark.parametrize("shapes", SHAPES)
def test_textures_are_where_mujoco_draws_them(shapes: str, texture: str, uniform: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.xml"
    path.write_text(scene(shapes, texture, uniform))
    wanted = official_pictures.official(path, "c", 0, tmp_path)["color"]
    model, data = official_pictures.world(conjoint, str(path))
    for kind in (conjoint.Renderer, conjoint.RayRenderer):
        height, width = official_pictures.SIZE
        with kind(model, height=height, width=width) as renderer:
            renderer.update_scene(data, "c")
            assert other(renderer.render().astype(float), wanted) < 0.03, kind
