"""MuJoCo's compiler in a separate process, because hostile input may crash or block it."""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

SECONDS = 10.0
"""Time limit for MuJoCo per model (s)."""


@dataclass
class Verdict:
    """Outcome of a compiler: `kind` (loaded, refused or crashed), the error, and the model's numbers by name."""

    kind: str
    error: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)


def numbers_of(model: Any) -> dict[str, Any]:
    """Return the public fields of a compiled model, with its options, statistics and visual settings."""
    groups = {"": model, "opt.": model.opt, "stat.": model.stat}
    groups |= {f"vis.{name}.": getattr(model.vis, name) for name in
               ("global_", "quality", "headlight", "map", "scale", "rgba")}  # fmt: skip
    found = {}
    for prefix, group in groups.items():
        for name in dir(group):
            value = None if name.startswith("_") else getattr(group, name)
            if isinstance(value, bool | int | float | np.number):
                found[prefix + name] = value
            elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
                found[prefix + name] = np.array(value)
    return found


def stepped(package: Any, model: Any) -> dict[str, Any]:
    """Return the results of the first step from a moving state, and the state after five steps."""
    try:
        data = package.MjData(model)
        data.qvel[:] = np.linspace(-0.5, 0.5, model.nv)
        data.ctrl[:] = np.linspace(-0.3, 0.7, model.nu)
        package.mj_forward(model, data)
        found = {name: np.array(getattr(data, name)) for name in ("xpos", "qM", "qfrc_bias", "qfrc_passive", "qacc")}
        found |= {name: getattr(data, name) for name in ("ncon", "nefc")}
        for _ in range(5):
            package.mj_step(model, data)
        found["finite"] = bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
        found["warned"] = np.array([int(w.number) > 0 for w in data.warning])
    except package.FatalError as error:
        return {"step.refused": str(error)}
    return {f"step.{name}": value for name, value in found.items()}


class Oracle:
    """Connection to MuJoCo's compiler process, which is restarted when it crashes."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def load(self, xml: str | bytes, assets: Mapping[str, bytes] | None = None, path: str = "") -> Verdict:
        """Return MuJoCo's verdict on `xml` with `assets`, or on the file at `path`."""
        if self.process is None:
            self._start()
        assert self.process and self.process.stdin and self.process.stdout
        try:
            pickle.dump((xml, dict(assets or {}), path), self.process.stdin)
            self.process.stdin.flush()
            if select.select([self.process.stdout], [], [], SECONDS)[0]:
                return Verdict(*pickle.load(self.process.stdout))
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            pass
        self.stop()
        return Verdict("crashed")

    def _start(self) -> None:
        """Start the process in a temporary folder, in which MuJoCo may write its log."""
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder.name,
        )  # fmt: skip

    def stop(self) -> None:
        """End MuJoCo's process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.folder.cleanup()
        self.process = None


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Compile the requested models with MuJoCo, and write its verdicts, until the pipe closes."""
    import mujoco

    while True:
        try:
            xml, assets, path = pickle.load(requests)
        except EOFError:
            return
        try:
            if path:
                model = mujoco.MjModel.from_xml_path(path)
            else:
                model = mujoco.MjModel.from_xml_string(xml if isinstance(xml, str) else xml.decode(), assets)
            verdict = ("loaded", "", numbers_of(model) | stepped(mujoco, model))
        except Exception as error:
            verdict = ("refused", f"{type(error).__name__}: {error}", {})
        pickle.dump(verdict, answers)
        answers.flush()


if __name__ == "__main__":
    # text that the engine prints must not reach the pipe
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, pipe)
