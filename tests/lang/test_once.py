"""Cached objects are created by one thread for all callers, without caching errors, and waiting can be interrupted."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from conjoint.once import MAKING, derived, made_once
from waiting import PATIENCE


def at_once(count: int, ask) -> list:
    """Return the results of `count` threads that call `ask` at the same moment."""
    start, found = threading.Barrier(count), []

    def work() -> None:
        start.wait()
        found.append(ask())

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_threads_get_one_thing() -> None:
    made: list[object] = []

    @made_once
    def inner() -> object:
        time.sleep(0.01)
        made.append(object())
        return made[-1]

    @made_once
    def outer(number: int) -> tuple[int, object]:
        time.sleep(0.01)
        return number, inner()

    asks = [lambda: outer(1)[1], inner]
    found = at_once(16, lambda: asks[threading.get_ident() % 2]())
    assert len(made) == 1 and all(item is made[0] for item in found)
    outer.cache_clear()
    inner.cache_clear()
    assert outer(1)[1] is made[1]


def test_errors_are_not_kept() -> None:
    tries: list[int] = []

    @made_once
    def make() -> int:
        tries.append(1)
        if len(tries) < 2:
            raise ValueError("not yet")
        return len(tries)

    with pytest.raises(ValueError, match="not yet"):
        make()
    assert make() == make() == 2


def test_threads_get_one_attribute() -> None:
    class Item:
        @derived
        def part(self) -> object:
            time.sleep(0.01)
            return object()

    item = Item()
    assert len({id(part) for part in at_once(16, lambda: item.part)}) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")
def test_who_waits_can_be_interrupted() -> None:
    over = threading.Event()
    held = threading.Event()

    def hold() -> None:
        with MAKING.held:
            held.set()
            over.wait()

    make = made_once(lambda: 1)
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    # a process that a shell starts in the background ignores interrupts
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            make()
    finally:
        over.set()
        thread.join()
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert make() == 1


IMPORTS = """
import importlib, pkgutil
import conjoint.once

def held(lock):
    raise AssertionError("a module takes a lock while it is imported")

conjoint.once.ForkLock.held = property(held, lambda lock, value: None)
import conjoint
for module in pkgutil.walk_packages(conjoint.__path__, "conjoint."):
    if "__main__" not in module.name:
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            # an extra is not installed
            assert "pip install" in str(error), error
"""


def test_no_module_takes_a_lock_while_it_is_imported() -> None:
    """No module acquires a lock during its import, because the lock's holder could be waiting for the module."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_garbage_is_looked_for_while_things_are_made() -> None:
    """Garbage collection is off while objects are created, and is restored afterward, even in a forked child."""
    assert gc.isenabled()
    with MAKING.held:
        with MAKING.held:
            assert not gc.isenabled()
        assert not gc.isenabled()
        if hasattr(os, "fork"):
            child = os.fork()
            if child == 0:
                os._exit(7 if gc.isenabled() else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with MAKING.held:
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_interrupt_of_a_thread_that_waits_leaves_the_lock_free() -> None:
    """An interrupt during the wait for a lock leaves the lock free."""
    holding, over = threading.Event(), threading.Event()

    def hold() -> None:
        with MAKING.held:
            holding.set()
            over.wait(PATIENCE)

    def interrupt() -> None:
        time.sleep(0.1)
        signal.raise_signal(signal.SIGINT)
        over.set()

    threads = [threading.Thread(target=hold), threading.Thread(target=interrupt)]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threads[0].start()
        holding.wait(PATIENCE)
        with pytest.raises(KeyboardInterrupt):
            threads[1].start()
            with MAKING.held:
                over.wait(PATIENCE)
    finally:
        for thread in threads:
            thread.join()
        signal.signal(signal.SIGINT, before)
    free: list[bool] = []

    def take() -> None:
        free.append(MAKING.pause.lock.acquire(blocking=False))
        if free[0]:
            MAKING.pause.lock.release()

    other = threading.Thread(target=take)
    other.start()
    other.join()
    assert free == [True] and gc.isenabled()
