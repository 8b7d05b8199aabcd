"""Small models with the elasticity plugins, which were last included in MuJoCo 3.2.3.

To generate the reference values for the tests:

    python tests/elastic_models.py | PYTHON_WITH_MUJOCO_3_2_3 tools/oracle_fields.py tests/data/elasticity.json
"""

from __future__ import annotations

import json
import sys

SHEET, BLOCK = 'dim="2" count="3 4 1"', 'dim="3" count="3 2 3"'
FREE = (
    '<body name="b" pos=".1 .2 .3" euler="10 20 30"><freejoint/><geom size=".1" contype="0" conaffinity="0"/>{}</body>'
)


def model(kind: str, flex: str, held: bool = False, inside: str = "", **settings: float) -> str:
    """Return the XML of a model with a flexcomp and its plugin; with `held`, the flexcomp is on a free body."""
    plugin = f'plugin="mujoco.elasticity.{kind}"'
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in settings.items())
    comp = f"""<flexcomp name="f" type="grid" {flex} spacing=".1 .12 .1" radius=".005" mass="1">{inside}
        <contact internal="false" selfcollide="none" contype="0" conaffinity="0"/><plugin {plugin}>{config}</plugin></flexcomp>"""
    return f"""<mujoco><option timestep=".001"/><extension><plugin {plugin}/></extension>
        <worldbody>{FREE.format(comp) if held else comp}</worldbody></mujoco>"""


THIN = {"young": 1e5, "poisson": 0.3, "thickness": 0.005}
SOFT = {"young": 1e3, "poisson": 0.3}
MODELS = {
    "shell": model("shell", SHEET, **THIN),
    "shell on a free body": model("shell", SHEET, held=True, **THIN),
    "membrane": model("membrane", SHEET, damping=0.01, **THIN),
    "membrane on a free body": model("membrane", SHEET, held=True, damping=0.01, **THIN),
    "solid": model("solid", BLOCK, **SOFT),
    "damped solid": model("solid", BLOCK, damping=0.01, **SOFT),
    "pinned solid": model("solid", BLOCK, held=True, inside='<pin id="0 1 2"/>', damping=0.01, **SOFT),
}

if __name__ == "__main__":
    json.dump(MODELS, sys.stdout)
