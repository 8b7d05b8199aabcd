"""Stereo images and images with a frame, drawn by the `mjr` functions of either package, MuJoCo's in a separate process.

python official_stereo.py OUT.npz
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

WIDTH, HEIGHT = 200, 120
XML = """<mujoco><visual><global offwidth="200" offheight="120" ipd="0.3"/><quality offsamples="0"/></visual>
<statistic extent="2"/><asset>
<texture type="skybox" builtin="gradient" rgb1=".3 .5 .7" rgb2="0 0 0" width="32" height="32"/>
<material name="g" rgba=".2 .3 .4 1" reflectance=".3"/></asset>
<worldbody><light pos="0 0 3"/><geom type="plane" size="2 2 .1" material="g"/>
<geom pos="0 0 .3" size=".2" rgba="1 0 0 1"/><geom type="box" pos="0 .6 .3" size=".2 .2 .2" rgba="0 1 0 1"/>
<geom type="capsule" pos=".5 -.6 .4" size=".1 .2" rgba="0 0 1 .5"/>
<camera pos="2 0 1" xyaxes="0 1 0 -.4 0 1" ipd="0.2" fovy="50"/></worldbody></mujoco>"""
AREAS = (0, 0, WIDTH, HEIGHT), (31, 17, 151, 90)
"""Viewports: the whole framebuffer, and a part of it with an odd width."""


def take(package) -> dict[str, np.ndarray]:
    """Return color and depth images, keyed by camera, stereo mode, frame width, segmentation flag and viewport."""
    m = package.MjModel.from_xml_string(XML)
    d, scene = package.MjData(m), package.MjvScene(m, 100)
    package.mj_forward(m, d)
    gl = package.GLContext(WIDTH, HEIGHT)
    gl.make_current()
    con = package.MjrContext(m, package.mjtFontScale.mjFONTSCALE_100)
    package.mjr_setBuffer(int(package.mjtFramebuffer.mjFB_OFFSCREEN), con)
    made = {}
    for fixed in (0, 1):
        camera = package.MjvCamera()
        package.mjv_defaultFreeCamera(m, camera)
        if fixed:
            camera.type, camera.fixedcamid = int(package.mjtCamera.mjCAMERA_FIXED), 0
        package.mjv_updateScene(m, d, package.MjvOption(), None, camera, 7, scene)
        for choice in np.ndindex(3, 2, 2, len(AREAS)):
            scene.stereo, scene.framewidth = choice[0], 7 * choice[1]
            scene.framergb[:] = 1, 0.5, 0
            for flag in ("SEGMENT", "IDCOLOR"):
                scene.flags[int(getattr(package.mjtRndFlag, f"mjRND_{flag}"))] = choice[2]
            full = package.MjrRect(0, 0, WIDTH, HEIGHT)
            package.mjr_rectangle(full, 0.2, 0.1, 0.1, 1)
            package.mjr_render(package.MjrRect(*AREAS[choice[3]]), scene, con)
            color, depth = np.zeros((HEIGHT, WIDTH, 3), np.uint8), np.zeros((HEIGHT, WIDTH), np.float32)
            package.mjr_readPixels(color, depth, full, con)
            made[f"{fixed} {choice} color"], made[f"{fixed} {choice} depth"] = color, depth
    con.free()
    return made


def official(folder: Path) -> dict[str, np.ndarray]:
    """Return the images that MuJoCo renders in a new process."""
    out = folder / "official.npz"
    given = [sys.executable, __file__, str(out)]
    subprocess.run(given, env={**os.environ, "MUJOCO_GL": "egl"}, check=True, capture_output=True)
    return dict(np.load(out))


if __name__ == "__main__":
    import mujoco

    np.savez(sys.argv[1], **take(mujoco))
