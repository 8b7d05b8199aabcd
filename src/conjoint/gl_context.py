"""`GLContext`: an OpenGL context to draw in, of the kind that MUJOCO_GL names (egl, glfw)."""

from conjoint.render.context import GLContext

__all__ = ["GLContext"]
