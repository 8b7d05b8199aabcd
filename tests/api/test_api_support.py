"""Functions of a model and its data agree with MuJoCo."""

from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from conjoint.schema.enums import mjtObj, mjtStage

pytestmark = pytest.mark.plain

ROBOT = """<mujoco><option {option}/><worldbody><geom type="plane" size="5 5 1"/>
<body name="base" pos="0 0 .12" gravcomp=".3"><freejoint/><geom type="sphere" size=".15" pos="0 0 0"/><site name="imu" pos=".1 .2 0" euler="20 30 0"/>
  <camera name="eye" pos="0 0 .3" euler="0 20 0"/>
  <body name="arm" pos=".3 0 .1"><joint type="ball" damping=".2"/><geom name="upper" type="capsule" fromto="0 0 0 .4 0 .1" size=".1" condim="4"/>
    <body name="fore" pos=".4 0 .1"><joint name="elbow" axis="0 1 0" range="-30 30" limited="true" damping=".1" armature=".02"/>
      <joint axis="1 0 1" frictionloss=".3"/><geom type="capsule" size=".05 .1" pos=".2 0 0" euler="0 80 0" condim="1"/>
      <body pos=".3 0 0"><joint name="finger" type="slide" axis="1 1 0" damping="1"/><geom type="sphere" size=".05" condim="6"/></body></body></body>
  <body name="fixed" pos="-.2 0 0"><geom type="sphere" size=".03"/></body></body>
<body pos="1 0 .22"><joint axis="0 0 1"/><geom type="sphere" size=".21"/></body></worldbody>
<actuator><position joint="elbow" kp="5"/><general joint="finger" dyntype="filter" dynprm=".1"/></actuator>
<sensor><framepos objtype="site" objname="imu"/><gyro site="imu"/><accelerometer site="imu"/><user dim="2" needstage="vel"/><user dim="1" needstage="acc"/></sensor>
</mujoco>"""

TOLERANCE = 1e-9


class Pair:
    """A Conjoint world and a MuJoCo world in the same random state, after forward dynamics."""

    def __init__(self, option: str = "", seed: int = 0, accelerations: bool = True):
        generator = np.random.default_rng(seed)
        self.official_model = mujoco.MjModel.from_xml_string(ROBOT.format(option=option))
        self.official = mujoco.MjData(self.official_model)
        m, d = self.official_model, self.official
        mujoco.mj_integratePos(m, d.qpos, 0.3 * generator.standard_normal(m.nv), 1.0)
        d.qpos[2] = 0.12
        d.qvel[:] = generator.standard_normal(m.nv)
        d.ctrl[:] = generator.standard_normal(m.nu)
        d.act[:] = generator.standard_normal(m.na)
        d.qfrc_applied[:] = generator.standard_normal(m.nv)
        self.m = adopt_model(m)
        self.d = adopt_state(self.m, m, d)
        mujoco.mj_forward(m, d)
        if accelerations:
            mujoco.mj_rnePostConstraint(m, d)
            conjoint.mj_forward(self.m, self.d)
            conjoint.mj_rnePostConstraint(self.m, self.d)
        else:
            conjoint.mj_fwdPosition(self.m, self.d)
            conjoint.mj_fwdVelocity(self.m, self.d)

    def compare(self, name: str, *arguments: Any, data: bool = True, tolerance: float = TOLERANCE) -> None:
        """Call the function in both packages; assert that results and arguments agree afterwards."""
        ours = [v.copy() if isinstance(v, np.ndarray) else v for v in arguments]
        theirs = [v.copy() if isinstance(v, np.ndarray) else v for v in arguments]
        result = getattr(conjoint, name)(self.m, *([self.d] if data else []), *ours)
        expected = getattr(mujoco, name)(self.official_model, *([self.official] if data else []), *theirs)
        assert (result is None) == (expected is None)
        if expected is not None:
            assert result == pytest.approx(expected, rel=tolerance)
        for mine, official in zip(ours, theirs, strict=True):
            if isinstance(official, np.ndarray):
                scale = max(1.0, np.abs(official).max(initial=0.0))
                np.testing.assert_allclose(mine / scale, official / scale, atol=tolerance, err_msg=name)

    def agree(self, *names: str, tolerance: float = 1e-6) -> None:
        """Assert that fields of both worlds are equal."""
        for name in names:
            mine, official = np.asarray(getattr(self.d, name), float), np.asarray(getattr(self.official, name), float)
            scale = max(1.0, np.abs(official).max(initial=0.0))
            np.testing.assert_allclose(mine / scale, official / scale, atol=tolerance, err_msg=name)


