"""Assets of MuJoCo versions after 3.3.5: built-in flexcomp meshes, flexes created from meshes, referenced textures.

MuJoCo 3.3.5 rejects them, so the expected numbers are those of 4.0.0.
"""

from __future__ import annotations

import pickle
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import conjoint
from conjoint.lang.errors import ModelError


def with_mesh(kind: str, params: str, more: str = "") -> str:
    return f"""<mujoco><asset><mesh name="m" builtin="{kind}" params="{params}" {more}/></asset><worldbody>
      <body><geom type="mesh" mesh="m" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


# expected values per shape: vertices, faces (of the hull, for solids), weighted sums of the mesh's numbers, moments of
# inertia for 1 kg
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
    # 4.0.0 stores vertices in single precision
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


# expected values of 4.0.0: dimension, vertex count, length of the element list, position of the first body
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
        ('mesh="flat" type="grid"', "type must be mesh or gmsh, not grid"),
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
    with pytest.raises(ValueError, match="type must be mesh or gmsh"):
        spec.worldbody.make_flex("h", "grid", mesh="flat")


# --- textures that stay in their files ---


def picture() -> bytes:
    """Return a PNG image of two rows with three pixels each."""
    kept = BytesIO()
    Image.fromarray(np.arange(18, dtype=np.uint8).reshape(2, 3, 3)).save(kept, "png")
    return kept.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "tiny.png").write_bytes(picture())
    return tmp_path


def textured(folder: Path, compiler: str, *textures: str) -> Path:
    """Write a model whose textures are named a, b, c ... and return its path."""
    rows = "".join(f'<texture name="{"abcdefghi"[i]}" {texture}/>' for i, texture in enumerate(textures))
    path = folder / "model.xml"
    path.write_text(f'<mujoco><compiler texturedir="pictures" {compiler}/><asset>{rows}</asset></mujoco>')
    return path


@pytest.mark.plain
def test_textures_by_reference(folder: Path) -> None:
    """Every saved form of a model with referenced textures contains their paths, but not their pixels."""
    file = 'type="2d" file="tiny.png"'
    pattern = 'type="2d" builtin="checker" width="4" height="4"'
    path = textured(
        folder, 'passthrough="textures"', file, file + ' embed="true"', pattern, file + ' content_type="image/png"'
    )
    spec = conjoint.MjSpec.from_file(str(path))
    assert spec.compiler.passthrough == conjoint.mjtPassthrough.mjPASSTHROUGH_TEXTURES
    assert spec.texture("b").embed == conjoint.mjtEmbed.mjEMBED_TRUE
    m = spec.compile()
    assert m.tex_adr.tolist() == [-1, 0, 18, -1] and m.ntexdata == 18 + 48
    assert m.tex_width.tolist() == [0, 3, 4, 0] and m.tex_colorspace[0] == conjoint.mjtColorSpace.mjCOLORSPACE_AUTO
    assert m.tex("a").data.size == 0
    where = m.paths[m.tex_pathadr[0] :].split(b"\0")[0].decode()
    assert Path(where) == folder / "pictures" / "tiny.png"
    assert m.tex_contenttypeadr[:3].tolist() == [-1, -1, -1]
    assert m.paths[m.tex_contenttypeadr[3] :].split(b"\0")[0] == b"image/png"
    conjoint.mj_saveModel(m, str(folder / "model.mjb"))
    again = conjoint.MjSpec.from_string(spec.to_xml())
    assert again.texture("b").embed == conjoint.mjtEmbed.mjEMBED_TRUE and again.compiler.passthrough
    usual = conjoint.MjModel.from_xml_path(str(textured(folder, "", file, file, pattern, file)))
    for one in (
        m,
        pickle.loads(pickle.dumps(m)),
        conjoint.MjModel.from_binary_path(str(folder / "model.mjb")),
        m.__copy__(),
    ):
        pixels, colorspace = conjoint.mj_loadTexture(one, 0)
        assert pixels.ravel().tolist() == list(range(18)) and colorspace == usual.tex_colorspace[0]
        whole = conjoint.mj_embedAssets(one)
        assert (whole.tex_data == usual.tex_data).all() and (whole.tex_adr == usual.tex_adr).all()
        assert whole.ntexdata == usual.ntexdata and (whole.tex_colorspace == usual.tex_colorspace).all()
        assert whole.tex("d").data.shape == (2, 3, 3)
    spec.compiler.passthrough = conjoint.mjtPassthrough.mjPASSTHROUGH_NONE
    assert (spec.compile().tex_data == usual.tex_data).all() and "passthrough" not in spec.to_xml()
    (folder / "pictures" / "tiny.png").unlink()
    for load in (lambda: conjoint.mj_embedAssets(m), lambda: conjoint.mj_loadTexture(m, 0)):
        with pytest.raises(ValueError, match=r"texture 0: .*tiny\.png"):
            load()


@pytest.mark.plain
@pytest.mark.parametrize(
    ("texture", "reason"),
    [
        ('type="2d" builtin="flat" width="2" height="2"', "it is a pattern"),
        ('type="cube" fileright="tiny.png"', "no single file"),
        ('type="2d" file="tiny.png" hflip="true"', "flipped"),
        ('type="cube" file="tiny.png" gridsize="1 2" gridlayout="LR"', "a grid of several"),
    ],
)
def test_what_cannot_be_left_in_its_file(folder: Path, texture: str, reason: str) -> None:
    with pytest.raises(ModelError, match=f"texture name='a'.*embed='false'.*{reason}"):
        conjoint.MjModel.from_xml_path(str(textured(folder, "", texture + ' embed="false"')))


def test_files_in_memory_stay_in_the_model(folder: Path) -> None:
    text = '<mujoco><compiler passthrough="textures"/><asset><texture name="a" type="2d" file="x.png" {}/></asset></mujoco>'
    assert conjoint.MjModel.from_xml_string(text.format(""), {"x.png": picture()}).ntexdata == 18
    with pytest.raises(ModelError, match="its file is in memory"):
        conjoint.MjModel.from_xml_string(text.format('embed="false"'), {"x.png": picture()})


def test_the_compiler_may_be_told_of_single_textures(folder: Path) -> None:
    m = conjoint.MjModel.from_xml_path(str(textured(folder, "", 'type="2d" file="tiny.png" embed="false"')))
    assert m.ntexdata == 0 and m.tex_adr[0] == -1


def test_pictures_of_textures_by_reference(folder: Path) -> None:
    """The ray renderer rejects referenced textures; other renderers read the file, or draw white and warn if it is missing."""
    from conjoint.render.resources import pixels_of

    path = textured(folder, 'passthrough="textures"', 'type="2d" file="tiny.png"')
    m = conjoint.MjModel.from_xml_path(str(path))
    assert pixels_of(m, 0).shape == (2, 3, 3)
    (folder / "pictures" / "tiny.png").unlink()
    with pytest.warns(UserWarning, match="tiny.png"):
        assert (pixels_of(m, 0) == 255).all()
    batch = conjoint.Batch(m, 1)
    with pytest.raises(ValueError, match="mj_embedAssets"):
        batch.render(height=4, width=4)


def test_gravity_compensation_may_be_said_to_be_there() -> None:
    m = conjoint.MjModel.from_xml_string(
        '<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    d = conjoint.MjData(m)
    m.body("b").gravcomp = 1
    for flag, acceleration in ((False, -9.81), (True, 0.0), (False, -9.81)):
        m.flg_gravcomp = flag
        assert (m.ngravcomp, m.flg_gravcomp) == (int(flag), flag)
        conjoint.mj_forward(m, d)
        assert d.qacc[2] == pytest.approx(acceleration, abs=1e-12)
