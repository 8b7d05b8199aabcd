"""Errors about nearly correct names suggest the intended names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import conjoint
from conjoint.batch import Batch

pytestmark = pytest.mark.plain

XML = "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/></body></worldbody></mujoco>"


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    model = conjoint.MjModel.from_xml_string(XML)
    spec = conjoint.MjSpec.from_string(XML)
    return {
        "m": model, "d": conjoint.MjData(model), "spec": spec, "body": spec.body("b"), "batch": Batch(model, 2),
        "option": conjoint.MjvOption(),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("place", "name", "meant"),
    [
        ("d", "qposs", "qpos"), ("m", "body_masses", "body_mass"), ("m.opt", "timestp", "timestep"), ("m.vis", "qualiti", "quality"),
        ("m.vis.quality", "offsample", "offsamples"), ("m.body('b')", "masss", "mass"), ("d.body('b')", "xposs", "xpos"),
        ("spec", "worldbdy", "worldbody"), ("body", "add_boddy", "add_body"), ("spec.option", "timestp", "timestep"),
        ("batch", "qposs", "qpos"), ("option", "flagss", "flags"), ("d.contact", "distt", "dist"),
    ],
)  # fmt: skip
def test_attributes(things: dict[str, Any], place: str, name: str, meant: str) -> None:
    record = eval(place, things)
    with pytest.raises(AttributeError, match=rf"{name}'; did you mean '{meant}'\?$"):
        getattr(record, name)
    # attributes of lists raise a different error
    if place != "d.contact":
        with pytest.raises(AttributeError, match=name):
            setattr(record, name, 1)
    assert not hasattr(record, name)


@pytest.mark.parametrize(
    ("make", "member"),
    [
        (lambda body, spec: body.add_geom(type="box"), "mjtGeom.mjGEOM_BOX"),
        (lambda body, spec: body.add_geom(type="Boxx"), "mjtGeom.mjGEOM_BOX"),
        (lambda body, spec: body.add_joint(type="hinge"), "mjtJoint.mjJNT_HINGE"),
        (lambda body, spec: body.add_light(type="spot"), "mjtLightType.mjLIGHT_SPOT"),
        (lambda body, spec: spec.add_sensor(type="framepos"), "mjtSensor.mjSENS_FRAMEPOS"),
        (lambda body, spec: spec.add_actuator(trntype="joint"), "mjtTrn.mjTRN_JOINT"),
        (lambda body, spec: spec.add_texture(type="2d"), "mjtTexture.mjTEXTURE_2D"),
        (lambda body, spec: spec.add_mesh(inertia="shell"), "mjtMeshInertia.mjMESH_INERTIA_SHELL"),
        (lambda body, spec: body.add_geom(type="nothing like it"), "a member of mjtGeom"),
        (lambda body, spec: body.add_geom(type=1.5), "a member of mjtGeom"),
        (lambda body, spec: setattr(body.add_geom(), "type", "box"), "mjtGeom.mjGEOM_BOX"),
        (lambda body, spec: setattr(spec.option, "integrator", "RK4"), "mjtIntegrator.mjINT_RK4"),
        (lambda body, spec: setattr(spec.compile().opt, "cone", "elliptic"), "mjtCone.mjCONE_ELLIPTIC"),
    ],
)
def test_words_for_members(make: Callable[[Any, Any], Any], member: str) -> None:
    spec = conjoint.MjSpec.from_string(XML)
    with pytest.raises((TypeError, ValueError), match=rf"(it should be|use) {member}\b"):
        make(spec.body("b"), spec)


def test_python_adds_no_hint_of_its_own() -> None:
    code = f"import conjoint; m = conjoint.MjModel.from_xml_string({XML!r}); m.body_masses"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.count("did you mean") == 1 and "Did you mean" not in done.stderr
    done = subprocess.run([sys.executable, "-c", "import conjoint; conjoint.mj_stepp"], capture_output=True, text=True)
    assert done.stderr.count("did you mean 'mj_step'?") == 1 and "Did you mean" not in done.stderr
