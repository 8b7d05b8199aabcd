"""Scenes of flexes equal MuJoCo's: skins and faces of sheets and solids, with textures."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from places import ROOT

MODELS = ROOT / "models"

TEXTURED = """<mujoco><worldbody>
<flexcomp name="sheet" type="grid" dim="2" count="4 3 1" spacing=".1 .1 .1" radius=".01" texcoord="{}">{}</flexcomp>
<flexcomp name="cord" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" pos="1 0 0" radius=".02"/>
</worldbody></mujoco>"""
POINTS = " ".join(f"{x / 3} {y / 2}" for x in range(4) for y in range(3))


def shown(package, source: str, skin: int, layer: int) -> dict[str, np.ndarray]:
    """Return the flex arrays of a scene, drawn from a model with a small random displacement of `qpos`."""
    load = package.MjModel.from_xml_path if source.endswith(".xml") else package.MjModel.from_xml_string
    model = load(source)
    data = package.MjData(model)
    data.qpos[:] += np.random.default_rng(0).normal(0, 0.01, model.nq)
    package.mj_forward(model, data)
    scene, camera, option = package.MjvScene(model, 100), package.MjvCamera(), package.MjvOption()
    option.flags[package.mjtVisFlag.mjVIS_FLEXSKIN] = skin
    option.flags[package.mjtVisFlag.mjVIS_FLEXFACE] = 1
    option.flex_layer = layer
    package.mjv_updateScene(model, data, option, None, camera, int(package.mjtCatBit.mjCAT_ALL), scene)
    used = np.array(scene.flexfaceused)
    found = {"used": used, "vert": np.array(scene.flexvert).ravel()}
    for name, size in (("face", 9), ("normal", 9), ("texcoord", 6)):
        rows = np.array(getattr(scene, f"flex{name}")).reshape(-1, size)
        if name != "texcoord" or model.nflextexcoord:
            parts = [rows[at : at + n] for at, n in zip(scene.flexfaceadr, used, strict=True)]
            found[name] = np.concatenate(parts)
    options = ("vert", "edge", "face", "skin")
    return found | {"options": np.array([int(getattr(scene, f"flex{one}opt")) for one in options])}


@pytest.mark.parametrize("skin", [0, 1])
@pytest.mark.parametrize("source", ["flag.xml", "hammock.xml", "soft_block.xml"])
def test_flexes_of_models(source, skin) -> None:
    ours, theirs = (shown(package, str(MODELS / source), skin, 0) for package in (conjoint, mujoco))
    for name, expected in theirs.items():
        np.testing.assert_allclose(ours[name], expected, rtol=0, atol=1e-6, err_msg=name)


def test_layers_of_a_solid() -> None:
    for layer in (1, 5):
        ours, theirs = (shown(package, str(MODELS / "soft_block.xml"), 0, layer) for package in (conjoint, mujoco))
        assert ours["used"] == theirs["used"]
        np.testing.assert_allclose(ours["face"], theirs["face"], rtol=0, atol=1e-6)


def test_textures_of_a_sheet() -> None:
    ours, theirs = (shown(package, TEXTURED.format(POINTS, ""), 1, 0) for package in (conjoint, mujoco))
    sheet = 2 * 12
    assert np.array_equal(ours["used"], theirs["used"])
    np.testing.assert_allclose(ours["texcoord"][:sheet], theirs["texcoord"][:sheet], rtol=0, atol=1e-6)


CLOTH = """<mujoco><worldbody>
<flexcomp name="f" type="grid" count="10 12 1" spacing=".03 .03 .03" dim="2" radius=".005" flatskin="{}">
<contact selfcollide="none"/></flexcomp>
</worldbody></mujoco>"""


@pytest.mark.parametrize("flat", ["true", "false"])
def test_skins_of_a_cloth(flat) -> None:
    ours, theirs = (shown(package, CLOTH.format(flat), 1, 0) for package in (conjoint, mujoco))
    for name, expected in theirs.items():
        np.testing.assert_allclose(ours[name], expected, rtol=0, atol=1e-6, err_msg=name)


def test_options_of_scenes_without_flexes() -> None:
    options = []
    for package in (conjoint, mujoco):
        model = package.MjModel.from_xml_string("<mujoco/>")
        scene, option = package.MjvScene(model, 9), package.MjvOption()
        option.flags[package.mjtVisFlag.mjVIS_FLEXEDGE] = 0
        data = package.MjData(model)
        package.mjv_updateScene(model, data, option, None, package.MjvCamera(), 7, scene)
        options.append([int(getattr(scene, f"flex{one}opt")) for one in ("vert", "edge", "face", "skin")])
    assert options[0] == options[1] and options[0][3] == 1


def test_scenes_with_other_triangles_are_refused() -> None:
    few, many = (f'<mujoco><worldbody><flexcomp name="f" type="direct" dim="2" point="{POINT}" element="{elements}"/></worldbody></mujoco>'
                 for elements in ("0 1 2", "0 1 2 1 3 2"))  # fmt: skip
    scene = conjoint.MjvScene(conjoint.MjModel.from_xml_string(few), 9)
    model = conjoint.MjModel.from_xml_string(many)
    data = conjoint.MjData(model)
    with pytest.raises(conjoint.FatalError, match="created for another model"):
        conjoint.mjv_updateScene(model, data, conjoint.MjvOption(), None, conjoint.MjvCamera(), 7, scene)


POINT = "0 0 0 1 0 0 0 1 0 1 1 0"
