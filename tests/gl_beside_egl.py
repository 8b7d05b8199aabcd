"""Program that renders in EGL contexts that it creates itself, alternately with renderers; it prints the results of its checks."""

import ctypes
import os

import numpy as np

import conjoint

os.environ["MUJOCO_GL"] = "egl"
WIDTH, HEIGHT = 60, 40
AREA = conjoint.MjrRect(0, 0, WIDTH, HEIGHT)
OPENGL_API, DEVICE, DEFAULT_DEVICE_DISPLAY = 0x30A2, 0x313F, 0
ATTRIBUTES = (0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3025, 24, 0x3033, 1, 0x3040, 8, 0x3038)
"""EGL attributes: eight bits of each color, 24 of depth, surfaces without windows, OpenGL, and the end of the list."""

egl = ctypes.CDLL("libEGL.so.1")
pointer = ctypes.c_void_p
for name in ("eglGetProcAddress", "eglCreateContext", "eglCreatePbufferSurface", "eglGetCurrentContext"):
    getattr(egl, name).restype = pointer
egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
egl.eglCreateContext.argtypes = [pointer] * 4
egl.eglMakeCurrent.argtypes = [pointer] * 4


def opened() -> tuple[int, int]:
    """Return an EGL display of the first device, without a window, and one of its framebuffer configurations."""
    devices, count = (pointer * 1)(), ctypes.c_int()
    address = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, pointer, pointer)(address)(1, devices, ctypes.byref(count))
    address = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    display = ctypes.CFUNCTYPE(pointer, ctypes.c_uint, pointer, pointer)(address)(DEVICE, devices[0], None)
    assert egl.eglInitialize(pointer(display), None, None)
    found = (pointer * 1)()
    assert egl.eglChooseConfig(
        pointer(display), (ctypes.c_int * len(ATTRIBUTES))(*ATTRIBUTES), found, 1, ctypes.byref(count)
    )
    assert egl.eglBindAPI(OPENGL_API) and count.value
    return display, found[0]


model = conjoint.MjModel.from_xml_string(
    '<mujoco><visual><quality offsamples="4"/></visual><worldbody><light pos="0 0 3"/><geom size=".3"/></worldbody></mujoco>'
)
data = conjoint.MjData(model)
conjoint.mj_forward(model, data)
renderer = conjoint.Renderer(model, HEIGHT, WIDTH)
renderer.update_scene(data)
right = renderer.render()
display, config = opened()


def make_current(context: int | None, surface: int | None = None) -> bool:
    """Make a context of this program current, through EGL itself; return True on success."""
    return bool(egl.eglMakeCurrent(display, surface, surface, context))


def drawn(con: conjoint.MjrContext, buffer: int) -> np.ndarray:
    """Return an image of the scene, with the upper row first."""
    pixels = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    conjoint.mjr_setBuffer(buffer, con)
    conjoint.mjr_render(AREA, renderer.scene, con)
    conjoint.mjr_readPixels(pixels, None, AREA, con)
    return pixels[::-1]


def alike(picture: np.ndarray) -> bool:
    """Return True if an image equals the renderer's up to rounding."""
    return bool(np.abs(picture.astype(int) - right).max() <= 1 and picture.any())


OFFSCREEN, WINDOW = int(conjoint.mjtFramebuffer.mjFB_OFFSCREEN), int(conjoint.mjtFramebuffer.mjFB_WINDOW)
# a context without a surface, as libraries use it without a display
bare = egl.eglCreateContext(display, config, None, None)
assert make_current(bare)
con = conjoint.MjrContext(model, 100)
print("no window:", con.windowAvailable == 0 and con.currentBuffer == OFFSCREEN)
print("drawn in it:", alike(drawn(con, OFFSCREEN)))
print("renderer between:", alike(renderer.render()))
with conjoint.Renderer(model, HEIGHT, WIDTH) as other:
    other.update_scene(data)
    print("renderer made between:", alike(other.render()))
print("still current:", egl.eglGetCurrentContext() == bare and alike(drawn(con, OFFSCREEN)))

# a context with a surface to draw into
sizes = (ctypes.c_int * 5)(0x3057, WIDTH, 0x3056, HEIGHT, 0x3038)
surface = egl.eglCreatePbufferSurface(pointer(display), pointer(config), sizes)
full = egl.eglCreateContext(display, config, None, None)
assert make_current(full, surface)
second = conjoint.MjrContext(model, 100)
most = conjoint.mjr_maxViewport(second)
print("window:", second.windowAvailable == 1 and (most.width, most.height) == (WIDTH, HEIGHT))
before = drawn(second, WINDOW)
print("drawn in the window:", bool(before.any()) and np.abs(before.astype(int) - right).mean() < 2)
renderer.render()
print("drawn again:", np.array_equal(drawn(second, WINDOW), before) and alike(drawn(second, OFFSCREEN)))

# a context of Conjoint, which stays current until another library makes its own context current
ours = conjoint.GLContext(WIDTH, HEIGHT)
ours.make_current()
third = conjoint.MjrContext(model, 100)
print("ours:", alike(drawn(third, OFFSCREEN)) and egl.eglGetCurrentContext() not in (bare, full))
assert make_current(bare)
print("theirs:", alike(drawn(con, OFFSCREEN)), alike(renderer.render()), egl.eglGetCurrentContext() == bare)
fourth = conjoint.MjrContext(model, 100)
print("made in theirs:", fourth.windowAvailable == 0 and alike(drawn(fourth, OFFSCREEN)))
print("ours again:", alike(drawn(third, OFFSCREEN)) and egl.eglGetCurrentContext() not in (bare, full))
third.free()
ours.free()
print("given back:", egl.eglGetCurrentContext() == bare and alike(drawn(con, OFFSCREEN)))
for made in (con, fourth):
    made.free()
assert make_current(full, surface)
second.free()
renderer.close()
assert make_current(None)
try:
    conjoint.MjrContext(model, 100)
except conjoint.FatalError as error:
    print("none:", "no OpenGL context is current" in str(error))
