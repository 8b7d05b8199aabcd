"""Details of flexcomp compared with MuJoCo: plugins, files and combinations of attributes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from test_compiler_macros import flexcomp

import conjoint
from compiled import check
from conjoint import MjModel, MjSpec, ModelError
from oracle import model_differences
from refusals import refused_by_both

CABLE = '<plugin plugin="mujoco.elasticity.cable"><config key="bend" value="3"/></plugin>'
DECLARED = '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'


@pytest.mark.parametrize("pin", ["", '<pin id="0 3"/>'])
def test_all_bodies_of_a_flexcomp_share_its_plugin(pin):
    xml = DECLARED + flexcomp('dim="2" count="3 2 1"', pin + CABLE)
    check(xml)
    saved = MjSpec.from_string(f"<mujoco>{xml}</mujoco>").to_xml()
    assert '<instance name="flexcomp_f">' in saved
    assert model_differences(MjModel.from_xml_string(saved), mujoco.MjModel.from_xml_string(saved)) == {}


@pytest.mark.parametrize(
    ("name", "dim", "faces", "edges"),
    [
        ("shell", 2, "0 2 3 0 3 1", "0 1 2 3 4 1"),
        ("membrane", 2, "0 2 3 0 3 1", "0 1 2 3 4 1"),
        ("solid", 3, "0 1 2 3", "0 1 2 3 4 5"),
    ],
)
def test_former_plugins_for_elasticity_are_told_of_elements_and_edges(name, dim, faces, edges):
    shape = 'count="2 2 1"' if dim == 2 else 'type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3"'
    use = f'<plugin plugin="mujoco.elasticity.{name}"><config key="young" value="5"/></plugin>'
    declared = f'<extension><plugin plugin="mujoco.elasticity.{name}"/></extension>'
    inside = flexcomp(f'dim="{dim}" {shape}', use)
    model = MjModel.from_xml_string(f"<mujoco>{declared}{inside}</mujoco>")
    assert bytes(model.plugin_attr).decode().split("\0")[:3] == [faces, edges, "5"]
    assert model.body_plugin.tolist() == [-1, -1, 0, 0, 0, 0]


TURNED = 'pos="1 2 3" euler="10 20 30"'
TRILINEAR = '<contact selfcollide="none"/>'
SHELL = '<elasticity young="1e4" poisson=".2" thickness="{0}" elastic2d="{1}"/>'
WIDE = 'spacing=".1 .2 .3" radius=".01"'


@pytest.mark.parametrize(
    ("attributes", "inside"),
    [
        # a quaternion without unit length stays unnormalized
        ('dim="1" count="3 1 1" quat="1 1 1 0"', ""),
        ('type="direct" dim="1" point="0 0 0 1 2 3" element="0 1" quat="1 1 0 0" scale="1 2 3"', ""),
        # Stiffness: without a thickness, without stretching, and bending of irregular meshes
        ('dim="2" count="3 3 1"', '<elasticity young="1" elastic2d="stretch"/>'),
        (f'type="disc" dim="2" count="4 5 1" {WIDE}', SHELL.format(0.01, "both")),
        ('dim="2" count="3 3 1"', '<elasticity elastic2d="bend"/>'),
        ('dim="2" count="3 3 1"', '<elasticity poisson=".7"/>'),
        # elastic damping uses the edges
        ('dim="2" count="2 3 1"', '<pin id="0"/><elasticity damping=".1"/>'),
        # trilinear flexes in rotated bodies; pins refer to points, and the first points are nodes
        (f'dim="3" count="4 4 4" dof="trilinear" {WIDE} euler="40 50 60"', TRILINEAR + SHELL.format(-1, "none")),
        (f'dim="3" count="4 4 4" dof="trilinear" {WIDE}', TRILINEAR + '<pin id="1 63"/>'),
        ('dim="2" count="3 2 1" dof="trilinear"', TRILINEAR + '<pin id="5"/>'),
        # flexes whose box has no extent
        ('dim="1" count="3 1 1" radius="0"', ""),
        ('dim="1" count="3 1 1" radius=".001" pos="1 2 3"', ""),
        # types with a fixed dimension
        ('type="square" dim="1" count="3 3 1"', ""),
        ('type="disc" dim="3" count="3 3 1"', ""),
        ('dim="1" count="3 1 1" spacing=".2 .2 .2" radius=".01"', '<contact margin=".1"/>'),
    ],
)
def test_flexcomps_in_bodies_that_are_turned(attributes, inside):
    inner = flexcomp(attributes, inside).replace('<body name="p">', f'<body name="p" {TURNED}>')
    check(inner)


@pytest.mark.parametrize(
    ("attributes", "inside", "message"),
    [
        ('dim="1" count="3 1 1" spacing=".1 .1 .1"', '<contact margin=".1"/>', "spacings must be at least 0.11"),
        ('dim="2" count="3 3 1" scale="1 -1 1"', "", "scales must be positive"),
        ('dim="2" count="0 3 1"', "", "counts must be at least 1"),
        ('dim="3" count="3 3 1" dof="radial" pos="0 0 1"', "", "counts must be at least 2"),
        ('dim="1" count="3 1 1" dof="radial"', "", "point 1 is at the center"),
        ('dim="1" count="3 1 1"', '<pin grid="1"/>', "<pin>: pins by grid coordinates need"),
        ('type="disc" count="3 3 1"', '<pin grid="1 1"/>', "<pin>: pins by grid coordinates need"),
        ('dim="2" count="3 3 1"', '<pin gridrange="1 1 2 3"/>', "outside the grid of 3 x 3 points"),
        ('dim="2" count="3 3 1"', '<pin id="9"/>', "<pin>: there is no point 9: pin points 0 to 8"),
        ('dim="2" count="2 2 1" dof="trilinear"', TRILINEAR + '<pin id="7"/>', "there is no point 7"),
        ('dim="2" count="3 3 1"', '<edge equality="true"/><elasticity elastic2d="both"/>', "not both"),
        ('dim="2" count="3 3 1"', '<pin id="0"/>' + SHELL.format(0.1, "bend"), "remove pins"),
        ('dim="2" count="3 3 1"', SHELL.format(-1, "bend"), "bending needs a thickness"),
        ('type="mesh" dim="1" file="m.obj"', "", "a mesh has dim 2"),
        ('type="mesh" dim="3" file="m.obj"', "", "needs an origin"),
    ],
)
def test_flexcomps_that_are_refused_say_why(attributes, inside, message):
    xml = f"<mujoco>{flexcomp(attributes, inside)}</mujoco>"
    refused_by_both(xml, words=message)


QUAD = """v 0 0 0
v 1 0 0
v 0 1 0
v 1 1 0
vt 0 0
vt 1 0
vt 0 1
vt .3 .4
vt .5 .5
f 1/1 2/2 3/3
f 2/2 4/4 3/5
"""


@pytest.mark.parametrize("more", ["", 'texcoord="0 0 0 0 0 0 0 0"', 'rigid="true"'])
def test_meshes_bring_their_texture_coordinates(more, tmp_path):
    (tmp_path / "m.obj").write_text(QUAD)
    check(flexcomp(f'type="mesh" file="{tmp_path}/m.obj" {more}'))


def test_vertices_of_a_filled_mesh_have_coordinates(tmp_path):
    """The origin of a filled mesh has texture coordinates, as in MuJoCo 4.0.0; 3.3.5 omits them and thus shifts all others."""
    (tmp_path / "m.obj").write_text(QUAD)
    xml = f"""<mujoco>{flexcomp(f'type="mesh" file="{tmp_path}/m.obj" dim="3" origin=".2 .2 -.2"')}</mujoco>"""
    m = MjModel.from_xml_string(xml)
    different = set(model_differences(m, mujoco.MjModel.from_xml_string(xml)))
    assert different <= {"nflextexcoord", "flex_elemtexcoord", "flex_texcoord"}
    assert np.allclose(m.flex_texcoord, [[0, 0], [0, 1], [1, 1], [0.5, 0.5], [0.3, 0.6]])


def test_coordinates_that_do_not_exist_are_refused() -> None:
    flex = (
        '<deformable><flex name="f" dim="2" body="world" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" {}/></deformable>'
    )
    with pytest.raises(ModelError, match="texture coordinates 7: there are 3"):
        MjModel.from_xml_string(f"""<mujoco>{flex.format('texcoord="0 0 1 0 0 1" elemtexcoord="0 7 1"')}</mujoco>""")


def test_only_triangles_that_see_the_origin_from_behind_make_tetrahedra(tmp_path):
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    for origin in ("0 0 0", ".2 .2 .2"):
        check(flexcomp(f'type="mesh" dim="3" file="{tmp_path}/m.obj" origin="{origin}"'))


GMSH = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
1 4 1 4
3 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
1 1 1 1
3 1 4 1
1 1 2 3 4
$EndElements
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("$MeshFormat\n4", "\n$MeshFormat\n4", "does not begin with"),
        ("1 4 1 4\n", "2 4 1 4\n", "nodes.*in a single block"),
        ("1 4 1 4\n", "1 5 1 5\n", "nodes.*in a single block"),
        ("1\n2\n3\n4\n", "2\n1\n3\n4\n", "numbered 1, 2, 3"),
        ("$Elements\n1 1", "$Elements\n2 1", "elements.*in a single block"),
        ("3 1 4 1\n", "2 1 3 1\n", "either lines, or triangles, or tetrahedra"),
        ("1 1 2 3 4\n", "1 1 2 3 9\n", "unknown node"),
    ],
)
def test_gmsh_files_of_several_parts_are_refused_as_documented(old, new, message, tmp_path):
    path = tmp_path / "m.msh"
    xml = flexcomp(f'type="gmsh" file="{path}"')
    path.write_text(GMSH)
    check(xml)
    path.write_text(GMSH.replace(old, new))
    refused_by_both(f"<mujoco>{xml}</mujoco>", words=message)


COLLIDE = '<contact vertcollide="true"/>'


@pytest.mark.parametrize(
    ("attributes", "inside", "before"),
    [
        ('dim="2" count="3 2 1"', COLLIDE, ""),
        (
            'dim="1" count="3 1 1" radius=".001"',
            '<contact vertcollide="true" contype="3" margin=".001" condim="4"/>',
            "",
        ),
        ('dim="2" count="3 2 1" pos="1 2 3" quat="1 1 0 0"', COLLIDE + '<pin id="0 2"/>', ""),
        ('dim="2" count="3 2 1" rigid="true"', COLLIDE, ""),
        ('dim="2" count="3 2 1" dof="radial" type="disc"', COLLIDE, ""),
        ('dim="3" count="3 3 3" dof="trilinear"', '<contact vertcollide="true" selfcollide="none"/><pin id="1"/>', ""),
        (
            'dim="2" count="3 2 1"',
            COLLIDE,
            '<default><geom type="box" size="3 4 5" pos="1 2 3" group="1" mass="2"/></default>',
        ),
        ('dim="2" count="3 2 1"', COLLIDE, '<compiler inertiafromgeom="true"/><default><geom density="3"/></default>'),
        ('dim="2" count="3 2 1"', '<contact vertcollide="false"/>', ""),
    ],
)
def test_vertices_that_collide_have_geoms(attributes, inside, before):
    check(before + flexcomp(attributes, inside))


def test_geoms_of_vertices_are_of_the_class_of_the_parent():
    classes = '<default><geom contype="5"/><default class="c"><geom contype="7" rgba="1 0 0 1"/></default></default>'
    inside = flexcomp('dim="2" count="3 2 1"', COLLIDE)
    check(classes + inside.replace('name="p"', 'name="p" childclass="c"'))


def test_geoms_of_vertices_are_saved_once():
    inside = flexcomp('dim="2" count="3 2 1"', COLLIDE)
    saved = MjSpec.from_string(f"<mujoco>{inside}</mujoco>").to_xml()
    assert MjModel.from_xml_string(saved).ngeom == mujoco.MjModel.from_xml_string(saved).ngeom == 6


@pytest.mark.parametrize("texture", ["", "/{}"])
@pytest.mark.parametrize("more", ["", 'rigid="true"', 'dof="radial"', 'dof="trilinear"', 'material="m" scale="1 2 3"'])
def test_corners_at_the_same_place_are_one_point(more, texture, tmp_path):
    """Coincident corners of two adjacent squares become one point, with and without texture coordinates."""
    corners = [(x + i, y, 0.5 * (x + i)) for i in range(2) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
    for square in range(2):
        for face in ((1, 2, 3), (1, 3, 4)):
            lines.append("f " + " ".join(f"{4 * square + i}{texture.format(i)}" for i in face))
    (tmp_path / "m.obj").write_text("\n".join(lines))
    inside = '<contact selfcollide="none"/>'
    check(flexcomp(f'type="mesh" dim="2" file="{tmp_path}/m.obj" pos="0 0 5" {more}', inside))


@pytest.mark.parametrize(("count", "spacing"), [(40, 0.15), (7, 0.3), (101, 0.1)])
def test_points_of_a_circle_have_the_official_bits(count, spacing):
    """Circle points are bit-identical to MuJoCo's, because a cable that barely touches a cylinder is sensitive to one bit."""
    inside = flexcomp(f'type="circle" dim="1" count="{count} 1 1" spacing="{spacing} 1 1" radius=".002"')
    text = f"<mujoco>{inside}</mujoco>"
    assert (MjModel.from_xml_string(text).body_pos == mujoco.MjModel.from_xml_string(text).body_pos).all()


