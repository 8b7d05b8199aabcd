"""Object files of several stages at the same time, in helper processes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .worker import Target, object_file

PROGRAM = "import sys; sys.path[:] = {path!r}; import runpy; runpy.run_path({worker!r}, run_name='__main__')"
"""What a helper runs: it starts without looking for packages."""


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def object_files(texts: Sequence[str], target: Target) -> Iterator[tuple[int, bytes]]:
    """Index and object file of every text, in the order in which they are finished; the longest are begun first."""
    count = min(processors(), len(texts))
    if count < 2:
        for i, text in enumerate(texts):
            yield i, object_file(text, target)
        return
    helpers = [_start() for _ in range(count)]
    free: SimpleQueue[Any] = SimpleQueue()
    for helper in helpers:
        free.put(helper)

    def compiled(text: str) -> bytes:
        helper = free.get()
        try:
            pickle.dump((text, tuple(target)), helper.stdin)
            helper.stdin.flush()
            return pickle.load(helper.stdout)
        except (OSError, EOFError):
            # a helper that cannot be started, or was killed for want of memory
            return object_file(text, target)
        finally:
            free.put(helper)

    try:
        with ThreadPoolExecutor(count) as pool:
            order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
            jobs = {pool.submit(compiled, texts[i]): i for i in order}
            for job in as_completed(jobs):
                yield jobs[job], job.result()
    finally:
        for helper in helpers:
            helper.stdin.close()
            helper.stdout.close()
            helper.wait()


def _start() -> Any:
    program = PROGRAM.format(path=sys.path, worker=str(Path(__file__).with_name("worker.py")))
    return subprocess.Popen([sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
