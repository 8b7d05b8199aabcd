"""`conjoint doctor` reports only known oddities of public robots, and finds every fault that is injected."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from conjoint import MjSpec, ModelWarning
from conjoint.doctor import examine
from model_faults import FAULTS, Fault, bottomless, degrees, fine, grams, inside, inverted, slow, unlimited, weak
from sweeps import mostly_nightly

pytestmark = pytest.mark.corpus

ROBOTS = {
    "urdf/baxter/baxter_arm.urdf": "penetration self-collision actuators",
    "urdf/panda/panda_arm_hand.urdf": "inertia self-collision start-limits actuators damping",
    "robosuite-1.5.2/robots/kinova3/robot.xml": "fine-mesh",
    "robosuite-1.5.2/robots/jaco/robot.xml": "inertia-ratio start-limits fine-mesh",
    "robosuite-1.5.2/grippers/robotiq_gripper_140.xml": "self-collision limit-units damping",
    "gymnasium_robotics-1.4.2/assets/fetch/reach.xml": "mass inertia start-limits fine-mesh convex-hull unused-assets",
    "gymnasium_robotics-1.4.2/assets/kitchen_franka/kitchen_assets/kitchen_env_model.xml": "mass inertia unused-assets",
    "mujoco-3.3.5/mjx/mujoco/mjx/test_data/barkour_v0/assets/barkour_v0_mjx.xml": "penetration unused-assets",
    "myo_sim/hand/myohand.xml": "inertia unused-assets",
    "playground-0.2.0/dm_control_suite/xmls/humanoid.xml": "",
    "dm_control-1.0.31/suite/quadruped.xml": "",
    "gymnasium-1.2.0/mujoco/assets/ant.xml": "start-limits unused-assets",
}
"""Robots, and the checks that report oddities in them."""

KINOVA, BARKOUR, HUMANOID, QUADRUPED = (
    next(path for path in ROBOTS if name in path) for name in ("kinova3", "barkour", "suite/xmls/humanoid", "quadruped")
)


@pytest.mark.parametrize("path", ROBOTS)
def test_only_known_oddities_are_found(corpus: Path, path: str) -> None:
    assert {finding.check for finding in examine(corpus / path)} == set(ROBOTS[path].split())


SEEDED = [
    (path, fault)
    for path in (KINOVA, BARKOUR, HUMANOID, QUADRUPED)
    for fault in FAULTS
    # an arm needs no floor
    if not (path == KINOVA and fault is bottomless)
    # tendons drive these legs
    and not (path == QUADRUPED and fault is weak)
]
TEN = (
    (KINOVA, weak), (KINOVA, inverted), (KINOVA, degrees), (BARKOUR, grams), (BARKOUR, inside), (BARKOUR, fine),
    (HUMANOID, unlimited), (HUMANOID, slow), (QUADRUPED, bottomless), (BARKOUR, weak),
)  # fmt: skip


@pytest.mark.parametrize(
    "case", mostly_nightly(SEEDED, TEN), ids=lambda case: f"{Path(case[0]).stem}-{case[1].__name__}"
)
def test_a_fault_is_named(corpus: Path, case: tuple[str, Fault]) -> None:
    path, fault = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        spec = MjSpec.from_file(corpus / path)
    known = {text for finding in examine(spec) for text in finding.elements}
    element = fault(spec, spec.copy().compile())
    found = [text for finding in examine(spec) if finding.check in FAULTS[fault] for text in finding.elements]
    assert any(element in text for text in found if text not in known), found
