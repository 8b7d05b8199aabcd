"""Object files of several stages at the same time, in helper processes."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import PriorityQueue, SimpleQueue
from typing import Any

from .worker import Target, object_file

PROGRAM = "import sys; sys.path[:] = {path!r}; import runpy; runpy.run_path({worker!r}, run_name='__main__')"
"""What a helper runs: it starts without looking for packages."""


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def object_files(count: int, texts: Iterable[str], target: Target) -> Iterator[tuple[int, bytes]]:
    """Index and object file of every text, in the order in which they are finished.

    Args:
        count: number of texts.
        texts: LLVM IR. Helpers compile the first of them while the others are made, always the longest that waits.
        target: the machine.
    """
    number = min(processors(), count)
    if number < 2:
        for i, text in enumerate(texts):
            yield i, object_file(text, target)
        return
    helpers = [_start() for _ in range(number)]
    free: SimpleQueue[Any] = SimpleQueue()
    for helper in helpers:
        free.put(helper)
    waiting: PriorityQueue[tuple[int, int, str]] = PriorityQueue()

    def compiled() -> tuple[int, bytes]:
        _, i, text = waiting.get()
        helper = free.get()
        try:
            pickle.dump((text, tuple(target)), helper.stdin)
            helper.stdin.flush()
            return i, pickle.load(helper.stdout)
        except (OSError, EOFError):
            # a helper that cannot be started, or was killed for want of memory
            return i, object_file(text, target)
        finally:
            free.put(helper)

    pool = ThreadPoolExecutor(number)
    try:
        jobs = []
        for i, text in enumerate(texts):
            waiting.put((-len(text), i, text))
            jobs.append(pool.submit(compiled))
        for job in as_completed(jobs):
            yield job.result()
    finally:
        # after an error nobody waits for the rest
        pool.shutdown(cancel_futures=True)
        for helper in helpers:
            # what was meant for one that is dead cannot be written
            with contextlib.suppress(OSError):
                helper.stdin.close()
            helper.stdout.close()
            helper.wait()


def _start() -> Any:
    program = PROGRAM.format(path=sys.path, worker=str(Path(__file__).with_name("worker.py")))
    return subprocess.Popen([sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
