"""Label texts equal MuJoCo's: names of any length, ids of unnamed elements, magnitudes of forces."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint

BALL = """<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="1 1 1" condim="1"/>
<body pos="0 0 .1"><freejoint/><geom size=".11" condim="1"/></body></worldbody></mujoco>"""


def labels(package, text: str, label: str, force: float | None = None) -> list:
    """Return the label texts of a scene's geoms, with all decorations enabled."""
    model = package.MjModel.from_xml_string(text)
    data = package.MjData(model)
    package.mj_forward(model, data)
    if force is not None:
        data.efc_force[:] = force
    scene, option = package.MjvScene(model, 1000), package.MjvOption()
    option.label = int(getattr(package.mjtLabel, label))
    for flag in ("CONTACTPOINT", "CONTACTFORCE", "JOINT", "ACTUATOR", "CONSTRAINT", "CAMERA", "LIGHT"):
        option.flags[int(getattr(package.mjtVisFlag, "mjVIS_" + flag))] = 1
    package.mjv_updateScene(model, data, option, None, package.MjvCamera(), 7, scene)
    return [scene.geoms[g].label for g in range(scene.ngeom) if scene.geoms[g].label]


def both(text: str, label: str, force: float | None = None) -> list:
    """Return the label texts, on which both packages must agree."""
    ours, theirs = (labels(package, text, label, force) for package in (conjoint, mujoco))
    assert ours == theirs
    return ours


@pytest.mark.parametrize("label", ["mjLABEL_BODY", "mjLABEL_JOINT", "mjLABEL_GEOM", "mjLABEL_SITE"])
def test_names_and_ids(label) -> None:
    names = ["short", "", "x" * 98, "y" * 99, "z" * 150, *[""] * 120]
    bodies = "".join(
        f'<body name="{n}" pos="{i} 0 0"><joint name="{n}"/><geom name="{n}" size=".1"/><site name="{n}"/></body>'
        for i, n in enumerate(names)
    ).replace('name=""', "")
    found = both(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", label)
    assert "z" * 99 in found and any(text.endswith(" 115") for text in found)


def test_words_of_nameless_elements() -> None:
    bodies = """<camera/><light/><body><joint/><geom size=".1"/><site name="a"/></body>
    <body name="b" pos="1 0 0"><joint name="j"/><geom size=".1"/><site name="b" pos="1 0 0"/></body>"""
    text = f"""<mujoco><worldbody>{bodies}</worldbody>
    <tendon><spatial><site site="a"/><site site="b"/></spatial></tendon>
    <equality><connect body1="b" anchor="0 0 0"/></equality><actuator><motor joint="j"/></actuator></mujoco>"""
    for word in ("tendon", "joint", "geom", "body", "actuator", "camera", "light"):
        assert f"{word} {int(word == 'body')}" in both(text, f"mjLABEL_{word.upper()}")
    assert "equality 0" in both(text, "mjLABEL_CONSTRAINT")


def test_contacts_of_flexes() -> None:
    sheet = '<flexcomp name="sheet" type="grid" dim="2" count="4 4 1" spacing=".2 .2 .1" radius=".05" pos="0 0 .04"/>'
    plane = '<geom type="plane" size="1 1 1"/><geom size=".1" pos=".1 .1 .1"/>'
    found = both(f"<mujoco><worldbody>{plane}{sheet}</worldbody></mujoco>", "mjLABEL_CONTACTPOINT")
    assert any(".e" in text for text in found) and any(".v" in text for text in found)


def test_sizes_of_forces() -> None:
    powers = [s * 10.0**k for k in (-14, -9, -5, -4, -3, -1, 0, 1, 2, 3, 5, 22, 30) for s in (1, 9.994, 9.996, 1.23456)]
    ties = [1.125, 1.135, 122.5, 123.5, 12.25, 1225.0, 1235.0, 0.0625, 0.06255, 1.005, 999.5, 99.95, 0.00099995]
    near = [float(np.nextafter(x, way)) for x in ties for way in (0, 1e9)]
    for force in [*powers, *ties, *near, 100, 10, 120, 1.2, 0.5]:
        (text,) = both(BALL, "mjLABEL_CONTACTFORCE", force)
        assert text == f"{np.sqrt(force * force):.3g}"
