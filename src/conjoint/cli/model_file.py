"""Lookup and loading of the model named on the command line."""

import math
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import conjoint
from conjoint.cli.failure import InputError
from conjoint.lang.errors import ConjointError
from conjoint.sample_models import sample_names

BINARY = (".mjb",)
"""Extensions of compiled models."""
SUFFIXES = (".xml", ".mjcf", ".urdf", *BINARY)
"""Extensions of model files."""


def load_model(path: Path) -> Any:
    """Return the compiled model in the file `path`.

    Raises:
        InputError: the file does not exist, cannot be read, or is not a valid model.
    """
    check_model_file(path)
    load = conjoint.MjModel.from_binary_path if path.suffix.lower() in BINARY else conjoint.MjModel.from_xml_path
    try:
        return load(str(path))
    except ConjointError as error:
        # the reader's message already contains the file name if it contains a line number
        text = str(error)
        raise InputError(text if str(path) in text else f"{path}: {text}") from error


def load_to_simulate(path: Path) -> Any:
    """Return the compiled model in the file `path`, after checking its timestep.

    Raises:
        InputError: the model cannot be loaded, or its timestep is not positive and finite.
    """
    model = load_model(path)
    timestep = model.opt.timestep
    if not 0.0 < timestep < math.inf:
        raise InputError(
            f"{path}: the timestep is {timestep:g}; simulating needs one that is positive and finite: set "
            "<option timestep=...>"
        )
    return model


def check_model_file(path: Path) -> None:
    """Raise an InputError if the file `path` does not exist, cannot be read or is empty."""
    if not path.exists():
        samples = sample_names() if path.name == str(path) else []
        near = get_close_matches(path.name, [*neighbors(path), *samples], n=3, cutoff=0.6)
        hint = f"; did you mean {' or '.join(str(path.parent / name) for name in near)}?" if near else ""
        raise InputError(f"no model file {path}{hint}")
    try:
        with path.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if empty:
        raise InputError(f"{path} is empty; a model starts with <mujoco>")


def neighbors(path: Path) -> list[str]:
    """Return the names of the model files in the folder of `path`."""
    return [p.name for p in path.parent.iterdir() if p.suffix in SUFFIXES] if path.parent.is_dir() else []


def find_keyframe(model: Any, key: str) -> int:
    """Return the index of a keyframe, given its name or number."""
    names = [model.key(k).name for k in range(model.nkey)]
    if key in names:
        return names.index(key)
    if key.isdecimal() and int(key) < model.nkey:
        return int(key)
    known = ", ".join(f"{k}: {name}" if name else str(k) for k, name in enumerate(names))
    raise InputError(f"no keyframe {key!r}; " + (f"the model has {known}" if known else "the model has no keyframes"))


def starting_keyframe(model: Any, key: str | None, ctrl: str) -> int | None:
    """Return the index of the initial keyframe: `key`, or the first if its controls are used; None for no keyframe."""
    if key is not None:
        return find_keyframe(model, key)
    return 0 if ctrl == "keyframe" and model.nkey else None
