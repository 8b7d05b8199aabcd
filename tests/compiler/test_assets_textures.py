"""Textures, materials, height fields and skins; every compared field equals MuJoCo's."""

from __future__ import annotations

import struct

import pytest

from asset_files import FACES, TETRAHEDRON, assert_same, png, refusals, skn, with_asset, words

COLOURS = 'rgb1=".1 .2 .3" rgb2=".9 .7 1" markrgb=".5 1 0" random=".3"'
IMAGES = {
    "rgb.png": png((4, 4, 3)),
    "rgba.png": png((4, 4, 4)),
    "gray.png": png((4, 4)),
    "palette.png": png((4, 4, 3), "P"),
    "wide.png": png((4, 8, 3)),
    "grid.png": png((12, 16, 3)),
    "pixels.bin": struct.pack("<2i", 3, 2) + bytes(range(18)),
    "field.bin": struct.pack("<2i6f", 2, 3, *range(6)),
}


def texture(attributes: str) -> str:
    """Return the XML of a model whose only texture has the given attributes."""
    return with_asset(f'<texture name="t" {attributes}/>')


@pytest.mark.parametrize("mark", ["none", "edge", "cross", "random"])
@pytest.mark.parametrize("kind", ["2d", "cube", "skybox"])
@pytest.mark.parametrize("builtin", ["gradient", "checker", "flat"])
def test_builtin(builtin: str, kind: str, mark: str) -> None:
    assert_same(texture(f'type="{kind}" builtin="{builtin}" mark="{mark}" width="7" height="20" {COLOURS}'))


@pytest.mark.parametrize(
    "attributes",
    [
        'type="2d" builtin="checker" width="3" height="2" nchannel="4"',
        'type="2d" builtin="flat" width="2" height="3" nchannel="1" mark="edge"',
        'type="cube" builtin="flat" width="2" nchannel="5"',
        'type="2d" builtin="gradient" width="4" height="1"',
        'type="cube" builtin="gradient" width="1"',
        'type="cube" builtin="gradient" width="4" rgb1="1.5 -.2 1.2"',
        'type="2d" builtin="flat" width="4" height="4" rgb1="1.5 -.2 300" mark="cross" markrgb="-1 2 9"',
    ],
)
def test_builtin_corners(attributes: str) -> None:
    """Built-in textures agree with MuJoCo for unusual channel counts, single rows and colors out of range."""
    assert_same(texture(attributes))


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("name", ["rgb.png", "rgba.png", "gray.png", "palette.png"])
def test_images(name: str, channels: int) -> None:
    assert_same(texture(f'type="2d" file="{name}" nchannel="{channels}"'), IMAGES)


@pytest.mark.parametrize(
    "attributes",
    [
        'type="2d" file="wide.png" hflip="true"',
        'type="2d" file="wide.png" vflip="true" colorspace="sRGB"',
        'type="2d" file="pixels.bin"',
        'type="2d" file="pixels.bin" content_type="image/vnd.mujoco.texture" vflip="true"',
        'type="cube" file="rgb.png"',
        'type="skybox" file="grid.png" gridsize="3 4" gridlayout=".U..LFRB.D.."',
        'type="cube" file="grid.png" gridsize="3 4" gridlayout="RLUDFBRLUDFB" hflip="true"',
        'type="cube" fileup="rgb.png" fileleft="palette.png" rgb1="1 0 .5"',
        'type="cube" fileright="rgb.png" vflip="true"',
    ],
)
def test_files(attributes: str) -> None:
    assert_same(texture(attributes), IMAGES)


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        'type="2d" builtin="flat" width="4"',
        'type="2d" file="none.png"',
        'type="2d" file="cut.png"',
        'type="2d" file="huge.png"',
        'type="2d" file="rgb.png" nchannel="2"',
        'type="2d" file="rgb.png" content_type="image/nonsense"',
        'type="2d" file="cut.bin"',
        'type="2d" fileup="rgb.png"',
        'type="cube" file="wide.png"',
        'type="cube" fileup="wide.png"',
        'type="cube" file="grid.png" gridsize="0 4"',
        'type="cube" file="grid.png" gridsize="4 4"',
        'type="cube" file="grid.png" gridsize="3 4" gridlayout="R"',
        'type="cube" file="grid.png" gridsize="3 4" gridlayout=".U..LFRX.D.."',
        'type="2d" builtin="flat" width="2" height="2" gridlayout="RL"',
        'type="2d" file="rgb.png" nchannel="4" hflip="true"',
        'type="2d" file="gray.png" nchannel="1" vflip="true"',
    ],
)
def test_textures_refused(attributes: str) -> None:
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">2I", 10**9, 10**9) + b"\x08\x02\0\0\0"
    damaged = {
        "cut.png": IMAGES["rgb.png"][:-20],
        "huge.png": header + bytes(4) + b"\0\0\0\0IEND\xaeB`\x82",
        "cut.bin": IMAGES["pixels.bin"][:-1],
    }
    ours, theirs = refusals(texture(attributes), IMAGES | damaged)
    assert theirs
    assert "<texture name='t'>" in ours


def test_materials_and_layers() -> None:
    layers = '<layer texture="a" role="rgb"/><layer texture="b" role="orm"/>'
    assert_same(
        with_asset(
            '<texture name="a" type="2d" file="rgb.png"/><texture name="b" type="2d" file="wide.png"/>'
            f'<material name="m">{layers}</material><material name="n" texture="b" texrepeat="2 3" shininess=".1"/>'
        ),
        IMAGES,
    )


