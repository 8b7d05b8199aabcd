"""Random models with flexes of every type, dimension and kind of dofs, together with geoms of every type."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

OCTAHEDRON = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n" + "".join(
    f"f {a} {b} {c}\n"
    for a, b, c in ((1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5), (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6))
)
FILES = {"octahedron.obj": OCTAHEDRON.encode()}
"""Files that the models refer to, by name."""

ASSET = """<asset><hfield name="hills" nrow="6" ncol="7" size=".4 .4 .1 .05" elevation="0 1 2 0 1 2 1 3 1 0 2 2 1 1 0 1 1 3
0 2 1 3 0 1 0 2 1 1 1 0 2 1 0 2 1 3 1 0 1 2 0 1"/><mesh name="rock" file="octahedron.obj" scale=".1 .12 .08"/></asset>"""
MEMORY = '<size memory="400M"/>'
"""Memory size that suffices for the constraint rows of every model; if memory runs out, MuJoCo drops all constraints."""
POSE = 'pos="{:.3f} {:.3f} {:.3f}" euler="{:.1f} {:.1f} {:.1f}"'
GEOMS = {
    "plane": 'type="plane" size="1 1 1"',
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".05 .1"',
    "ellipsoid": 'type="ellipsoid" size=".1 .06 .08"',
    "cylinder": 'type="cylinder" size=".08 .07"',
    "box": 'type="box" size=".1 .07 .05"',
    "mesh": 'type="mesh" mesh="rock"',
    "hfield": 'type="hfield" hfield="hills"',
    "sdf": 'type="sdf" mesh="rock"',
}
TYPES = {
    1: ("grid", "circle"),
    2: ("grid", "square", "disc", "mesh", "direct"),
    3: ("grid", "box", "cylinder", "ellipsoid", "mesh", "direct"),
}
DIRECT = {
    2: ((0, 0, 0, 0.2, 0, 0, 0, 0.2, 0.02, 0.2, 0.2, 0, 0.35, 0.1, 0.05), (0, 1, 2, 2, 1, 3, 1, 4, 3)),
    3: ((0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2, 0.2, 0.2, 0.2), (0, 1, 2, 3, 1, 2, 3, 4)),
}
"""Points and elements of flexes that are defined without flexcomp, by dimension."""


def attributes(values: dict[str, object]) -> str:
    """Return the attributes of an XML element as text."""
    return " ".join(f'{name}="{value}"' for name, value in values.items())