@pytest.fixture(scope="module")
def pair() -> Pair:
    """Return the pair shared by tests of functions that do not change the state."""
    found = Pair()
    assert found.official.ncon > 1 and found.official.nefc > 8
    return found


def test_jacobians_equal_the_official_ones(pair: Pair) -> None:
    """Jacobians agree with MuJoCo for bodies, geoms, sites, points, axes and subtrees, and so do their time derivatives."""
    m, nv = pair.official_model, pair.official_model.nv
    p, r = np.ones((3, nv)), np.ones((3, nv))
    point, axis = np.array([0.3, -0.2, 0.5]), np.array([0.0, 0.6, 0.8])
    for body in range(m.nbody):
        pair.compare("mj_jacBody", p, r, body)
        pair.compare("mj_jacBodyCom", p, r, body)
        pair.compare("mj_jac", p, r, point, body)
        pair.compare("mj_jacPointAxis", p, r, point, axis, body)
        pair.compare("mj_jacDot", p, r, point, body)
        pair.compare("mj_jacSubtreeCom", p, body)
        pair.compare("mj_angmomMat", p, body)
    for geom in range(m.ngeom):
        pair.compare("mj_jacGeom", p, r, geom)
    pair.compare("mj_jacSite", p, r, 0)
    for function, rest in (("mj_jac", (point, 3)), ("mj_jacBody", (3,)), ("mj_jacDot", (point, 3))):
        pair.compare(function, p, None, *rest)
        pair.compare(function, None, r, *rest)


def test_inertia_with_vectors_equals_the_official_one(pair: Pair) -> None:
    """Products with the inertia matrix, solutions of linear systems with it, and its storage formats agree with MuJoCo."""
    nv, generator = pair.official_model.nv, np.random.default_rng(1)
    vector = generator.standard_normal(nv)
    pair.compare("mj_mulM", np.zeros(nv), vector)
    pair.compare("mj_mulM2", np.zeros(nv), vector)
    rows = generator.standard_normal((2, nv))
    pair.compare("mj_solveM", np.zeros((2, nv)), rows)
    pair.compare("mj_solveM2", np.zeros((2, nv)), rows, np.sqrt(pair.official.qLDiagInv)[np.newaxis])
    pair.compare("mj_fullM", np.ones((nv, nv)), pair.official.qM.copy(), data=False)
    d = pair.official
    structure = [v.copy() for v in (d.M_rownnz, d.M_rowadr, d.M_colind)]
    pair.compare("mj_addM", np.ones(pair.official_model.nM), *structure)


def test_inverse_dynamics_with_and_without_acceleration(pair: Pair) -> None:
    """`mj_rne` agrees with MuJoCo and leaves the fields of forward dynamics unchanged."""
    nv = pair.official_model.nv
    kept = pair.d.qfrc_bias.copy()
    pair.compare("mj_rne", 0, np.zeros(nv))
    pair.compare("mj_rne", 1, np.zeros(nv), tolerance=1e-6)
    np.testing.assert_array_equal(pair.d.qfrc_bias, kept)


@pytest.mark.parametrize("kind", ["BODY", "XBODY", "GEOM", "SITE", "CAMERA"])
def test_motion_of_objects_equals_the_official_one(pair: Pair, kind: str) -> None:
    """Object velocities and accelerations agree with MuJoCo in the global and local frames."""
    objtype = int(getattr(mjtObj, f"mjOBJ_{kind}"))
    counts = {"GEOM": pair.m.ngeom, "SITE": pair.m.nsite, "CAMERA": pair.m.ncam}
    for i in range(counts.get(kind, pair.m.nbody)):
        for local in (0, 1):
            pair.compare("mj_objectVelocity", objtype, i, np.zeros(6), local)
            pair.compare("mj_objectAcceleration", objtype, i, np.zeros(6), local, tolerance=1e-6)


def test_forces_equal_the_official_ones(pair: Pair) -> None:
    """Forces agree with MuJoCo for contacts of every dimension and for forces applied at points."""
    for contact in range(-1, pair.official.ncon + 1):
        pair.compare("mj_contactForce", contact, np.ones(6), tolerance=1e-5)
    force, torque, point = np.array([1.0, 2, 3]), np.array([-1.0, 0.5, 2]), np.array([0.2, 0.1, 0.5])
    for body in range(pair.m.nbody):
        pair.compare("mj_applyFT", force, torque, point, body, np.ones(pair.m.nv))


