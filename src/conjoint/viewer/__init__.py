"""The viewer: a window that simulates a model, or that shows a program's simulation (Programming chapter, simulate).

    import conjoint.viewer

    conjoint.viewer.launch_from_path("models/humanoid.xml")

The functions have the names of those in `mujoco.viewer`. The viewer needs `pip install 'conjoint[viewer]'`, a display
and OpenGL 3.3.
"""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable
from typing import Any

from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang.optional_packages import need
from conjoint.lazy import names_of
from conjoint.viewer.handle import Handle, check_world

CallbackType = Callable[[MjModel, MjData], None]
LoaderType = Callable[[], tuple[MjModel, MjData]]
KeyCallbackType = Callable[[int], None]

__getattr__ = names_of(__name__, {}, ("web",))

__all__ = ["CallbackType", "Handle", "KeyCallbackType", "LoaderType", "launch", "launch_from_path", "launch_passive"]


def launch(
    model: MjModel | None = None,
    data: MjData | None = None,
    *,
    loader: LoaderType | None = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
) -> None:
    """Open a window that simulates a model, and return when the user closes it.

    Args:
        model: the model; None to open the window without one.
        data: the world that the window steps; None for a new one.
        loader: alternative to `model`: function that returns a model and a world, called again for each reload.
        show_left_ui, show_right_ui: whether the panels are visible at first.

    Raises:
        ValueError: a world without a model is given, or both a model and a loader.
        FatalError: there is no display or no OpenGL, or a package is missing. The message says what to install.
    """
    if model is None and data is not None:
        raise ValueError("mjData is specified but mjModel is not")
    if loader is not None and model is not None:
        raise ValueError("model and loader are both specified: specify only one of them")
    if model is not None:
        given = model

        def loader() -> tuple[MjModel, MjData]:
            return given, MjData(given) if data is None else data

    _simulate(loader, show_left_ui, show_right_ui)


def launch_from_path(path: str) -> None:
    """Open a window that simulates the model in a file (MJCF, URDF or MJB), and return when the user closes it.

    Args:
        path: the file. If it is invalid, the window shows the error, and the file can be corrected and reloaded.

    Raises:
        FatalError: there is no display or no OpenGL, or a package is missing. The message says what to install.
    """
    need("viewer", "the window")
    from conjoint.viewer.simulation import file_loader

    _simulate(file_loader(path))


def _simulate(loader: Any, left: bool = True, right: bool = True) -> None:
    """Run a window with its own simulation in this thread."""
    need("viewer", "the window")
    from conjoint.viewer.application import Application, closes
    from conjoint.viewer.simulation import Simulation

    simulation = Simulation(loader)
    application = Application(simulation, left=left, right=right)
    simulation.start()
    try:
        with closes(application):
            application.run()
    finally:
        simulation.stop()


def launch_passive(
    model: MjModel,
    data: MjData,
    *,
    key_callback: KeyCallbackType | None = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
) -> Handle:
    """Open a window for a world that the user steps, and return immediately.

    Args:
        model: the model.
        data: the world; each `Handle.sync` updates the window to its state.
        key_callback: function that receives the GLFW codes of the keys pressed in the window, in another thread.
        show_left_ui, show_right_ui: whether the panels are visible at first.

    Raises:
        ValueError: an argument has a wrong type.
        FatalError: there is no display or no OpenGL, or a package is missing. The message says what to install.
    """
    check_world(model, data)
    if key_callback is not None and not callable(key_callback):
        raise ValueError(f"`key_callback` is not callable: got {key_callback!r}")
    need("viewer", "the window")
    mj_forward(model, data)
    answer: queue.Queue[Handle | BaseException] = queue.Queue(1)
    options = key_callback, show_left_ui, show_right_ui
    threading.Thread(target=_watch, args=(model, data, options, answer), name="conjoint window", daemon=True).start()
    found = answer.get()
    if isinstance(found, BaseException):
        raise found
    return found


def _watch(model: MjModel, data: MjData, options: Any, answer: queue.Queue[Any]) -> None:
    """Run a window that shows a user's world, in a separate thread."""
    from conjoint.viewer.application import Application
    from conjoint.viewer.exchange import Exchange

    try:
        exchange = Exchange(model, data)
        application = Application(exchange, *options)
        # errors of the first frame are raised in the caller
        application.frame()
    except BaseException as error:
        answer.put(error)
        return
    answer.put(Handle(application, exchange, data))
    # a program may exit while its window is open
    atexit.register(application.close)
    application.run()
    atexit.unregister(application.close)
