"""Random programs of API calls, as lines of Python: valid ones, which MuJoCo runs as well, and absurd ones."""

from __future__ import annotations

import enum
import inspect
import random
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin

import numpy as np

import conjoint
from conjoint.api.argument_kinds import Array
from conjoint.api.signature import in_python
from conjoint.batch import Batch
from conjoint.rollout import Rollout
from conjoint.schema.data import DATA_FIELDS
from conjoint.schema.enums import mjtState
from conjoint.schema.model import ARRAY_FIELDS
from conjoint.schema.option import OPTION_FIELDS

FULL = int(mjtState.mjSTATE_FULLPHYSICS)
WHOLE = int(mjtState.mjSTATE_INTEGRATION)

STEPS = (
    "mj.mj_step(m, d)", "mj.mj_step(m, d, {n})", "mj.mj_step(m, d, nstep={n})", "mj.mj_forward(m, d)",
    "mj.mj_step1(m, d); mj.mj_step2(m, d)", "mj.mj_forward(m, d); mj.mj_inverse(m, d)", "mj.mj_kinematics(m, d)",
    "mj.mj_fwdPosition(m, d); mj.mj_fwdVelocity(m, d)", "mj.mj_resetData(m, d)",
    "mj.mj_resetDataKeyframe(m, d, {i} % max(m.nkey, 1))", "mj.mj_forwardSkip(m, d, {i} % 3, {i} % 2)",
    "m.nkey and mj.mj_setKeyframe(m, d, {i} % m.nkey)", "mj.mj_forward(m, d); mj.mj_Euler(m, d)",
)  # fmt: skip
"""Calls that compute or reset data."""

INPUTS = (
    "d.qpos[:] += 0.01 * rng({k}).normal(size=m.nq)", "d.qvel[:] = rng({k}).normal(size=m.nv)", "d.qvel = 0.1",
    "d.ctrl[:] = rng({k}).uniform(-1, 1, m.nu)", "d.qfrc_applied[:] = rng({k}).normal(size=m.nv)",
    "d.xfrc_applied[:] = rng({k}).normal(size=(m.nbody, 6))", "d.mocap_pos[:] += 0.1", "d.time = 0.5",
    "d.act[:] = rng({k}).uniform(0, 1, m.na)", "d.eq_active[:] = rng({k}).integers(0, 2, m.neq)",
    "d.body({i} % m.nbody).xfrc_applied[:] = rng({k}).normal(size=6)", "d.qacc_warmstart[:] = 0",
    "if m.njnt: d.joint({i} % m.njnt).qvel = 0.3", "if m.nu: d.actuator({i} % m.nu).ctrl[:] = 0.2",
    "d.userdata[:] = rng({k}).normal(size=m.nuserdata)",
)  # fmt: skip
"""Statements that write inputs into data."""

COPIES = (
    "d = copy.copy(d)", "d = copy.deepcopy(d)", "d = pickle.loads(pickle.dumps(d))", "m = copy.copy(m)",
    "m = pickle.loads(pickle.dumps(m))", "d = mj.MjData(m)",
    f"s = np.zeros(mj.mj_stateSize(m, {FULL})); mj.mj_getState(m, d, s, {FULL})",
    f"s = np.zeros(mj.mj_stateSize(m, {WHOLE})); mj.mj_getState(m, d, s, {WHOLE}); o = s",
    f"if 's' in globals() and len(s) == mj.mj_stateSize(m, {FULL}): mj.mj_setState(m, d, s, {FULL})",
    f"if 's' in globals() and len(s) == mj.mj_stateSize(m, {WHOLE}): mj.mj_setState(m, d, s, {WHOLE})",
)  # fmt: skip
"""Statements that copy objects, and that get and set states."""

