"""Arguments and options of the commands, each declared once as a field of a dataclass."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from conjoint.lang.system import processors
from conjoint.sample_models import sample_model, sample_names


class Precision(StrEnum):
    """Floating-point precision of a batch."""

    float64 = "float64"
    float32 = "float32"


class Edition(StrEnum):
    """Editions of the physics: MuJoCo versions whose results can be reproduced (docs/semantics.md)."""

    first = "3.3.5"
    second = "4.0"


def option(
    text: str, least: float | None = None, most: float | None = None, default: bool = True
) -> typer.models.OptionInfo:
    """Declare a command's option; without `default`, the help text describes the default."""
    return typer.Option(help=text, min=least, max=most, show_default=default)


def argument(text: str) -> Any:
    """Declare an argument of a command."""
    return typer.Argument(help=text, show_default=False)


def model_path(name: str) -> Path:
    """Return the file of a model, given a path, the name of a sample model, or a name for `model_source`."""
    from conjoint.cli.failure import reported_errors
    from conjoint.spec.model_source import model_file

    if not Path(name).exists() and name in sample_names():
        return sample_model(name)
    with reported_errors():
        return Path(model_file(name))


def model_argument(
    text: str = "Model: a file (MJCF, URDF or MJB), a folder with scene.xml, a sample such as humanoid, "
    "package://NAME, robot_descriptions:NAME or menagerie:NAME.",
) -> Any:
    """Declare an argument that names a model."""
    return typer.Argument(help=text, parser=model_path, show_default=False)


Model = Annotated[Path, model_argument()]
Ctrl = Annotated[str, option("Controls: zero, random, keyframe, or a file (.npy, .npz, text).")]
Seed = Annotated[int, option("Seed of random controls.", 0)]
Key = Annotated[str | None, option("Start from this keyframe, by name or number.", default=False)]
NWorld = Annotated[int, option("Number of worlds that are simulated together.", 1)]
NThread = Annotated[
    int | None,
    option(
        "Number of threads for all worlds, or for a single world. Default: one per core, at most one per world.",
        1,
        default=False,
    ),
]
NStep = Annotated[int, option("Number of steps.", 1)]


@dataclass(frozen=True)
class SimulateOptions:
    """Options of `conjoint simulate`."""

    model: Model
    seconds: Annotated[float, option("Simulated time of each world in seconds.", 0.0)] = 10.0
    ctrl: Ctrl = "zero"
    seed: Seed = 0
    key: Key = None
    record: Annotated[Path | None, option("Write the trajectory to this .npz file.", default=False)] = None
    plot: Annotated[
        Path | None, option("Plot heights, contacts and energy, and save the plot to this file.", default=False)
    ] = None
    every: Annotated[
        int | None,
        option("Number of steps between samples. Default: one sample per 0.01 s of simulated time.", 1, default=False),
    ] = None
    policy: Annotated[Path | None, option("Policy of conjoint.envs (.npz) that sets the controls.", default=False)] = (
        None
    )
    nworld: NWorld = 1
    nthread: NThread = None
    precision: Precision = Precision.float64

    @property
    def controls(self) -> str:
        """Description of the source of the controls, for the summary."""
        if self.policy:
            return f"policy {self.policy.name}"
        return f"random (seed {self.seed})" if self.ctrl == "random" else self.ctrl

    @property
    def threads(self) -> int:
        """Number of threads in use."""
        return thread_count(self.nworld, self.nthread)


@dataclass(frozen=True)
class TestspeedOptions:
    """Options of `conjoint testspeed`."""

    model: Model
    nstep: NStep = 5000
    ctrl: Ctrl = "random"
    seed: Seed = 0
    key: Key = None
    nworld: NWorld = 1
    nthread: NThread = None
    precision: Precision = Precision.float64
    semantics: Annotated[
        Edition | None,
        option("Edition of the physics. Default: the value of CONJOINT_SEMANTICS, or 3.3.5.", default=False),
    ] = None

    @property
    def threads(self) -> int:
        """Number of threads in use."""
        return thread_count(self.nworld, self.nthread)


def thread_count(nworld: int, nthread: int | None) -> int:
    """Return the number of threads to use; for several worlds, at most one per world."""
    if nworld == 1:
        return nthread or 1
    return min(nworld, nthread or processors())


@dataclass(frozen=True)
class ViewOptions:
    """Options of `conjoint view`."""

    model: Annotated[
        Path | None, model_argument("Model, as for simulate. Default: none; drop a model file on the window.")
    ] = None
    web: Annotated[bool, typer.Option("--web", help="Show the simulation in a browser instead of a window.")] = False
    host: Annotated[str, option("Host address of the page; 0.0.0.0 allows access from other machines.")] = "127.0.0.1"
    port: Annotated[int, option("Port of the page. If it is in use, the next free port is chosen.", 1, 65535)] = 8080
    export: Annotated[
        Path | None,
        option(
            "Write a web page (.html) that plays five seconds of simulation (see record for more options).",
            default=False,
        ),
    ] = None


@dataclass(frozen=True)
class RecordOptions:
    """Options of `conjoint record`."""

    model: Model
    target: Annotated[Path, argument("File to write: .mp4, .gif, .png, .html, .raw, ...")]
    seconds: Annotated[float, option("Simulated time in seconds.", 0.0, 3600.0)] = 5.0
    width: Annotated[int, option("Width in pixels.", 16, 8192)] = 640
    height: Annotated[int, option("Height in pixels.", 16, 8192)] = 480
    fps: Annotated[float, option("Pictures per second of the film.", 0.1, 1000.0)] = 30.0
    slow: Annotated[float, option("Slow-motion factor: seconds of film per simulated second.", 0.001, 1000.0)] = 1.0
    camera: Annotated[str | None, option("Camera, by name or number. Default: the free camera.", default=False)] = None
    ctrl: Ctrl = "zero"
    seed: Seed = 0
    key: Key = None
    rays: Annotated[bool, typer.Option("--rays", help="Draw by ray tracing, without OpenGL.")] = False
    replay: Annotated[
        Path | None, option("Play this recording of simulate --record instead of simulating.", default=False)
    ] = None
    depth: Annotated[bool, typer.Option("--depth", help="Write depths in addition to raw colors.")] = False


@dataclass(frozen=True)
class DerivativeOptions:
    """Options of `conjoint derivative`."""

    model: Model
    epochs: Annotated[int, option("Number of states in which derivatives are computed.", 1)] = 20
    nstep: Annotated[int, option("Number of steps between two of these states.", 1)] = 100
    eps: Annotated[float, option("Perturbation of finite differences.", 1e-12)] = 1e-6
    iterations: Annotated[int, option("Number of solver iterations, which is constant.", 1)] = 30
    seed: Seed = 0
