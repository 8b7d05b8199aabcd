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
        "A model (`MjModel`) contains what does not change during a simulation: bodies, joints, masses, options. "
        "Data (`MjData`) contains one world: its state and all results of a step. Any number of worlds can use the "
        "same model.",
        HUMANOID
        + """
conjoint.mj_step(model, data)
print(model.nbody, data.time, data.body("torso").xpos)
""",
        "Their arrays are listed in [fields of MjModel](MjModel.md) and [fields of MjData](MjData.md). Arrays are "
        "views of the engine's memory: the next step uses the values that a program writes into them.",
    ),
    "simulation-functions": text(
        "These functions advance a world. Most programs need only `mj_step`, `mj_forward` and `mj_resetData`. "
        "Programs that insert their own code into a step call the parts of the step.",
        HUMANOID
        + """
conjoint.mj_step(model, data, 100)     # 100 steps
conjoint.mj_forward(model, data)       # everything derived from the state, without advancing time
conjoint.mj_resetData(model, data)
""",
        "Complete steps are listed first, then the parts of a step in the order in which [a step](pipeline.md) runs "
        "them, then the parts of inverse dynamics.",
    ),
    "support-functions": text(
        "These functions compute Jacobians, inertia-matrix products, ray intersections and distances, and look up "
        "names. They do not change the state.",
        "import numpy as np\n"
        + HUMANOID
        + """
conjoint.mj_forward(model, data)
jacobian = np.zeros((3, model.nv))
conjoint.mj_jacBodyCom(model, data, jacobian, None, model.body("torso").id)
velocity = jacobian @ data.qvel        # m/s, of the torso's center of mass
""",
        "These functions read results that are stored in `data`. If you have changed the state, call `mj_forward` "
        "first. Results are written to arrays that you pass in. Pass None for a result that is not needed.",
    ),
    "math-functions": text(
        "Functions with the prefix `mju_` are MuJoCo's own vector and matrix utilities. They are provided so that "
        "existing programs keep working. NumPy has equivalents for most of them, but not for the quaternion and pose"
        " functions.",
        """
import numpy as np
import conjoint

quarter = np.zeros(4)
conjoint.mju_axisAngle2Quat(quarter, np.array([0.0, 0.0, 1.0]), np.pi / 2)
turned = np.zeros(3)
conjoint.mju_rotVecQuat(turned, np.array([1.0, 0.0, 0.0]), quarter)
assert np.allclose(turned, [0, 1, 0])
""",
        "Functions whose result is an array write it to their first argument. Quaternions are in (w, x, y, z) order.",
    ),
    "model-editing-api": text(
        "An `MjSpec` is an editable model. A program can add bodies, attach other models and change attributes "
        "before it compiles the model. The guide is [Model editing](../model-editing.md).",
        """
import conjoint

spec = conjoint.MjSpec()
ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
ball.add_freejoint()
ball.add_geom(size=[0.1, 0, 0], rgba=[0.95, 0.45, 0.13, 1])
model = spec.compile()
print(spec.to_xml())
""",
        "Attributes of elements have the same names as [in model files](worldbody.md), with a few exceptions, which "
        "the linked pages mark with `In MjSpec`.",
    ),
    "batch-api": text(
        "A `Batch` contains many worlds of one model, which are stepped together on all cores and in vector "
        "registers. Use it for learning, for sampling and for parameter sweeps. The guide is "
        "[Batches](../batches.md).",
        """
import conjoint

model = conjoint.MjModel.from_xml_path(conjoint.sample_model("humanoid"))
batch = conjoint.Batch(model, nworld=16)
batch.qpos[:, 2] += 0.1
batch.step(nstep=5)
print(batch.xpos[:, model.body("torso").id].shape)     # (16, 3)
""",
        "Fields have the same names as in `MjData`. Their first dimension is the world.",
    ),
    "derivative-api": text(
        "`conjoint.derivative` computes exact derivatives of steps and of whole rollouts, with respect to state, "
        "controls and model parameters. Use it for trajectory optimization, identification and policy gradients. The"
        " guide is [Exact derivatives](../derivatives.md).",
        HUMANOID
        + """
from conjoint.derivative import transition

A, B, C, D = transition(model, data)   # derivatives of the next state and the sensor readings
print(A.shape, B.shape)
""",
        "`mjd_transition` and `mjd_inverse` are also available in `conjoint`, next to MuJoCo's finite-difference "
        "functions.",
    ),
    "environments-api": (
        "`conjoint.envs` contains tasks for reinforcement learning, as Gymnasium environments that step many worlds "
        "at once. The guide, with examples, is [Reinforcement learning](../learning.md). The package needs `pip "
        "install 'conjoint[envs]'`."
    ),
    "rollout-and-minimize": text(
        "`conjoint.rollout` computes trajectories from many initial states and control sequences. "
        "`conjoint.minimize` solves least squares problems with bounds, for identification and inverse kinematics. "
        "MuJoCo's package has both modules, with the same arguments.",
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
        "These classes render images of a world: `Renderer` with OpenGL, `RayRenderer` without a GPU, and `Recorder`"
        " and `Film` for videos and notebooks. The guide, with examples, is [Rendering](../rendering.md). The "
        "functions `mjr_*` draw with OpenGL, for programs that have their own windows."
    ),
    "viewer-api": (
        "A viewer shows a simulation while it runs, in [a window](../viewer.md) or in [a browser](../web-viewer.md)."
        " With `launch`, the viewer runs the simulation. With `launch_passive`, the program runs the simulation and "
        "calls `sync` after its steps. The linked guides have examples."
    ),
    "scene-functions": text(
        "These functions convert a model and a world into a scene: a list of shapes and lights with a camera, which "
        "renderers draw. Use them to add your own shapes, to move the camera, or to build a viewer. The guide is "
        "[Scenes](../scenes.md).",
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
        "Kernels are functions in a subset of Python that are compiled and run inside a step. They can compute "
        "forces, rewards, sensor readings or contacts. The names below are attributes of `conjoint.lang`. The guide,"
        " with examples, is [Kernel language](../kernel-language.md); [your own physics](../your-own-physics.md) "
        "shows how to install kernels."
    ),
    "doctor-api": text(
        "`conjoint.doctor` finds mistakes in a model that loads but does not simulate well: wrong masses, "
        "penetrations, limits in wrong units. [Your robot](../your-robot.md) explains every finding. `conjoint "
        "doctor MODEL` prints the findings.",
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

ARGUMENTS = (
    "The argument types used in the signatures, and their shapes, are listed under [types of "
    "arguments](argument-types.md)."
)

ARGUMENTS_PAGE = """# Types of arguments

The signatures of functions use these types, which specify the arguments that a function accepts.

```python
import numpy as np
import conjoint

turned = np.zeros(3)                                            # OutVector3: filled by the function
conjoint.mju_rotVecQuat(turned, [1, 0, 0], (0.5, 0.5, 0.5, 0.5))   # inputs may be lists or tuples
```

* An input may be anything that NumPy converts to an array of this type and shape.
* An output, whose type name begins with `Out`, must be a NumPy array of exactly this type and shape, because the
  function writes into it.
* A wrong type raises `TypeError`. A value out of range raises `ArgumentError`, which is a `ValueError` and a
  `FatalError`. In MuJoCo's functions, a wrong shape raises `TypeError`. The message names the expected and the passed
  value.

## Types
"""

ENUMERATIONS_TEXT = """\
An enumeration gives names to integer values of fields and arguments: `model.geom_type` contains members of `mjtGeom`.

```python
import conjoint

model = conjoint.MjModel.from_xml_string("<mujoco><worldbody><geom type='box' size='1 1 1'/></worldbody></mujoco>")
assert model.geom_type[0] == conjoint.mjtGeom.mjGEOM_BOX
print(conjoint.mjtGeom(model.geom_type[0]).name)
```

Members are integers. Combine members of bit masks with `|`: `mjtState.mjSTATE_QPOS | mjtState.mjSTATE_QVEL`."""

CONSTANTS_TEXT = """\
These constants are bounds, tolerances and lists of names that the engine uses, for example in
`range(conjoint.mjNGROUP)`."""
