"""Object files of several stages at the same time, in helper processes."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, PriorityQueue, SimpleQueue
from typing import Any
from zlib import crc32

from conjoint.once import renew_in_child

from ..system import processors
from .compile_worker import Target, packed, receive, send
from .native import compiled_here

PROGRAM = "import sys; sys.path[:] = {path!r}; import runpy; runpy.run_path({worker!r}, run_name='__main__')"
"""Program of a helper: it starts without a search for packages."""


LONGEST = 600.0
"""Seconds after which a helper that has not answered is given up: the largest kernels take ten."""

PATIENCE = 2.0
"""Seconds after which helpers without work end."""

FAREWELL = 5.0
"""Seconds that a helper has to end after a request to do so."""


def object_files(
    count: int,
    texts: Iterable[str],
    target: Target,
    is_made: Callable[[int], bool] = lambda i: False,
    is_lean: Callable[[int], bool] = lambda i: False,
) -> Iterator[tuple[int, bytes]]:
    """Yield the index and object file of every text, in the order in which they are finished.

    What a helper does not answer, or answers in half, is compiled in this process, by the thread that iterates.

    Args:
        count: number of texts.
        texts: LLVM IR. Helpers compile the first texts while the others are made, always one of the longest that wait.
            Each process chooses another, so that processes that start together share the work.
        target: the machine.
        is_made: asked, in threads, before a text is compiled: whether another process has done it. Then, and for an
            empty text, there is an empty object file.
        is_lean: whether a text is compiled without passes.
    """
    number = min(processors(), count)
    if processors() < 2 or (count < 2 and not HELPERS.waiting):
        for i, text in enumerate(texts):
            yield i, b"" if not text or is_made(i) else compiled_here(text, target, not is_lean(i))
        return
    if is_lean(0):
        # to write the texts takes this process about as long as one helper needs to compile them
        number = max(number - 1, 1)
    yield from _made_by_helpers(HELPERS.borrow(number), texts, target, is_made, is_lean)


def _made_by_helpers(
    helpers: Sequence[Any],
    texts: Iterable[str],
    target: Target,
    is_made: Callable[[int], bool],
    is_lean: Callable[[int], bool],
) -> Iterator[tuple[int, bytes]]:
    """Compile texts for `object_files` with helpers, and return the helpers to the pool afterwards."""
    free: SimpleQueue[Any] = SimpleQueue()
    for helper in helpers:
        free.put(helper)
    waiting: PriorityQueue[tuple[float, int, str]] = PriorityQueue()
    answers: SimpleQueue[tuple[int, str, bytes | BaseException | None]] = SimpleQueue()

    def ask() -> None:
        """Have a helper compile one of the texts that wait."""
        try:
            _, i, text = waiting.get_nowait()
        except Empty:
            # the caller has taken it, since this thread could not be started then
            return
        helper = free.get()
        try:
            code = b"" if not text or is_made(i) else _answer(helper, packed(text, target, not is_lean(i)))
            answers.put((i, text, code))
        except BaseException as error:
            answers.put((i, text, error))
        finally:
            free.put(helper)

    pool, count = ThreadPoolExecutor(len(helpers)), 0
    try:
        for text in texts:
            waiting.put((-len(text) * _share(count), count, text))
            count += 1
            try:
                pool.submit(ask)
            except RuntimeError:
                # no further thread can be started
                ask()
        for _ in range(count):
            i, text, code = answers.get()
            if isinstance(code, BaseException):
                raise code
            # compiled by the caller, which may hold the lock of LLVM: a thread of the pool would wait for it forever
            yield i, compiled_here(text, target, not is_lean(i)) if code is None else code
    except BaseException as error:
        if not isinstance(error, Exception):
            # do not wait after an interrupt
            for helper in helpers:
                _give_up(helper)
        raise
    finally:
        # do not wait for the rest after an error
        pool.shutdown(cancel_futures=True)
        HELPERS.take_back(helpers)


class Helpers:
    """Helpers without work: they wait a moment for the next texts, as a model and its first step are compiled in turn.

    Attributes:
        waiting: the helpers.
    """

    def __init__(self) -> None:
        self.waiting: list[subprocess.Popen[bytes]] = []
        self._timer: threading.Timer | None = None
        renew_in_child(self)
        atexit.register(self.dismiss)

    def renew(self) -> None:
        """Forget the helpers of the parent of a forked process."""
        for helper in self.waiting:
            # the ended process is not a child of this one
            helper.returncode = 0
        self.waiting, self._timer = [], None

    def borrow(self, number: int) -> list[subprocess.Popen[bytes] | None]:
        """Return helpers, and start those that are missing; None stands for one that cannot be started."""
        found: list[subprocess.Popen[bytes] | None] = []
        with contextlib.suppress(IndexError):
            while len(found) < number:
                found.append(self.waiting.pop())
        return found + [_start() for _ in range(number - len(found))]

    def take_back(self, helpers: Iterable[subprocess.Popen[bytes] | None]) -> None:
        """Let helpers wait for more texts, except failed ones."""
        for helper in helpers:
            if helper is not None and helper.poll() is None:
                self.waiting.append(helper)
            else:
                _dismiss(helper)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(PATIENCE, self.dismiss)
        self._timer.daemon = True
        with contextlib.suppress(RuntimeError):
            # without a thread they end with this process
            self._timer.start()

    def dismiss(self) -> None:
        """End the helpers that have nothing to do."""
        # another thread may borrow some meanwhile
        with contextlib.suppress(IndexError):
            while True:
                _dismiss(self.waiting.pop())


HELPERS = Helpers()


def _share(i: int) -> float:
    """Return a number between 0.5 and 1 that differs between processes."""
    return 0.5 + crc32(f"{os.getpid()} {i}".encode()) / 2**33


def _start() -> subprocess.Popen[bytes] | None:
    """Return a helper; None if none can be started."""
    program = PROGRAM.format(path=sys.path, worker=str(Path(__file__).with_name("compile_worker.py")))
    try:
        return subprocess.Popen([sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except (OSError, TypeError):
        # no such file, or no room for a process; embedded interpreters leave sys.executable unset
        return None


def _answer(helper: Any, request: bytes) -> bytes | None:
    """Return the answer of a helper; return None if it is incomplete, and then drop the helper."""
    if helper is None or helper.poll() is not None:
        return None
    watch = threading.Timer(LONGEST, helper.kill)
    watch.daemon = True
    watch.start()
    try:
        send(helper.stdin, request)
        code = receive(helper.stdout)
    except (OSError, ValueError):
        # it was killed, for want of memory or by an interrupt
        code = None
    finally:
        watch.cancel()
    if code is None:
        _give_up(helper)
    return code


def _give_up(helper: Any) -> None:
    """End a helper that cannot be trusted any more."""
    if helper is not None:
        helper.kill()


def _dismiss(helper: Any) -> None:
    """Tell a helper to end: a fork of this process may hold the other end of its input open."""
    if helper is None:
        return
    # messages to a dead helper cannot be written
    with contextlib.suppress(OSError):
        send(helper.stdin, b"")
    with contextlib.suppress(OSError):
        helper.stdin.close()
    helper.stdout.close()
    try:
        helper.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        helper.kill()
        helper.wait()
