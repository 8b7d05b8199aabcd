"""Rays against flexes and skins agree with MuJoCo.

The tests call MuJoCo's C library, because its Python bindings declare these functions wrongly.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from flex_models import BLOCK, FLEXES, SHELL, SOLID, model

pytestmark = pytest.mark.plain

MODELS = {name: FLEXES[name] for name in ("springs and dampers", "on a free body", "bending", "solid", "trilinear")}
MODELS["layers"] = model('dim="3" count="5 5 5"', SOLID)

LIBRARY = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*"))))
for name in ("mju_rayFlex", "mju_raySkin"):
    getattr(LIBRARY, name).restype = ctypes.c_double


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Return a C pointer to the first element."""
    return ctypes.c_void_p(array.ctypes.data)


def official_ray_flex(m, d, layer, flags, flex, pnt, vec) -> tuple[float, int]:
    """Return the distance and the nearest vertex of MuJoCo's `mju_rayFlex`."""
    vertex = np.array([-7], np.int32)
    world = ctypes.c_void_p(m._address), ctypes.c_void_p(d._address)
    shown = [ctypes.c_ubyte(flag) for flag in flags]
    x = LIBRARY.mju_rayFlex(*world, layer, *shown, flex, pointer(pnt), pointer(vec), pointer(vertex))
    return x, int(vertex[0])


def moved(xml: str, seed: int):
    """Return model and data of both packages in the same slightly deformed state."""
    m, official_model = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    mujoco.mj_integratePos(official_model, official.qpos, 0.02 * np.random.default_rng(seed).standard_normal(m.nv), 1.0)
    d.qpos[:] = official.qpos
    conjoint.mj_forward(m, d)
    mujoco.mj_forward(official_model, official)
    return m, d, official_model, official


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", MODELS)
def test_rays_against_a_flex(name: str) -> None:
    """Random rays near vertices agree with MuJoCo for all combinations of visible vertices, edges, faces and skin."""
    m, d, official_model, official = moved(MODELS[name], 0)
    random = np.random.default_rng(1)
    hits = 0
    count = 300 if jit_enabled() else 40
    for _ in range(count):
        aim = official.flexvert_xpos[random.integers(m.nflexvert)]
        pnt = aim + 0.3 * random.standard_normal(3)
        vec = aim + 0.02 * random.standard_normal(3) - pnt
        flags, layer = [int(x) for x in random.integers(0, 2, 4)], int(random.integers(0, 3))
        expected, nearest = official_ray_flex(official_model, official, layer, flags, 0, pnt, vec)
        vertex = np.array([-7], np.int32)
        found = conjoint.mju_rayFlex(m, d, layer, *flags, 0, pnt, vec, vertex)
        assert found == pytest.approx(expected, abs=1e-9)
        assert vertex[0] == nearest
        hits += expected >= 0
    assert hits > count // 20


def test_geoms_are_met_and_flexes_are_not() -> None:
    xml = model(
        'dim="2" count="3 3 1"', SHELL.format(0, "both"), world='<geom type="plane" size="1 1 1" pos="0 0 -1"/>'
    )
    m, d, official_model, official = moved(xml, 0)
    start, down, found = np.array([0.03, 0.02, 1.0]), np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32)
    assert 0 < conjoint.mju_rayFlex(m, d, 0, 0, 0, 1, 0, 0, start, down, None) < 1.2
    for engine, arguments in ((conjoint, (m, d)), (mujoco, (official_model, official))):
        assert engine.mj_ray(*arguments, start, down, None, 1, -1, found) == pytest.approx(2)
        distances = np.zeros(1)
        engine.mj_multiRay(*arguments, start, down, None, 1, -1, found, distances, 1, 10)
        assert distances[0] == pytest.approx(2)


def test_rays_against_a_skin() -> None:
    random = np.random.default_rng(2)
    vert = random.standard_normal(30).astype(np.float32)
    face = np.array([random.permutation(10)[:3] for _ in range(12)], np.int32).ravel()
    hits = 0
    for _ in range(300):
        pnt, vec = random.standard_normal(3), random.standard_normal(3)
        expected, vertex = np.array([-7], np.int32), np.array([-7], np.int32)
        distance = LIBRARY.mju_raySkin(12, 10, *map(pointer, (face, vert, pnt, vec, expected)))
        assert conjoint.mju_raySkin(12, 10, face, vert, pnt, vec, vertex) == pytest.approx(distance, abs=1e-9)
        assert vertex[0] == expected[0]
        hits += distance >= 0
    assert hits > 20


def test_what_does_not_exist_is_refused() -> None:
    m = conjoint.MjModel.from_xml_string(model(BLOCK, SOLID))
    d, point = conjoint.MjData(m), np.ones(3)
    with pytest.raises(conjoint.FatalError, match="flexid must be an id from 0 to 0, not 1"):
        conjoint.mju_rayFlex(m, d, 0, 1, 1, 1, 1, 1, point, point, None)
    with pytest.raises(ValueError, match="outside of 0 to 1"):
        conjoint.mju_raySkin(1, 2, [0, 1, 2], np.zeros(6, np.float32), point, point, None)
