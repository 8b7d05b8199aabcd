"""Thread pools as in MuJoCo's C interface: they set the number of threads that step one world."""

from __future__ import annotations

from typing import Annotated

from conjoint.api.argument_kinds import Integer
from conjoint.api.arguments import checked
from conjoint.api.objects.data import MjData
from conjoint.schema.constants import mjMAXTHREAD


class MjThreadPool:
    """Thread pool, which determines the number of threads that step the worlds bound to it by `mju_bindThreadPool`.

    Attributes:
        nthread: number of threads, including the caller's.
    """

    @checked
    def __init__(self, nthread: Annotated[int, Integer(1, mjMAXTHREAD)]):
        self.nthread = nthread
        self._bound: list[MjData] = []


@checked
def mju_threadPoolCreate(number_of_threads: int) -> MjThreadPool:
    """Create a thread pool. Its threads start when a world steps.

    Args:
        number_of_threads: number of threads, including the caller's.

    Raises:
        FatalError: the number of threads is less than one, or too large.
    """
    return MjThreadPool(number_of_threads)


@checked
def mju_bindThreadPool(d: MjData, thread_pool: MjThreadPool) -> None:
    """Bind a world to a thread pool: set `d.nthread` to the number of threads in the pool.

    Args:
        d: the world.
        thread_pool: the pool from `mju_threadPoolCreate`.
    """
    d.nthread = thread_pool.nthread
    thread_pool._bound.append(d)


@checked
def mju_threadpool(d: MjData, nthread: Annotated[int, Integer(0, mjMAXTHREAD - 1)]) -> None:
    """Set the number of extra threads, besides the caller's, that step a world: `d.nthread - 1`.

    Args:
        d: the world.
        nthread: number of extra threads.
    """
    d.nthread = nthread + 1


@checked
def mju_threadPoolDestroy(thread_pool: MjThreadPool) -> None:
    """End the threads of all worlds bound to a pool; each world then steps on its caller's thread.

    Args:
        thread_pool: the pool from `mju_threadPoolCreate`.
    """
    for d in thread_pool._bound:
        d.nthread = 1
    thread_pool._bound.clear()