READINGS = (
    "o = np.zeros((3, m.nv)); mj.mj_jacBody(m, d, o, None, {i} % m.nbody)",
    "o = np.zeros((3, m.nv)); mj.mj_jacBodyCom(m, d, None, o, {i} % m.nbody)",
    "o = np.zeros((3, m.nv)); mj.mj_jac(m, d, o, None, np.array([.1, .2, .3]), {i} % m.nbody)",
    "o = np.zeros((m.nv, m.nv)); mj.mj_fullM(m, o, d.qM)",
    "o = np.zeros(m.nv); mj.mj_mulM(m, d, o, rng({k}).normal(size=m.nv))",
    "o = np.zeros(m.nv); mj.mj_rne(m, d, {i} % 2, o)",
    "o = np.zeros(6); mj.mj_objectVelocity(m, d, 1, {i} % m.nbody, o, {i} % 2)",
    "o = np.zeros(6); d.ncon and mj.mj_contactForce(m, d, {i} % d.ncon, o)",
    "o = np.zeros(m.nv); mj.mj_differentiatePos(m, o, 0.1, m.qpos0, d.qpos)",
    "o = d.qpos.copy(); mj.mj_integratePos(m, o, rng({k}).normal(size=m.nv), 0.1)",
    "o = np.zeros(m.nv); mj.mj_applyFT(m, d, np.ones(3), np.ones(3), np.zeros(3), {i} % m.nbody, o)",
    "o = mj.mj_getTotalmass(m)", "o = mj.mj_name2id(m, {i} % 25, 'a')", "o = mj.mj_id2name(m, 1, {i} % m.nbody)",
    "mj.mj_kinematics(m, d); o = mj.mj_ray(m, d, np.array([0., 0, 3]), np.array([.1, .1, -1]), None, 1, -1, np.zeros(1, np.int32))",
    "o = mj.mj_isPyramidal(m) + mj.mj_isSparse(m) + 2 * mj.mj_isDual(m)", "o = m.body({i} % m.nbody).mass",
    "if m.nv: o = np.zeros(m.nv); mj.mj_mulJacTVec(m, d, o, np.ones(d.nefc))",
    "mj.mj_energyPos(m, d); mj.mj_energyVel(m, d); o = d.energy.sum()", "mj.mj_rnePostConstraint(m, d); o = d.cacc",
)  # fmt: skip
"""Calls whose results are compared; each result is assigned to `o`."""

EDITS = (
    "m.opt.timestep = {x} * 0.01 + 0.001", "m.opt.gravity[:] = rng({k}).normal(size=3) * 5", "m.opt.integrator = {i} % 4",
    "m.opt.cone = {i} % 2", "m.opt.solver = {i} % 3", "m.opt.jacobian = {i} % 3", "m.opt.disableflags ^= 1 << {i} % 14",
    "m.opt.enableflags ^= 1 << {i} % 4", "m.opt.viscosity = {x}", "m.opt.wind[:] = 0.5",
    "m.body_mass[:] *= 1.3; mj.mj_setConst(m, mj.MjData(m))", "m.dof_damping[:] += {x}", "m.jnt_stiffness[:] = {x}",
    "m.actuator_gainprm[:, 0] *= 2", "m.geom_pos[:] += 0.01", "m.body_pos[1:] += 0.02", "m.geom_friction[:] *= 0.9",
    "m.geom_margin[:] = 0.01; m.body_margin[:] = 0.01", "m.actuator_ctrlrange[:] *= 0.5", "m.tendon_stiffness[:] += 1", "m.dof_armature[:] += 0.1",
    "m.eq_solref[:] = [0.03, 1.1]", "m.geom_solimp[:, 2] *= 2", "m.site_pos[:] += 0.01", "m.qpos_spring[:] += 0.01",
    "mj.mj_setTotalmass(m, {x} + 1)", "m.geom({i} % max(m.ngeom, 1)).rgba = 0.5 if m.ngeom else 0",
)  # fmt: skip
"""Statements that edit a compiled model."""

