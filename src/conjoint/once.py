"""Results that a process makes once, whichever thread comes first, and work that a fork must not interrupt.

Machine code and other native handles must not be made twice: the second would take the place of the first, which is
freed while its address is in use. `functools.cache` lets two threads make a result at the same time; `made_once` does
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
"""Seconds that a fork waits for `MAKING`."""


def renew_in_child(item: Renewed) -> None:
    """Have `item.renew` called in every child of a fork, as long as it lives."""
    _renewed.add(item)


class ForkLock:
    """A reentrant lock that a forked child finds free, whichever thread of its parent held it.

    with lock.held:
        ...

    Attributes:
        held: the lock itself. A `with` statement holds it, and ends well in a child, too, that has got another.
    """

    __slots__ = ("__weakref__", "held")

    def __init__(self) -> None:
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """Take a new lock, which is free."""
        self.held = threading.RLock()


FREE = "free"
"""Slot of a `Turn` that no thread has."""


class Turn:
    """Right of one thread at a time to work on an object.

    It replaces a lock that every step would acquire: taking a slot out of a dictionary and putting it back takes 70 ns,
    a lock 240 ns. One bytecode acquires it, so that no signal comes before the `try` that releases it
    (`api.functions.functions.run`).

    Attributes:
        slots: FREE, or empty while a thread has the turn.
    """

    __slots__ = ("__weakref__", "slots")

    def __init__(self) -> None:
        self.slots = {FREE: True}
        renew_in_child(self)

    def renew(self) -> None:
        """Release the turn, whichever thread had it."""
        self.slots[FREE] = True

    def is_of_this_thread(self) -> bool:
        """Return True if a function on the call stack of this thread holds the turn, in its local variable `slots`."""
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_locals.get("slots") is self.slots and frame.f_locals.get("mine"):
                return True
            frame = frame.f_back
        return False

    def wait(self) -> None:
        """Wait a little: some other thread has the turn."""
        time.sleep(PAUSE)


PAUSE = 1e-4
"""Seconds between two looks at whether a turn is free."""


class Renewed(Protocol):
    """Object that a child of a fork renews."""

    def renew(self) -> None:
        """Forget the work of other threads of the parent."""


_renewed: WeakSet[Renewed] = WeakSet()


class _Pause:
    """A reentrant lock; while a thread holds it, Python looks for no garbage, and then not in what was made meanwhile.

    What is imported and made once stays. To look for garbage in it, again and again while it grows, would take a tenth
    of the time in which a program starts.
    """

    __slots__ = ("collects", "depth", "lock")

    def __init__(self) -> None:
        self.lock, self.depth, self.collects = threading.RLock(), 0, False

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Hold the lock.

        An interrupt that comes while the thread waits for it is raised by the next call: in this body, which gives the
        lock back. An `__enter__` of our own would leave it locked forever.
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
        """Let Python look for garbage again; if many objects were made, move all to the oldest generation first."""
        if self.collects:
            if gc.get_count()[0] > gc.get_threshold()[0] and gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class Making:
    """A lock for what is made once, of the same use as a `ForkLock`.

    Attributes:
        pause: the lock itself.
    """

    def __init__(self) -> None:
        self.pause = _Pause()
        renew_in_child(self)

    @property
    def held(self) -> AbstractContextManager[None]:
        """Holds the lock in a `with` statement."""
        return self.pause.entered()

    def renew(self) -> None:
        """Take a new lock, which is free."""
        if self.pause.depth:
            self.pause.end()
        self.pause = _Pause()


MAKING = Making()
"""Held while something is made once, while LLVM works, and while what is needed later is imported.

There is one lock for all of it, so two makers that call each other cannot wait for each other. Under it run only
functions of this package and what they import, no code of programs. No module takes it while it is imported: another
thread may hold it and wait for that module.

A fork waits for it. The child could mend neither LLVM's locks nor those of modules that are being imported: they would
be held for ever by a thread that the child does not have.
"""


def made_once(make: Maker) -> Maker:
    """Run `make` once in a process for the same arguments; other threads wait for the result.

    If it raises an error, nothing is stored. `cache_clear` drops the results.
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
    """Cache the results of `make` by its arguments: all threads get the same result; two may run it at once.

    Unlike `made_once` it takes no lock, so it can be called while modules are imported.
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
    """Attribute that is computed on first access and then stored: all threads get the same object.

    Two threads may compute it at once. It replaces `functools.cached_property`: up to Python 3.11, this holds one lock
    for all objects, which a forked child would find locked.
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
    """Lock of `MAKING` that a forking thread holds."""

    lock: Any = None


_forks = _Forks()


def _before_fork() -> None:
    """Wait until LLVM and imports are at rest; not for ever, as whoever holds them may wait for this thread."""
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
