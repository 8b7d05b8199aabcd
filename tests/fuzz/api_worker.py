"""Worker process that runs programs of API calls line by line with one package, and that may crash or hang."""

from __future__ import annotations

import contextlib
import importlib
import linecache
import os
import pickle
import queue
import resource
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

SECONDS = 300.0
"""Time limit of one line, including compilation (s)."""

MEMORY = 12 << 30
"""Memory limit of a worker process (bytes)."""

STATE = ("time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied", "eq_active")
RESULTS = ("xpos", "xquat", "qacc", "qfrc_bias", "qfrc_constraint", "actuator_force", "sensordata", "energy")


@dataclass
class Setup:
    """Model of a program, as XML text or path; `equal` is True if the program's results should equal MuJoCo's."""

    xml: str = ""
    path: str = ""
    equal: bool = True


@dataclass
class Outcome:
    """Outcome of one line of a program.

    Attributes:
        kind: "ok", "error", "crashed" or "hung".
        error: type and text of the error.
        place: file and function that raised the error; "" if the line itself raised it.
        own: True if a `raise` statement of the package raised the error.
        numbers: state, results and outputs by name.
        warned: names of the warning classes.
        counted: True if a warning counter of `MjData` is not zero.
        lost: True if the state is not finite, or if warnings report that the state or the inertia matrix is unusable.
        boxes: True if boxes touch within a margin, in which case contacts differ deliberately (docs/differences.md).
    """

    kind: str
    error: str = ""
    place: str = ""
    own: bool = True
    numbers: dict[str, Any] = field(default_factory=dict)
    warned: list[str] = field(default_factory=list)
    counted: bool = False
    lost: bool = False
    boxes: bool = False


class Worker:
    """Connection to a worker process of one package, which is restarted if it ends."""

    def __init__(self, package: str, seconds: float = SECONDS):
        self.package, self.seconds = package, seconds
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, setup: Setup, lines: list[str]) -> list[Outcome]:
        """Return the outcomes of the lines, up to a line that ended the process."""
        if self.process is None:
            self._start()
        assert self.process and self.process.stdin
        outcomes: list[Outcome] = []
        with contextlib.suppress(BrokenPipeError):
            pickle.dump((setup, lines), self.process.stdin)
            self.process.stdin.flush()
        for _ in range(len(lines) + 1):
            try:
                outcomes.append(self.answers.get(timeout=self.seconds))
            except queue.Empty:
                outcomes.append(Outcome("hung"))
            if outcomes[-1].kind in ("crashed", "hung"):
                self.stop()
                break
            if len(outcomes) == 1 and outcomes[0].kind == "error":
                # the model was rejected
                break
        return outcomes

    def _start(self) -> None:
        """Start the process in a temporary folder, in which it may write."""
        self.folder = tempfile.TemporaryDirectory()
        tests = str(Path(__file__).resolve().parents[1])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])}
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from fuzz.api_worker import main; main()", self.package],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=self.folder.name, env=environment,
        )  # fmt: skip
        assert self.process.stdout
        self.answers: queue.Queue[Outcome] = queue.Queue()
        threading.Thread(target=read_on, args=(self.process.stdout, self.answers), daemon=True).start()

    def stop(self) -> None:
        """End the worker process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.folder.cleanup()
        self.process = None


def read_on(pipe: IO[bytes], answers: queue.Queue[Outcome]) -> None:
    """Put outcomes from a pipe into a queue until the process ends."""
    with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            answers.put(pickle.load(pipe))
    answers.put(Outcome("crashed"))


def begun(package: str, setup: Setup) -> dict[str, Any]:
    """Return the initial variables of a program, by name."""
    import copy

    mj = importlib.import_module(package)
    names: dict[str, Any] = {"mj": mj, "np": np, "rng": np.random.default_rng, "copy": copy, "pickle": pickle}
    names["rollout"] = importlib.import_module(f"{package}.rollout")
    if package == "conjoint":
        names["Batch"] = importlib.import_module("conjoint.batch").Batch
    names["XML"] = setup.xml
    names["m"] = mj.MjModel.from_xml_path(setup.path) if setup.path else mj.MjModel.from_xml_string(setup.xml)
    names["d"] = mj.MjData(names["m"])
    return names


def tried(names: dict[str, Any], line: str, package: str) -> Outcome:
    """Run one line and return its outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(line, "<program>", "exec"), names)
            outcome = Outcome("ok")
        except Exception as error:
            outcome = judged(error, package)
    outcome.warned = [each.category.__name__ for each in caught]
    with np.errstate(all="ignore"):
        outcome.numbers, outcome.counted, outcome.lost = digest(names)
        outcome.boxes = boxes_within_margin(names)
    return outcome


