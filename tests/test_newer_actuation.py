"""Actuators, springs and sensors of versions after 3.3.5, compared with the numbers of 4.0.0 (`newer_actuation`)."""

from __future__ import annotations

import json

import numpy as np
import pytest

import conjoint
from newer_actuation import DATA, cases, simulate

OFFICIAL = json.loads(DATA.read_text())


@pytest.mark.parametrize(("name", "integrator"), cases())
def test_numbers_are_those_of_the_version(name: str, integrator: str) -> None:
    for row, expected in zip(simulate(conjoint, name, integrator), OFFICIAL[f"{name}, {integrator}"], strict=True):
        np.testing.assert_allclose(row, expected, rtol=1e-8, atol=1e-9)
