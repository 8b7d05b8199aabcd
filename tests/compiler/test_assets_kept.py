"""The disk cache of processed assets, which later processes use; the cache key covers all inputs."""

from __future__ import annotations

import dataclasses
import errno
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import conjoint
from asset_files import msh, png
from conjoint.compiler.assets import cache as assets_cache
from conjoint.compiler.assets.cache import CACHE, lasting
from conjoint.lang.objects import disk_cache
from conjoint.physics.plugin.shapes import SHAPES
from conjoint.physics.plugins import PLUGINS
from equality import same_model
from programs import run_program

XML = """
<mujoco>
  <asset>
    <mesh name="file" file="lump.msh"/>
    <mesh name="numbers" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <texture name="image" type="2d" file="image.png"/>
    <hfield name="hills" file="hills.png" size="1 1 1 1"/>
  </asset>
  <worldbody>
    <geom type="mesh" mesh="file"/> <geom type="mesh" mesh="numbers"/> <geom type="hfield" hfield="hills"/>
  </worldbody>
</mujoco>
"""
LOAD = """
import hashlib, sys, conjoint
model = conjoint.MjModel.from_xml_path(sys.argv[1])
print(hashlib.sha256(model.memory.bytes).hexdigest(), "conjoint.compiler.assets.hull" in sys.modules, "PIL" in sys.modules)
"""
POINTS = np.random.default_rng(0).normal(size=(20, 3))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the path of an empty cache folder."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path / "cache"))
    CACHE.clear()
    yield tmp_path / "cache" / "conjoint"
    assets_cache._makers.cache_clear()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "model.xml").write_text(XML)
    (tmp_path / "lump.msh").write_bytes(msh(POINTS))
    (tmp_path / "image.png").write_bytes(png((4, 4, 3), "RGB"))
    (tmp_path / "hills.png").write_bytes(png((4, 4), "L"))
    return tmp_path / "model.xml"


def loaded(model: Path) -> tuple[str, str, str]:
    """Load a model in a new process; return its digest, and as "True" or "False" whether Qhull and Pillow were imported."""
    printed, reported = run_program(LOAD, str(model))
    digest, qhull, pillow = printed.split()
    assert reported == ""
    return digest, qhull, pillow


def test_a_later_process_finds_what_an_earlier_one_made(cache: Path, model: Path) -> None:
    """A later process loads a bit-identical model from the cache, without the packages that build its assets."""
    first, *used = loaded(model)
    assert used == ["True", "True"]
    assert sorted(path.name.split("-")[0] for path in cache.glob("*.asset")) == ["hfield", "image", "mesh", "mesh"]
    assert loaded(model) == (first, "False", "False")


def test_a_file_is_known_by_its_contents(cache: Path, model: Path) -> None:
    """Cached meshes are identified by file contents, not by name or timestamp."""
    mesh = model.with_name("lump.msh")
    time = os.stat(mesh)
    digests = []
    for factor in (1.0, 2.0, 1.0):
        mesh.write_bytes(msh(factor * POINTS))
        os.utime(mesh, ns=(time.st_atime_ns, time.st_mtime_ns))
        digests.append(loaded(model)[0])
    assert digests[0] == digests[2] != digests[1]
    assert len(list(cache.glob("mesh-*"))) == 3


def test_a_damaged_file_is_made_again(cache: Path, model: Path) -> None:
    whole, *_ = loaded(model)
    for path in cache.glob("*.asset"):
        data = path.read_bytes()
        path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    assert loaded(model) == (whole, "True", "True")
    assert loaded(model) == (whole, "False", "False")


@pytest.mark.parametrize(
    "change", ['scale="1 1 2"', 'refpos="1 0 0"', 'refquat="0 1 0 0"', 'maxhullvert="6"', 'inertia="shell"']
)
def test_attributes_make_another_mesh(cache: Path, model: Path, change: str) -> None:
    """A changed attribute of a mesh causes a cache miss."""
    plain = conjoint.MjModel.from_xml_path(str(model))
    model.write_text(XML.replace('file="lump.msh"', f'file="lump.msh" {change}'))
    here = conjoint.MjModel.from_xml_path(str(model))
    assert not same_model(here, plain)
    CACHE.clear()
    assert same_model(conjoint.MjModel.from_xml_path(str(model)), here)


def test_another_qhull_makes_another_mesh(cache: Path, model: Path, tmp_path: Path, monkeypatch) -> None:
    """A different version of Qhull causes a cache miss."""
    conjoint.MjModel.from_xml_path(str(model))
    before = set(cache.glob("*.asset"))
    (tmp_path / "libqhull_r.so").write_bytes(b"newer")
    monkeypatch.setattr(assets_cache, "hull_maker", lambda: tmp_path / "libqhull_r.so")
    assets_cache._makers.cache_clear()
    CACHE.clear()
    conjoint.MjModel.from_xml_path(str(model))
    assert len(set(cache.glob("*.asset")) - before) == len(before)