def test_products_with_the_constraint_jacobian(pair: Pair) -> None:
    generator = np.random.default_rng(0)
    pair.compare("mj_mulJacVec", np.zeros(pair.d.nefc), generator.standard_normal(pair.m.nv))
    pair.compare("mj_mulJacTVec", np.zeros(pair.m.nv), generator.standard_normal(pair.d.nefc))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_constraint_update_equals_the_official_one(cone: str) -> None:
    """Forces, states and cost agree with MuJoCo at random residuals, including all zones of friction cones."""
    pair = Pair(f'cone="{cone}" jacobian="dense"', accelerations=False)
    for seed in range(20):
        jar = np.random.default_rng(seed).standard_normal(pair.official.nefc)
        pair.compare("mj_constraintUpdate", jar, np.zeros(1), 0, tolerance=1e-7)
        pair.agree("efc_force", "efc_state", "qfrc_constraint", tolerance=1e-7)
    pair.compare("mj_constraintUpdate", jar, None, 0)


def test_kinematics_of_models_that_cannot_be_simulated_yet() -> None:
    """Jacobians and inverse kinematics work for models that cannot be simulated, because they need only bodies and joints."""
    text = ROBOT.replace("</worldbody>", '</worldbody><equality><weld body1="fore"/></equality>', 1)
    text = text.replace("<option {option}/>", '<option density="1"/>').replace(
        'type="sphere" size=".03"', 'type="ellipsoid" size=".1 .2 .3"'
    )
    official_model = mujoco.MjModel.from_xml_string(text)
    official = mujoco.MjData(official_model)
    m = adopt_model(official_model)
    d = adopt_state(m, official_model, official)
    ours, theirs = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    for package, model, data, result in ((conjoint, m, d, ours), (mujoco, official_model, official, theirs)):
        package.mj_kinematics(model, data)
        package.mj_comPos(model, data)
        package.mj_jacSite(model, data, result, None, 0)
    np.testing.assert_allclose(ours, theirs, atol=TOLERANCE)


def test_positions_equal_the_official_ones(pair: Pair) -> None:
    """Differentiation, integration and normalization of qpos agree with MuJoCo."""
    m, generator = pair.official_model, np.random.default_rng(2)
    first, second = m.qpos0.copy(), m.qpos0.copy()
    mujoco.mj_integratePos(m, second, generator.standard_normal(m.nv), 1.0)
    pair.compare("mj_differentiatePos", np.zeros(m.nv), 0.1, first, second, data=False)
    pair.compare("mj_integratePos", second, generator.standard_normal(m.nv), 0.3, data=False)
    pair.compare("mj_normalizeQuat", 3.0 * second, data=False)


def test_poses_in_bodies_equal_the_official_ones(pair: Pair) -> None:
    for same in range(5):
        for body in range(pair.m.nbody):
            arguments = [np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.5, 0.5, -0.5]), body, same]
            ours, theirs = (np.zeros(3), np.zeros(9)), (np.zeros(3), np.zeros(9))
            conjoint.mj_local2Global(pair.d, *ours, *arguments)
            mujoco.mj_local2Global(pair.official, *theirs, *arguments)
            np.testing.assert_allclose(np.concatenate(ours), np.concatenate(theirs), atol=TOLERANCE)


def test_properties_of_models(pair: Pair) -> None:
    """The total mass, before and after it is set, `mj_isPyramidal`, `mj_isDual` and the version agree with MuJoCo."""
    pair.compare("mj_getTotalmass", data=False)
    for option in ("", 'cone="elliptic"', 'jacobian="sparse"', 'solver="PGS"', 'noslip_iterations="2"'):
        official = mujoco.MjModel.from_xml_string(ROBOT.format(option=option))
        m = adopt_model(official)
        for name in ("mj_isPyramidal", "mj_isDual"):
            assert getattr(conjoint, name)(m) == getattr(mujoco, name)(official)
    conjoint.mj_setTotalmass(m, 7.5)
    mujoco.mj_setTotalmass(official, 7.5)
    np.testing.assert_allclose(m.body_mass, official.body_mass)
    np.testing.assert_allclose(m.body_inertia, official.body_inertia)
    assert conjoint.mj_version() == mujoco.mj_version() == 335
    assert conjoint.mj_versionString() == mujoco.mj_versionString()