ROLLOUTS = (
    f"s = np.zeros(mj.mj_stateSize(m, {FULL})); mj.mj_getState(m, d, s, {FULL}); "
    "o = rollout.rollout(m, copy.copy(d), s[None], np.zeros((1, 3, m.nu)))[0]",
    f"s = np.zeros(mj.mj_stateSize(m, {FULL})); mj.mj_getState(m, d, s, {FULL}); "
    "o = rollout.rollout([m] * 3, [copy.copy(d), copy.copy(d)], np.tile(s, (3, 1)), rng({k}).normal(size=(3, 2, m.nu)))[1]",
)
"""Statements that compute trajectories with rollouts."""

SPECS = (
    "sp = mj.MjSpec.from_string(XML); m = sp.compile(); d = mj.MjData(m)",
    "if 'sp' in globals(): sp.worldbody.add_body(pos=[0, 0, {x} + 2]).add_geom(size=[.1, .1, .1])",
    "if 'sp' in globals(): m, d = sp.recompile(m, d)",
    "if 'sp' in globals(): sp.option.timestep = {x} * 0.01 + 0.001",
    "if 'sp' in globals(): sp.bodies[{i} % len(sp.bodies)].pos = [.1, .2, .3]",
    "if 'sp' in globals(): m = sp.compile(); d = mj.MjData(m)",
    "if 'sp' in globals(): sp = sp.copy(); m = sp.compile(); d = mj.MjData(m)",
)
"""Statements for editable models; lines that need a model do nothing before one exists."""

WEIGHTS = ((STEPS, 5), (INPUTS, 5), (COPIES, 2), (READINGS, 4), (EDITS, 4), (ROLLOUTS, 1))

VALUES = (
    "None", "float('nan')", "np.inf", "-1", "0", "2**31", "2**64", "-2**63", "10**400", "''", "'torso'", "b'x'", "[]",
    "[1, 2]", "np.zeros(0)", "np.zeros((3, 3))", "np.zeros(3, np.float32)", "np.zeros(3, int)", "np.array(['a'])",
    "np.array([None])", "np.zeros(3, complex)", "np.full(3, np.nan)", "{}", "object()", "m", "d", "mj", "lambda *a: 0",
    "True", "1.5", "range(3)", "np.float64(1)", "np.int64(7)", "[[1], [2, 3]]", "memoryview(b'abc')", "1j",
    "np.zeros((2, 2, 2))", "np.zeros(6)[::-2]", "np.broadcast_to(0.0, 3)", "mj.mjtGeom.mjGEOM_BOX", "mj.MjOption()",
    "mj.MjData(mj.MjModel.from_xml_string('<mujoco/>'))", "mj.MjModel.from_xml_string('<mujoco/>')", "mj.MjModel",
    "'\\ud800'", "(1,)", "{1, 2}", "iter([1.0])", "np.ma.zeros(3)", "np.zeros(3, bool)", "np.zeros((m.nv, 1))", "...",
    "slice(None)", "mj.MjSpec()", "mj.MjSpec().worldbody", "np.array(5.0)", "10**6", "'a\\0b'",
)  # fmt: skip
"""Values that hardly any call accepts."""

ENDLESS = frozenset({"2**31", "10**6", "np.inf"})
"""Values that are not passed as step counts, because they are valid and such runs would take too long."""

SMALL = (
    "<mujoco><default><default class='c'/></default><asset><material name='p'/><mesh name='t' "
    "vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><light/><camera/><body name='x'><joint name='j'/>"
    "<geom size='.1'/><site name='s'/><body name='y'><geom size='.1'/></body></body></worldbody>"
    "<tendon><fixed name='f'><joint joint='j' coef='1'/></fixed></tendon><equality><joint joint1='j'/></equality>"
    "<actuator><motor joint='j'/></actuator><sensor><gyro site='s'/></sensor><custom><text name='n' data='w'/></custom>"
    "<keyframe><key time='1'/></keyframe></mujoco>"
)
"""XML of an editable model with most kinds of elements."""

