"""Make the meshes of models/arm.xml: models/assets/arm/*.msh.

python -m tools.make_arm
"""

from __future__ import annotations

from pathlib import Path

from tools import arm_parts
from tools.mesh_shapes import write_msh

FOLDER = Path(__file__).resolve().parent.parent / "models" / "assets" / "arm"


def main() -> None:
    """Write all parts."""
    size = 0
    for name, make in arm_parts.PARTS.items():
        path = FOLDER / f"{name}.msh"
        write_msh(make(), path)
        size += path.stat().st_size
    print(f"{len(arm_parts.PARTS)} parts, {size / 1000:.0f} kB in {FOLDER}")


if __name__ == "__main__":
    main()
