"""Assets of versions after 3.3.5: builtin meshes of flexcomp's shapes, flexes of meshes, textures by reference.

Official 3.3.5 refuses them; the figures are those of 4.0.0.
"""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelError


def with_mesh(kind: str, params: str, more: str = "") -> str:
    return f"""<mujoco><asset><mesh name="m" builtin="{kind}" params="{params}" {more}/></asset><worldbody>
      <body><geom type="mesh" mesh="m" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


# vertices, faces (of the hull, if it is solid), moments of the numbers that it is given, moments of inertia of 1 kg
BUILTIN = [
    ("grid", "3 3 3 .1 .1 .2", 27, 12, 75.60000112652779, 289984, (0.01666666716, 0.01666666716, 0.00666666686)),
    ("box", "3 2 3 .1 .1 .2", 19, 12, 29.85000044479966, 68464, (0.01666666716, 0.01416666708, 0.00416666679)),
    ("box", "3 2 4 .1 .1 .2 2", 24, 40, 97.80000320076942, 96079, (0.03834718646, 0.03479455478, 0.00732456162)),
    ("cylinder", "3 4 3 .1 .1 .2 2", 32, 52, 124.964553561, 220326, (0.02478889829, 0.02083898390, 0.01360534583)),
    ("ellipsoid", "3 5 4 .1 .1 .2 2", 51, 88, 257.994778789, 1054480, (0.02899674102, 0.02145130421, 0.01581373842)),
    ("ellipsoid", "3 3 4 .1 .1 .2 3", 35, 64, 73.43004727363, 519648, (0.01706124968, 0.01706124968, 0.0035389634)),
    ("square", "3 4 1 .1 .2 .3", 12, 12, 18.600000478327274, 4266, (0.03333333581, 0.03000000238, 0.00333333343)),
    ("disc", "5 5 1 .1 .1 .1", 25, 32, 15.131044462323189, 69896, (0.00077784020, 0.00038892010, 0.00038892010)),
]


@pytest.mark.plain
@pytest.mark.parametrize(("kind", "params", "vertices", "faces", "points", "elements", "inertia"), BUILTIN)
def test_builtin_meshes(
    kind: str, params: str, vertices: int, faces: int, points: float, elements: int, inertia: tuple
) -> None:
    spec = conjoint.MjSpec.from_string(with_mesh(kind, params))
    mesh, m = spec.mesh("m"), spec.compile()
    assert (m.nmeshvert, m.nmeshface) == (vertices, faces)
    numbers = np.array(mesh.userface if len(mesh.userface) else mesh.usertet)
    assert numbers @ np.arange(len(numbers)) == elements
    # 4.0.0 keeps them in single precision
    assert np.array(mesh.uservert) @ np.arange(1, len(mesh.uservert) + 1) == pytest.approx(points, rel=1e-7)
    assert m.body_inertia[1] == pytest.approx(inertia, rel=2e-7)
    again = conjoint.MjSpec.from_string(spec.to_xml()).compile()
    assert np.abs(again.mesh_vert - m.mesh_vert).max() < 1e-6
    other = conjoint.MjSpec().add_mesh(name="m")
    whole = [float(number) for number in params.split()]
    getattr(other, f"make_{kind}")([int(n) for n in whole[:3]], whole[3:6], *map(int, whole[6:]))
    for name in ("uservert", "userface", "usernode", "usertet", "inertia"):
        assert np.array_equal(getattr(other, name), getattr(mesh, name)), name


@pytest.mark.plain
@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("grid", "3 3 3 .1 .1", "three counts and three spacings, and dim"),
        ("square", "3 3 1 .1 .1 .1 2", "a square has three counts and three spacings; 7"),
        ("grid", "3 3 3 .1 .1 .1 1", "dim 2 or 3, not 1"),
        ("grid", "3 1 3 .1 .1 .1", "no elements"),
        ("square", "3 4 2 .1 .2 .3", "third count must be 1"),
        ("box", "1 2 3 .1 .1 .2", "at least 2"),
    ],
)
def test_shapes_that_cannot_be(kind: str, params: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"params.*{message}|{message}"):
        conjoint.MjModel.from_xml_string(with_mesh(kind, params))


def test_inertia_of_flat_shapes_may_be_chosen() -> None:
    for more, number in (("", 3), ('inertia="convex"', 0), ('inertia="exact"', 1)):
        spec = conjoint.MjSpec.from_string(with_mesh("box", "2 2 2 .1 .1 .1 2", more))
        assert spec.mesh("m").inertia == number


FLEXES = """<mujoco><asset>
  <mesh name="flat" builtin="square" params="3 3 1 .1 .2 .3" scale=".5 1 2" refpos="1 2 3" refquat="1 2 0 0"/>
  <mesh name="solid" builtin="grid" params="2 2 3 .1 .2 .3"/>
  <mesh name="corners" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
</asset><worldbody><body name="b"><flexcomp name="f" radius=".001" {}/></body></worldbody></mujoco>"""


# as 4.0.0 has them: dimension, vertices, numbers in the elements, where the first body is
@pytest.mark.plain
@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ('mesh="flat"', (2, 9, 24, [-0.55, -1.08, 7.12])),
        ('mesh="flat" dim="1"', (1, 8, 16, [-0.55, -1.08, 7.12])),
        ('mesh="flat" type="gmsh" pos="1 0 0" euler="0 0 90" scale="2 2 2"', (2, 9, 24, [3.16, -1.1, 14.24])),
        ('mesh="solid"', (3, 12, 48, [-0.05, -0.1, -0.3])),
    ],
)
def test_flexes_of_meshes_of_the_model(attributes: str, wanted: tuple) -> None:
    spec = conjoint.MjSpec.from_string(FLEXES.format(attributes))
    flex = spec.flexes[0]
    found = flex.dim, len(flex.vertbody), len(flex.elem), spec.bodies[2].pos.round(9).tolist()
    assert found == wanted
    assert spec.compile().nflex == 1


@pytest.mark.plain
@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('mesh="flatt"', "no mesh 'flatt'; did you mean 'flat'"),
        ('mesh="flat" file="x.obj"', "cannot both be given"),
        ('mesh="flat" type="grid"', "type is mesh or gmsh, not grid"),
        ('mesh="flat" dim="3"', "origin"),
        ('mesh="solid" dim="2"', "tetrahedra: dim is 3"),
        ('mesh="corners"', "no faces"),
    ],
)
def test_meshes_that_make_no_flex(attributes: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        conjoint.MjSpec.from_string(FLEXES.format(attributes))


def test_a_program_makes_the_same_flex_of_a_mesh() -> None:
    for mesh in ("flat", "solid"):
        spec = conjoint.MjSpec.from_string(FLEXES.format(f'mesh="{mesh}"'))
        file = spec.flexes[0]
        made = spec.worldbody.add_body(name="c").make_flex("g", radius=0.001, mesh=mesh)
        assert (made.dim, list(made.elem)) == (file.dim, list(file.elem))
        assert [body.pos.tolist() for body in spec.body("b").bodies] == [
            body.pos.tolist() for body in spec.body("c").bodies
        ]
    with pytest.raises(ValueError, match="type is mesh or gmsh"):
        spec.worldbody.make_flex("h", "grid", mesh="flat")
