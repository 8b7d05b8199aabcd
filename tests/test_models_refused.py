"""What is not built yet is refused with an error that says so, never computed wrongly in silence."""

from __future__ import annotations

import pytest

import conjoint
from conjoint.lang.errors import ConjointError

BODY = '<body name="a"><freejoint name="free"/><geom name="g" size="0.1"/><site name="s"/></body><body name="b"/>'

NOT_BUILT = {
    "implicit": ('<option integrator="implicit"/>', "", "implicit"),
    "implicitfast": ('<option integrator="implicitfast"/>', "", "implicitfast"),
    "elliptic": ('<option cone="elliptic"/>', "", "elliptic"),
    "noslip": ('<option noslip_iterations="3"/>', "", "noslip"),
    "fluid": ('<option density="1.2" viscosity="0.00002"/>', "", "fluid|density|viscosity"),
    "connect": ("", '<equality><connect body1="a" anchor="0 0 0"/></equality>', "equality"),
    "flex": ("", '<deformable><flex name="f" body="a" vertex="0 0 0"/></deformable>', "flex|deformable"),
    "mesh": ("<asset><mesh file='cube.stl'/></asset>", "", "mesh"),
    "boxes": ("", '<worldbody><body><freejoint/><geom type="box" size="1 1 1"/></body></worldbody>', "box"),
}


@pytest.mark.plain
@pytest.mark.parametrize("what", NOT_BUILT)
def test_what_is_not_built_is_refused(what):
    before, after, word = NOT_BUILT[what]
    with pytest.raises(ConjointError, match=word):
        model = conjoint.MjModel.from_xml_string(
            f"<mujoco>{before}<worldbody><geom type='box' size='1 1 1'/>{BODY}</worldbody>{after}</mujoco>"
        )
        conjoint.mj_step(model, conjoint.MjData(model))
