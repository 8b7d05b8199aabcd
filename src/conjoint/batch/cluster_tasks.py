"""Tasks of a Ray cluster, one for each block of worlds: sending, waiting, cancellation, and error messages.

A cluster started here is reachable from this machine only, because access to Ray's ports allows running any program.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ray
from ray._private import ray_constants, services
from rich.console import Console
from rich.progress import Progress

from conjoint.batch.cluster_worker import engine
from conjoint.lang import ArgumentError, FatalError
from conjoint.lang.warn import warn
from conjoint.once import made_once

LOOK = 1.0
"""Time (s) between two checks of the tasks that a call waits for."""

PATIENCE = 30.0
"""Time (s) without a finished block after which a warning describes what a call is waiting for."""

HEAD_LOST = 10.0
"""Time (s) without a response after which the head node counts as lost; Ray ends programs after 60 s."""


@dataclass(frozen=True)
class Limits:
    """Time limits, retry limits, and processors of the workers.

    Attributes:
        nthread: number of processors of a worker.
        retries: number of times that a block is sent again if its worker dies.
        timeout: time (s) without a finished block after which a call fails.
    """

    nthread: int
    retries: int
    timeout: float


def made_task(limits: Limits) -> Any:
    """Return the Ray task for one block: a function that returns `(answer, state)` as `cluster_worker.work` does.

    The task is pickled by value, so that a worker with another version of this package can report the mismatch before
    it reads anything else.
    """

    def work_of_conjoint(expected: dict[str, str], settings: Any, model: list, *given: Any) -> Any:
        import conjoint

        try:
            from conjoint.batch.cluster_worker import engine, work
        except ImportError:
            found = {"conjoint": str(getattr(conjoint, "__version__", "unknown"))}
        else:
            found = engine()
        if found != expected:
            return {"engine": found}, None
        return work(settings, lambda: ray.get(model[0]), *given)

    work_of_conjoint.__qualname__ = work_of_conjoint.__name__
    return ray.remote(num_returns=2, num_cpus=limits.nthread, max_retries=limits.retries)(work_of_conjoint)


def check_room(nthread: int) -> None:
    """Raise FatalError if no node of the cluster has `nthread` processors."""
    most = max((node_processors(node) for node in alive_nodes()), default=0)
    if nthread > most:
        raise FatalError(
            f"nthread={nthread}: a worker needs as many processors, but the largest node of the cluster has only {most}"
        )


def count_of_workers(nthread: int) -> int:
    """Return the number of workers with `nthread` threads each that fit on the cluster."""
    return sum(node_processors(node) // nthread for node in alive_nodes())


def alive_nodes() -> list[Mapping[str, Any]]:
    """Return the nodes of the cluster that are alive."""
    return [node for node in ray.nodes() if node["Alive"]]


def node_processors(node: Mapping[str, Any]) -> int:
    """Return the number of processors of a node that Ray may use."""
    return int(node["Resources"].get("CPU", 0))


def gathered(tasks: Sequence[Any], limits: Limits) -> list[Any]:
    """Return the results of tasks in the order of the tasks; on a terminal, show a progress bar.

    Raises:
        FatalError: a worker has another engine or raised an error, a block was lost, or the timeout expired.
        BaseException: an interrupt; then all tasks are cancelled.
    """
    answers: dict[Any, Any] = {}
    console = Console(stderr=True)
    quiet = not console.is_terminal or len(tasks) == 1
    try:
        with Progress(console=console, transient=True, disable=quiet) as progress:
            bar = progress.add_task("blocks of worlds", total=len(tasks))
            for task in as_they_come(tasks, limits):
                answers[task] = answered(task)
                progress.advance(bar)
    except BaseException:
        for task in tasks:
            # finished tasks are not cancelled
            with contextlib.suppress(Exception):
                ray.cancel(task)
        raise
    return [answers[task] for task in tasks]


def as_they_come(tasks: Sequence[Any], limits: Limits) -> Any:
    """Yield tasks in the order in which they finish.

    Raises:
        FatalError: the timeout expired, no node can run the tasks any more, or the head of the cluster is lost.
    """
    waiting, last, reported = list(tasks), time.monotonic(), False
    while waiting:
        done, waiting = ray.wait(waiting, timeout=LOOK)
        if done:
            last = time.monotonic()
            yield from done
            continue
        idle = time.monotonic() - last
        check_head()
        if idle > limits.timeout:
            raise FatalError(
                f"no block of worlds has come back for {idle:.0f} s ({state_of(waiting, limits)}): a worker may be "
                "stopped, or needs longer: give more timeout, or take fewer steps in a call. Worlds are as before it"
            )
        if idle > PATIENCE and not reported:
            reported = True
            check_room(limits.nthread)
            warn(f"the cluster is waited for since {idle:.0f} s: {state_of(waiting, limits)}", UserWarning)


def state_of(waiting: Sequence[Any], limits: Limits) -> str:
    """Return a description of what the unfinished blocks are waiting for."""
    free = int(ray.available_resources().get("CPU", 0))
    every = sum(node_processors(node) for node in alive_nodes())
    return f"{len(waiting)} blocks are running; {free} of {every} processors are free, a block needs {limits.nthread}"


def answered(task: Any) -> Any:
    """Return the result of a task, or raise its error."""
    try:
        answer = ray.get(task)
    except ray.exceptions.RayTaskError as error:
        # raise an error of the worker's batch as a local batch would
        cause = error.cause
        if isinstance(cause, FatalError | ArithmeticError | MemoryError):
            raise cause from None
        raise FatalError(f"a worker of the cluster failed: {cause or error}") from error
    except ray.exceptions.RayError as error:
        raise FatalError(
            f"the cluster lost a block of worlds: {error}; worlds are as before the call: try again, or give retries"
        ) from error
    if "engine" in answer:
        raise FatalError(
            f"a worker of the cluster has another engine than this program and would compute different numbers: "
            f"{in_words(answer['engine'])} there, {in_words(engine())} here; install the same version on every node"
        )
    return answer


def in_words(versions: Mapping[str, str]) -> str:
    """Return package versions as text."""
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def head_answers() -> bool:
    """Return True if the head of the cluster responds, or if Ray Client is used, which checks this itself."""
    if ray.util.client.ray.is_connected():
        return True
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=LOOK):
            return True
    except OSError:
        return False


def check_connected() -> None:
    """Raise FatalError if Ray is disconnected, and HeadLost if its head is known to be lost."""
    if not ray.is_initialized():
        raise FatalError("Ray is disconnected: restore the worlds, or their checkpoint, in another batch")
    if _lost.is_set():
        raise HeadLost(LOST)


def check_head() -> None:
    """Raise HeadLost if the head of the cluster does not respond for HEAD_LOST seconds."""
    start = time.monotonic()
    while not head_answers():
        if time.monotonic() - start > HEAD_LOST:
            raise HeadLost(LOST)
        time.sleep(LOOK)


_lost = threading.Event()
"""Event that is set while the head of the cluster is known to be lost."""


@made_once
def watch_head() -> None:
    """Start a thread that detects and reports the loss of the cluster's head, even between calls."""
    threading.Thread(target=_watch, name="conjoint cluster", daemon=True).start()


