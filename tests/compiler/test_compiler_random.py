"""Models with random values of random attributes, drawn from the grammar, compared with MuJoCo."""

from __future__ import annotations

import random

import mujoco
import pytest

from compiled import differences
from conjoint.compiler import compile_string
from conjoint.lang.errors import ModelError
from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.mjcf.table import Attribute, Element
from printed_grammar import printed_rows

REFERENCES = {
    "material": ["mat"], "texture": ["tex"], "target": ["arm"], "geom1": ["g"], "geom2": ["h"], "body1": ["torso"],
    "body2": ["arm", "world"],
}  # fmt: skip
POSITIVE = {
    "size", "mass", "density", "diaginertia", "extent", "kp", "kv", "armature", "stiffness", "damping",
    "frictionloss", "margin", "gap", "timestep", "ipd", "cutoff", "noise", "znear", "realtime", "resolution",
    "area", "diameter", "timeconst", "ctrlrange", "meaninertia", "meanmass", "meansize",
}  # fmt: skip
# attributes that contradict other attributes, reject most values, or have their own tests
LEFT_OUT = {
    "name", "class", "childclass", "limited", "actuatorfrclimited", "ctrllimited", "forcelimited", "actlimited",
    "actdim", "inheritrange", "dampratio", "cranklength", "directional", "mode", "gaintype", "biastype", "dyntype",
    "autolimits", "springdamper", "fovy", "focal", "focalpixel", "principal", "principalpixel", "sensorsize",
    "type", "fromto", "axisangle", "xyaxes", "zaxis", "euler", "quat", "springlength", "actrange",
    "inertiagrouprange", "boundmass", "memory", "nkey", "coordinate", "discardvisual", "fusestatic", "shellinertia",
    "mocap", "settotalmass", "alignfree", "condim", "inertiafromgeom", "njmax", "nconmax", "nstack", "axis", "dir",
}  # fmt: skip
KNOWN: dict[str, set[str]] = {}
"""Attributes that MuJoCo knows, by element; its printed schema has none for frames."""
for path, attributes in printed_rows():
    KNOWN.setdefault(path[-1], set()).update(attributes)
KNOWN["frame"] = {"pos", "quat"}

HIGHER_ORDERS = ("stiffness", "damping")
"""Attributes for which MuJoCo accepts only the first number."""

SHORTCUTS = ("general", "motor", "position", "velocity", "cylinder")
TARGETS = ('joint="hip"', 'joint="ball"', 'jointinparent="root"', 'tendon="line"')


OURS = ("complementarity", "diagonal")
"""Keywords of the grammar that MuJoCo does not know."""


