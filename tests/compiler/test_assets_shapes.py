"""Built-in mesh shapes are bit-identical to MuJoCo's, because rounding determines their principal axes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from asset_files import OF_SCALED, assert_same, refusals, with_mesh
from conjoint.schema.mjcf.asset import MESH_SHAPES
from conjoint.spec.meshes.shapes import BUILTIN

STILL = 'type="mesh" mesh="m" contype="0" conaffinity="0"'
"""Attributes of a mesh geom that needs no convex hull, because it cannot collide."""


@pytest.mark.parametrize(
    "attributes",
    [
        *(f'builtin="sphere" params="{n}"' for n in (0, 1.7, 3)),
        *(f'builtin="hemisphere" params="{n}"' for n in (0, 10)),
        *(f'builtin="cone" params="{n}"' for n in ("3 1", "7 .5", "5 0", "4 -1")),
        *(f'builtin="supersphere" params="{n}"' for n in ("3 1 1", "12 .4 2", "5 0 1")),
        *(f'builtin="supertorus" params="{n}"' for n in ("3 .5 1 1", "13 1 .5 2")),
        *(f'builtin="wedge" params="5 7 {n}" {more}' for n in ("180 90 0", "30 20 .6") for more in ("", "scale='-1 2 1'")),
        'builtin="plate" params="5 3" inertia="exact" normal="1 2 3"',
        'builtin="sphere" params="2" normal="1 2 3"',
        'builtin="cone" params="4 0" face="0 1 2 0 2 3 1 0 4 2 1 4 3 2 4 0 3 4"',
    ],
)  # fmt: skip
def test_builtin(attributes: str) -> None:
    assert_same(with_mesh(attributes, STILL + ' mass="1"'), ignored=OF_SCALED if "scale" in attributes else ())


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('builtin="sphere"', "'params' is missing"),
        ('builtin="ball" params="1"', "not one of sphere"),
        ('builtin="sphere" params="1 2"', "subdivision, but 2 are given"),
        ('builtin="sphere" params="5"', "0 to 4"),
        ('builtin="hemisphere" params="-1"', "0 to 10"),
        ('builtin="cone" params="2 1"', "nedge"),
        ('builtin="supersphere" params="9 -1 1"', "negative"),
        ('builtin="supertorus" params="9 1.5 1 1"', "radius"),
        ('builtin="supertorus" params="9 1 0 1"', "positive"),
        ('builtin="wedge" params="5 5 181 10 0"', "fov"),
        ('builtin="wedge" params="5 5 10 10 2"', "gamma"),
        ('builtin="plate" params="0 5"', "resolution"),
        ('builtin="sphere" params="1" file="m.stl"', "together with a file"),
        ('builtin="sphere" params="1" vertex="0 0 0 1 0 0 0 1 0 0 0 1"', "together with vertices"),
    ],
)
def test_refused(attributes: str, expected: str) -> None:
    ours, theirs = refusals(with_mesh(attributes))
    assert theirs
    assert expected in ours


def test_hostile_sizes_are_refused() -> None:
    # MuJoCo crashes here
    for shape, parameters in (("plate", "60000 60000"), ("plate", "2e9 1"), ("cone", "1e300 1")):
        with pytest.raises(conjoint.ModelError, match=r"to .*, not"):
            conjoint.MjModel.from_xml_string(with_mesh(f'builtin="{shape}" params="{parameters}"'))


def test_the_grammar_and_the_shapes_have_the_same_keywords() -> None:
    assert set(MESH_SHAPES.split()) == set(BUILTIN)


def test_saved_as_vertices() -> None:
    xml = with_mesh('builtin="plate" params="3 5" scale="1 2 1"', STILL + ' mass="1"')
    theirs = mujoco.MjModel.from_xml_string(conjoint.MjSpec.from_string(xml).to_xml())
    ours = conjoint.MjModel.from_xml_string(xml)
    np.testing.assert_allclose(theirs.mesh_vert, ours.mesh_vert, atol=1e-6)
    np.testing.assert_array_equal(theirs.mesh_facenormal, ours.mesh_facenormal)
