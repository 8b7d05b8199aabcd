"""Depth errors of images of a slanted wall, relative to ray casts, in a separate process.

python depth_errors.py: prints, as JSON, the OpenGL version, true if fragment shaders write the depths, and the median
errors (m) by case.
"""

import json

import numpy as np

import conjoint
from conjoint.render.reversed_depth import ReversedDepth

HEIGHT, WIDTH, FOVY, PARALLEL = 45, 60, 40.0, 8.0
XML = """<mujoco><visual><map znear="{near}" zfar="{far}"/></visual><statistic extent="{extent}" center="0 0 0"/>
<worldbody><camera xyaxes="1 0 0 0 0 1" fovy="{fovy}" orthographic="{parallel}"/>
<geom type="box" size="{side} .02 {side}" pos="0 {away} 0" euler="8 0 12"/></worldbody></mujoco>"""
CASES = [(near, far, extent, away, parallel) for near, far, extent in ((1e-2, 60, 1), (1e-3, 60, 1), (1e-4, 500, 0.5))
         for away in (2.0, 10.0, 25.0) for parallel in (False, True)]  # fmt: skip
"""Cases: near and far planes in units of the extent, the extent, the distance of the wall, True for parallel projection."""


def measured(case: tuple) -> tuple[float, float, float]:
    """Return the median depth errors (m) of the renderer, of `mjr_readPixels` and of the ray renderer."""
    near, far, extent, away, parallel = case
    written = {
        "near": near,
        "far": far,
        "extent": extent,
        "away": away,
        "side": away * 2,
        "parallel": str(parallel).lower(),
    }
    m = conjoint.MjModel.from_xml_string(XML.format(fovy=PARALLEL if parallel else FOVY, **written))
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    right = rays(m, d, parallel)
    pictures = []
    for kind in (conjoint.Renderer, conjoint.RayRenderer):
        with kind(m, height=HEIGHT, width=WIDTH) as renderer:
            renderer.enable_depth_rendering()
            renderer.update_scene(d, 0)
            pictures.append(renderer.render())
            scene = renderer.scene
    pictures.insert(1, read(m, scene, near * extent, far * extent, parallel))
    return tuple(float(np.median(np.abs(one - right))) for one in pictures)


def rays(m, d, parallel: bool) -> np.ndarray:
    """Return the distances (m) along the camera axis through the center of each pixel, by ray casts."""
    size = PARALLEL if parallel else 2 * np.tan(np.radians(FOVY) / 2)
    right = np.zeros((HEIGHT, WIDTH))
    for i, j in np.ndindex(HEIGHT, WIDTH):
        x, z = (j + 0.5 - WIDTH / 2) * size / HEIGHT, (HEIGHT / 2 - i - 0.5) * size / HEIGHT
        start, way = ([x, 0.0, z], [0.0, 1.0, 0.0]) if parallel else ([0.0] * 3, [x, 1.0, z])
        right[i, j] = conjoint.mj_ray(m, d, np.array(start), np.array(way), None, 1, -1, np.zeros(1, np.int32))
    return right


def read(m, scene, near: float, far: float, parallel: bool) -> np.ndarray:
    """Return the distances (m) from a depth map of `mjr_readPixels` that is 0 far away."""
    context = conjoint.GLContext(WIDTH, HEIGHT)
    context.make_current()
    con, area = conjoint.MjrContext(m, 100), conjoint.MjrRect(0, 0, WIDTH, HEIGHT)
    conjoint.mjr_addAux(0, WIDTH, HEIGHT, 0, con)
    conjoint.mjr_setAux(0, con)
    conjoint.mjr_render(area, scene, con)
    depth = np.zeros((HEIGHT, WIDTH), np.float32)
    con.readDepthMap = conjoint.mjtDepthMap.mjDEPTH_ZEROFAR
    conjoint.mjr_readPixels(None, depth, area, con)
    con.free()
    context.free()
    depth = depth[::-1].astype(float)
    return far - depth * (far - near) if parallel else near * far / (near + depth * (far - near))


if __name__ == "__main__":
    found = {str(case): measured(case) for case in CASES}
    context = conjoint.GLContext(1, 1)
    context.make_current()
    version, written = context._context.gl.info["GL_VERSION"], ReversedDepth(context._context.gl).written
    print(json.dumps({"version": version, "written": written, "errors": found}))