OWNERS: dict[str, tuple[str, ...]] = {
    f"sp = globals().get('sp') or mj.MjSpec.from_string({SMALL!r})": (
        "sp", "sp", "sp.worldbody", "sp.bodies[1]", "sp.geoms[0]", "sp.joints[0]", "sp.sites[0]", "sp.cameras[0]",
        "sp.lights[0]", "sp.meshes[0]", "sp.materials[0]", "sp.tendons[0]", "sp.equalities[0]", "sp.actuators[0]",
        "sp.sensors[0]", "sp.texts[0]", "sp.keys[0]", "sp.default", "sp.option", "sp.compiler", "sp.visual.map", "sp.stat",
    ),
    "b = globals().get('b') or Batch(m, 2)": ("b", "b", "b.body(0)", "b.joint(0)"),
    "r = globals().get('r') or mj.Renderer(m, 24, 32); r.update_scene(d)": (
        "r", "r.scene", "r.scene.geoms[0]", "r.scene.lights[0]", "r.scene.camera[0]",
    ),
    "t = globals().get('t') or rollout.Rollout(nthread=0)": ("t",),
}  # fmt: skip
"""Expressions for objects whose methods and attributes random programs use, by the code that creates the objects."""

NOT_CALLED = frozenset(
    {"mj_loadAllPluginLibraries", "mj_loadPluginLibrary", "mj_warning", "mju_error", "mju_user_error"}
)
"""Names of functions that random programs must not call."""


