"""Questionable input that MuJoCo's reader accepts is also accepted by Conjoint, with a warning."""

from __future__ import annotations

import warnings

import mujoco
import pytest

import conjoint
from conjoint.lang.errors import ModelWarning
from oracle import model_differences
from refusals import refused_by_both

MODEL = '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>'


def world(inside: str) -> str:
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


def body(inside: str) -> str:
    return world(f'<body><joint/>{inside}<geom size="1"/></body>')


def agrees(xml: str) -> list[str]:
    """Assert that both compilers create the same model, and return Conjoint's warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = conjoint.MjModel.from_xml_string(xml)
    assert model_differences(ours, mujoco.MjModel.from_xml_string(xml)) == {}
    assert all(each.category is ModelWarning for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("after", ["\0", "\n\0\n", " \n"])
def test_blanks_after_the_root(after: str) -> None:
    assert agrees(MODEL + after) == []


@pytest.mark.parametrize(
    "after, where",
    [
        ("\0<junk", "XML: text after a zero byte"),
        ("<mujoco/>", "XML:1:57: text after the root"),
        ("\n<!-- x -->\n <robot name='r'/>\n<a/>", "XML:3:2: text after the root"),
    ],
)
def test_what_follows_the_root_is_not_read(after: str, where: str) -> None:
    (warning,) = agrees(MODEL + after)
    assert warning == f"{where}{' element' if 'root' in where else ''} is ignored, as in MuJoCo"


@pytest.mark.parametrize("text", ["0x10", "0x1p-3", "0x1.8", "0X1.8P1", "0x.8", "+0x1"])
def test_numbers_to_the_base_16(text: str) -> None:
    assert agrees(world(f'<geom size="{text}" pos="-{text.lstrip("+")} 0 0"/>')) == []


@pytest.mark.parametrize("size", ["inf", "inf 1 2", "1 inf 3", "1 2 inf", "inf inf inf"])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box", "plane"])
def test_infinite_sizes(kind: str, size: str) -> None:
    if kind == "sphere" or " " in size:
        # the enclosing bounds combine the same numbers in a different order
        xml = world(f'<geom type="{kind}" size="{size}"/>')
        ours, theirs = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
        assert set(model_differences(ours, theirs)) <= {"bvh_aabb"}


NAN = {
    "position of a body": world('<body pos="0 nan 0"><joint/><geom size="1"/></body>'),
    "orientation": world('<body quat="NaN 0 0 0"><joint/><geom size="1"/></body>'),
    "mass": world('<geom size="1" mass="nan"/>'),
    "mass of a body": world('<body><geom size="1" mass="nan"/></body>'),
    "density": world('<body><geom size="1" density="nan"/></body>'),
    "colour": world('<geom size="1" rgba="nan 0 0 1"/>'),
    "site": world('<site pos="nan 0 0" size="nan"/>'),
    "range": world('<body><joint range="nan 1"/><geom size="1"/></body>'),
    "reference": world('<body><joint ref="nan"/><geom size="1"/></body>'),
    "numeric": '<mujoco><custom><numeric name="a" data="-nan 1"/></custom></mujoco>',
    "gravity": '<mujoco><option gravity="nan 0 0"/></mujoco>',
    "keyframe": f'<mujoco>{body("")[8:-9]}<keyframe><key qpos="nan"/></keyframe></mujoco>',
}


@pytest.mark.parametrize("case", NAN)
def test_nan_is_a_number_and_a_warning(case: str) -> None:
    xml = NAN[case]
    column = xml.lower().index("nan")
    (warning,) = agrees(xml)
    place, _, text = warning.partition(": ")
    assert place.startswith("XML:1:") and int(place.rpartition(":")[2]) <= column
    assert text == "NaN is read as a number; all results that depend on it are NaN, too"


def test_nan_is_told_once() -> None:
    assert len(agrees(world('<site pos="nan 0 0"/><site pos="nan 0 0"/>'))) == 1


@pytest.mark.parametrize(
    "xml", [body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 nan"/>'), world('<geom size="1 nan"/>')]
)
@pytest.mark.filterwarnings("ignore::conjoint.lang.errors.ModelWarning")
def test_nan_is_no_size_and_no_inertia(xml: str) -> None:
    refused_by_both(xml)


MEMORY = '<worldbody><body><joint/><geom size="1"/></body></worldbody>'


@pytest.mark.parametrize("old", ['njmax="100"', 'nstack="100"', 'njmax="0" nstack="7"'])
def test_memory_wins_over_older_sizes_before_it(old: str) -> None:
    assert agrees(f'<mujoco><size {old}/><size memory="1M"/>{MEMORY}</mujoco>') == []
    assert agrees(f'<mujoco><size memory="1M" njmax="-1"/>{MEMORY}</mujoco>') == []
    for sizes in (f'<size memory="1M" {old}/>', f'<size memory="1M"/><size {old}/>', '<size memory="1M" nstack="-2"/>'):
        refused_by_both(f"<mujoco>{sizes}{MEMORY}</mujoco>", words=r"memory.*njmax|memory.*nstack")


def test_prefix_of_copies_is_not_used() -> None:
    (warning,) = agrees(world('<replicate count="2" prefix="p"><body name="a"><geom size="1"/></body></replicate>'))
    assert warning == "XML:1:41: <replicate>: prefix is not used: names of copies have suffixes"


@pytest.mark.parametrize("word", ["xyz", "Free", "none "])
def test_unknown_start_of_a_cable(word: str) -> None:
    cable = '<composite type="cable" curve="s" count="5 1 1" size="1" initial="{}"><geom type="capsule" size=".005"/></composite>'
    (warning,) = agrees(world(cable.format(word)))
    assert f"<composite>: initial '{word}' is not one of free, ball, none: it is read as ball" in warning


def test_a_sequence_of_angles_that_copies_do_not_have() -> None:
    copies = world('<replicate count="2"><geom size="1"/></replicate>')
    assert agrees(copies.replace("<world", '<compiler eulerseq="a/b"/><world')) == []