CLOTH_IN_FRAMES = """<mujoco><worldbody><frame pos="1 2 3" euler="0 0 90"><frame pos="0 0 1"><flexcomp name="f" type="grid"
count="3 2 1" spacing=".1 .1 .1" dim="2" radius=".01" pos=".5 0 0" euler="0 90 0"/></frame></frame></worldbody></mujoco>"""


def placed_vertices(text: str) -> tuple[conjoint.MjModel, np.ndarray]:
    """Return a model and the initial positions of its flex vertices."""
    m = conjoint.MjModel.from_xml_string(text)
    d = conjoint.MjData(m)
    conjoint.mj_kinematics(m, d)
    conjoint.mj_flex(m, d)
    return m, d.flexvert_xpos


def test_frames_move_flexes() -> None:
    """Enclosing frames move flexes, as in MuJoCo since 4.0; earlier versions ignore these frames."""
    m, vertices = placed_vertices(CLOTH_IN_FRAMES)
    np.testing.assert_allclose(vertices[:3], [[1.05, 2.5, 4.1], [0.95, 2.5, 4.1], [1.05, 2.5, 4]], atol=1e-12)
    np.testing.assert_array_equal(m.body_quat[-1], [1, 0, 0, 0])
    np.testing.assert_allclose(m.flex_size, [[0.05, 0, 0.1]], atol=1e-12)