class Writer:
    """Generator of random programs of API calls."""

    def __init__(self, seed: int, specs: bool = True):
        """Initialize the generator.

        Args:
            seed: seed of the random numbers.
            specs: True if the models are XML texts, so that programs may also use editable models.
        """
        self.random = random.Random(seed)
        self.weights = (*WEIGHTS, (SPECS, 2)) if specs else WEIGHTS
        self.functions = {name: arguments_of(name) for name in callable_names()}
        self.members = members_of_owners()
        self.data = [field.name for field in DATA_FIELDS if "." not in field.name]
        self.model = [field.name for field in ARRAY_FIELDS if field.kind in ("real", "float", "vec3", "quat")]
        self.options = [field.name.partition(".")[2] for field in OPTION_FIELDS]

    def program(self, absurd: bool) -> list[str]:
        """Return a random program of valid lines; if `absurd`, most of its lines are absurd."""
        count = self.random.randint(2, 12)
        return [self.absurd() if absurd and self.random.random() < 0.7 else self.legal() for _ in range(count)]

    def legal(self) -> str:
        """Return a random valid line of a program."""
        (group,) = self.random.choices([g for g, _ in self.weights], [w for _, w in self.weights])
        numbers = {"k": self.random.randrange(1000), "i": self.random.randrange(50), "n": self.random.randint(1, 5)}
        text = self.random.choice(group)
        for name, value in {**numbers, "x": round(self.random.uniform(0.1, 1), 2)}.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def absurd(self) -> str:
        """Return a random line of a program, with an absurd argument or value."""
        ways: list[Callable[[], str]] = [self.call] * 6 + [self.assignment] * 3 + [self.method] * 3
        ways += [self.access, self.maker, self.batch]
        return self.random.choice(ways)()

    def value(self) -> str:
        """Return a random value, as a Python expression."""
        return self.random.choice(VALUES)

    def call(self) -> str:
        """Return a function call with mostly plausible arguments."""
        name = self.random.choice(list(self.functions))
        given = [self.argument(argument, annotation) for argument, annotation in self.functions[name].items()]
        if self.random.random() < 0.05:
            given = given[:-1] if self.random.random() < 0.5 else [*given, self.value()]
        return f"mj.{name}({', '.join(given)})"

    def argument(self, name: str, annotation: Any) -> str:
        """Return an argument, as an expression: usually plausible, otherwise any value."""
        value = self.plausible(annotation) if self.random.random() < 0.75 else self.value()
        return "1" if value in ENDLESS and name.startswith("n") else value

    def plausible(self, annotation: Any) -> str:
        """Return an expression whose type matches an annotation."""
        kinds = get_args(annotation)
        if type(None) in kinds:
            kept = [kind for kind in kinds if kind is not type(None)]
            return "None" if self.random.random() < 0.3 else self.plausible(kept[0])
        about = kinds[1] if get_origin(annotation) is Annotated else None
        if isinstance(about, Array):
            lengths = [str(n or self.random.choice(("m.nv", "m.nq", "3", "m.nu", "m.nbody"))) for n in about.shape]
            return f"np.zeros(({', '.join(lengths)},), np.{np.dtype(about.dtype).name})"
        if isinstance(about, type) and issubclass(about, enum.IntEnum):
            return str(self.random.randint(-1, 12))
        if annotation in (int, float, bool, str):
            return self.random.choice({
                int: ("0", "1", "-1", "m.nbody - 1", "m.ngeom", "10**6", "3"), float: ("0.5", "0.0", "-1.0", "1e300"),
                bool: ("True", "False"), str: ("'torso'", "''", "'%f'"),
            }[annotation])  # fmt: skip
        if isinstance(annotation, type):
            return {"MjModel": "m", "MjData": "d", "MjvScene": "mj.MjvScene(m, 20)", "MjSpec": "mj.MjSpec()"}.get(
                annotation.__name__, f"mj.{annotation.__name__}()"
            )
        return self.value()

    def assignment(self) -> str:
        """Return a line that assigns a random value to an attribute or one of its elements."""
        value = self.value()
        owner, names = self.random.choice(
            [("d", self.data), ("m", self.model), ("m.opt", self.options), ("m.vis.global_", ["fovy", "offwidth", "x"]),
             ("d.contact", ["dist"]), ("m.stat", ["extent", "center"]), ("m.vis", ["map", "foo"])]
        )  # fmt: skip
        name = self.random.choice([*names, "unknown"])
        return (
            f"{owner}.{name} = {value}" if self.random.random() < 0.7 else f"{owner}.{name}[{self.value()}] = {value}"
        )

    def access(self) -> str:
        """Return a line that looks up an element, or reads, copies or compares an object."""
        kind = self.random.choice(("body", "joint", "geom", "site", "tendon", "actuator", "sensor", "camera", "light"))
        return self.random.choice(
            (f"m.{kind}({self.value()})", f"d.{kind}({self.value()}).xpos", f"d.contact[{self.value()}]",
             f"d.warning[{self.value()}].number", f"d.{kind}(0).unknown = {self.value()}", f"m.bind({self.value()})",
             f"d.bind({self.value()})", f"d == {self.value()}", f"m.opt == {self.value()}", "repr(m.opt); repr(d.warning[0])",
             "copy.deepcopy(d.contact)", "pickle.loads(pickle.dumps(m.vis))", f"d.nthread = {self.value()}", "del d.qpos",
             "hash(m.opt)", f"m.{kind}(0).pos = {self.value()}")
        )  # fmt: skip

    def maker(self) -> str:
        """Return a line of a program that creates an object."""
        a, b = self.value(), self.value()
        return self.random.choice(
            (f"mj.MjData({a})", f"mj.MjvScene({a}, {b})", f"mj.MjModel.from_xml_string({a})", f"mj.MjOption({a})",
             f"mj.MjModel.from_xml_string('<mujoco/>', {a})", f"mj.MjModel.from_xml_path({a})", f"mj.MjSpec.from_string({a})",
             f"mj.MjModel.from_binary_path({a})", f"mj.MjSpec.from_file({a})", f"mj.MjrRect({a}, {b}, 1, 1)", f"mj.MjVfs({a})",
             f"mj.MjSpec().worldbody.add_body(pos={a})", f"mj.MjSpec().worldbody.add_geom(size={a}, type={b})",
             f"mj.MjSpec().add_{self.random.choice(('mesh', 'material', 'key', 'sensor', 'actuator'))}(name={a})",
             f"rollout.rollout({a}, d, {b})", f"rollout.rollout(m, d, np.zeros((1, mj.mj_stateSize(m, {FULL}))), {a}, nstep={b})"
             if b not in ENDLESS else "rollout.rollout(m, d, 1)", f"rollout.Rollout(nthread={a})"
             if a not in ENDLESS else "rollout.Rollout(nthread=-1)")
        )  # fmt: skip

    def method(self) -> str:
        """Return a line that calls a method, or reads or sets an attribute, and then uses the object."""
        maker = self.random.choice(list(OWNERS))
        owner = self.random.choice(OWNERS[maker])
        name, called = self.random.choice(self.members[owner])
        if called:
            values = [self.value() for _ in range(self.random.choice((0, 1, 1, 2, 3)))]
            given = ["1" if value in ENDLESS else value for value in values]
            return f"{maker}; {owner}.{name}({', '.join(given)})"
        change = f"{owner}.{name}" if self.random.random() < 0.2 else f"{owner}.{name} = {self.value()}"
        use = {"sp": "sp.compile()", "b": "b.step()", "r": "r.render()"}.get(owner.partition(".")[0], owner)
        return f"{maker}; {change}; {use}"

    def batch(self) -> str:
        """Return a random line that creates a batch, or uses one if it exists."""
        a, name = self.value(), self.random.choice((*self.data, "unknown"))
        return self.random.choice(
            ("b = Batch(m, 4)", f"b = Batch({a}, {self.value()})" if a != "m" else "b = Batch(m, 1)",
             f"if 'b' in globals(): b.{name}", f"if 'b' in globals(): b.{name} = {a}", "if 'b' in globals(): b.step()",
             f"if 'b' in globals(): b.step({a})" if a not in ENDLESS else "if 'b' in globals(): b.step(2)",
             f"if 'b' in globals(): b.reset(worlds={a})", "if 'b' in globals(): b.forward()", f"Batch(m, 2, keep={a})",
             f"Batch(m, 2, vary={a})", f"Batch(m, 2, nthread={a})" if a not in ENDLESS else "Batch(m, 2, nthread=0)")
        )  # fmt: skip


