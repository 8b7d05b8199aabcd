"""Sample models that are included in the package: robots, a humanoid, soft bodies, and others."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
FOLDERS = (PACKAGE / "models", PACKAGE.parent.parent / "models")
"""Folders of the sample models in an installed package and in a checkout."""


def sample_model(name: str) -> Path:
    """Return the path of a sample model that is included in the package.

        model = conjoint.MjModel.from_xml_path(conjoint.sample_model("humanoid"))

    Args:
        name: name of the file without `.xml`, such as "humanoid", "hand" or "rover".

    Raises:
        ValueError: the model does not exist. The message lists all sample models.
        TypeError: `name` is not a string.
    """
    if not isinstance(name, str):
        raise TypeError(f"sample_model: name must be text, such as 'humanoid', not {name!r}")
    for folder in FOLDERS:
        if (path := folder / f"{name}.xml").is_file():
            return path
    raise ValueError(f"there is no sample model {name!r}: there are {', '.join(sample_names())}")


def sample_names() -> list[str]:
    """Return the names of all sample models, sorted."""
    return sorted({path.stem for folder in FOLDERS for path in folder.glob("*.xml")})
