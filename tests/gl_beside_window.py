"""Program that renders while the context of a GLFW window is current, and in that window; prints the checks."""

import os

import glfw
import numpy as np

import conjoint

os.environ["MUJOCO_GL"] = "egl"
model = conjoint.MjModel.from_xml_string(
    '<mujoco><worldbody><light pos="0 0 3"/><geom size=".3"/></worldbody></mujoco>'
)
data = conjoint.MjData(model)
conjoint.mj_forward(model, data)
first = conjoint.Renderer(model, 40, 60)
first.update_scene(data)
right = first.render()
glfw.init()
window = glfw.create_window(60, 40, "beside", None, None)
glfw.make_context_current(window)
con, area = conjoint.MjrContext(model, 100), conjoint.MjrRect(0, 0, 60, 40)


def shown() -> np.ndarray:
    """Return the image in the window."""
    pixels = np.zeros((40, 60, 3), np.uint8)
    conjoint.mjr_setBuffer(conjoint.mjtFramebuffer.mjFB_WINDOW, con)
    conjoint.mjr_render(area, first.scene, con)
    conjoint.mjr_readPixels(pixels, None, area, con)
    return pixels


before = shown()
print("made before:", np.array_equal(first.render(), right))
with conjoint.Renderer(model, 40, 60) as second:
    second.update_scene(data)
    print("made beside:", np.array_equal(second.render(), right))
first.close()
print("window:", np.array_equal(shown(), before) and bool(before.any()))
