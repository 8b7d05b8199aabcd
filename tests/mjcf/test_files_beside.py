"""File search, as in MuJoCo: first beside the main file, then beside the file that contains the reference."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import mujoco
import pytest
from PIL import Image

import conjoint
from asset_files import FACES, TETRAHEDRON, stl
from conjoint.lang.errors import ModelError
from oracle import model_differences

TETRAHEDRA = [stl((TETRAHEDRON * size)[FACES]) for size in (1, 2)]


def model(inside: str) -> str:
    return f"<mujoco>{inside}</mujoco>"


def geom(name: str) -> str:
    return model(f'<worldbody><geom name="{name}" size="1"/></worldbody>')


def include(file: str) -> str:
    return model(f'<include file="{file}"/>')


def image() -> bytes:
    stream = BytesIO()
    Image.new("RGB", (4, 4), (1, 2, 3)).save(stream, "PNG")
    return stream.getvalue()


MESH = model('<asset><mesh name="m" file="m.stl"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>')
CASES: dict[str, dict[str, str | bytes]] = {
    "include beside the including file": {"s/a.xml": include("d/b.xml"), "s/d/b.xml": geom("b")},
    "include beside the main file first": {"s/a.xml": include("b.xml"), "b.xml": geom("main"), "s/b.xml": geom("s")},
    "include in an include of an include": {
        "s/a.xml": include("d/b.xml"), "s/d/b.xml": include("c.xml"), "s/c.xml": geom("s"), "s/d/c.xml": geom("d"),
    },
    "includes of the same name": {
        "s/a.xml": model('<include file="b.xml"/><include file="../t/a.xml"/>'), "s/b.xml": geom("s"),
        "t/a.xml": include("b.xml"), "t/b.xml": geom("t"),
    },
    "folder that is not there": {"s/a.xml": include("none/../b.xml"), "s/b.xml": geom("b")},
    "mesh beside the including file": {"s/a.xml": MESH, "s/m.stl": TETRAHEDRA[0]},
    "mesh beside the main file first": {"s/a.xml": MESH, "s/m.stl": TETRAHEDRA[0], "m.stl": TETRAHEDRA[1]},
    "mesh beside the including file, whatever meshdir says": {
        "s/a.xml": MESH.replace("<asset>", '<compiler meshdir="k"/><asset>'), "s/m.stl": TETRAHEDRA[1],
    },
    "mesh in a folder that is not there": {"s/a.xml": MESH.replace("m.stl", "../none/../m.stl"), "m.stl": TETRAHEDRA[0]},
    "meshdir that is not there": {
        "s/a.xml": MESH.replace("<asset>", '<compiler meshdir="no/.."/><asset>'), "m.stl": TETRAHEDRA[0],
    },
    "texture": {"s/a.xml": model('<asset><texture name="t" type="2d" file="t.png"/></asset>'), "s/t.png": image()},
    "sides of a texture": {"s/a.xml": model('<asset><texture name="t" fileup="t.png"/></asset>'), "s/t.png": image()},
    "height field": {
        "s/a.xml": model('<asset><hfield name="h" size="1 1 1 1" file="t.png"/></asset>'), "s/t.png": image(),
    },
    "model": {
        "s/a.xml": model(
            '<asset><model name="h" file="h.xml"/></asset><worldbody><attach model="h" prefix="_"/></worldbody>'
        ),
        "s/h.xml": geom("attached"),
    },
    "flexcomp": {
        "s/a.xml": model('<worldbody><flexcomp name="f" type="mesh" file="m.stl" dim="2"/></worldbody>'),
        "s/m.stl": TETRAHEDRA[0],
    },
}  # fmt: skip
"""Files of each case, which are written beside main.xml; main.xml includes s/a.xml."""


def write(folder: Path, files: dict[str, str | bytes]) -> str:
    """Write a main file and the given `files` into `folder`, and return the path of the main file."""
    for name, contents in {"main.xml": include("s/a.xml"), **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return str(folder / "main.xml")


@pytest.mark.parametrize("case", CASES)
def test_where_files_are(case: str, tmp_path: Path) -> None:
    path = write(tmp_path, CASES[case])
    ours, theirs = conjoint.MjModel.from_xml_path(path), mujoco.MjModel.from_xml_path(path)
    assert model_differences(ours, theirs) == {}
    assert [ours.geom(i).name for i in range(ours.ngeom)] == [theirs.geom(i).name for i in range(theirs.ngeom)]


def test_files_beside_an_include_are_found_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # MuJoCo searches for this file in m/m/s
    write(tmp_path / "m", CASES["mesh beside the including file"])
    monkeypatch.chdir(tmp_path)
    assert conjoint.MjModel.from_xml_path("m/main.xml").nmeshvert == 4


def test_where_an_include_was_looked_for(tmp_path: Path) -> None:
    path = write(tmp_path, {"s/a.xml": include("b.xml")})
    with pytest.raises(ModelError) as caught:
        conjoint.MjModel.from_xml_path(path)
    at = f"{tmp_path}/s/a.xml:1:18"
    reported = f"{at}: <include>: there is no file '{tmp_path}/b.xml' nor '{tmp_path}/s/b.xml'"
    assert str(caught.value) == f"{reported}\nElement 'include', line 1"


def test_a_saved_model_finds_files_beside_an_include(tmp_path: Path) -> None:
    path = write(tmp_path / "a", CASES["mesh beside the including file"])
    (tmp_path / "b.xml").write_text(conjoint.MjSpec.from_file(path).to_xml())
    assert conjoint.MjModel.from_xml_path(str(tmp_path / "b.xml")).nmeshvert == 4


def test_included_texts_refer_to_files_beside_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"s/m.stl": TETRAHEDRA[0]})
    monkeypatch.chdir(tmp_path)
    for given in (MESH.encode(), MESH):
        assert conjoint.MjModel.from_xml_string(include("s/a.xml"), {"s/a.xml": given}).nmeshvert == 4
