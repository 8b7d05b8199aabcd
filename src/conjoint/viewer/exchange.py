"""Channel between the thread that steps a world and the window that shows it.

The owner of a world (a simulation's thread, or a user's program) publishes copies of the world. The window submits
commands, which the owner runs before its next step. Neither waits for the other: a slow model does not slow down the
window, nor does a slow window slow down the model.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import numpy as np

from conjoint.api.functions.state import mj_copyData
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvOption, MjvPerturb, MjvScene
from conjoint.schema.enums import mjtEnableBit, mjtWarning
from conjoint.schema.enums_visual import mjtCamera, mjtCatBit, mjtVisFlag
from conjoint.viewer.spring import add_spring, pulled_points
from conjoint.viz.framing import frame_motion, keep_in_view
from conjoint.viz.perturb import mjv_applyPerturbForce, mjv_applyPerturbPose, mjv_initPerturb
from conjoint.viz.scene import mjv_updateScene
from conjoint.viz.studio import add_key_light

Command = Callable[[MjModel, MjData], None]

ROOM = 10000
"""Maximum number of geoms that a program may add to the scene of a window."""


NEAR = 0.02
"""Maximum distance of the near plane, relative to the camera's distance from the point it looks at."""


class Exchange:
    """Model, copies of its world, and user requests.

    Args:
        m: the model.
        d: the world to copy first.
        path: file of the model, "" if there is none.

    Attributes:
        lock: lock that a thread must hold while it changes the model, or accesses camera, options, perturbation or
            `user_scn`.
        cam, opt, pert: camera, options and perturbation of the window.
        user_scn: geoms that a program adds to the scene.
        placed: number of times that a reset or a keyframe has changed the state.
    """

    def __init__(self, m: MjModel, d: MjData, path: str = ""):
        self.m, self.path = m, path
        self.lock = threading.RLock()
        self.cam, self.opt, self.pert = MjvCamera(), MjvOption(), MjvPerturb()
        self.user_scn, self.placed = MjvScene(m, ROOM), 0
        self._commands: deque[Command] = deque()
        self._shown, self._next = MjData(m), MjData(m)
        self._swap = threading.Lock()
        self._ready = False
        self._pulled = 0
        self.publish(d)
        frame_motion(m, self.take(), self.cam)

    # ---- the owner's side

    def publish(self, d: MjData, again: bool = False) -> None:
        """Publish a copy of the world if the window has fetched the last one; with `again`, publish it in any case."""
        if self._ready and not again:
            return
        with self._swap:
            mj_copyData(self._next, self.m, d)
            self._ready = True

    def execute(self, d: MjData) -> bool:
        """Run the commands that the window submitted; return True if there were any."""
        if not self._commands:
            return False
        with self.lock:
            while self._commands:
                self._commands.popleft()(self.m, d)
            # update derived data now, so that the window never reads data that a model change has made stale
            self.m.plans.holding()
        return True

    def perturb(self, d: MjData, paused: bool) -> bool:
        """Apply the user's perturbation of the selected body; return True if there is one."""
        with self.lock:
            pert = self.pert
            active = bool(pert.active | pert.active2) and 0 < pert.select < self.m.nbody
            if self._pulled and (not active or pert.select != self._pulled):
                # remove the force from a released body
                d.xfrc_applied[self._pulled] = 0.0
                self._pulled = 0
            if active:
                mjv_applyPerturbPose(self.m, d, pert, int(paused))
                if not paused:
                    mjv_applyPerturbForce(self.m, d, pert)
                    self._pulled = int(pert.select)
        return active

    # ---- the window's side

    def select(self, d: MjData, body: int, point: np.ndarray | None = None) -> None:
        """Select a body at a global point, or at its origin; body 0 clears the selection."""
        with self.lock:
            self.pert.select = body
            self.pert.localpos = np.zeros(3) if point is None else d.xmat[body].reshape(3, 3).T @ (point - d.xpos[body])

    def grab(self, d: MjData, scn: MjvScene, bit: int) -> None:
        """Start to translate or rotate the selected body; `bit` is a value of mjtPertBit."""
        with self.lock:
            if self.pert.select > 0:
                mjv_initPerturb(self.m, d, scn, self.pert)
                self.pert.active = int(bit)

    def release(self) -> None:
        """Stop moving the selected body."""
        with self.lock:
            self.pert.active = 0

    def submit(self, command: Command) -> None:
        """Schedule `command(m, d)` to be called by the owner of the world before its next step."""
        self._commands.append(command)

    def set(self, name: str, index: object, value: object) -> None:
        """Set an element of an array of the owner's world, and show the change immediately."""
        getattr(self._shown, name)[index] = value

        def command(m: MjModel, d: MjData) -> None:
            getattr(d, name)[index] = np.copy(value)  # type: ignore[call-overload]

        self.submit(command)

    def facts(self) -> list[tuple[str, str]]:
        """Return status values of the latest copy of the world, as pairs of a name and a text."""
        d, m = self._shown, self.m
        rows = [
            ("Time", f"{d.time:.3f} s"),
            ("Size", f"{d.nefc} rows, {d.ncon} contacts, {m.nv} dofs"),
            ("Solver", f"{int(np.max(d.solver_niter, initial=0))} iterations"),
        ]
        if m.opt.enableflags & mjtEnableBit.mjENBL_ENERGY:
            rows.append(("Energy", f"{d.energy[0] + d.energy[1]:.4g} J"))
        if m.opt.enableflags & mjtEnableBit.mjENBL_FWDINV:
            rows.append(("FwdInv", f"{d.solver_fwdinv[0]:.2g} {d.solver_fwdinv[1]:.2g}"))
        if d.nisland:
            rows.append(("Islands", f"{d.nisland}"))
        warned = [mjtWarning(i).name for i, warning in enumerate(d.warning) if warning.number]
        if warned:
            rows.append(("Warnings", ", ".join(name.removeprefix("mjWARN_").lower() for name in warned)))
        if 0 < self.pert.select < m.nbody:
            body = int(self.pert.select)
            force = float(np.linalg.norm(d.xfrc_applied[body, :3])) if self._pulled == body else 0.0
            pulled = f", pulled with {force:.0f} N" if force > 0 else ""
            rows.append(("Selected", (m.body(body).name or f"body {body}") + pulled))
        return rows

    def update_scene(self, d: MjData, scn: MjvScene, coiled: bool = True) -> None:
        """Update a scene from a copy of the world, with the window's camera, options and perturbation.

        Args:
            d: copy of the world.
            scn: the scene.
            coiled: whether a pull is shown as a coil spring instead of a straight line.
        """
        lookat, flags = self.cam.lookat.copy(), self.opt.flags
        # the viewers show a coil spring instead of the visualizer's straight line
        spring = bool(flags[mjtVisFlag.mjVIS_PERTOBJ]) and pulled_points(d, self.pert) is not None
        flags[mjtVisFlag.mjVIS_PERTOBJ] &= not spring
        mjv_updateScene(self.m, d, self.opt, self.pert, self.cam, int(mjtCatBit.mjCAT_ALL), scn)
        if spring:
            flags[mjtVisFlag.mjVIS_PERTOBJ] = 1
            add_spring(d, self.pert, scn, coiled)
        add_key_light(self.m, scn)
        if self.cam.type != mjtCamera.mjCAMERA_FIXED:
            see_near(scn, NEAR * self.cam.distance)
        # if the tracked body's position diverges, keep the last point
        if not np.isfinite(self.cam.lookat).all():
            self.cam.lookat[:] = lookat

    def free_camera(self, aspect: float = 4 / 3) -> None:
        """Switch to the model's initial camera, or to a free camera that frames all moving bodies.

        Args:
            aspect: width of the picture, relative to its height.
        """
        frame_motion(self.m, self._shown, self.cam, aspect)
        if 0 <= self.m.vis.global_.cameraid < self.m.ncam:
            self.cam.type, self.cam.fixedcamid = int(mjtCamera.mjCAMERA_FIXED), self.m.vis.global_.cameraid

    def keep_in_view(self, d: MjData) -> None:
        """Move the camera if the moving bodies are out of view after a state change, and count the change."""
        with self.lock:
            keep_in_view(self.m, d, self.cam)
            self.placed += 1

    @property
    def latest(self) -> MjData:
        """Copy of the world that `take` returned last."""
        return self._shown

    def take(self) -> MjData:
        """Return the latest copy of the world, which does not change until the next call."""
        if self._ready:
            with self._swap:
                self._shown, self._next = self._next, self._shown
                self._ready = False
        return self._shown


def see_near(scn: MjvScene, near: float) -> None:
    """Limit the near plane distances of a perspective scene to `near`, because they are too large for large models."""
    camera = {name: scn.memory.view(f"camera.frustum_{name}") for name in ("near", "bottom", "top", "center", "width")}
    planes = camera["near"]
    if scn.camera[0].orthographic or not near > 0 or not (planes > near).all():
        return
    for name in ("bottom", "top", "center", "width"):
        camera[name][...] *= near / planes
    planes[...] = near