def test_shapes_that_programs_add_are_not_kept(cache: Path, request: pytest.FixtureRequest) -> None:
    """Meshes of plugins that programs register are not cached, because another process may use the name differently."""
    xml = '<mujoco><extension><plugin plugin="{0}"><instance name="i"/></plugin></extension><asset><mesh name="m"><plugin instance="i"/></mesh></asset></mujoco>'
    mine = dataclasses.replace(SHAPES[-1], name="mine.torus")
    conjoint.mjp_registerPlugin(mine)
    request.addfinalizer(lambda: PLUGINS.remove(mine))
    conjoint.MjModel.from_xml_string(xml.format("mine.torus"))
    assert not list(cache.glob("*.asset"))
    conjoint.MjModel.from_xml_string(xml.format("mujoco.sdf.torus"))
    assert len(list(cache.glob("*.asset"))) == 1


def test_what_fails_is_not_kept(cache: Path) -> None:
    def fail() -> None:
        raise ValueError("no mesh")

    for _ in range(2):
        with pytest.raises(ValueError, match="no mesh"):
            lasting(("mesh", 1), fail)
    assert not list(cache.glob("*.asset"))


def test_what_was_not_read_for_longest_makes_room(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently read files are evicted when the cache exceeds its limit."""
    monkeypatch.setitem(disk_cache.MOST_BYTES, ".asset", 3500)
    monkeypatch.setattr(disk_cache, "SELDOM", 0)
    names = [f"mesh-{i:032x}.asset" for i in range(4)]
    for i, name in enumerate(names[:3]):
        disk_cache.store(name, bytes(1000))
        os.utime(cache / name, (i, i))
    assert disk_cache.load(names[0]) == bytes(1000)
    disk_cache.store(names[3], bytes(1000))
    assert sorted(path.name for path in cache.iterdir()) == [names[0], *names[2:]]


def test_assets_do_not_push_out_objects(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cached assets never evict objects, which take longest to compile: each kind has its own size limit."""
    monkeypatch.setitem(disk_cache.MOST_BYTES, ".asset", 1500)
    monkeypatch.setattr(disk_cache, "SELDOM", 0)
    object_name = f"stage-world-{1:024x}-{2:016x}.o"
    disk_cache.store(object_name, bytes(3000))
    os.utime(cache / object_name, (1, 1))
    for i in range(4):
        disk_cache.store(f"mesh-{i:032x}.asset", bytes(1000))
    assert disk_cache.load(object_name) == bytes(3000)
    assert len(list(cache.glob("*.asset"))) == 1


def test_files_of_others_stay(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eviction leaves files outside the cache folder, and files in it with other names, however old and large they are."""
    monkeypatch.setitem(disk_cache.MOST_BYTES, ".asset", 0)
    monkeypatch.setattr(disk_cache, "SELDOM", 0)
    cache.mkdir(0o700, parents=True)
    cache.parent.chmod(0o700)
    foreign = [
        cache.parent / "thesis.tex", cache.parent / f"mesh-{7:032x}.asset", cache / "notes.asset",
        cache / "model.json", cache / "main.o", cache / f"mesh-{8:032x}.asset.bak", cache / f"mesh-{9:032x}.png",
    ]  # fmt: skip
    for path in foreign:
        path.write_bytes(bytes(5000))
        os.utime(path, (1, 1))
    (cache / f"mesh-{5:032x}.asset").mkdir()
    disk_cache.store(f"mesh-{6:032x}.asset", bytes(1000))
    assert all(path.exists() for path in foreign)
    assert (cache / f"mesh-{5:032x}.asset").is_dir()
    assert not (cache / f"mesh-{6:032x}.asset").exists()


def test_what_was_made_is_kept_without_pickle(cache: Path) -> None:
    """The cache never unpickles, because a pickle can run code: a cache file with a pickle is a miss."""
    ran: list[int] = []

    class Runs:
        def __reduce__(self):
            return ran.append, (1,)

    made = (
        np.arange(6.0).reshape(2, 3).T,
        np.float32(0.1),
        [True, None, 0.1, "x", -(1 << 70)],
        np.zeros((0, 3), np.int32),
    )
    for _ in range(2):
        found = lasting(("marks", 1), lambda: made)
        assert repr(found) == repr(made)
        assert found[0].flags.f_contiguous and found[3].dtype == np.int32 and type(found[1]) is np.float32
    (path,) = cache.glob("*.asset")
    assert b"numpy" not in path.read_bytes()
    disk_cache.store(path.name, pickle.dumps(Runs()))
    assert repr(lasting(("marks", 1), lambda: made)) == repr(made)
    assert not ran
    with pytest.raises(TypeError, match="cannot be kept"):
        lasting(("marks", 2), lambda: {"of": Runs()})


def test_others_make_room_at_the_same_time(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache file that vanishes before eviction reads its size causes no error."""
    monkeypatch.setattr(disk_cache, "SELDOM", 0)
    disk_cache.store("a.asset", b"made")
    (cache / f"mesh-{1:032x}.asset").symlink_to(cache / "nowhere")
    disk_cache.store("b.asset", b"made")
    assert disk_cache.load("a.asset") == disk_cache.load("b.asset") == b"made"


def test_a_full_disk_leaves_nothing_half_written(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.warns(UserWarning, match="cannot write the cache"):
        disk_cache.store("a.asset", b"made")
    assert not list(cache.iterdir())


def test_a_cache_of_somebody_else(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache files are used even if their access time cannot be updated, as in a different user's cache."""
    disk_cache.store("a.asset", b"made")

    def refuse(path: Path) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(os, "utime", refuse)
    assert disk_cache.load("a.asset") == b"made"
