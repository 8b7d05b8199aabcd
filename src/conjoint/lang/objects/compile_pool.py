"""Compilation of several stages at the same time, in helper processes."""

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
"""Program of a helper process, which starts without searching for packages."""


LONGEST = 600.0
"""Seconds after which a helper that has not replied is killed. Compiling the largest kernels takes ten seconds."""

PATIENCE = 2.0
"""Seconds without work after which helpers exit."""

FAREWELL = 5.0
"""Seconds that a helper may take to exit after a request to do so."""


def object_files(
    count: int,
    texts: Iterable[str],
    target: Target,
    is_made: Callable[[int], bool] = lambda i: False,
    is_lean: Callable[[int], bool] = lambda i: False,
) -> Iterator[tuple[int, bytes]]:
    """Yield the index and object file of every text, in the order in which they are finished.

    If a helper does not return a complete object file, the iterating thread compiles the text in this process.

    Args:
        count: number of texts.
        texts: LLVM IR. Helpers compile the first texts while the others are generated. Each helper takes one of the
            texts that have waited longest. Processes prefer different texts, so that processes that start together
            divide the work.
        target: the machine for which the texts are compiled.
        is_made: function that returns True if another process has compiled a text. It is called from several threads,
            before a text is compiled. The object file is then empty, as it is for an empty text.
        is_lean: function that returns True if a text is compiled without optimization passes.
    """
    number = min(processors(), count)
    if processors() < 2 or (count < 2 and not HELPERS.waiting):
        for i, text in enumerate(texts):
            yield i, b"" if not text or is_made(i) else compiled_here(text, target, not is_lean(i))
        return
    if is_lean(0):
        # generating the texts takes this process about as long as one helper takes to compile them
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
        """Let a helper compile one of the waiting texts."""
        try:
            _, i, text = waiting.get_nowait()
        except Empty:
            # the caller has compiled it, because no further thread could be started at that time
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
            # this thread may hold LLVM's lock, for which a thread of the pool would wait forever: compile the text here
            yield i, compiled_here(text, target, not is_lean(i)) if code is None else code
    except BaseException as error:
        if not isinstance(error, Exception):
            # do not wait after an interrupt
            for helper in helpers:
                _give_up(helper)
        raise
    finally:
        # after an error, do not wait for the texts that remain
        pool.shutdown(cancel_futures=True)
        HELPERS.take_back(helpers)


class Helpers:
    """Pool of idle helper processes.

    Helpers wait a while before they exit, because a model and its first step are compiled one after the other.

    Attributes:
        waiting: the idle helpers.
    """

    def __init__(self) -> None:
        self.waiting: list[subprocess.Popen[bytes]] = []
        self._timer: threading.Timer | None = None
        renew_in_child(self)
        atexit.register(self.dismiss)

    def renew(self) -> None:
        """In a forked process, forget the helpers of the parent process."""
        for helper in self.waiting:
            # the helper is not a child of this process, so do not wait for its end
            helper.returncode = 0
        self.waiting, self._timer = [], None

    def borrow(self, number: int) -> list[subprocess.Popen[bytes] | None]:
        """Take up to `number` helpers from the pool, and start missing ones.

        In the result, None represents a helper that cannot start.
        """
        found: list[subprocess.Popen[bytes] | None] = []
        with contextlib.suppress(IndexError):
            while len(found) < number:
                found.append(self.waiting.pop())
        return found + [_start() for _ in range(number - len(found))]

    def take_back(self, helpers: Iterable[subprocess.Popen[bytes] | None]) -> None:
        """Return helpers to the pool, where they wait for more texts; end failed helpers."""
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
            # without a timer thread, helpers end with this process
            self._timer.start()

    def dismiss(self) -> None:
        """End all idle helpers."""
        # another thread may borrow some at the same time
        with contextlib.suppress(IndexError):
            while True:
                _dismiss(self.waiting.pop())


HELPERS = Helpers()


def _share(i: int) -> float:
    """Return a number between 0.5 and 1 that depends on the process and on `i`.

    Processes use it to rank texts differently.
    """
    return 0.5 + crc32(f"{os.getpid()} {i}".encode()) / 2**33


def _start() -> subprocess.Popen[bytes] | None:
    """Start and return a helper; return None if no helper can be started."""
    program = PROGRAM.format(path=sys.path, worker=str(Path(__file__).with_name("compile_worker.py")))
    try:
        return subprocess.Popen([sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except (OSError, TypeError):
        # no such file, or not enough memory for a process; embedded interpreters leave sys.executable unset
        return None


def _answer(helper: Any, request: bytes) -> bytes | None:
    """Return a helper's reply to a request. If the reply is incomplete, kill the helper and return None."""
    if helper is None or helper.poll() is not None:
        return None
    watch = threading.Timer(LONGEST, helper.kill)
    watch.daemon = True
    watch.start()
    try:
        send(helper.stdin, request)
        code = receive(helper.stdout)
    except (OSError, ValueError):
        # the helper was killed, because memory ran out or by an interrupt
        code = None
    finally:
        watch.cancel()
    if code is None:
        _give_up(helper)
    return code


def _give_up(helper: Any) -> None:
    """Kill a helper that no longer works as expected."""
    if helper is not None:
        helper.kill()


def _dismiss(helper: Any) -> None:
    """Ask a helper to exit, and wait until it has exited.

    Closing its input may not suffice, because a fork of this process may keep it open.
    """
    if helper is None:
        return
    # writing to a dead helper fails
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
