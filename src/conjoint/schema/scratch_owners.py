"""Whose scratch is whose: a kernel elsewhere that reads or writes it does not compile.

Scratch means something only while the stages run that it is for. Who needs some declares rows of its own.
"""

COLLISION, CONSTRAINT, OFFICIAL, SOLVER = "physics.collision", "physics.constraint", "physics.official", "solver"

OWNERS: dict[str, tuple[str, ...]] = {
    "block": (CONSTRAINT, SOLVER),
    "bodyflex": (COLLISION, OFFICIAL),
    "chain": ("physics.constants",),
    "chunk": (COLLISION,),
    "cone": (CONSTRAINT, SOLVER),
    "dual": (SOLVER,),
    "fill": (SOLVER,),
    "flexelem": (COLLISION,),
    "found": (COLLISION, CONSTRAINT, OFFICIAL),
    "hybrid": (SOLVER,),
    "iM": (CONSTRAINT, SOLVER),
    "iacc": (CONSTRAINT, SOLVER),
    "iblock": (CONSTRAINT, SOLVER),
    "idof": (CONSTRAINT, SOLVER),
    "iefc": (CONSTRAINT, SOLVER),
    "impulse": (SOLVER,),
    "island": (CONSTRAINT, SOLVER),
    # programs may refuse near pairs before they are looked at
    "near": (COLLISION, OFFICIAL, CONSTRAINT, "runtime.user"),
    "nfill": (SOLVER,),
    "nfound": (COLLISION,),
    "nsolver": (SOLVER,),
    "part": (SOLVER,),
    "posthoc": (SOLVER,),
    "sensed": ("physics.sensor",),
    "slope": ("physics.derivative",),
    "solver": (SOLVER,),
    "sweep": (COLLISION,),
    "unit": ("physics.constants",),
    "wrap": ("physics.tendon",),
}
"""Packages and modules by the first word of the names of the scratch that is theirs alone; other scratch is shared."""


def owners_of(name: str) -> tuple[str, ...]:
    """The packages and modules whose kernels may use the scratch `name`; none if all may."""
    return tuple(f"conjoint.{owner}" for owner in OWNERS.get(name.split("_")[0], ()))
