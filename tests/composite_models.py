"""Small models of the composite types that MuJoCo 3.3.5 lacks, by the last version that supported each type.

To generate the reference values for the tests:

    python tests/composite_models.py 3.2.4 | PYTHON_WITH_MUJOCO_3_2_4 tools/oracle_fields.py tests/data/composites.json
    python tests/composite_models.py 2.3.7 | PYTHON_WITH_MUJOCO_2_3_7 tools/oracle_fields.py tests/data/composites.json
"""

from __future__ import annotations

import json
import sys


def model(composite: str, parent: str = "p", inside: str = "") -> str:
    """Return the XML of a model with a composite in a body, and with defaults that must not affect the composite."""
    return f"""<mujoco><default><geom rgba="0 0 1 1" density="77"/><joint damping="7"/></default>
        <asset><material name="m"/></asset>
        <worldbody><body name="{parent}" pos=".1 .2 .3">{inside}{composite}</body></worldbody></mujoco>"""


BALL = '<geom size=".01"/>'
CAPSULE = '<geom type="capsule" size=".01 .02" rgba=".8 .2 .1 1" density="500"/>'
ROPE_JOINTS = (
    '<joint kind="main" damping=".1"/><joint kind="twist" stiffness=".2"/><joint kind="stretch" armature=".3"/>'
)
SOLVER = 'solrefsmooth=".03" solimpsmooth=".7 .8"'
TENDONS = '<tendon kind="main" width=".01" solreffix=".03"/><tendon kind="shear" stiffness="2" group="1"/>'

MODELS = {
    "3.2.4": {
        "particle": model(f'<composite type="particle" count="2 2 3" spacing=".07" offset="0 .5 1">{BALL}</composite>'),
        "particles with joints": model("""<composite type="particle" prefix="P" count="3 2" spacing=".06">
            <geom type="box" size=".02 .01 .03" condim="3" mass=".1"/><joint kind="particle" type="slide" axis="1 0 0"
            stiffness="3"/><joint kind="particle" type="hinge" axis="0 1 0"/><site size=".02" group="1"/></composite>"""),
        "string": model(f"""<composite type="grid" count="5" spacing=".045" offset="0 0 1"><joint kind="main" damping=".1"/>
            <tendon kind="main" width=".01"/><pin coord="1"/><pin coord="4"/>{BALL}</composite>"""),
        "net": model(f"""<composite type="grid" prefix="N" count="3 4" spacing=".05" offset="0 0 1">{TENDONS}<pin coord="0 3"/>
            <skin texcoord="true" material="m" inflate=".01" group="2"/>{BALL}</composite>"""),
        "net with a fine skin": model(
            f'<composite type="grid" count="3 3" spacing=".05"><skin subgrid="1" rgba="1 0 0 1"/>{BALL}</composite>'
        ),
        "box": model(
            f'<composite type="box" count="2 3 3" spacing=".04" {SOLVER}><skin texcoord="true"/>{CAPSULE}</composite>',
            inside="<freejoint/>",
        ),
        "cylinder": model(f"""<composite type="cylinder" count="3 3 2" spacing=".04"><joint kind="main" stiffness="2"/>
            <tendon kind="main" solreffix=".05" group="4"/><skin texcoord="true"/>{BALL}</composite>"""),
        "ellipsoid": model(
            f'<composite type="ellipsoid" prefix="E" count="3 2 3" spacing=".05"><skin/>{BALL}</composite>'
        ),
    },
    "2.3.7": {
        "rope": model(f'<composite type="rope" count="4" spacing=".05">{ROPE_JOINTS}{CAPSULE}</composite>', "B1"),
        "loop": model(
            f'<composite type="loop" prefix="L" count="5" spacing=".05" solrefsmooth=".03">{CAPSULE}</composite>',
            "LB2", "<freejoint/>",
        ),
        "cloth": model(
            f"""<composite type="cloth" count="3 4" spacing=".05" flatinertia=".01">{ROPE_JOINTS}{TENDONS}{CAPSULE}
            <skin texcoord="true" inflate=".01"/></composite>""",
            "B1_2", "<freejoint/>",
        ),
    },
}  # fmt: skip
"""XML of the models, by MuJoCo version and name."""

if __name__ == "__main__":
    json.dump(MODELS[sys.argv[1]], sys.stdout)