class Writer:
    """Generator of random models as XML text."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def number(self, row: Attribute) -> str:
        """Return a random number that is valid for the attribute."""
        if row.name.startswith("nuser_"):
            return str(self.random.choice([-1, 4, 5]))
        if row.type == "int":
            return str(self.random.randint(0, 4))
        if row.name in POSITIVE:
            return f"{self.random.uniform(0.05, 1.5):.4g}"
        return self.random.choice([f"{self.random.uniform(-1, 1):.4g}", "0", "1", "-1"])

    def value(self, row: Attribute) -> str | None:
        """Return random text for the attribute, or None if its type has no random values."""
        if row.type in ("real", "int"):
            most = 1 if row.name in HIGHER_ORDERS else row.most or 3
            count = self.random.randint(row.least if row.most else 1, most)
            numbers = [self.number(row) for _ in range(count)]
            if row.name.endswith("range") and row.most == 2:
                low = "0" if row.name in ("range", "ctrlrange") else f"{self.random.uniform(-1, 0):.4g}"
                numbers = [low, f"{self.random.uniform(0.1, 1):.4g}"]
            return " ".join(numbers)
        if row.type == "choice":
            return self.random.choice([choice for choice in row.choices if choice not in OURS])
        return self.random.choice(REFERENCES[row.name]) if row.name in REFERENCES else None

    def tag(self, row: Element, fixed: str = "", left_out: tuple[str, ...] = ()) -> str:
        """Return an XML element with the given attributes (`fixed`) and random attributes, except those in `left_out`."""
        written = [fixed]
        for name, attribute in row.attributes.items():
            wanted = attribute.required or self.random.random() < 0.3
            if not wanted or name in LEFT_OUT or name not in KNOWN[row.name] - {*left_out} or f"{name}=" in fixed:
                continue
            text = self.value(attribute)
            if text is not None:
                written.append(f'{name}="{text}"')
        if "quat" in row.attributes and self.random.random() < 0.5:
            turn = {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
            form = self.random.choice(list(turn))
            written.append(f'{form}="{" ".join(f"{self.random.uniform(-1, 1):.4g}" for _ in range(turn[form]))}"')
        return f"<{row.name} {' '.join(written)}/>"

    def model(self) -> str:
        """Return the XML of a model with two trees and all kinds of elements that the compiler builds."""
        body = MUJOCO.children["worldbody"].children["body"]
        child, root = body.children, MUJOCO.children
        size = " ".join(f"{self.random.uniform(0.1, 1):.3g}" for _ in range(3))
        shape = self.random.choice(["sphere", "capsule", "ellipsoid", "cylinder", "box"])
        geom = self.tag(child["geom"], f'type="{shape}" size="{size}" name="g"')
        other = self.tag(child["geom"], 'type="box" size=".1 .2 .3" name="h"')
        views = self.tag(child["camera"]) + self.tag(child["light"], left_out=("texture",)) + self.tag(child["site"])
        frame = self.tag(body.children["frame"])[:-2] + ">"
        kinds = [self.tag(child["joint"], f'type="{kind}" name="{name}"')
                 for kind, name in (("hinge", "hip"), ("slide", "rail"), ("ball", "ball"), ("free", "root"))]  # fmt: skip
        defaults = root["default"].children
        classes = "".join(self.tag(defaults[name]) for name in ("joint", "site", "light", "pair", "tendon", "material"))
        actuators = "".join(
            self.tag(root["actuator"].children[tag], self.random.choice(TARGETS), ("joint", "jointinparent", "tendon"))
            for tag in self.random.sample(SHORTCUTS, 3)
        )
        visual = "".join(self.tag(row) for row in root["visual"].children.values())
        inner = f"{self.tag(body, 'name=^arm^').replace('^', chr(34))[:-2]}>{kinds[2]}{other}{views}</body>"
        return f"""<mujoco>
{self.tag(root["compiler"])}{self.tag(root["option"])}{self.tag(root["size"])}{self.tag(root["statistic"])}
<visual>{visual}</visual><default>{classes}</default>
<asset><texture name="tex" builtin="flat" width="3" height="4"/>{self.tag(root["asset"].children["material"], 'name="mat"')}
</asset>
<worldbody>{views}<geom type="plane" size="1 1 1"/>
<body name="torso">{kinds[0]}{kinds[1]}{geom}{views}{frame}{views}{inner}</frame></body>
<body>{kinds[3]}<geom size=".3" pos=".1 0 0"/></body></worldbody>
<contact>{self.tag(root["contact"].children["pair"])}{self.tag(root["contact"].children["exclude"])}</contact>
<tendon>{self.tag(root["tendon"].children["fixed"], 'name="line"', ("actuatorfrcrange",))[:-2]}><joint joint="hip" coef="2"/>
<joint joint="rail" coef="-.3"/></fixed></tendon><actuator>{actuators}</actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(60))
def test_a_random_model(seed):
    xml = Writer(seed).model()
    try:
        official = mujoco.MjModel.from_xml_string(xml)
    except ValueError:
        with pytest.raises(ModelError):
            compile_string(xml)
        return
    assert differences(compile_string(xml), official) == {}
