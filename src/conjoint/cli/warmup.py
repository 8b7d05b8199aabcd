"""`conjoint warmup`: compile kernels before they are needed."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import conjoint
from conjoint.cli.model_file import load_model
from conjoint.cli.worlds import make_worlds

SAMPLE = """
<mujoco model="sample">
  <default>
    <joint damping="0.1" frictionloss="0.1" limited="true" range="-1 1"/>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body pos="0 0 1">
      <freejoint/>
      <geom type="capsule" size="0.1 0.2"/>
      <body pos="0 0 0.5">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom size="0.1"/>
      </body>
    </body>
    <body pos="0.15 0 1.2">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1" contype="2" conaffinity="2"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="hinge"/>
  </actuator>
</mujoco>
"""
"""A model that needs the kernels most models need."""


def fill_cache(path: Path | None, console: Console) -> None:
    """Step the model at `path`, or a sample, once in every realisation: one world, and batches of both precisions."""
    os.environ.setdefault("CONJOINT_OPTIMIZE", "first")
    model = load_model(path) if path else conjoint.MjModel.from_xml_string(SAMPLE)
    for nworld, precision, label in (
        (1, "float64", "one world"),
        (2, "float64", "batch, float64"),
        (2, "float32", "batch, float32"),
    ):
        start = time.perf_counter()
        step_once(model, nworld, precision)
        console.print(f"{label:15s} ready after {time.perf_counter() - start:6.2f} s")


def step_once(model: Any, nworld: int, precision: str) -> None:
    """One step from the initial state, which compiles what the cache does not hold."""
    make_worlds(model, nworld, 1, precision).step(np.zeros((nworld, model.nu)))
