"""Introductions to the pages of the Python reference: purpose, example and rules."""


def text(purpose: str, program: str, rules: str = "") -> str:
    """Return an introduction in Markdown: the purpose, a program as a code block, and the rules, if any."""
    parts = [purpose, f"```python\n{program.strip()}\n```", rules]
    return "\n\n".join(part for part in parts if part)


HUMANOID = """
import conjoint

model = conjoint.MjModel.from_xml_path(conjoint.sample_model("humanoid"))
data = conjoint.MjData(model)
"""

TEXTS = {
    "models-and-data": text(
        "A model (`MjModel`) is what a simulation does not change: bodies, joints, masses, options. Data (`MjData`) is "
        "one world: its state and all that a step computes from it. One model serves any number of worlds.",
        HUMANOID
        + """
conjoint.mj_step(model, data)
print(model.nbody, data.time, data.body("torso").xpos)
""",
        "Their arrays are listed in [fields of MjModel](MjModel.md) and [fields of MjData](MjData.md). Arrays are "
        "views: what a program writes into them counts from the next step on.",
    ),
    "simulation-functions": text(
        "These functions advance a world. Most programs need `mj_step`, `mj_forward` and `mj_resetData`; the parts of "
        "a step are for programs that insert their own code between them.",
        HUMANOID
        + """
conjoint.mj_step(model, data, 100)     # 100 steps
conjoint.mj_forward(model, data)       # everything derived from the state, without advancing time
conjoint.mj_resetData(model, data)
""",
        "Whole steps come first, then their parts in the order in which [a step](pipeline.md) runs them, then those of "
        "inverse dynamics.",
    ),
    "support-functions": text(
        "These functions compute something from a state and leave the state as it is: Jacobians, products with the "
        "inertia matrix, rays, distances, names.",
        "import numpy as np\n"
        + HUMANOID
        + """
conjoint.mj_forward(model, data)
jacobian = np.zeros((3, model.nv))
conjoint.mj_jacBodyCom(model, data, jacobian, None, model.body("torso").id)
velocity = jacobian @ data.qvel        # m/s, of the torso's center of mass
""",
        "Call `mj_forward` first if a program has changed the state: these functions read the results of the last "
        "step. Arrays for results are passed in, and filled; None leaves one out.",
    ),
    "math-functions": text(
        "Functions with the prefix `mju_` are MuJoCo's own vector and matrix utilities. They are here so that existing "
        "programs run; NumPy has most of them, but not those of quaternions and poses.",
        """
import numpy as np
import conjoint

quarter = np.zeros(4)
conjoint.mju_axisAngle2Quat(quarter, np.array([0.0, 0.0, 1.0]), np.pi / 2)
turned = np.zeros(3)
conjoint.mju_rotVecQuat(turned, np.array([1.0, 0.0, 0.0]), quarter)
assert np.allclose(turned, [0, 1, 0])
""",
        "The result is the first argument, which the function fills. Quaternions are w, x, y, z.",
    ),
    "model-editing-api": text(
        "An `MjSpec` is a model that a program makes or changes before it is compiled: it adds bodies, attaches other "
        "models, sets numbers. [Model editing](../model-editing.md) is the guide.",
        """
import conjoint

spec = conjoint.MjSpec()
ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
ball.add_freejoint()
ball.add_geom(size=[0.1, 0, 0], rgba=[0.95, 0.45, 0.13, 1])
model = spec.compile()
print(spec.to_xml())
""",
        "Values of elements have the names of [attributes of model files](worldbody.md), but for a few, which these "
        "pages give as `In MjSpec`.",
    ),
    "batch-api": text(
        "A `Batch` is many worlds of one model, stepped together on all cores and in vector registers. Use it for "
        "learning, for sampling and for sweeps of parameters. [Batches](../batches.md) is the guide.",
        """
import conjoint

model = conjoint.MjModel.from_xml_path(conjoint.sample_model("humanoid"))
batch = conjoint.Batch(model, nworld=16)
batch.qpos[:, 2] += 0.1
batch.step(nstep=5)
print(batch.xpos[:, model.body("torso").id].shape)     # (16, 3)
""",
        "Fields have the names of `MjData`, with the worlds as the first dimension.",
    ),
    "derivative-api": text(
        "`conjoint.derivative` has exact derivatives of steps and of whole rollouts, by state, controls and parameters "
        "of the model. Use it for trajectory optimization, identification and policy gradients. [Exact "
        "derivatives](../derivatives.md) is the guide.",
        HUMANOID
        + """
from conjoint.derivative import transition

A, B, C, D = transition(model, data)   # of the next state and the readings
print(A.shape, B.shape)
""",
        "`mjd_transition` and `mjd_inverse` are in `conjoint`, too, beside the finite differences of MuJoCo.",
    ),
    "environments-api": (
        "`conjoint.envs` has tasks for reinforcement learning, as Gymnasium environments that step many worlds at "
        "once. [Reinforcement learning](../learning.md) is the guide, with examples. It needs `pip install "
        "'conjoint[envs]'`."
    ),
    "rollout-and-minimize": text(
        "`conjoint.rollout` computes trajectories from many states and sequences of controls. `conjoint.minimize` "
        "solves least squares problems with bounds, for identification and inverse kinematics. Both are modules of the "
        "official package, with the same arguments.",
        HUMANOID
        + """
import numpy as np
from conjoint.rollout import rollout

kind = conjoint.mjtState.mjSTATE_FULLPHYSICS
start = np.zeros(conjoint.mj_stateSize(model, kind))
conjoint.mj_getState(model, data, start, kind)
controls = np.random.default_rng(0).uniform(-1, 1, (8, 20, model.nu))
states, readings = rollout(model, data, start, controls)
print(states.shape)                    # (8, 20, numbers of a state)
""",
    ),
    "rendering-api": (
        "These classes make pictures of a world: `Renderer` with OpenGL, `RayRenderer` without a GPU, `Recorder` and "
        "`Film` for videos and notebooks. [Rendering](../rendering.md) is the guide, with examples. The functions "
        "`mjr_*` are OpenGL drawing commands, for programs that have windows of their own."
    ),
    "viewer-api": (
        "A viewer shows a simulation while it runs, in [a window](../viewer.md) or in [a browser](../web-viewer.md). "
        "`launch` runs the simulation itself; `launch_passive` leaves that to the program, which calls `sync` after "
        "its steps. The linked guides have examples."
    ),
    "scene-functions": text(
        "These functions turn a model and a world into a scene: a list of shapes and lights with a camera, which "
        "renderers draw. Use them to add shapes of your own, to move the camera, or to build a viewer. "
        "[Scenes](../scenes.md) is the guide.",
        HUMANOID
        + """
conjoint.mj_forward(model, data)
option, camera = conjoint.MjvOption(), conjoint.MjvCamera()
conjoint.mjv_defaultFreeCamera(model, camera)
scene = conjoint.MjvScene(model, maxgeom=1000)
conjoint.mjv_updateScene(model, data, option, None, camera, conjoint.mjtCatBit.mjCAT_ALL, scene)
print(scene.ngeom, scene.geoms[0].pos)
""",
    ),
    "kernel-api": (
        "Kernels are functions in a subset of Python that are compiled and run inside a step: forces, rewards, "
        "sensors, colliders. The words below are attributes of `conjoint.lang`. [Kernel "
        "language](../kernel-language.md) is the guide, with examples; [your own physics](../your-own-physics.md) "
        "shows where kernels go."
    ),
    "doctor-api": text(
        "`conjoint.doctor` examines a model for mistakes that load but do not simulate well: wrong masses, "
        "penetrations, limits in wrong units. [Your robot](../your-robot.md) explains every finding. `conjoint doctor "
        "MODEL` prints them.",
        """
import conjoint
from conjoint.doctor import examine

for finding in examine(conjoint.sample_model("humanoid")):
    print(finding.message, *finding.elements, finding.fix, sep="\\n  ")
""",
    ),
    "errors": text(
        "Errors specific to Conjoint derive from `ConjointError`, so a single `except` clause catches them all.",
        """
import conjoint

try:
    conjoint.MjModel.from_xml_string("<mujoco><worldbody><body><geom sizes='1'/></body></worldbody></mujoco>")
except conjoint.ModelError as error:
    print(error)                       # names line, element and attribute
""",
        "A wrong value raises an error that is also a `ValueError`: `ArgumentError` for an argument, `ModelError` for "
        "a model. A wrong type raises `TypeError`. A `FatalError` is also a `RuntimeError`.",
    ),
}
"""Introductions to the pages of the Python reference, by page name."""