def members_of_owners() -> dict[str, list[tuple[str, bool]]]:
    """Return the public attributes of each object in `OWNERS`, each with True if it is a method."""
    model = conjoint.MjModel.from_xml_string(SMALL)
    scene = conjoint.MjvScene(model, 2)
    names: dict[str, Any] = {"sp": conjoint.MjSpec.from_string(SMALL)}
    found: dict[str, list[tuple[str, bool]]] = {}
    for owner in dict.fromkeys(owner for owners in OWNERS.values() for owner in owners):
        if owner in ("b.body(0)", "b.joint(0)"):
            found[owner] = [(name, False) for name in ("qpos", "xpos", "xfrc_applied", "unknown")]
            continue
        kinds = {"b": Batch, "t": Rollout, "r": conjoint.Renderer}
        object_ = kinds.get(owner) or eval(owner.replace("r.scene", "scene"), names | {"scene": scene})
        listed = [name for name in dir(object_) if not name.startswith("_")]
        found[owner] = [(name, is_method(object_, name)) for name in listed]
    return found


def is_method(owner: Any, name: str) -> bool:
    """Return True if an attribute is callable, and False if it is not or can only be set."""
    try:
        return callable(getattr(owner, name))
    except (AttributeError, ValueError):
        return False


def callable_names() -> list[str]:
    """Return the names of the documented functions that programs may call."""
    prefixes = ("mj_", "mju_", "mjd_", "mjv_", "set_mj", "get_mj")
    names = [name for name in dir(conjoint) if name.startswith(prefixes) and name not in NOT_CALLED]
    return [name for name in names if callable(getattr(conjoint, name))]


def arguments_of(name: str) -> dict[str, Any]:
    """Return the annotation of each argument of a function."""
    function = inspect.unwrap(in_python(getattr(conjoint, name)))
    try:
        found = inspect.get_annotations(function, eval_str=True)
        return {each: found.get(each, object) for each in inspect.signature(function).parameters}
    except (NameError, TypeError, ValueError):
        return {}
