"""Whose scratch is whose: a kernel elsewhere that reads or writes it does not compile.

Scratch means something only while the stages run that it is for. Who needs some declares rows of its own.
"""

COLLISION, CONSTRAINT, OFFICIAL, SOLVER = "physics.collision", "physics.constraint", "physics.official", "solver"

OWNERS: dict[str, tuple[str, ...]] = {
    word: owners
    for words, owners in {
        "chunk flexelem nfound part placed sweep": (COLLISION,),
        "bodyflex": (COLLISION, OFFICIAL),
        "found": (COLLISION, CONSTRAINT, OFFICIAL),
        # programs may refuse near pairs before they are looked at
        "near": (COLLISION, OFFICIAL, CONSTRAINT, "runtime.user"),
        "cone": (CONSTRAINT, SOLVER),
        "dual nfill": (SOLVER,),
        "sensed": ("physics.sensor",),
        "slope": ("physics.derivative",),
        "wrap": ("physics.tendon",),
    }.items()
    for word in words.split()
}
"""Packages and modules by the first word of the names of the scratch that is theirs alone; other scratch is shared."""


def owners_of(name: str) -> tuple[str, ...]:
    """The packages and modules whose kernels may use the scratch `name`; none if all may."""
    return tuple(f"conjoint.{owner}" for owner in OWNERS.get(name.split("_")[0], ()))
