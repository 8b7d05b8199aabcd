"""Impossible models that programs build are rejected as in MuJoCo, with an error of the same type."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint


def base(M: Any) -> Any:
    """Return a specification with one body that has a geom, a joint and a site."""
    spec = M.MjSpec()
    body = spec.worldbody.add_body(name="b")
    body.add_geom(name="g", size=[0.1, 0, 0])
    body.add_joint(name="j")
    body.add_site(name="s")
    return spec


def geom(**options: Any) -> Any:
    return lambda M, s: s.body("b").add_geom(**{name: enum(M, value) for name, value in options.items()})


def sensor(**options: Any) -> Any:
    return lambda M, s: s.add_sensor(**{name: enum(M, value) for name, value in options.items()})


def equality(**options: Any) -> Any:
    return lambda M, s: s.add_equality(**{name: enum(M, value) for name, value in options.items()})


def actuator(**options: Any) -> Any:
    return lambda M, s: s.add_actuator(**{name: enum(M, value) for name, value in options.items()})


def enum(M: Any, value: Any) -> Any:
    """Return the enum member that `value` names; return `value` unchanged if it is not such a name."""
    if not (isinstance(value, str) and value.startswith("mj")):
        return value
    kinds = {"mjGEOM": "mjtGeom", "mjSENS": "mjtSensor", "mjOBJ": "mjtObj", "mjEQ": "mjtEq", "mjTRN": "mjtTrn"}
    return getattr(getattr(M, kinds[value.split("_")[0]]), value)


def path(*pieces: Any) -> Any:
    """Return a function that adds a tendon; the pieces of its path are method names with their arguments."""

    def program(M, s):
        tendon = s.add_tendon()
        for name, *arguments in pieces:
            getattr(tendon, "wrap_" + name)(*arguments)

    return program


SITE, JOINT, BODY, GEOM = "mjOBJ_SITE", "mjOBJ_JOINT", "mjOBJ_BODY", "mjOBJ_GEOM"

PROGRAMS = [
    # geoms of types that can only be drawn
    *(geom(type="mjGEOM_" + name, size=[1, 1, 1]) for name in ("ARROW", "NONE", "FLEX", "SKIN", "SDF", "MESH", "BOX")),
    geom(size=[np.nan, 0, 0]), geom(size=[1, 0, 0], mass=-1), geom(size=[1, 0, 0], material="none"),
    geom(size=[1, 0, 0], condim=2), geom(type="mjGEOM_CAPSULE", size=[1, 0, 0], fromto=[0] * 6),
    geom(type="mjGEOM_BOX", size=[1, 0, 0], fromto=[0, 0, 0, 0, 0, 1]), geom(size=[1, 0, 0], quat=[0, 0, 0, 0]),
    # sensors attached to the wrong type of object, to nothing, or to a missing object
    sensor(), sensor(type="mjSENS_JOINTPOS"), sensor(type="mjSENS_JOINTPOS", objtype=BODY, objname="b"),
    sensor(type="mjSENS_JOINTPOS", objname="j"), sensor(type="mjSENS_JOINTPOS", objtype=JOINT),
    sensor(type="mjSENS_JOINTPOS", objtype=JOINT, objname="j"), sensor(type="mjSENS_GYRO", objtype=GEOM, objname="g"),
    sensor(type="mjSENS_BALLQUAT", objtype=JOINT, objname="j"), sensor(type="mjSENS_TENDONPOS", objtype=JOINT, objname="j"),
    sensor(type="mjSENS_FRAMEPOS", objtype=JOINT, objname="j"),
    sensor(type="mjSENS_FRAMEPOS", objtype=BODY, objname="b", reftype=SITE),
    sensor(type="mjSENS_FRAMEPOS", objtype=BODY, objname="b", refname="s"),
    sensor(type="mjSENS_FRAMEPOS", objtype=BODY, objname="b", reftype=SITE, refname="s"),
    sensor(type="mjSENS_FRAMEPOS", objtype=BODY, objname="b", reftype=JOINT, refname="j"),
    sensor(type="mjSENS_GEOMDIST", objtype=SITE, objname="s", reftype=GEOM, refname="g"),
    sensor(type="mjSENS_INSIDESITE", objtype=BODY, objname="b", reftype=SITE, refname="s"),
    sensor(type="mjSENS_INSIDESITE", objtype=BODY, objname="b", reftype=BODY, refname="b"),
    sensor(type="mjSENS_SUBTREECOM", objtype=GEOM, objname="g"), sensor(type="mjSENS_PLUGIN"),
    sensor(type="mjSENS_USER", dim=3), sensor(type="mjSENS_USER", dim=-1), sensor(type="mjSENS_CLOCK"),
    sensor(type="mjSENS_GYRO", objtype=SITE, objname="s", noise=-1), sensor(type="mjSENS_E_POTENTIAL"),
    # equality constraints
    equality(type="mjEQ_CONNECT", name1="b"), equality(type="mjEQ_CONNECT", name1="b", objtype=BODY),
    equality(type="mjEQ_WELD", name1="g", objtype=GEOM), equality(type="mjEQ_WELD", name1="b", name2="b", objtype=BODY),
    equality(type="mjEQ_CONNECT", name1="s", name2="s", objtype=SITE), equality(type="mjEQ_JOINT", name1="j"),
    equality(type="mjEQ_JOINT", name1="j", name2="none"), equality(type="mjEQ_TENDON", name1="j"),
    # actuators
    actuator(), actuator(trntype="mjTRN_JOINT"), actuator(trntype="mjTRN_JOINT", target="none"),
    actuator(trntype="mjTRN_TENDON", target="j"), actuator(trntype="mjTRN_SITE", target="s", refsite="none"),
    actuator(trntype="mjTRN_SLIDERCRANK", target="s"), actuator(trntype="mjTRN_JOINT", target="j", actdim=2),
    actuator(trntype="mjTRN_JOINT", target="j", ctrllimited=1), actuator(trntype="mjTRN_JOINT", target="j", gear=[2] * 6),
    # tendons
    path(), path(("site", "s")), path(("site", "s"), ("joint", "j", 1)), path(("joint", "j", 1)), path(("joint", "none", 1)),
    path(("site", "s"), ("geom", "g", ""), ("site", "s")), path(("site", "s"), ("geom", "none", ""), ("site", "s")),
    path(("site", "s"), ("site", "s"), ("pulley", -1), ("site", "s"), ("site", "s")),
    # bodies, frames, keyframes
    lambda M, s: s.worldbody.add_body(name="b"), lambda M, s: s.body("b").add_body(mocap=True),
    lambda M, s: s.worldbody.add_body(name="world"), lambda M, s: s.worldbody.add_joint(),
    lambda M, s: (s.worldbody.add_frame(name="f"), s.body("b").add_frame(name="f")),
    lambda M, s: s.worldbody.add_body().add_joint(), lambda M, s: s.body("b").add_body().add_freejoint(),
    lambda M, s: s.add_key(qpos=[1, 2]), lambda M, s: s.add_key(qpos=[1]), lambda M, s: s.add_key(ctrl=[1]),
    lambda M, s: s.add_exclude(bodyname1="b", bodyname2="b"), lambda M, s: s.add_pair(geomname1="g", geomname2="g"),
    lambda M, s: s.add_pair(geomname1="g", geomname2="none"), lambda M, s: s.add_exclude(),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_the_oracle_refuses_is_refused(number):
    refused = []
    for M in (mujoco, conjoint):
        spec = base(M)
        PROGRAMS[number](M, spec)
        try:
            spec.compile()
        except ValueError:
            refused.append(True)
        else:
            refused.append(False)
    assert refused[0] == refused[1]


@pytest.mark.parametrize("attribute", ["simple", "sleep"])
def test_numbers_that_no_word_stands_for_cannot_be_written(attribute: str) -> None:
    spec = base(conjoint)
    setattr(spec.body("b"), attribute, 77)
    spec.compile()
    with pytest.raises(conjoint.ModelError, match=f"attribute '{attribute}': there is no keyword for 77"):
        spec.to_xml()
