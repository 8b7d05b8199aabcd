"""Program that renders while a GLX context, created without GLFW, is current, and in that context; prints the checks."""

import ctypes
import os

import numpy as np

import conjoint

os.environ["MUJOCO_GL"] = "egl"
AREA = conjoint.MjrRect(0, 0, 60, 40)
OFFSCREEN, WINDOW = int(conjoint.mjtFramebuffer.mjFB_OFFSCREEN), int(conjoint.mjtFramebuffer.mjFB_WINDOW)
# GLX attributes: surfaces without windows, RGBA, eight bits of each color and 24 of depth; and the size of a surface
ATTRIBUTES = (ctypes.c_int * 13)(0x8010, 4, 0x8011, 1, 8, 8, 9, 8, 10, 8, 12, 24, 0)
SIZES = (ctypes.c_int * 5)(0x8041, 60, 0x8040, 40, 0)
RGBA_TYPE = 0x8014

x11, glx, pointer = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libGL.so.1"), ctypes.c_void_p
x11.XOpenDisplay.restype, x11.XDefaultScreen.argtypes = pointer, [pointer]
glx.glXChooseFBConfig.restype = ctypes.POINTER(pointer)
glx.glXChooseFBConfig.argtypes = [pointer, ctypes.c_int, pointer, pointer]
glx.glXCreatePbuffer.restype, glx.glXCreatePbuffer.argtypes = ctypes.c_ulong, [pointer] * 3
glx.glXCreateNewContext.restype = glx.glXGetCurrentContext.restype = pointer
glx.glXCreateNewContext.argtypes = [pointer, pointer, ctypes.c_int, pointer, ctypes.c_int]
glx.glXMakeContextCurrent.argtypes = [pointer, ctypes.c_ulong, ctypes.c_ulong, pointer]

model = conjoint.MjModel.from_xml_string(
    '<mujoco><worldbody><light pos="0 0 3"/><geom size=".3"/></worldbody></mujoco>'
)
data = conjoint.MjData(model)
conjoint.mj_forward(model, data)
first = conjoint.Renderer(model, 40, 60)
first.update_scene(data)
right = first.render()

display, count = x11.XOpenDisplay(None), ctypes.c_int()
found = glx.glXChooseFBConfig(display, x11.XDefaultScreen(display), ATTRIBUTES, ctypes.byref(count))
surface = glx.glXCreatePbuffer(display, found[0], SIZES)
context = glx.glXCreateNewContext(display, found[0], RGBA_TYPE, None, 1)
assert glx.glXMakeContextCurrent(display, surface, surface, context)


def drawn(con: conjoint.MjrContext, buffer: int) -> np.ndarray:
    """Return an image of the scene, with the upper row first."""
    pixels = np.zeros((40, 60, 3), np.uint8)
    conjoint.mjr_setBuffer(buffer, con)
    conjoint.mjr_render(AREA, first.scene, con)
    conjoint.mjr_readPixels(pixels, None, AREA, con)
    return pixels[::-1]


print("made before:", np.array_equal(first.render(), right) and glx.glXGetCurrentContext() == context)
with conjoint.Renderer(model, 40, 60) as second:
    second.update_scene(data)
    print("made beside:", np.array_equal(second.render(), right))
con = conjoint.MjrContext(model, 100)
before = drawn(con, WINDOW)
print("drawn in it:", con.windowAvailable == 1 and bool(before.any()) and np.array_equal(drawn(con, OFFSCREEN), right))
print("renderer between:", np.array_equal(first.render(), right))
print("still current:", glx.glXGetCurrentContext() == context and np.array_equal(drawn(con, WINDOW), before))
con.free()
first.close()
