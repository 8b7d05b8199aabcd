"""An arm picks up a ball and drops it; iterative LQR with exact derivatives finds out how to put it into the bowl.

    python examples/pick.py out/pick.mp4           # film of the first try and of the best one
    python examples/pick.py --optimize             # find the best one again, and write examples/pick.csv

In the first try, inverse kinematics moves the hand, and the grip on the ball is too weak. While the ball slides through
the fingers, friction increases with grip force. The derivatives of the ball's path with respect to the servo targets
therefore show which targets would have kept the ball. The cost is the distance of the ball from a path into the bowl,
plus the change in the targets.

Targets are piecewise constant. Each iteration linearizes all steps at once, as worlds of one batch, and multiplies the
matrices of the steps of each piece.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from film.look import Move, Shot, View, dress, renderer_of, shoot

import conjoint
from conjoint.derivative import transition

SECONDS = 5.4
"""Duration of the film (s)."""

FILE = Path(__file__).with_suffix(".csv")
"""Targets of the best try, one row for each piece; the first line of the file lists the costs of all iterations."""

PIECE, PIECES = 0.04, 80
"""Duration (s) of a piece with constant targets, and number of pieces."""

BALL, BOWL = (0.42, -0.15), (0.42, 0.20)
"""Horizontal positions of the ball and of the bowl on the bench (m)."""

OPEN, WEAK = 0.037, 0.0265
"""Half openings of the gripper (m): wider than the ball, whose radius is 0.028, and 1.5 mm less than this radius."""

HAND = np.array([
    [0.0, *BALL, 0.16, OPEN], [0.5, *BALL, 0.03, OPEN], [0.62, *BALL, 0.03, OPEN], [0.9, *BALL, 0.03, WEAK],
    [1.3, *BALL, 0.2, WEAK], [2.1, *BOWL, 0.2, WEAK], [2.4, *BOWL, 0.1, WEAK], [2.5, *BOWL, 0.1, OPEN],
    [2.8, *BOWL, 0.2, OPEN], [3.2, *BOWL, 0.2, OPEN],
])  # fmt: skip
"""Keyframes of the hand in the first try: time (s), position (m) and half opening of the gripper (m)."""

WISH = np.array([
    [0.0, *BALL, 0.028], [0.9, *BALL, 0.028], [1.3, *BALL, 0.198], [2.1, *BOWL, 0.198], [2.4, *BOWL, 0.1],
    [2.6, *BOWL, 0.038], [3.2, *BOWL, 0.038],
])  # fmt: skip
"""Desired path of the ball: time (s) and position (m)."""

NEAR = 0.1
"""Distance (m) at which the cost changes from quadratic to linear, so that a lost ball does not dominate the cost."""

UNITS = np.array([0.1] * 6 + [0.001])
"""Changes in joint targets (rad) and in the gripper target (m) that cost the same."""

RATE, STAY = 1e-3, 2e-5
"""Weights of the change in a target from piece to piece, and of the target's difference from the first try's target."""


@dataclass
class Try:
    """Motion of the arm and the ball under a sequence of targets.

    Attributes:
        qpos, qvel, warmstart: state at every step.
        offsets: targets minus those of the first try, before and after each piece, shape (PIECES + 1, nu).
        changes: changes in the offsets at each piece, shape (PIECES, nu).
        ball: position of the ball at both ends of each piece (m), shape (PIECES + 1, 3).
        cost: cost of the ball's path and of the targets.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    warmstart: np.ndarray
    offsets: np.ndarray
    changes: np.ndarray
    ball: np.ndarray
    cost: float = 0.0


