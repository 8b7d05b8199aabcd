"""Images of MuJoCo's renderer, in a separate process because it selects OpenGL on import.

python official_pictures.py MODEL.xml CAMERA HIDDEN OUT.npz
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

SIZE = 120, 160
"""Height and width of images, in pixels."""


def take(package, model, data, camera: int | str, hidden: int) -> dict[str, np.ndarray]:
    """Return images of colors, depths and object ids; with `hidden`, joints are visible and geom group 0 is not."""
    option = package.MjvOption()
    if hidden:
        option.geomgroup[0] = 0
        option.flags[package.mjtVisFlag.mjVIS_JOINT] = 1
    with package.Renderer(model, height=SIZE[0], width=SIZE[1]) as renderer:
        renderer.update_scene(data, camera=camera, scene_option=option)
        made = {"color": renderer.render().astype(float)}
        renderer.enable_depth_rendering()
        made["depth"] = renderer.render().copy()
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        made["number"] = renderer.render().copy()
    return made


def world(package, path: str) -> tuple:
    """Return a model and its data, in the first keyframe if there is one."""
    model = package.MjModel.from_xml_path(path)
    data = package.MjData(model)
    if model.nkey:
        package.mj_resetDataKeyframe(model, data, 0)
    package.mj_forward(model, data)
    return model, data


def official(path: Path, camera: int | str, hidden: int, folder: Path) -> dict[str, np.ndarray]:
    """Return the images that MuJoCo renders in a new process."""
    out = folder / "official.npz"
    given = [sys.executable, __file__, str(path), str(camera), str(hidden), str(out)]
    subprocess.run(given, env={**os.environ, "MUJOCO_GL": "egl"}, check=True, capture_output=True)
    return dict(np.load(out))


if __name__ == "__main__":
    import mujoco

    source, name, without, target = sys.argv[1:]
    requested = int(name) if name.lstrip("-").isdigit() else name
    np.savez(target, **take(mujoco, *world(mujoco, source), requested, int(without)))
