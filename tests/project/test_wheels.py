"""Wheels for every system, with two kernels each: their contents, tags and checks, and reproducible builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.objects.shipped_objects import KINDS, kind_here, unpacked
from conjoint.lang.objects.unit import Description
from places import ROOT
from tools import check_wheels, make_wheels
from tools.check_wheels import complaints_about_wheel, relative_links
from tools.object_symbols import read_object
from waiting import PATIENCE

hatchling_build = pytest.importorskip("hatchling.build")
pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

hatch_build = pytest.importorskip("hatch_build")
KERNELS = "drive,guarded"


PROGRAM = """
import os, sys
from hatchling.builders.wheel import WheelBuilder
for system in sys.argv[2:]:
    os.environ["CONJOINT_WHEEL"] = system
    list(WheelBuilder(".").build(directory=os.path.join(sys.argv[1], system)))
"""


def build(systems: Iterable[str], folder: Path, seed: str = "0") -> dict[str, Path]:
    """Build wheels with two kernels, one of which calls Python, for these systems, and return their paths.

    Each wheel is written to a subfolder named like its system; for system "" this is `folder` itself.
    """
    environment = {**os.environ, "CONJOINT_WHEEL_KERNELS": KERNELS, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", PROGRAM, str(folder), *systems]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=PATIENCE)
    return {system: next((folder / system).glob("*.whl")) for system in systems}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a wheel for each system, one for this processor, and the wheel that `pip install .` builds."""
    here = [hatch_build.HERE] if kind_here() else []
    return build((*hatch_build.RELEASES, *here, ""), tmp_path_factory.mktemp("wheels"))


def codes(wheel: Path) -> dict[str, list[bytes]]:
    """Return the object files in a wheel, by processor type."""
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".objects"):
                packed = unpacked(archive.read(name)).values()
                found[Path(name).stem] = [Description.unpacked(each)[1] for each in packed]
    return found


@pytest.mark.parametrize("system", hatch_build.RELEASES)
def test_a_wheel_is_what_it_says(wheels: dict[str, Path], system: str) -> None:
    wheel = wheels[system]
    # placeholders remain until the project has a home page
    reported = [line for line in complaints_about_wheel(wheel) if "placeholder" not in line]
    assert reported == []
    magic = {"linux": b"\x7fELF", "macos": b"\xcf\xfa\xed\xfe", "windows": b"\x64\x86"}[system.partition("-")[0]]
    found = codes(wheel)
    assert set(found) == {name for name, kind in KINDS.items() if kind.system == system}
    assert all(code.startswith(magic) for each in found.values() for code in each)
    assert all(len(each) > 1 for each in found.values())
    assert any("PyObject_Vectorcall" in read_object(code).missing for each in found.values() for code in each)


def test_an_installation_compiles_nothing(wheels: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """`pip install .` builds a wheel for all systems that has no kernels and needs no compiler."""
    assert wheels[""].name.endswith("-py3-none-any.whl") and codes(wheels[""]) == {}
    monkeypatch.chdir(ROOT)
    for wanted, expected in (("", []), (hatch_build.HERE, [*hatch_build.COMPILER])):
        monkeypatch.setenv("CONJOINT_WHEEL", wanted)
        assert hatchling_build.get_requires_for_build_wheel() == [*hatch_build.STUBS, *expected]
        assert hatchling_build.get_requires_for_build_editable() == [*hatch_build.STUBS, *expected, "editables~=0.3"]


def test_a_wheel_has_type_stubs_although_the_checkout_has_none(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[""]) as archive:
        assert archive.namelist().count("conjoint/__init__.pyi") == 1
        assert "class ModelAttributes" in archive.read("conjoint/api/objects/attributes.pyi").decode()
        assert "class WorldsAttributes" in archive.read("conjoint/batch/attributes.pyi").decode()


@pytest.mark.skipif(kind_here() is None, reason="no kernels can be built for this processor")
def test_a_wheel_for_this_processor(wheels: dict[str, Path]) -> None:
    """A locally built wheel supports only this processor and has no manylinux or `any` tag."""
    wheel = wheels[hatch_build.HERE]
    assert set(codes(wheel)) == {kind_here()}
    assert "manylinux" not in wheel.name and not wheel.name.endswith("-any.whl")


def test_kernels_for_no_such_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONJOINT_WHEEL", "amiga")
    with pytest.raises(ValueError, match="CONJOINT_WHEEL=amiga: it can be here, linux-x86_64, "):
        hatch_build.wanted_kernels()


def test_progress_of_a_build_is_written_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(hatch_build, "PATIENCE", -1.0)
    monkeypatch.setattr(hatch_build, "tell_terminal", lambda line: None)
    advance = hatch_build.progress("x86", said.append)
    advance(1, 3)
    advance(3, 3)
    assert said[0].startswith("compiling kernels for x86: 1 of 3, at most 0 s left")
    assert said[1] == "compiling kernels for x86: 3 of 3"


@pytest.mark.parametrize("named", ["windows-x86_64", "linux-aarch64"])
def test_a_wheel_that_lies_is_found_out(wheels: dict[str, Path], tmp_path: Path, named: str) -> None:
    """The checker rejects a wheel whose objects or name belong to a different system."""
    wheel = wheels["linux-x86_64"]
    name = f"{'-'.join(wheel.stem.split('-')[:4])}-{hatch_build.RELEASES[named]}.whl"
    reported = list(complaints_about_wheel(Path(shutil.copy(wheel, tmp_path / name))))
    assert any("tags" in line for line in reported) and any("compiled kernels for" in line for line in reported)


def test_files_that_a_system_loads_are_found_out(wheels: dict[str, Path], tmp_path: Path) -> None:
    wheel = Path(shutil.copy(wheels["windows-x86_64"], tmp_path))
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("conjoint/fast.so", b"\x7fELF")
    assert "it has conjoint/fast.so" in list(complaints_about_wheel(wheel))


def test_bits_can_be_built_again(wheels: dict[str, Path], tmp_path: Path) -> None:
    """Wheel builds are reproducible: they do not depend on the hash seed."""
    again = build(["windows-x86_64"], tmp_path, seed="1")["windows-x86_64"]
    assert again.read_bytes() == wheels["windows-x86_64"].read_bytes()


def test_links_that_lead_nowhere() -> None:
    text = "[a](docs/a.md) ![b](b.png) [c](https://x.org) [d](#part) <img src='e.gif'> <a href=\"https://y.org\">f</a>"
    assert relative_links(text) == ["docs/a.md", "b.png", "e.gif"]


def test_every_platform_has_its_library() -> None:
    assert {name.partition("-")[0] for name in hatch_build.RELEASES} == set(check_wheels.LIBRARY)


def test_all_is_built_where_nothing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without arguments, all wheels and the sdist are built; with arguments, only the named ones."""
    built: list[str] = []
    monkeypatch.setattr(make_wheels, "DIST", tmp_path)
    monkeypatch.setattr(make_wheels, "build", lambda what, folder: built.append(what))
    for arguments in ([], ["linux-x86_64", "sdist"]):
        monkeypatch.setattr(sys, "argv", ["make_wheels", *arguments])
        make_wheels.main()
    assert built == [*hatch_build.RELEASES, "sdist", "linux-x86_64", "sdist"]