class Task:
    """Optimal control problem of bringing the ball to the bowl: rollouts, costs and linearization.

    Args:
        model: model of the arm.
    """

    def __init__(self, model: conjoint.MjModel):
        self.model, self.data = model, conjoint.MjData(model)
        self.steps = round(PIECE / model.opt.timestep)
        self.batch = conjoint.Batch(model, PIECES * self.steps)
        self.place = int(model.jnt("ball").dofadr[0])
        times = np.arange(PIECES + 1) * PIECE
        self.wish = np.stack([np.interp(times, WISH[:, 0], column) for column in WISH.T[1:]], axis=1)
        self.start, self.plan = first_try(model)

    def begin(self) -> None:
        """Reset the world, with the open hand above the ball."""
        conjoint.mj_resetDataKeyframe(self.model, self.data, 0)
        self.data.qpos[:8] = [*self.start, OPEN, OPEN]
        self.data.ctrl[:] = self.plan[0]

    def difference(self, one: Try, piece: int, offset: np.ndarray) -> np.ndarray:
        """Return how much the state and the target offset differ from those of a try at the start of a piece."""
        step, moved = piece * self.steps, np.zeros(self.model.nv)
        conjoint.mj_differentiatePos(self.model, moved, 1.0, one.qpos[step], self.data.qpos)
        return np.concatenate([moved, self.data.qvel - one.qvel[step], offset - one.offsets[piece]])

    def run(self, changes: np.ndarray, gains: np.ndarray | None = None, about: Try | None = None) -> Try:
        """Return the motion for changes in the targets, with feedback on the deviation from another try."""
        low, high = self.model.actuator_ctrlrange.T
        offset, states, made, offsets = np.zeros(self.model.nu), [], [], [np.zeros(self.model.nu)]
        self.begin()
        for piece, change in enumerate(changes):
            if gains is not None and about is not None:
                change = change + gains[piece] @ self.difference(about, piece, offset)
            self.data.ctrl[:] = np.clip(self.plan[piece] + offset + change, low, high)
            made.append(self.data.ctrl - self.plan[piece] - offset)
            offset = offset + made[-1]
            offsets.append(offset)
            for _ in range(self.steps):
                states.append([self.data.qpos.copy(), self.data.qvel.copy(), self.data.qacc_warmstart.copy()])
                conjoint.mj_step(self.model, self.data)
        qpos, qvel, warmstart = (np.array(rows) for rows in zip(*states, strict=True))
        path = np.concatenate([qpos[:: self.steps], self.data.qpos[None]])[:, self.ball_columns]
        found = Try(qpos, qvel, warmstart, np.array(offsets), np.array(made), path)
        found.cost = self.cost(found)
        return found

    @property
    def ball_columns(self) -> slice:
        """Columns of qpos that contain the position of the ball."""
        address = int(self.model.jnt("ball").qposadr[0])
        return slice(address, address + 3)

    def cost(self, one: Try) -> float:
        """Return the cost of a try, which depends on the ball's path, and on the target offsets and their changes."""
        away = np.sum((one.ball - self.wish) ** 2, axis=1) / NEAR**2
        effort = RATE * np.sum((one.changes / UNITS) ** 2) + STAY * np.sum((one.offsets / UNITS) ** 2)
        return float(NEAR**2 * np.sum(np.sqrt(1 + away) - 1) + 0.5 * effort)

    def linearized(self, one: Try) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of the state after each piece with respect to the previous state and the targets."""
        batch, (nv, nu) = self.batch, (self.model.nv, self.model.nu)
        batch.qpos[...], batch.qvel[...], batch.qacc_warmstart[...] = one.qpos, one.qvel, one.warmstart
        batch.ctrl[...] = np.repeat(self.plan + one.offsets[1:], self.steps, axis=0)
        found = transition(batch)
        A, B = found[0].reshape(PIECES, self.steps, 2 * nv, 2 * nv), found[1].reshape(PIECES, self.steps, 2 * nv, nu)
        states, targets = A[:, 0], B[:, 0]
        for step in range(1, self.steps):
            states, targets = A[:, step] @ states, A[:, step] @ targets + B[:, step]
        return states, targets

    def slope(self, one: Try, piece: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the Hessian and the gradient of the cost with respect to state and offset at the start of a piece."""
        nv, nu = self.model.nv, self.model.nu
        curvature, slope = np.zeros((2 * nv + nu, 2 * nv + nu)), np.zeros(2 * nv + nu)
        away, ball = one.ball[piece] - self.wish[piece], slice(self.place, self.place + 3)
        weight = 1 / np.sqrt(1 + away @ away / NEAR**2)
        curvature[ball, ball], slope[ball] = weight * np.eye(3), weight * away
        curvature[-nu:, -nu:], slope[-nu:] = np.diag(STAY / UNITS**2), STAY / UNITS**2 * one.offsets[piece]
        return curvature, slope

    def better(self, one: Try, regularizer: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the best corrections to the changes, and the best feedback gains, for the linearized problem."""
        nv, nu = self.model.nv, self.model.nu
        states, targets = self.linearized(one)
        effort, one_more = np.diag(RATE / UNITS**2), np.eye(nu)
        V, v = self.slope(one, PIECES)
        more, gains = np.zeros((PIECES, nu)), np.zeros((PIECES, nu, 2 * nv + nu))
        for k in reversed(range(PIECES)):
            F = np.block([[states[k], targets[k]], [np.zeros((nu, 2 * nv)), one_more]])
            G = np.concatenate([targets[k], one_more])
            by_change = effort @ one.changes[k] + G.T @ v
            curvature, mixed = (1 + regularizer) * effort + G.T @ V @ G, G.T @ V @ F
            more[k], gains[k] = -np.linalg.solve(curvature, by_change), -np.linalg.solve(curvature, mixed)
            here, slope = self.slope(one, k)
            v = slope + F.T @ v + gains[k].T @ (by_change + curvature @ more[k]) + mixed.T @ more[k]
            V = here + F.T @ V @ F + gains[k].T @ curvature @ gains[k] + gains[k].T @ mixed + mixed.T @ gains[k]
            V = 0.5 * (V + V.T)
        return more, gains


def first_try(model: conjoint.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """Return the initial joint angles of the arm, and the targets of each piece in the first try."""
    data, angles = conjoint.MjData(model), model.key_qpos[0, :6].copy()
    start, rows = reach(model, data, angles, HAND[0, 1:4]), []
    for middle in (np.arange(PIECES) + 0.5) * PIECE:
        last = min(int(np.searchsorted(HAND[:, 0], middle, side="right")) - 1, len(HAND) - 2)
        share = (middle - HAND[last, 0]) / (HAND[last + 1, 0] - HAND[last, 0])
        smooth = np.array([share * share * (3 - 2 * share)] * 3 + [share])
        place = HAND[last, 1:] + smooth * (HAND[last + 1, 1:] - HAND[last, 1:])
        angles = reach(model, data, angles, place[:3])
        rows.append(np.append(angles, place[3]))
    return start, np.array(rows)


def reach(model: conjoint.MjModel, data: conjoint.MjData, angles: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return joint angles near `angles` for which the hand points down at a position (m)."""
    pinch, down = model.site("pinch").id, np.diag([-1.0, 1.0, -1.0])
    jacobian, angles = np.zeros((6, model.nv)), angles.copy()
    for _ in range(40):
        data.qpos[:6] = angles
        conjoint.mj_forward(model, data)
        conjoint.mj_jacSite(model, data, jacobian[:3], jacobian[3:], pinch)
        turn = 0.5 * np.cross(data.site_xmat[pinch].reshape(3, 3).T, down).sum(axis=0)
        wanted = np.concatenate([goal - data.site_xpos[pinch], turn])
        J = jacobian[:, :6]
        angles += J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), wanted)
    return angles


