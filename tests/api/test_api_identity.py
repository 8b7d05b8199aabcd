"""Identity of arrays and elements: an attribute returns the same object each time, and the object shows the current values."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint import rollout
from rich_model import XML
from tendon_models import TENDON_MODELS

VIEWS = ("body", "joint", "geom", "site", "camera", "light", "tendon", "actuator", "sensor")
"""Names of MjData's accessors for the named views of elements."""

OF_MODELS = (*VIEWS, "numeric", "tuple", "key", "pair", "exclude", "equality", "material", "texture", "hfield", "mesh")


def world(package: Any, compressed: bool) -> tuple[Any, Any]:
    """Return a model with many kinds of elements, and its data after two steps."""
    m = package.MjModel.from_xml_string(XML)
    m.opt.jacobian = int(compressed)
    d = package.MjData(m)
    d.qpos[2] = 0.05
    package.mj_step(m, d, 2)
    return m, d


def objects(package: Any, m: Any, d: Any) -> Iterator[tuple[str, Any]]:
    """Yield every object that has array attributes, with a name for it."""
    yield from {"model": m, "data": d, "opt": m.opt, "stat": m.stat, "global": m.vis.global_, "map": m.vis.map}.items()
    yield from {"warning": d.warning, "timer": d.timer, "solver": d.solver, "contact": d.contact}.items()
    yield from {"a warning": d.warning[0], "a contact": d.contact[0]}.items()
    for name in ("MjvOption", "MjvCamera", "MjvPerturb", "MjvFigure", "MjOption"):
        yield name, getattr(package, name)()
    scene = package.MjvScene(m, 100)
    yield from {"scene": scene, "scene geom": scene.geoms[0], "scene light": scene.lights[0]}.items()
    for owner, accessors in ((d, VIEWS), (m, OF_MODELS)):
        for accessor in accessors:
            yield f"{type(owner).__name__}.{accessor}", getattr(owner, accessor)(0)


def kept(thing: Any, work: Callable[[], None]) -> dict[str, bool]:
    """Return, for each array attribute, True if it is the same object before and after `work`."""
    # the label of a MuJoCo geom that was never drawn is uninitialized memory
    names = [name for name in dir(thing) if not name.startswith("_") and name != "label"]
    arrays = {name: value for name in names if isinstance(value := getattr(thing, name, None), np.ndarray)}
    work()
    return {name: getattr(thing, name) is array for name, array in arrays.items()}


@pytest.mark.parametrize("compressed", [False, True])
def test_arrays_are_the_same_objects_where_they_are_officially(compressed: bool) -> None:
    found: dict[Any, dict[str, dict[str, bool]]] = {}
    for package in (mujoco, conjoint):
        m, d = world(package, compressed)
        found[package] = {name: kept(thing, lambda: None) for name, thing in objects(package, m, d)}
        found[package] |= {
            f"{name} after a step": kept(thing, lambda p=package, m=m, d=d: p.mj_step(m, d))
            for name, thing in objects(package, m, d)
            if name not in ("contact", "a contact")
        }
    assert len(found[mujoco]) > 70
    for thing, arrays in found[mujoco].items():
        mine = found[conjoint][thing]
        assert {name: mine[name] for name in arrays} == arrays, thing


def test_elements_of_lists_are_the_same_objects() -> None:
    m, d = world(conjoint, False)
    scene = conjoint.MjvScene(m, 100)
    for elements in (d.contact, d.warning, d.timer, d.solver, scene.geoms, scene.lights, scene.camera):
        assert elements[0] is elements[0] and elements[-1] is elements[len(elements) - 1]
    contact = d.contact[0]
    conjoint.mj_step(m, d)
    assert d.contact[0] is contact and contact.dist == d.contact.dist[0]
    d.world.grow(ncon=10_000, nefc=20_000)
    # growth has replaced the memory of contacts
    assert d.contact[0] is not contact and d.contact[0].dist == d.contact.dist[0]