def field(attributes: str, geom: str = 'type="hfield" hfield="h"') -> str:
    """Return the XML of a model with a height field and a geom that uses it."""
    ground = f"<worldbody><geom {geom}/>"
    return with_asset(f'<hfield name="h" {attributes}/>').replace("<worldbody>", ground)


@pytest.mark.parametrize(
    "attributes",
    [
        'nrow="2" ncol="3" size="1 2 3 4"',
        'nrow="2" ncol="3" size="1 2 3 4" elevation="1 2 3 4 5 7"',
        'nrow="2" ncol="3" size="1 2 3 4" elevation="1 1 1 1 1 1"',
        'file="field.bin" size="1 2 3 4"',
        'file="wide.png" size="1 2 3 4"',
        'file="gray.png" size="1 2 .3 .4" nrow="3"',
    ],
)
def test_height_fields(attributes: str) -> None:
    assert_same(field(attributes), IMAGES)
    assert_same(field(attributes, 'type="hfield" hfield="h" pos="1 2 3" euler="10 20 30"'), IMAGES)


@pytest.mark.parametrize(
    "attributes",
    [
        'size="1 1 1 1"',
        'nrow="2" ncol="2" size="1 1 1 0"',
        'nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3"',
        'file="cut.bin" size="1 1 1 1"',
        'file="none.png" size="1 1 1 1"',
    ],
)
def test_height_fields_refused(attributes: str) -> None:
    ours, theirs = refusals(field(attributes), IMAGES | {"cut.bin": IMAGES["field.bin"][:-1]})
    assert theirs
    assert "<hfield name='h'>" in ours


BONES = (
    '<bone body="a" bindpos="0 0 1" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 .5"/>'
    '<bone body="b" bindpos="0 0 1" bindquat="2 0 0 1" vertid="2 3" vertweight=".5 3"/>'
)
LOST = BONES.replace('body="b"', 'body="c"')
VERTICES = f'vertex="{words(TETRAHEDRON)}" face="{words(FACES)}"'
SKIN = skn(
    TETRAHEDRON,
    FACES,
    [("a", (0, 0, 1), (1, 0, 0, 0), (0, 1, 2), (1, 1, 0.5)), ("b", (1, 0, 1), (2, 0, 0, 1), (2, 3), (0.5, 3))],
    [[0, 0.5]] * 4,
)


def with_skin(skin: str, section: str = "deformable") -> str:
    """Return the XML of a model with a skin over two bodies."""
    bodies = "".join(f'<body name="{name}"><freejoint/><geom size="1"/></body>' for name in "ab")
    return f"<mujoco><{section}>{skin}</{section}><worldbody>{bodies}</worldbody></mujoco>"


@pytest.mark.parametrize("section", ["asset", "deformable"])
def test_skins(section: str) -> None:
    attributes = 'name="s" texcoord="0 0 0 1 1 0 1 1" inflate=".1" group="2" rgba="1 0 0 1"'
    assert_same(with_skin(f"<skin {VERTICES} {attributes}>{BONES}</skin>", section))
    assert_same(with_skin('<skin file="s.skn"/>', section), {"s.skn": SKIN})


@pytest.mark.parametrize(
    "skin",
    [
        f"<skin {VERTICES}/>",
        f'<skin vertex="{words(TETRAHEDRON)}">{BONES}</skin>',
        f'<skin {VERTICES} texcoord="0 0">{BONES}</skin>',
        f"<skin {VERTICES}>{BONES.replace('2 3', '2 4')}</skin>",
        f"<skin {VERTICES}>{BONES.replace('.5 3', '.5')}</skin>",
        f"<skin {VERTICES}>{BONES.replace('.5 3', '-.5 3')}</skin>",
        f"<skin {VERTICES}>{LOST}</skin>",
        f'<skin {VERTICES} file="s.skn"/>',
        '<skin file="cut.skn"/>',
        '<skin file="long.skn"/>',
        '<skin file="many.skn"/>',
        '<skin file="s.obj"/>',
    ],
)
def test_skins_refused(skin: str) -> None:
    many = struct.pack("<4i", 10**9, 0, 10**9, 10**9)
    files = {"s.skn": SKIN, "cut.skn": SKIN[:-3], "long.skn": SKIN + b"1", "many.skn": many, "s.obj": SKIN}
    ours, theirs = refusals(with_skin(skin), files)
    assert theirs
    assert "<skin" in ours


TEXTURE = '<texture name="t" type="2d" file="{}"/>'


@pytest.mark.parametrize(
    "asset, file",
    [
        (TEXTURE, "photo.jpg"), (TEXTURE, "photo.jpeg"), (TEXTURE, "photo.png"),
        ('<hfield file="{}" size="1 1 1 1"/>', "photo.png"),
    ],
)  # fmt: skip
def test_a_jpeg_is_named_as_one(asset: str, file: str) -> None:
    ours, theirs = refusals(with_asset(asset.format(file)), {file: b"\xff\xd8\xff\xe0" + bytes(60)})
    assert theirs
    assert f"file '{file}': it is a JPEG image: convert it to PNG\n" in ours