@pytest.mark.parametrize("skipsensor", [0, 1])
@pytest.mark.parametrize("skipstage", [mjtStage.mjSTAGE_NONE, mjtStage.mjSTAGE_POS, mjtStage.mjSTAGE_VEL])
def test_dynamics_that_skip_stages(skipstage: int, skipsensor: int) -> None:
    """The skip functions leave out the same stages as MuJoCo, even if the state has changed."""
    for name, computed in (("mj_forwardSkip", "qacc"), ("mj_inverseSkip", "qfrc_inverse")):
        pair = Pair()
        for d in (pair.d, pair.official):
            if skipstage < mjtStage.mjSTAGE_POS:
                d.qpos[7:] += 0.01
            if skipstage < mjtStage.mjSTAGE_VEL:
                d.qvel[:] *= 1.1
            d.ctrl[:] += 0.5
            d.qfrc_applied[0] += 1.0
            if name == "mj_inverseSkip":
                d.qacc[:] = np.arange(pair.m.nv)
        pair.compare(name, int(skipstage), skipsensor)
        pair.agree("xpos", "cvel", "qfrc_bias", "sensordata", computed, tolerance=1e-5)


def test_one_runge_kutta_step() -> None:
    """A Runge-Kutta step from the result of forward dynamics agrees with MuJoCo; only order 4 is accepted."""
    pair = Pair('integrator="RK4"')
    pair.compare("mj_RungeKutta", 4)
    pair.agree("qpos", "qvel", "act")
    with pytest.raises(conjoint.FatalError, match="N=4"):
        conjoint.mj_RungeKutta(pair.m, pair.d, 3)


def test_contacts_can_be_added() -> None:
    """Contacts can be added beyond the initial capacity."""
    m = adopt_model(mujoco.MjModel.from_xml_string(ROBOT.format(option="")))
    d = conjoint.MjData(m)
    contact = conjoint.MjContact()
    contact.dim = 3
    for i in range(100):
        contact.dist = float(i)
        contact.frame[:] = i
        assert conjoint.mj_addContact(m, d, contact) == 0
    assert d.ncon == 100
    np.testing.assert_array_equal(d.contact.dist, np.arange(100.0))


def test_defaults_of_options() -> None:
    """The default functions reset the physics options and visual settings to those of a new model."""
    official = mujoco.MjModel.from_xml_string(ROBOT.format(option='timestep=".1" cone="elliptic"'))
    m = adopt_model(official)
    m.vis.global_.fovy = 10
    conjoint.mj_defaultOption(m.opt)
    conjoint.mj_defaultVisual(m.vis)
    assert m.opt.timestep == 0.002 and m.opt.cone == 0 and m.vis.global_.fovy == 45


WRONG: dict[str, tuple[str, Any]] = {
    "a Jacobian of wrong width": ("mj_jacBody", lambda nv: (np.zeros((3, nv - 1)), None, 1)),
    "a transposed Jacobian": ("mj_jacBody", lambda nv: (np.zeros((nv, 3)).T, None, 1)),
    "a vector that is too short": ("mj_mulM", lambda nv: (np.zeros(nv), np.zeros(nv - 1))),
    "a result that is a list": ("mj_rne", lambda nv: (0, [0.0] * nv)),
    "a body that is no number": ("mj_jacBody", lambda nv: (None, None, "base")),
    "five numbers for a velocity": ("mj_objectVelocity", lambda nv: (1, 0, np.zeros(5), 0)),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused(pair: Pair, case: str) -> None:
    """Wrong arguments raise TypeError in both packages."""
    name, arguments = WRONG[case]
    for package, m, d in ((mujoco, pair.official_model, pair.official), (conjoint, pair.m, pair.d)):
        with pytest.raises(TypeError):
            getattr(package, name)(m, d, *arguments(pair.m.nv))


def test_objects_that_do_not_exist_are_refused(pair: Pair) -> None:
    with pytest.raises(conjoint.FatalError, match=r"mj_jacBody: body must be an id from 0 to [0-9]+, not 99"):
        conjoint.mj_jacBody(pair.m, pair.d, None, None, 99)
    with pytest.raises(conjoint.FatalError, match="invalid object type 3"):
        conjoint.mj_objectVelocity(pair.m, pair.d, 3, 0, np.zeros(6), 0)
    with pytest.raises(TypeError, match="mj_jacBody: m must be of type MjModel, not MjData"):
        conjoint.mj_jacBody(pair.d, pair.m, None, None, 1)