@dataclass
class Draw:
    """Generator of a random model; `text` returns its XML."""

    seed: str
    flexes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def text(self) -> str:
        """Return the XML of the model."""
        bodies = "".join(self._placed(self._flexcomp(k), k) for k in range(self.random.choice((1, 1, 1, 2))))
        kinds = self.random.choices(list(GEOMS), k=self.random.choice((0, 1, 1, 2, 3)))
        geoms = "".join(self._geom(kind, k) for k, kind in enumerate(kinds))
        return (
            f"<mujoco>{MEMORY}{self._option()}{ASSET}<worldbody>{geoms}{bodies}</worldbody>{self._relations()}</mujoco>"
        )

    def _likely(self, chance: float) -> bool:
        return self.random.random() < chance

    def _some(self, chance: float, **choices: tuple) -> dict[str, object]:
        """Return a random subset of the attributes, each included with probability `chance` and with a random value."""
        return {name: self.random.choice(values) for name, values in choices.items() if self._likely(chance)}

    def _option(self) -> str:
        option = self._some(
            0.5, integrator=("Euler", "implicit", "implicitfast", "RK4"), solver=("Newton", "CG", "PGS"),
            cone=("elliptic",), jacobian=("sparse", "dense"), timestep=(0.001, 0.004), impratio=(2,),
        ) | self._some(0.1, density=(50,), wind=("1 2 0",), viscosity=(0.01,), o_margin=(0.01,), ccd_iterations=(10,))  # fmt: skip
        flag = self._some(0.1, nativeccd=("disable",), multiccd=("enable",), island=("enable",), midphase=("disable",),
                          override=("enable",), filterparent=("disable",), eulerdamp=("disable",),
                          refsafe=("disable",), warmstart=("disable",))  # fmt: skip
        return f'<option {attributes(option)}><flag energy="enable" {attributes(flag)}/></option>'

    def _pose(self, reach: float, turn: float = 180) -> str:
        place = [self.random.uniform(-reach, reach) for _ in range(3)]
        return POSE.format(*place, *(self.random.uniform(-turn, turn) * self._likely(0.6) for _ in range(3)))

    def _geom(self, kind: str, number: int) -> str:
        """Return the XML of a geom in the world, or of a body with a geom."""
        rest = self._some(0.15, **CONTACT) | {"name": f"{kind}{number}"}
        if kind in ("plane", "hfield"):
            return f'<geom {GEOMS[kind]} pos="0 0 {self.random.uniform(-0.2, 0.1):.3f}" {attributes(rest)}/>'
        joint = self.random.choice(("", "<freejoint/>", '<joint axis="1 2 1"/>'))
        geom = f"<geom {GEOMS[kind]} {attributes(rest)}/>"
        return f'<body name="{kind}{number}" {self._pose(0.2)}>{joint}{geom}</body>'

    def _placed(self, flex: str, number: int) -> str:
        """Return the XML of a flexcomp in the world, or in a body that is fixed, free or has a joint."""
        how = self.random.choice(("", "", "fixed", "free", "hinge", "slide"))
        if not how:
            return flex
        joint = {"fixed": "", "free": "<freejoint/>", "hinge": "<joint/>", "slide": '<joint type="slide"/>'}[how]
        geom = f'<geom size=".05" mass="1" {attributes(self._some(0.5, contype=(0,), conaffinity=(0,)))}/>'
        return f'<body name="holder{number}" {self._pose(0.1)}>{joint}{geom}{flex}</body>'

    def _flexcomp(self, number: int) -> str:
        """Return the XML of a flexcomp with its children."""
        dim = self.random.choice((1, 2, 2, 3, 3))
        kind = self.random.choice(TYPES[dim])
        count = [self.random.randint(2, 5 if dim < 3 else 4) for _ in range(3)]
        count[dim:] = [1] * (3 - dim)
        if kind in ("square", "disc", "circle", "box", "cylinder", "ellipsoid"):
            count = [self.random.randint(3, 5)] * 3 if kind != "circle" else [self.random.randint(3, 9), 1, 1]
        name = f"f{number}"
        self.flexes.append(name)
        head: dict[str, object] = {"name": name, "type": kind, "dim": dim, "mass": self.random.choice((0.1, 1, 5))}
        head |= {"radius": self.random.choice((0.001, 0.005, 0.01)), "spacing": ".08 .1 .09"}
        if kind == "direct":
            points, elements = DIRECT[dim]
            head |= {"point": " ".join(map(str, points)), "element": " ".join(map(str, elements))}
        elif kind == "mesh":
            head |= {"file": "octahedron.obj", "scale": ".2 .15 .1"} | ({"origin": "0.01 0.02 0"} if dim == 3 else {})
        else:
            head |= {"count": " ".join(map(str, count))}
        head |= self._some(0.25, dof=("radial", "trilinear", "trilinear")) | self._some(0.08, rigid=("true",))
        head |= self._some(0.1, inertiabox=(0.01,), flatskin=("true",))
        inside = self._children(dim, kind, count)
        return f"<flexcomp {attributes(head)} {self._pose(0.1)}>{inside}</flexcomp>"

    def _children(self, dim: int, kind: str, count: list[int]) -> str:
        """Return the XML of random contact, edge, elasticity and pin elements."""
        contact = self._some(0.25, **CONTACT) | self._some(
            0.4, internal=("true", "false"), selfcollide=("none", "narrow", "bvh", "sap", "auto"))  # fmt: skip
        contact |= self._some(0.3, activelayers=(1, 2)) if dim == 3 else {}
        contact |= self._some(0.1, vertcollide=("true",))
        text = f"<contact {attributes(contact)}/>"
        stretching = False
        if dim > 1 and self._likely(0.6):
            elastic = {"young": self.random.choice((10, 500, 2e4)), "poisson": self.random.choice((0, 0.2, 0.45))}
            elastic |= self._some(0.5, damping=(0.002, 0.1), elastic2d=("none", "bend", "stretch", "both"))
            stretching = elastic.get("elastic2d") in ("stretch", "both")
            elastic |= {"thickness": self.random.choice((0.002, 0.02))} if dim == 2 else {}
            text += f"<elasticity {attributes(elastic)}/>"
        if self._likely(0.5):
            edge = self._some(0.5, stiffness=(1, 100), damping=(0.01, 1), solref=(".01 1", "-500 -10"))
            edge |= self._some(0.1, solimp=(".8 .9 .01",)) | ({} if stretching else self._some(0.6, equality=("true",)))
            text += f"<edge {attributes(edge)}/>"
        return text + (self._pins(dim, kind, count) if self._likely(0.3) else "")

    def _pins(self, dim: int, kind: str, count: list[int]) -> str:
        """Return the XML of one or two pin elements, in one of the forms that pins can have."""
        if kind == "grid" and self._likely(0.5):
            corner = [self.random.randrange(n) for n in count[:dim]]
            if self._likely(0.5):
                return f'<pin grid="{" ".join(map(str, corner))}"/>'
            far = [self.random.randint(a, n - 1) for a, n in zip(corner, count, strict=False)]
            return f'<pin gridrange="{" ".join(map(str, corner + far))}"/>'
        return self.random.choice(
            ('<pin id="0"/>', '<pin id="0 2"/>', '<pin range="0 1"/>', '<pin id="1"/><pin id="2"/>')
        )

    def _relations(self) -> str:
        """Return the XML of an equality section with a constraint on a flex, or ""."""
        text = ""
        if self._likely(0.1):
            text += f'<equality><flex flex="{self.flexes[0]}" solref=".03 1"/></equality>'
        return text


CONTACT: dict[str, tuple] = {
    "contype": (0, 2, 3), "conaffinity": (0, 2, 3), "condim": (1, 3, 4, 6), "priority": (1, -1), "solmix": (0, 2),
    "friction": (".5", ".3 .02 .001", "1.5 .1 .1"), "solref": (".01 1", ".05 .7", "-1000 -20"),
    "solimp": (".8 .9 .02", ".95 .99 .001 .5 3"), "margin": (0.005, 0.02), "gap": (0.004, 0.01),
}  # fmt: skip
"""Contact attributes of geoms and flexes, with values to choose from."""
