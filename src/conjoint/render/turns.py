"""OpenGL contexts that threads share, one thread at a time.

OpenGL calls go to the context that is current in the calling thread. A context can be current in only one thread. If a
program makes it current in two, some drivers do nothing, and others end the process. A context here is therefore
current only while it is used. As an exception, a thread can keep a context current; calls from other threads then raise
an error.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Self

from conjoint.lang import FatalError
from conjoint.render.opengl import COMPLETE, FRAMEBUFFER, VERSION, OtherContext, current_egl, opengl_function

FORKED = (
    "this process was forked from a process that had used OpenGL, whose drivers do not survive a fork: start it with "
    "multiprocessing's method 'spawn', or make the first Renderer after the fork"
)

_making = threading.Lock()
"""Lock that is held while a context is created, because some drivers are initialized only during the first creation."""

_process: list[int] = []
"""Id of the process that created the first context."""


class _Thread(threading.local):
    """OpenGL contexts of a thread.

    Attributes:
        stack: nested contexts in use. The last one is current; when it ends, the one before it becomes current again.
        kept: context that stays current until it is replaced or released; it is the first in `stack`.
        restore: function that makes the context of a different library, unset earlier, current again.
    """

    def __init__(self) -> None:
        self.stack: list[SharedContext] = []
        self.kept: SharedContext | None = None
        self.restore: Callable[[], None] | None = None

    def go_on(self) -> None:
        """Make the last context in use current, or if there is none, the context of a different library."""
        # another thread may have released the kept context
        while self.stack and self.stack[-1].gl is None:
            self.stack.pop()
        if self.stack:
            self.stack[-1].gl.__enter__()
        elif self.restore is not None:
            restore, self.restore = self.restore, None
            restore()

    def notice_replaced(self) -> None:
        """Drop the kept context if a different library has made its own context, or none, current."""
        kept = self.kept
        if kept is not None and self.stack == [kept] and kept.handle and current_egl() != kept.handle:
            self.stack.clear()
            self.kept = kept.keeper = None


_thread = _Thread()


def forbid_fork() -> None:
    """Raise an error in a process that was forked after OpenGL was used.

    Raises:
        FatalError: the process was forked after OpenGL was used.
    """
    if _process and _process[0] != os.getpid():
        raise FatalError(FORKED)


def held_context() -> SharedContext | None:
    """Return the context that this thread keeps current; None without one."""
    _thread.notice_replaced()
    return _thread.kept


def is_current(gl: Any) -> bool:
    """Return True if any context is current in this thread, that is, if OpenGL returns its version.

    Args:
        gl: any moderngl context, for access to OpenGL functions.
    """
    # on macOS, OpenGL functions must not be called without a context, and several threads may use one context
    if sys.platform == "darwin":
        return True
    return bool(opengl_function(gl, "glGetString", ctypes.c_int, result=ctypes.c_void_p)(VERSION))


def has_window(gl: Any) -> bool:
    """Return True if the current context has a framebuffer of its own to draw into, such as that of a window.

    Args:
        gl: the moderngl context.
    """
    gl.screen.use()
    complete: int = opengl_function(gl, "glCheckFramebufferStatus", ctypes.c_uint, result=ctypes.c_uint)(FRAMEBUFFER)
    return complete == COMPLETE


class SharedContext:
    """A moderngl context. `with context:` waits for other threads, and makes the context current in this thread.

    Args:
        make: function that creates a moderngl context and makes it current.
        egl: whether EGL provides the context.

    Attributes:
        gl: the moderngl context; None after its release.
        handle: EGL's handle of the context; 0 if EGL does not provide it.
        keeper: thread that keeps the context current; None if there is none.

    Raises:
        FatalError: this process was forked from one that had used OpenGL.
    """

    def __init__(self, make: Callable[[], Any], egl: bool):
        forbid_fork()
        self.gl: Any = None
        self.handle = 0
        self._turn, self._egl = threading.RLock(), egl
        self.keeper: threading.Thread | None = None
        self._pid = os.getpid()
        with _making:
            _set_aside()
            try:
                self.gl = make()
                self.handle = current_egl() if egl else 0
                _process[:] = [self._pid]
            finally:
                self._leave()

    def __enter__(self) -> Self:
        """Make the context current in this thread, after waiting for other threads that use it.

        Raises:
            FatalError: another thread keeps the context, or it has been released.
        """
        # An interrupt during the wait is raised by the first call inside the block, which then releases the lock
        with self._turn:
            _thread.notice_replaced()
            if not _thread.stack or _thread.stack[-1] is not self:
                self._take()
            _thread.stack.append(self)
            # held until `__exit__`
            self._turn.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _thread.stack.pop()
        if not _thread.stack or _thread.stack[-1] is not self:
            self._leave()
        self._turn.release()

    def keep(self) -> None:
        """Make the context current in this thread until a different context is kept, or this one is released.

        Raises:
            FatalError: another thread keeps the context, or it has been released.
        """
        _thread.notice_replaced()
        if _thread.kept is self and self.gl is not None:
            return
        before = _thread.kept
        if before is not None:
            before.let_go()
        self._take()
        _thread.stack.insert(0, self)
        _thread.kept, self.keeper = self, threading.current_thread()

    def try_acquire(self) -> bool:
        """Keep the context as `keep` does; return False if that is impossible."""
        try:
            self.keep()
        except FatalError:
            return False
        return True

    def let_go(self) -> None:
        """Stop keeping the context current in this thread."""
        _thread.notice_replaced()
        if _thread.kept is self:
            _thread.kept = self.keeper = None
            if self in _thread.stack:
                _thread.stack.remove(self)
            self._leave()

    def release(self) -> None:
        """Release the context; no-op if already released. A forked process only drops its reference to it."""
        gl, kept_elsewhere = self.gl, self._held_elsewhere()
        self.let_go()
        self.gl = None
        if gl is None or self._pid != os.getpid():
            return
        # A driver destroys a context when no thread uses it. Window systems other than EGL cannot release it while
        # another thread keeps it, because that thread may still use it
        if self._egl or not kept_elsewhere:
            gl.release()
            _thread.go_on()

    def _held_elsewhere(self) -> bool:
        keeper = self.keeper
        return keeper is not None and keeper is not threading.current_thread() and keeper.is_alive()

    def _take(self) -> None:
        """Make the context current in this thread.

        Raises:
            FatalError: the context has been released, or is current in another thread.
        """
        if self.gl is None:
            raise FatalError("this OpenGL context has been freed: create a new one")
        forbid_fork()
        if self._held_elsewhere():
            keeper = self.keeper.name if self.keeper is not None else ""
            raise FatalError(
                f"this context of OpenGL is current in another thread ({keeper}): draw there, make another GLContext "
                "in this thread, or use a Renderer, which any thread may use"
            )
        _set_aside()
        self.gl.__enter__()
        if not is_current(self.gl):
            self._leave()
            ended = self.keeper.name if self.keeper is not None else "an unknown thread"
            raise FatalError(
                f"this context of OpenGL cannot be made current: it is so in another thread ({ended}), even if that "
                "has ended; create another GLContext in this thread, or use a Renderer, which any thread may use"
            )

    def _leave(self) -> None:
        """Unset this context, and make the previous one current again."""
        if self.gl is not None:
            self._make_none_current()
        _thread.go_on()

    def _make_none_current(self) -> None:
        """Leave this thread without a current context, because moderngl only restores the previous context."""
        if self._egl:
            self.gl.__exit__(None, None, None)
        elif sys.platform == "win32":
            opengl_function(self.gl, "wglMakeCurrent", ctypes.c_void_p, ctypes.c_void_p)(None, None)
        elif sys.platform == "darwin":
            opengl_function(self.gl, "CGLSetCurrentContext", ctypes.c_void_p)(None)
        else:
            display = opengl_function(self.gl, "glXGetCurrentDisplay", result=ctypes.c_void_p)()
            kinds = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p
            if display:
                opengl_function(self.gl, "glXMakeCurrent", *kinds)(display, 0, None)


def _set_aside() -> None:
    """Unset a different library's context, because EGL fails while a window's context is current."""
    if _thread.stack:
        return
    window = _current_window()
    if window is not None:
        import glfw

        glfw.make_context_current(None)
        _thread.restore = partial(glfw.make_context_current, window)
        return
    other = OtherContext.current()
    if other is not None:
        other.set_aside()
        _thread.restore = other.make_current


def _current_window() -> Any:
    """Return the GLFW window whose context is current, or None."""
    glfw = sys.modules.get("glfw")
    if glfw is None:
        return None
    with warnings.catch_warnings():
        # GLFW may not have been initialized
        warnings.simplefilter("ignore")
        return glfw.get_current_context() or None
