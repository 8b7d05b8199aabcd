"""Generate the meshes and textures of the models in `models/` from formulas; every run writes the same bytes.

    python -m tools.make_meshes [arm biped hand rover] [--folder models/assets]

Each model has its own folder under `models/assets/`, and a module in `tools/` that defines its parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from tools import arm_parts, biped_parts, hand_parts, rover_parts
from tools.shapes import Shape, write_obj

ROOT = Path(__file__).resolve().parent.parent

SHAPES: dict[str, Callable[[], dict[str, Shape]]] = {
    "arm": arm_parts.shapes,
    "biped": biped_parts.shapes,
    "hand": hand_parts.shapes,
    "rover": rover_parts.shapes,
}
"""Functions that return the meshes of a model, by model name."""

IMAGES: dict[str, Callable[[], dict[str, Image.Image]]] = {"rover": rover_parts.images}
"""Functions that return the images of a model, by model name."""

DECIMALS = {"arm": 5, "hand": 5}
"""Numbers of decimal places of mesh coordinates in meters, for models that need more than the default of 4."""


def make(model: str, folder: Path) -> int:
    """Write the files of a model; return their total size in bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shape in SHAPES[model]().items():
        write_obj(
            shape, folder / f"{name}.obj", f"{model}: {name}, made by tools/make_meshes.py", DECIMALS.get(model, 4)
        )
    for name, image in IMAGES.get(model, dict)().items():
        image.save(folder / f"{name}.png", optimize=True)
    return sum(path.stat().st_size for path in folder.iterdir())


def main() -> None:
    """Generate the files of the models named on the command line, or of all models if none is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="model", default=list(SHAPES), help=", ".join(SHAPES))
    parser.add_argument("--folder", type=Path, default=ROOT / "models" / "assets", help="of all assets")
    given = parser.parse_args()
    for model in given.models:
        if model not in SHAPES:
            parser.error(f"{model}: give some of {', '.join(SHAPES)}")
        print(f"{given.folder / model}: {make(model, given.folder / model)} bytes")


if __name__ == "__main__":
    main()