def judged(error: Exception, package: str) -> Outcome:
    """Return the outcome for an exception; `own` is True if the package itself raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    folder = os.path.join(os.path.dirname(str(importlib.import_module(package).__file__)), "")
    inside = [frame for frame in frames if frame.filename.startswith(folder)]
    text = f"{type(error).__name__}: {error}"
    if not inside:
        return Outcome("error", text)
    last = frames[-1]
    source = linecache.getline(last.filename, last.lineno or 0).strip()
    own = last.filename.startswith(folder) and source.startswith("raise")
    return Outcome("error", text, f"{Path(inside[-1].filename).name}:{inside[-1].name}", own)


LOSS = ("INERTIA", "BADQPOS", "BADQVEL", "BADQACC")
"""Names of the warnings about an unusable state or inertia matrix."""


def digest(names: dict[str, Any]) -> tuple[dict[str, Any], bool, bool]:
    """Return the numbers to compare, True if warnings were counted, and True if the state is unusable.

    The numbers are those of the data and the model, and the result of the line.
    """
    found: dict[str, Any] = {}
    d, m, o = (names.get(name) for name in "dmo")
    counted = lost = False
    if type(d).__name__ == "MjData":
        found |= {name: np.array(getattr(d, name)) for name in (*STATE, *RESULTS)}
        counted = any(int(each.number) for each in d.warning)
        kinds = names["mj"].mjtWarning
        lost = not (np.isfinite(found["qpos"]).all() and np.isfinite(found["qvel"]).all())
        lost |= any(int(d.warning[int(getattr(kinds, f"mjWARN_{name}"))].number) for name in LOSS)
    if type(m).__name__ == "MjModel":
        found["model"] = np.array([m.nq, m.nv, m.nbody, m.body_mass.sum(), m.opt.timestep, *m.qpos0[:20]], float)
    if isinstance(o, np.ndarray | int | float) and np.asarray(o).dtype.kind in "biuf":
        found["o"] = np.array(o, float)
    elif isinstance(o, str):
        found["o"] = o
    return found, counted, lost


def boxes_within_margin(names: dict[str, Any]) -> bool:
    """Return True if boxes that do not overlap have a contact, because of a margin."""
    d, m = names.get("d"), names.get("m")
    if type(d).__name__ != "MjData" or type(m).__name__ != "MjModel" or not d.ncon:
        return False
    geoms = np.array(d.contact.geom)
    if geoms.max(initial=-1) >= m.ngeom:
        return False
    boxes = (geoms >= 0).all(axis=1) & (m.geom_type[geoms] == int(names["mj"].mjtGeom.mjGEOM_BOX)).all(axis=1)
    return bool((boxes & (np.array(d.contact.dist) > 0)).any())


def tidied(mj: Any) -> None:
    """Remove callbacks that a program installed."""
    for name in dir(mj):
        if name.startswith(("set_mjcb_", "set_mju_user")):
            getattr(mj, name)(None)


def serve(package: str, requests: BinaryIO, answers: BinaryIO) -> None:
    """Run requested programs until the pipe closes."""
    while True:
        try:
            setup, lines = pickle.load(requests)
        except EOFError:
            return
        try:
            names = begun(package, setup)
            first = Outcome("ok")
        except Exception as error:
            first, lines = judged(error, package), []
        pickle.dump(first, answers)
        answers.flush()
        for line in lines:
            pickle.dump(tried(names, line, package), answers)
            answers.flush()
        if lines:
            tidied(names["mj"])


def main() -> None:
    """Serve requests with the package named by the first command-line argument."""
    # text that an engine prints must not reach the pipe
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    serve(sys.argv[1], sys.stdin.buffer, pipe)
