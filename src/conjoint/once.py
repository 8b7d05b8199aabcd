"""Results that a process computes only once, on any thread, and work that a fork must not interrupt.

Machine code and other native handles must not be created twice: the second would replace the first, which is freed
while its address is in use. `functools.cache` allows two threads to compute a result at the same time; `made_once` does
not.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any, Generic, Protocol, TypeVar, cast, overload
from weakref import WeakSet

Made = TypeVar("Made")
Maker = TypeVar("Maker", bound=Callable[..., Any])

PATIENCE = 60.0
"""Maximum time that a fork waits for `MAKING` (s)."""


def renew_in_child(item: Renewed) -> None:
    """Register `item`, so that its method `renew` is called in every forked child while the object exists."""
    _renewed.add(item)


class ForkLock:
    """Reentrant lock that is free in a forked child, even if a thread of the parent held it.

    with lock.held:
        ...

    Attributes:
        held: the lock itself. A child replaces it, but a `with` statement still releases the lock that it acquired.
    """

    __slots__ = ("__weakref__", "held")

    def __init__(self) -> None:
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """Replace the lock by a new lock, which is free."""
        self.held = threading.RLock()


FREE = "free"
"""Key in `Turn.slots` that is present while no thread holds the lock."""


class Turn:
    """Lock that allows one thread at a time to work on an object.

    Steps use it instead of a `threading` lock because it is faster: deleting a key from a dictionary and storing it
    again takes 70 ns, while acquiring and releasing a lock takes 240 ns. A single bytecode acquires it, so that no
    signal can arrive before the `try` that releases it (`api.functions.functions.run`).

    Attributes:
        slots: dictionary with the key FREE, or empty while a thread holds the lock.
    """

    __slots__ = ("__weakref__", "slots")

    def __init__(self) -> None:
        self.slots = {FREE: True}
        renew_in_child(self)

    def renew(self) -> None:
        """Release the lock, whichever thread holds it."""
        self.slots[FREE] = True

    def is_of_this_thread(self) -> bool:
        """Return True if this thread holds the lock: if a local variable on its call stack refers to `slots`."""
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_locals.get("slots") is self.slots and frame.f_locals.get("mine"):
                return True
            frame = frame.f_back
        return False

    def wait(self) -> None:
        """Sleep briefly, because another thread holds the lock."""
        time.sleep(PAUSE)


PAUSE = 1e-4
"""Time between two attempts to acquire a `Turn` (s)."""


class Renewed(Protocol):
    """Object that must be reset in a forked child."""

    def renew(self) -> None:
        """Reset the state that other threads of the parent may have left, such as locks that they held."""


_renewed: WeakSet[Renewed] = WeakSet()


class _Pause:
    """Reentrant lock that disables Python's garbage collection while a thread holds it.

    Objects that are imported or created under the lock are permanent. Searching them for garbage again and again, while
    their number grows, would take 10% of a program's startup time.
    """

    __slots__ = ("collects", "depth", "lock")

    def __init__(self) -> None:
        self.lock, self.depth, self.collects = threading.RLock(), 0, False

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Hold the lock during a `with` statement.

        If an interrupt arrives while the thread waits for the lock, the next call raises it. That call is in the body
        of this generator, which releases the lock. A separate `__enter__` method would leave it locked forever.
        """
        with self.lock:
            self.depth += 1
            try:
                if self.depth == 1:
                    self.collects = gc.isenabled()
                    gc.disable()
                yield
            finally:
                self.depth -= 1
                if self.depth == 0:
                    self.end()

    def end(self) -> None:
        """Enable garbage collection again. If many objects were created, first move all to the oldest generation."""
        if self.collects:
            if gc.get_count()[0] > gc.get_threshold()[0] and gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class Making:
    """Lock for work that must be done only once in a process. Its interface is that of `ForkLock`.

    Attributes:
        pause: the underlying lock.
    """

    def __init__(self) -> None:
        self.pause = _Pause()
        renew_in_child(self)

    @property
    def held(self) -> AbstractContextManager[None]:
        """Context manager that holds the lock in a `with` statement."""
        return self.pause.entered()

    def renew(self) -> None:
        """Replace the lock by a new lock, which is free."""
        if self.pause.depth:
            self.pause.end()
        self.pause = _Pause()


MAKING = Making()
"""Lock that is held during work that is done once, during LLVM's work, and during imports on first use.

There is a single lock for all of this, so two threads cannot wait for each other. While it is held, only functions
of this package and modules that they import run, but no user code. No module acquires it while the module is being
imported, because another thread may hold the lock and wait for that module.

A fork waits for this lock. The child could not repair LLVM's locks, nor the locks of modules that are being imported.
They would be held forever by a thread that does not exist in the child.
"""


def made_once(make: Maker) -> Maker:
    """Decorate `make` to run once per process for the same arguments. Other threads wait for the result.

    If `make` raises an error, nothing is stored. `cache_clear` discards all results.
    """
    kept = functools.cache(make)

    @functools.cache
    @functools.wraps(make)
    def found(*args: Any) -> Any:
        # cache miss
        with MAKING.held:
            return kept(*args)

    forget = found.cache_clear

    def cache_clear() -> None:
        kept.cache_clear()
        forget()

    found.cache_clear = cache_clear  # type: ignore[method-assign]
    return cast(Maker, found)


def made_alike(make: Maker) -> Maker:
    """Decorate `make` to cache its results. All threads get the same result, but two may run `make` at the same time.

    Unlike `made_once`, this does not acquire a lock, so it can be used while modules are being imported.
    """
    kept: dict[Any, Any] = {}

    @functools.wraps(make)
    def found(*args: Any) -> Any:
        try:
            return kept[args]
        except KeyError:
            return kept.setdefault(args, make(*args))

    return cast(Maker, found)


class derived(Generic[Made]):
    """Attribute that is computed on first access and then stored. All threads get the same object.

    Two threads may compute it at the same time. It is used instead of `functools.cached_property`, which up to Python
    3.11 has one lock for all objects. This lock could be locked in a forked child.
    """

    def __init__(self, compute: Callable[[Any], Made]):
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, item: None, owner: type) -> derived[Made]: ...
    @overload
    def __get__(self, item: object, owner: type) -> Made: ...
    def __get__(self, item: object | None, owner: type) -> derived[Made] | Made:
        if item is None:
            return self
        values: dict[str, Any] = item.__dict__
        kept: Made = values.setdefault(self.name, self.compute(item))
        return kept


class _Forks(threading.local):
    """Record of the lock that this thread acquired before a fork, to be released afterwards; None otherwise."""

    lock: Any = None


_forks = _Forks()


def _before_fork() -> None:
    """Acquire `MAKING` before a fork, so that LLVM and imports are idle, but wait at most `PATIENCE` seconds.

    The wait is limited because the thread that holds the lock may wait for this thread.
    """
    lock = MAKING.pause.lock
    _forks.lock = lock if lock.acquire(timeout=PATIENCE) else None


def _after_fork_in_parent() -> None:
    if _forks.lock is not None:
        _forks.lock.release()
        _forks.lock = None


def _after_fork_in_child() -> None:
    _forks.lock = None
    for item in list(_renewed):
        item.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
