"""Kernels run together under masks or one by one: a choice of speed, never of meaning.

Whatever a kernel declares (`one_by_one`), worlds of a block come out bit for bit the same.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch, block_work
from conjoint.cli.catalogue import all_stages
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.language.name import Work, kernel_of
from conjoint.lang.memory.realisation import default_width, together, world_view
from conjoint.runtime import run
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from convex_scenes import PAIRS
from convex_scenes import scene as convex_scene
from elastic_models import MODELS as ELASTICS
from flex_models import FLEXES
from newer_actuation import COMBINED, with_options
from places import ROOT
from rich_model import XML as RICH
from sensor_models import ALL as SENSORS
from smooth_models import MODELS as SMOOTH
from solver_scenes import SCENES
from tendon_models import TENDON_MODELS

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

OPTIONS = ('solver="PGS"', 'solver="CG"', 'cone="elliptic"', 'cone="elliptic" solver="PGS" noslip_iterations="3"')
RESULTS = "qpos", "qvel", "act", "qacc", "sensordata", "qfrc_constraint"

MODELS: dict[str, str | Path] = {path.stem: path for path in sorted((ROOT / "models").glob("*.xml"))}
MODELS |= {"rich": RICH, "sensors": SENSORS, **SMOOTH, **TENDON_MODELS, **FLEXES, **ELASTICS, **SCENES}
MODELS |= {
    f"{name}, {option}": xml.replace("<mujoco>", f"<mujoco><option {option}/>", 1)
    for name, xml in SCENES.items()
    for option in OPTIONS
}
MODELS |= {name: with_options(model, "Euler") for name, model in COMBINED.items()}
MODELS |= {f"{first} and {second}": convex_scene((first, second), geom='margin=".05"') for first, second in PAIRS}


def is_alone(work: Work) -> bool:
    """Whether a kernel can only run for one world at a time; integers in lanes have 32 bits."""
    kernel = kernel_of(work)
    return kernel.single or kernel.writes_model or " bits" in kernel.one_by_one


@functools.cache
def may_be_alone(work: Work) -> bool:
    """Whether a kernel can run for one world at a time: it writes nothing that a block has one of."""
    kernel = kernel_of(work)
    try:
        stage_module(kernel.__name__, kernel, world_view("float64", 8), MODEL_ROWS, DATA_STRUCT)
    except FatalError as error:
        assert "one for all worlds of a block" in str(error)
        return False
    return True


@contextlib.contextmanager
def every_kernel(way: str) -> Iterator[None]:
    """Let every kernel run "together" or "one by one", or as it "declares"."""
    with pytest.MonkeyPatch.context() as patch:
        if way == "together":
            patch.setattr(block_work, "lanes", together)
            patch.setattr(run, "is_per_world", is_alone)
        if way == "one by one":
            patch.setattr(run, "is_per_world", may_be_alone)
        yield


def steps(model: conjoint.MjModel, way: str, precision: str, count: int = 6) -> dict[str, np.ndarray]:
    """Results of every step of worlds that differ."""
    generator = np.random.default_rng(0)
    with every_kernel(way):
        batch = Batch(model, default_width(precision), precision=precision, nthread=1)
        found: dict[str, list[Any]] = {name: [] for name in RESULTS}
        batch.qvel[:] = generator.standard_normal(batch.qvel.shape) * np.linspace(0.0, 1.0, batch.nworld)[:, None]
        for _ in range(count):
            batch.ctrl[:] = generator.uniform(-1.0, 1.0, batch.ctrl.shape)
            batch.step()
            for name, values in found.items():
                values.append(np.array(getattr(batch, name)))
        return {name: np.array(values) for name, values in found.items()}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worlds_are_the_same_both_ways(name: str, precision: str) -> None:
    source = MODELS[name]
    read = conjoint.MjModel.from_xml_path if isinstance(source, Path) else conjoint.MjModel.from_xml_string
    model = read(str(source))
    expected = steps(model, "one by one", precision)
    for way in ("together", "declares"):
        for result, values in steps(model, way, precision).items():
            np.testing.assert_array_equal(values, expected[result], err_msg=f"{result}, {way}")


def test_every_stage_is_read_both_ways() -> None:
    """Also those that no model above needs."""
    alone = 0
    for stage in all_stages():
        if not is_alone(stage.work):
            stage_module(stage.kernel.__name__, stage.kernel, together("float64", 8), MODEL_ROWS, DATA_STRUCT)
            alone += may_be_alone(stage.work)
    assert alone > 200