def _watch() -> None:
    while True:
        time.sleep(LOOK)
        try:
            if ray.is_initialized():
                check_head()
            _lost.clear()
        except HeadLost:
            if not _lost.is_set():
                print(f"conjoint: {LOST}. {ADVICE}", file=sys.stderr, flush=True)
            _lost.set()
        except Exception:
            # Ray may be shutting down at the same time
            continue


LOST = "the head of the Ray cluster no longer responds"
ADVICE = (
    "Ray ends this program in a minute, unless the next call of a ClusterBatch, or ray.shutdown(), leaves it before. "
    "Worlds come home by that call if they can; a file of checkpoint= stays"
)
"""Message for a program whose cluster lost its head between two calls."""


class HeadLost(FatalError):
    """Error that the head of the cluster has ended, or cannot be reached."""


LOOPBACK = "127.0.0.1"

REACHED_WITHIN = 10.0
"""Maximum time (s) that a cluster may take to respond on connection."""

SWITCH = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Environment variable that lets nodes on other machines join Ray; on Linux it is enabled by default."""

QUIET: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False}


def connect(address: str | None) -> None:
    """Connect to a Ray cluster, or start one on the loopback address of this machine.

    Args:
        address: address of the cluster; "local" for a new one. None for RAY_ADDRESS, a cluster that `ray start` started
            on this machine, or else a new one.
    """
    find: Any = services.canonicalize_bootstrap_address
    named = address if address not in (None, "local") else find(address)
    if named is not None:
        check_reachable(str(named))
        ray.init(address=address, **QUIET)
        return
    with _on_loopback():
        context: Any = ray.init(address="local", **QUIET)
    node = str(context.address_info["node_ip_address"])
    if node != LOOPBACK:
        warnings.warn(f"Ray listens at {node}: other machines may reach it, and run programs through it", stacklevel=3)


def check_reachable(address: str) -> None:
    """Raise FatalError if nothing responds at an address `host:port`, because Ray would wait forever.

    Ray itself checks "auto" and addresses with a protocol.
    """
    host, _, port = address.rpartition(":")
    if address == "auto" or "://" in address:
        return
    if not host or not port.isdigit():
        raise ArgumentError(
            f"the address of a cluster is host:port, 'auto', 'local' or ray://host:port, not {address!r}"
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED_WITHIN):
            pass
    except (OSError, OverflowError) as error:
        raise FatalError(
            f"no Ray cluster responds at {address} ({error}): start one with `ray start --head`, or use another address"
        ) from None


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Within this context, restrict Ray to this machine, which is its default on macOS and Windows.

    The argument `_node_ip_address` of `ray.init` does not help, because Ray replaces 127.0.0.1 with the external
    address.
    """
    before, variable = getattr(ray_constants, "ENABLE_RAY_CLUSTER", None), os.environ.get(SWITCH)
    # for this process, which has already read the variable, and for its child processes
    ray_constants.ENABLE_RAY_CLUSTER = False
    os.environ[SWITCH] = "0"
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before
        if variable is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = variable
