"""Time to read asset files and long lists of numbers for the first time, and to update scenes, compared with MuJoCo.

python -m benchmarks.assets [--grep TEXT] [--rounds 8] [--json out/assets.jsonl]

Each repetition reads new random numbers, so that caches do not help. Times are the best of the rounds.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import mujoco
import numpy as np
from PIL import Image

import conjoint
from benchmarks.report import write_report

VISUAL = 'contype="0" conaffinity="0"'
RNG = np.random.default_rng(time.time_ns())
Source = tuple[str, dict[str, bytes]]
"""XML text of a model, and the contents of its files by name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grep", default="", help="only cases that contain this")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, case in (*readings(), *scenes()):
        if options.grep in name:
            ours, theirs = (1e6 * min(case(package) for _ in range(options.rounds)) for package in (conjoint, mujoco))
            rows.append({"case": name, "us": ours, "official_us": theirs, "ratio": ours / theirs})
    write_report("first readings and scenes", rows, ["case", "us", "official_us", "ratio"], options.json)


def readings() -> Iterator[tuple[str, Callable[[ModuleType], float]]]:
    """Yield the cases that read a model: name, and a function that returns the time for a package."""
    for kind, encode in (("obj", obj), ("stl", stl), ("msh", msh)):
        for n in (30, 100):
            for use, attributes in (("collides", ""), ("visual", VISUAL)):
                yield f"{kind}, {2 * n * n} faces, {use}", partial(read, partial(mesh, kind, encode, n, attributes))
    yield "mesh, 10000 vertices as text", partial(read, vertices)
    for kind in ("png", "bin", "text"):
        yield f"hfield, 200 x 200, {kind}", partial(read, partial(hfield, kind, 200))


def read(make: Callable[[], Source], package: ModuleType) -> float:
    """Return the time in seconds to read one model."""
    text, files = make()
    start = time.perf_counter()
    package.MjModel.from_xml_string(text, files)
    return time.perf_counter() - start


def scenes() -> Iterator[tuple[str, Callable[[ModuleType], float]]]:
    """Yield the cases that update a scene: name, and a function that returns the time for a package."""
    for n in (10, 40, 80):
        flex = f'<flexcomp name="f" type="grid" dim="2" count="{n} {n} 1" spacing=".03 .03 .03" radius=".005"/>'
        yield f"scene, cloth of {n} x {n}", partial(update, world(flex), "mjLABEL_NONE")
    bodies = (f'<body name="b{i}" pos="{i} 0 0"><freejoint/><geom size=".1"/></body>' for i in range(60))
    yield "scene, 60 labels", partial(update, world("".join(bodies)), "mjLABEL_BODY")
    vert = " ".join(f"{x} {y} 0" for x in range(50) for y in range(50))
    face = " ".join(f"{50 * x + y} {50 * x + y + 50} {50 * x + y + 1}" for x in range(49) for y in range(49))
    ids, weights = " ".join(map(str, range(2500))), "1 " * 2500
    bone = f'<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="{ids}" vertweight="{weights}"/>'
    skin = f'<deformable><skin vertex="{vert}" face="{face}">{bone}</skin></deformable>'
    body = '<body name="b"><freejoint/><geom size=".1"/></body>'
    yield "scene, skin of 2500 vertices", partial(update, world(body, skin), "mjLABEL_NONE")


def world(bodies: str, before: str = "") -> str:
    """Return the XML text of a model with these bodies."""
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody></mujoco>"


def update(text: str, label: str, package: ModuleType) -> float:
    """Return the shortest time in seconds of 30 scene updates."""
    m, d = forwarded(text, package)
    scene, option, camera = package.MjvScene(m, 1000), package.MjvOption(), package.MjvCamera()
    option.label = int(getattr(package.mjtLabel, label))
    found = []
    for _ in range(30):
        start = time.perf_counter()
        package.mjv_updateScene(m, d, option, None, camera, 7, scene)
        found.append(time.perf_counter() - start)
    return min(found)


@lru_cache(maxsize=2)
def forwarded(text: str, package: ModuleType) -> tuple[Any, Any]:
    """Return a model and its data after `mj_forward`."""
    m = package.MjModel.from_xml_string(text)
    d = package.MjData(m)
    package.mj_forward(m, d)
    return m, d


def mesh(kind: str, encode: Callable[[np.ndarray, np.ndarray], bytes], n: int, attributes: str) -> Source:
    """Return a model that contains a torus of n x n vertices."""
    geom = f'<body><freejoint/><geom size=".1"/><geom type="mesh" mesh="m" {attributes}/></body>'
    asset = f'<asset><mesh name="m" file="m.{kind}"/></asset>'
    return world(geom, asset), {f"m.{kind}": encode(*torus(n, RNG.uniform(0.5, 1)))}


def torus(n: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices and triangles of a torus."""
    angle = np.arange(n) * 2 * np.pi / n
    u, w = np.meshgrid(angle, angle, indexing="ij")
    points = np.stack([(1 + 0.3 * np.cos(w)) * np.cos(u), (1 + 0.3 * np.cos(w)) * np.sin(u), 0.3 * np.sin(w)], axis=-1)
    here = np.arange(n * n).reshape(n, n)
    a, b, c, d = here, np.roll(here, -1, 0), np.roll(here, (-1, -1), (0, 1)), np.roll(here, -1, 1)
    return size * points.reshape(-1, 3), np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)


def obj(points: np.ndarray, faces: np.ndarray) -> bytes:
    """Return the contents of an OBJ file."""
    lines = [f"v {x:.6g} {y:.6g} {z:.6g}\n" for x, y, z in points.tolist()]
    return "".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces.tolist())]).encode()


def stl(points: np.ndarray, faces: np.ndarray) -> bytes:
    """Return the contents of a binary STL file."""
    records = np.zeros(len(faces), [("normal", "<f4", 3), ("vert", "<f4", (3, 3)), ("attribute", "<u2")])
    records["vert"] = points[faces]
    return bytes(80) + len(faces).to_bytes(4, "little") + records.tobytes()


def msh(points: np.ndarray, faces: np.ndarray) -> bytes:
    """Return the contents of an MSH file."""
    header = np.array([len(points), 0, 0, len(faces)], "<i4")
    return header.tobytes() + points.astype("<f4").tobytes() + faces.astype("<i4").tobytes()


def vertices() -> Source:
    """Return a model whose XML text contains a mesh of 10,000 vertices."""
    numbers = " ".join(f"{x:.5g}" for x in RNG.normal(size=30000).tolist())
    return world('<geom type="mesh" mesh="m"/>', f'<asset><mesh name="m" vertex="{numbers}"/></asset>'), {}


def hfield(kind: str, n: int) -> Source:
    """Return a model that contains a height field of n x n elevations."""
    values, geom = RNG.uniform(size=(n, n)), '<geom type="hfield" hfield="h"/>'
    if kind == "text":
        numbers = " ".join(f"{x:.3f}" for x in values.ravel().tolist())
        asset = f'<hfield name="h" nrow="{n}" ncol="{n}" size="9 9 1 1" elevation="{numbers}"/>'
        return world(geom, f"<asset>{asset}</asset>"), {}
    data = np.array([n, n], "<i4").tobytes() + values.astype("<f4").tobytes()
    if kind == "png":
        stream = io.BytesIO()
        Image.fromarray((255 * values).astype(np.uint8)).save(stream, "png")
        data = stream.getvalue()
    asset = f'<hfield name="h" file="h.{kind}" size="9 9 1 1"/>'
    return world(geom, f"<asset>{asset}</asset>"), {f"h.{kind}": data}


if __name__ == "__main__":
    main()