@pytest.mark.parametrize("name", TENDON_MODELS)
def test_compressed_moment_arms_are_kept_up_to_date(name: str) -> None:
    """Arrays of moment arms that were read earlier show the same values as in MuJoCo after steps, a reset and a copy."""
    taken, worlds = {}, {}
    for package in (mujoco, conjoint):
        m = package.MjModel.from_xml_string(TENDON_MODELS[name])
        m.opt.jacobian = 1
        d = package.MjData(m)
        worlds[package] = m, d
        package.mj_forward(m, d)
        taken[package] = {part: getattr(d, f"ten_J{part}") for part in ("", "_rownnz", "_rowadr", "_colind")}

    def alike() -> None:
        rows = taken[mujoco]["_rownnz"]
        total = int(rows.sum())
        for part in ("_rownnz", "_rowadr"):
            assert np.array_equal(taken[conjoint][part], taken[mujoco][part])
        mine, theirs = (taken[each]["_colind"].ravel()[:total] for each in (conjoint, mujoco))
        assert np.array_equal(mine, theirs)
        mine, theirs = (taken[each][""].ravel()[:total] for each in (conjoint, mujoco))
        np.testing.assert_allclose(mine, theirs, atol=1e-9)

    def everywhere(work: Callable[[Any, Any, Any], Any]) -> None:
        for package, (m, d) in worlds.items():
            work(package, m, d)
            for part in ("", "_rownnz", "_rowadr", "_colind"):
                assert getattr(d, f"ten_J{part}") is taken[package][part]

    alike()
    everywhere(lambda p, m, d: (d.qvel.__setitem__(slice(None), 1.0), p.mj_step(m, d, 5), p.mj_forward(m, d)))
    alike()
    everywhere(lambda p, m, d: (p.mj_resetData(m, d), p.mj_kinematics(m, d), p.mj_comPos(m, d), p.mj_tendon(m, d)))
    alike()
    m, d = worlds[conjoint]
    other = conjoint.MjData(m)
    other.qvel[:] = 0.5
    conjoint.mj_step(m, other, 4)
    conjoint.mj_copyData(d, m, other)
    for part in ("", "_rownnz", "_rowadr", "_colind"):
        assert np.array_equal(taken[conjoint][part], getattr(other, f"ten_J{part}"))


def test_moment_arms_of_an_actuator_are_kept_up_to_date() -> None:
    m, d = world(conjoint, False)
    moment = d.actuator(0).moment
    expected = moment.copy()
    assert expected.any()
    conjoint.mj_resetData(m, d)
    assert not moment.any() and d.actuator(0).moment is moment
    conjoint.mj_forward(m, d)
    assert moment.any()


class TestCopies:
    """Tests of copy, deepcopy and pickle for every kind of object that a program can have."""

    @pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
    def test_lists_records_and_groups_are_copied(self, way: Callable[[Any], Any]) -> None:
        m, d = world(conjoint, False)
        scene = conjoint.MjvScene(m, 10)
        conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, conjoint.MjvCamera(), 7, scene)
        lists = (d.contact, d.contact[:1], d.warning, d.warning[2:4], d.timer, d.solver, scene.geoms, scene.lights)
        for thing in (
            *lists,
            d.contact[0],
            m.vis,
            m.vis.map,
            m.opt,
            m.stat,
            scene.camera,
            conjoint.MjrRect(1, 2, 3, 4),
        ):
            copied = way(thing)
            assert copied is not thing and copied == thing
        copied = way(d.contact)
        copied.dist[0] = 5.0
        assert copied[0].dist == 5.0 and d.contact[0].dist != 5.0 and copied != d.contact
        settings = way(m.vis)
        settings.map.znear = 0.5
        assert m.vis.map.znear != 0.5 and settings != m.vis

    @pytest.mark.parametrize("nthread", [0, 2])
    @pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
    def test_pools_of_rollouts_are_made_anew(self, way: Callable[[Any], Any], nthread: int) -> None:
        m, d = world(conjoint, False)
        state = np.zeros((3, conjoint.mj_stateSize(m, conjoint.mjtState.mjSTATE_FULLPHYSICS)))
        state[:, 1 : 1 + m.nq] = m.qpos0
        worlds = [copy.copy(d) for _ in range(max(nthread, 1))]
        with rollout.Rollout(nthread=nthread) as first:
            expected = first.rollout(m, worlds, state, nstep=2)[0]
            second = way(first)
        # the first pool is closed
        with second:
            assert np.array_equal(second.rollout(m, worlds, state, nstep=2)[0], expected)

    def test_views_take_their_owner_along(self) -> None:
        m, d = world(conjoint, False)
        for view in (m.body("torso"), d.body("torso")):
            for way in (copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):
                copied = way(view)
                assert copied.id == view.id and copied.name == "torso" and type(copied) is type(view)
                assert np.array_equal(copied.xpos if view.id and hasattr(view, "xpos") else copied.pos,
                                      view.xpos if view.id and hasattr(view, "xpos") else view.pos)  # fmt: skip
            assert copy.copy(view) is view
        both = copy.deepcopy([m, m.body("torso")])
        both[1].mass = 7.0
        assert both[0].body_mass[both[1].id] == 7.0 and m.body("torso").mass[0] != 7.0
