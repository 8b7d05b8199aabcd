"""Objects of the abstract visualizer: the same fields and defaults as in the official package."""

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model


@pytest.mark.parametrize("name", ["MjvCamera", "MjvOption", "MjvPerturb"])
def test_defaults_equal_the_official_ones(name: str) -> None:
    """All fields, their types and values; set back by the default function."""
    ours, theirs = getattr(conjoint, name)(), getattr(mujoco, name)()
    fields = [field for field in dir(theirs) if not field.startswith("_")]
    assert set(fields) == set(ours._fields)
    for field in fields:
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), err_msg=field)
        setattr(ours, field, 0 * getattr(ours, field))
    getattr(conjoint, f"mjv_default{name.removeprefix('Mjv')}")(ours)
    assert ours == getattr(conjoint, name)()


def test_subclasses_and_rectangles() -> None:
    class Camera(conjoint.MjvCamera):
        """Programs derive their own."""

    camera = Camera()
    camera.distance = 3
    assert camera.distance == 3.0
    rect = conjoint.MjrRect(1, 2, 3, 4)
    assert (rect.left, rect.bottom, rect.width, rect.height) == (1, 2, 3, 4)


def test_default_free_camera() -> None:
    official = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.3' pos='1 0 0'/></worldbody></mujoco>")
    ours, theirs = conjoint.MjvCamera(), mujoco.MjvCamera()
    conjoint.mjv_defaultFreeCamera(adopt_model(official), ours)
    mujoco.mjv_defaultFreeCamera(official, theirs)
    for field in ours._fields:
        np.testing.assert_allclose(getattr(ours, field), getattr(theirs, field), err_msg=field)


def test_rendering_says_that_it_is_not_built() -> None:
    with pytest.raises(conjoint.FatalError, match="rendering is not built yet"):
        conjoint.MjrContext()