ARGUMENTS = "Types in signatures are listed under [types of arguments](argument-types.md), with their shapes."

ARGUMENTS_PAGE = """# Types of arguments

Signatures of functions name these types, which say what may be passed.

```python
import numpy as np
import conjoint

turned = np.zeros(3)                                            # OutVector3: filled by the function
conjoint.mju_rotVecQuat(turned, [1, 0, 0], (0.5, 0.5, 0.5, 0.5))   # a list or tuple will do as an input
```

* An input may be anything that NumPy turns into an array of this type and shape.
* An output, whose name begins with `Out`, must be a NumPy array of exactly this type and shape, since the function
  writes into it.
* Another type raises `TypeError`. A value out of range raises `ArgumentError`, which is a `ValueError` and a
  `FatalError`. A wrong shape raises `TypeError` in functions of MuJoCo. The message says what is needed and what was
  passed.

## Types
"""

ENUMERATIONS_TEXT = """\
An enumeration gives names to the numbers that fields and arguments hold: `model.geom_type` has members of `mjtGeom`.

```python
import conjoint

model = conjoint.MjModel.from_xml_string("<mujoco><worldbody><geom type='box' size='1 1 1'/></worldbody></mujoco>")
assert model.geom_type[0] == conjoint.mjtGeom.mjGEOM_BOX
print(conjoint.mjtGeom(model.geom_type[0]).name)
```

Members are integers. Those of bit masks are added: `mjtState.mjSTATE_QPOS | mjtState.mjSTATE_QVEL`."""

CONSTANTS_TEXT = """\
Constants are bounds, tolerances and lists of names that programs share with the engine, as in
`range(conjoint.mjNGROUP)`."""
