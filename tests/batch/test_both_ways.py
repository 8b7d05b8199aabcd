"""Kernels may run for all worlds of a block together, under masks, or for one world at a time.

The choice (`one_by_one`) only affects speed: results are bit-identical.
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
from conjoint.runtime.functions import every_stage, stages_of
from conjoint.runtime.plan import Plan
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from convex_scenes import ASSETS, PAIRS, SHAPES
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

OPTIONS = (
    'solver="PGS"', 'solver="CG"', 'cone="elliptic"', 'cone="elliptic" solver="PGS" noslip_iterations="3"',
    'noslip_iterations="3"',
)  # fmt: skip
RESULTS = "qpos", "qvel", "act", "qacc", "sensordata", "qfrc_constraint"

FELT = """<mujoco><option integrator="RK4"/><worldbody><geom type="plane" size="3 3 1"/><geom type="box" size=".3 .3 .05"/>
<body pos="0 0 .14"><freejoint/><geom name="b" size=".1"/></body><body pos=".2 0 .1"><freejoint/><geom size=".1"/></body>
</worldbody><sensor><contact geom1="b" num="2" data="found pos normal"/><contact geom1="b" data="linvel angvel"/>
<contact geom1="b" data="force" reduce="netforce"/></sensor></mujoco>"""
"""Model with contact sensors of each stage."""

GROUND = f"""<mujoco>{
    ASSETS.replace(
        "</asset>", '<hfield name="h" nrow="3" ncol="3" size="1 1 .2 .1" elevation="0 1 0 1 3 1 0 1 0"/></asset>'
    )
}
<worldbody><geom type="hfield" hfield="h"/><geom type="plane" size="5 5 1" pos="0 0 -.1"/>{
    "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom {shape} mass="1"/></body>'
        for i, shape in enumerate(SHAPES.values())
        for x, y, z in ((0.7 * (i % 3 - 1), 0.7 * (i // 3 - 1), 0.3), (2 + i, 0, 0.05))
    )
}</worldbody></mujoco>"""
"""Model of each convex shape on a height field, and on a plane."""

MODELS: dict[str, str | Path] = {path.stem: path for path in sorted((ROOT / "models").glob("*.xml"))}
MODELS |= {
    "rich": RICH,
    "sensors": SENSORS,
    "felt": FELT,
    "ground": GROUND,
    **SMOOTH,
    **TENDON_MODELS,
    **FLEXES,
    **ELASTICS,
    **SCENES,
}
MODELS |= {
    f"{name}, {option}": xml.replace("<mujoco>", f"<mujoco><option {option}/>", 1)
    for name, xml in SCENES.items()
    for option in OPTIONS
}
LEGACY = '<mujoco><option><flag nativeccd="disable"/></option>'
MODELS |= {f"{name}, legacy": xml.replace("<mujoco>", LEGACY, 1) for name, xml in list(FLEXES.items())[:2]}
# the trees of this model have branches
BRANCHED = "shell on a free body"
MODELS |= {f"{BRANCHED}, CG": FLEXES[BRANCHED].replace("<mujoco>", '<mujoco><option solver="CG"/>', 1)}
MODELS |= {name: with_options(model, "Euler") for name, model in COMBINED.items()}
MODELS |= {
    f"{first} and {second}": convex_scene((first, second), geom='margin=".05"')
    for first, second in (*PAIRS, ("capsule", "capsule"), ("box", "box"))
}


def is_alone(work: Work) -> bool:
    """Return True if a kernel must run for one world at a time, for example because integers in lanes have only 32 bits."""
    kernel = kernel_of(work)
    return kernel.single or kernel.writes_model or " bits" in kernel.one_by_one


@functools.cache
def may_be_alone(work: Work) -> bool:
    """Return True if a kernel can run for one world at a time: it writes nothing that all worlds of a block share."""
    kernel = kernel_of(work)
    try:
        stage_module(kernel.__name__, kernel, world_view("float64", 8), MODEL_ROWS, DATA_STRUCT)
    except FatalError as error:
        assert "shared by all worlds of a block" in str(error)
        return False
    return True


@contextlib.contextmanager
def every_kernel(way: str) -> Iterator[None]:
    """Run every kernel in one mode within the context: "together", "one by one", or as the kernel itself "declares"."""
    with pytest.MonkeyPatch.context() as patch:
        if way == "together":
            patch.setattr(block_work, "lanes", together)
            patch.setattr(run, "is_per_world", is_alone)
        if way == "one by one":
            patch.setattr(run, "is_per_world", may_be_alone)
        yield


def steps(model: conjoint.MjModel, way: str, precision: str, count: int = 6) -> dict[str, np.ndarray]:
    """Return fields after every step of a batch whose kernels run in the mode `way`.

    The worlds have different velocities and controls.
    """
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


def read(name: str) -> conjoint.MjModel:
    source = MODELS[name]
    of_file = isinstance(source, Path)
    return (conjoint.MjModel.from_xml_path if of_file else conjoint.MjModel.from_xml_string)(str(source))


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worlds_are_the_same_both_ways(name: str, precision: str) -> None:
    model = read(name)
    expected = steps(model, "one by one", precision)
    for way in ("together", "declares"):
        for result, values in steps(model, way, precision).items():
            np.testing.assert_array_equal(values, expected[result], err_msg=f"{result}, {way}")


def test_models_reach_what_one_edition_has_alone(edition: str) -> None:
    """The models exercise every stage that is specific to an edition and runs in blocks of worlds."""
    need = f"edition {edition}"
    reached = {
        stage for name in MODELS for stage in stages_of("mj_step", Plan(read(name).plans.current.structure, lanes=8))
    }
    own = {
        stage for stage in every_stage()
        if not stage.kernel.single and any(need in (n if isinstance(n, tuple) else (n,)) for n in stage.needs)
    }  # fmt: skip
    assert len(own) > 5
    assert [str(stage.work) for stage in own - reached] == []


def test_every_stage_is_read_both_ways() -> None:
    """Every stage compiles in both modes, including stages that none of the models above needs."""
    alone = 0
    for stage in all_stages():
        if not is_alone(stage.work):
            stage_module(stage.kernel.__name__, stage.kernel, together("float64", 8), MODEL_ROWS, DATA_STRUCT)
            alone += may_be_alone(stage.work)
    assert alone > 200