def solve(task: Task, iterations: int) -> tuple[Try, list[float]]:
    """Return the best try, and the costs after all iterations."""
    best = task.run(np.zeros((PIECES, task.model.nu)))
    costs, regularizer = [best.cost], 1.0
    print(f"first try: cost {best.cost:.4f}, the ball ends {lost(best):.3f} m from its place in the bowl")
    for iteration in range(iterations):
        more, gains = task.better(best, regularizer)
        tries = [(task.run(best.changes + size * more, gains, best), size) for size in 0.5 ** np.arange(8)]
        found, size = min(tries, key=lambda pair: pair[0].cost)
        if found.cost < best.cost:
            best = found
        regularizer *= 0.3 if found is best and size > 0.2 else 3.0
        costs.append(best.cost)
        print(
            f"iteration {iteration + 1}: cost {best.cost:.4f}, the ball ends {lost(best):.3f} m from there", flush=True
        )
    return best, costs


def lost(one: Try) -> float:
    """Return the final distance of the ball from its desired position in the bowl (m)."""
    return float(np.linalg.norm(one.ball[-1] - WISH[-1, 1:]))


def optimize(iterations: int = 6) -> Try:
    """Find the best try, and write its targets to `FILE`."""
    task = Task(conjoint.MjModel.from_xml_path(conjoint.sample_model("arm")))
    begin = time.perf_counter()
    best, costs = solve(task, iterations)
    print(f"{time.perf_counter() - begin:.1f} s; the first run on a machine also compiles kernels")
    header = "costs: " + ", ".join(f"{cost:.4f}" for cost in costs)
    np.savetxt(FILE, task.plan + best.offsets[1:], fmt="%.17g", delimiter=",", header=header)
    return best


# ---- film


FIRST, BEST = (0.45, 2.15), (0.45, 4.15)
"""Start and end times (s) of the shown parts of the first and of the best try."""

MOVES = {
    FIRST: Move(View((0.3, 0.01, 0.22), 1.62, 152, -12), View((0.32, 0.0, 0.22), 1.5, 146, -12)),
    BEST: Move(View((0.3, 0.02, 0.22), 1.65, 138, -13), View((0.32, 0.09, 0.2), 1.42, 120, -19)),
}
"""Camera moves of the first and of the best try."""


def pictures(shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of the first and of the best try; the targets of the best try are read from `FILE`."""
    spec = conjoint.MjSpec.from_file(conjoint.sample_model("arm"))
    dress(spec, radius=0.9, center=(0.3, 0, 0), key=(-0.45, 0.55, -1))
    model = spec.compile()
    start, plan = first_try(model)
    data, renderer = conjoint.MjData(model), renderer_of(model, shot)
    print(FILE.read_text(encoding="utf-8").splitlines()[0].removeprefix("# "))
    found = np.loadtxt(FILE, delimiter=",")
    shown: tuple[float, float] | None = None
    for now in shot.times:
        part = FIRST if now < FIRST[1] - FIRST[0] else BEST
        if part != shown:
            conjoint.mj_resetDataKeyframe(model, data, 0)
            data.qpos[:8], shown = [*start, OPEN, OPEN], part
        into = now - (0 if part is FIRST else FIRST[1] - FIRST[0])
        while data.time < part[0] + into - 1e-9:
            piece = min(int((data.time + 1e-9) / PIECE), PIECES - 1)
            data.ctrl[:] = (plan if part is FIRST else found)[piece]
            conjoint.mj_step(model, data)
        conjoint.mj_forward(model, data)
        yield renderer.picture(data, MOVES[part].camera(into / (part[1] - part[0])))
    renderer.close()


if __name__ == "__main__":
    if "--optimize" in sys.argv[1:]:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--optimize", action="store_true", help="find the best try again instead of a film")
        parser.add_argument("--iterations", type=int, default=6)
        optimize(parser.parse_args().iterations)
    else:
        shoot(pictures, SECONDS, __doc__)
