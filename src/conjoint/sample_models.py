"""The models that come with the package: a humanoid, a quadruped, a car, and others.

import conjoint
from conjoint.sample_models import sample_model

model = conjoint.MjModel.from_xml_path(sample_model("humanoid"))
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
FOLDERS = (PACKAGE / "models", PACKAGE.parent.parent / "models")
"""Where the models are: in an installed package, and in a checkout."""


def sample_model(name: str) -> Path:
    """Return the file of a model that comes with the package.

    Args:
        name: of the file, without `.xml`: "humanoid", "quadruped", ...

    Raises:
        TypeError: the name is no text.
        ValueError: there is no such model; the message lists those that there are.
    """
    if not isinstance(name, str):
        raise TypeError(f"sample_model: name must be str, not {type(name).__name__}")
    for folder in FOLDERS:
        if (path := folder / f"{name}.xml").is_file():
            return path
    there = sorted({path.stem for folder in FOLDERS for path in folder.glob("*.xml")})
    raise ValueError(f"there is no sample model {name!r}: there are {', '.join(there)}")
