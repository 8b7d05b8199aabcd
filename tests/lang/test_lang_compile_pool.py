"""Helper processes compile LLVM texts while later texts are still being generated; failures of helpers are handled."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from conjoint.lang import FatalError, Field
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import WORLD
from conjoint.lang.objects import compile_pool
from conjoint.lang.objects.native import host, load_objects
from conjoint.once import MAKING
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

COUNT = 6


def text(i: int) -> str:
    """Return LLVM IR of a function that returns i."""
    return f"define i32 @answer{i}() {{\n{'  ; longer' * i}\n  ret i32 {i}\n}}\n"


def answers(made: dict[int, bytes]) -> dict[int, int | None]:
    """Return the result of each object's function, or None for an empty object."""
    found: dict[int, int | None] = {}
    for i, code in made.items():
        name = f"answer{i}"
        found[i] = ctypes.CFUNCTYPE(ctypes.c_int32)(load_objects([code], [name])[name])() if code else None
    return found


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list]:
    """Yield a list of the started helpers; there are at most two, whatever the number of processors."""
    compile_pool.HELPERS.dismiss()
    found: list = []
    start = compile_pool._start

    def recorded():
        found.append(start())
        return found[-1]

    monkeypatch.setattr(compile_pool, "_start", recorded)
    monkeypatch.setattr(compile_pool, "processors", lambda: 2)
    yield found
    compile_pool.HELPERS.dismiss()


def test_every_text_gets_its_object(started: list) -> None:
    made = dict(compile_pool.object_files(COUNT, (text(i) for i in range(COUNT)), host()))
    assert answers(made) == {i: i for i in range(COUNT)}
    compile_pool.HELPERS.dismiss()
    assert [helper.returncode for helper in started] == [0, 0]


@pytest.mark.parametrize("number", [1, 2])
def test_what_others_have_made_is_not_made_again(started: list, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(compile_pool, "processors", lambda: number)
    given = ["" if i == 3 else text(i) for i in range(COUNT)]
    made = dict(compile_pool.object_files(COUNT, iter(given), host(), lambda i: i % 2 == 0))
    assert answers(made) == {i: i if i in (1, 5) else None for i in range(COUNT)}


@pytest.mark.parametrize("number", [1, 2])
def test_texts_are_compiled_without_passes(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(compile_pool, "processors", lambda: number)
    given = (text(i) for i in range(COUNT))
    made = dict(compile_pool.object_files(COUNT, given, host(), is_lean=lambda i: i < 3))
    assert answers(made) == {i: i for i in range(COUNT)}


def test_an_error_in_a_later_text_ends_the_helpers(started: list) -> None:
    def texts() -> Iterator[str]:
        yield text(0)
        raise FatalError("a rule is broken")

    with pytest.raises(FatalError, match="a rule is broken"):
        list(compile_pool.object_files(COUNT, texts(), host()))
    compile_pool.HELPERS.dismiss()
    assert [helper.returncode for helper in started] == [0, 0]


def test_an_error_of_llvm_comes_back(started: list) -> None:
    """If LLVM rejects a text, a helper dies; this process compiles the text again to raise the error."""
    with pytest.raises(RuntimeError, match="expected"):
        list(compile_pool.object_files(2, iter([text(0), "define nonsense"]), host()))
    compile_pool.HELPERS.dismiss()
    assert all(helper.returncode is not None for helper in started)


def test_without_helpers_all_is_made_here(started: list) -> None:
    def texts() -> Iterator[str]:
        # the helpers are running now
        for helper in started:
            helper.kill()
        yield from (text(i) for i in range(COUNT))

    made = dict(compile_pool.object_files(COUNT, texts(), host()))
    assert answers(made) == {i: i for i in range(COUNT)}


def test_helpers_wait_for_more_to_do(started: list) -> None:
    for _ in range(3):
        assert answers(dict(compile_pool.object_files(2, map(text, range(2)), host()))) == {0: 0, 1: 1}
    # for a single text, no helper is started
    assert answers(dict(compile_pool.object_files(1, iter([text(0)]), host()))) == {0: 0}
    assert len(started) == 2 and len(compile_pool.HELPERS.waiting) == 2


def test_helpers_without_work_end(started: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_pool, "PATIENCE", 0.1)
    list(compile_pool.object_files(2, map(text, range(2)), host()))
    for helper in started:
        assert helper.wait(PATIENCE) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_has_helpers_of_its_own(started: list) -> None:
    list(compile_pool.object_files(2, map(text, range(2)), host()))
    child = os.fork()
    if child == 0:
        os._exit(len(compile_pool.HELPERS.waiting))
    assert os.waitpid(child, 0)[1] == 0 and len(compile_pool.HELPERS.waiting) == 2


DISTURBED = {
    "is killed at work": "take(); os.kill(os.getpid(), 9)",
    "answers nothing": "take()",
    "answers half": "take(); out.write(struct.pack('<QI', 1000, 1) + bytes(500))",
    "answers half of a head": "take(); out.write(bytes(5))",
    "answers something else": "take(); out.write(b'warning: something else is going on here' * 40)",
    "answers damaged code": "take(); out.write(struct.pack('<QI', 8, 1) + bytes(8))",
    "answers without end": "take(); out.write(struct.pack('<QI', 1 << 29, 1)); out.flush(); time.sleep(60)",
    "never answers": "take(); time.sleep(60)",
    "does not start": "sys.exit(3)",
}
HELPER = """
import os, struct, sys, time
out = sys.stdout.buffer
def take():
    length, _ = struct.unpack('<QI', sys.stdin.buffer.read(12))
    sys.stdin.buffer.read(length)
"""


@pytest.mark.parametrize("what", DISTURBED)
def test_a_helper_that_fails_is_done_without(started: list, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """If a helper fails, this process compiles the helper's texts, even while it holds the LLVM lock."""
    monkeypatch.setattr(compile_pool, "PROGRAM", f"{HELPER}{DISTURBED[what]}\n")
    monkeypatch.setattr(compile_pool, "LONGEST", 2.0)
    # callers that load kernels hold this lock
    with MAKING.held:
        made = dict(compile_pool.object_files(3, (text(i) for i in range(3)), host()))
    assert answers(made) == {i: i for i in range(3)}
    compile_pool.HELPERS.dismiss()
    assert all(helper.returncode is not None for helper in started)


@pytest.mark.parametrize("most", [0, 1])
def test_without_threads_all_is_made(started: list, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Everything is compiled even if no threads, or too few, can be started."""
    start, running = threading.Thread.start, []

    def limited(thread: threading.Thread) -> None:
        if thread.name.startswith("ThreadPoolExecutor"):
            if len(running) == most:
                raise RuntimeError("can't start new thread")
            running.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    made = dict(compile_pool.object_files(COUNT, (text(i) for i in range(COUNT)), host()))
    assert answers(made) == {i: i for i in range(COUNT)} and len(running) == most


def test_without_a_python_to_start_all_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_pool, "processors", lambda: 2)
    for executable in (None, "", "/nowhere/python"):
        monkeypatch.setattr(sys, "executable", executable)
        made = dict(compile_pool.object_files(2, (text(i) for i in range(2)), host()))
        assert answers(made) == {i: i for i in range(2)}


SOURCE = """
from conjoint.lang import kernel

@kernel
def short(m, d):
    d.x[0] += 1.0

@kernel
def long(m, d):
{statements}

@kernel
def stage(m, d):
    short(m, d)
    long(m, d)
"""


def module(folder: Path) -> ModuleType:
    """Return a module of kernels, one of which is long."""
    path = folder / "long_kernels.py"
    path.write_text(SOURCE.format(statements="\n".join(f"    d.x[{i}] += 2.0" for i in range(200))))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_long_kernels_stay_functions(tmp_path: Path) -> None:
    fields = (Field("n", "int"),), (Field("x", "real", ("n",)),)
    made, _ = stage_module("unit", module(tmp_path).stage, WORLD, *fields)
    heads = {line.split("@")[1].split(".")[0]: "noinline" in line for line in made.splitlines() if "internal" in line}
    assert heads == {"stage": False, "short": False, "long": True}


INTERRUPTED = """
from llvmlite import binding

from conjoint.lang.objects.native import compiled_here, host, load_objects

text = "define i32 @answer() { ret i32 5 }"
code, whole = compiled_here(text, host()), binding.ObjectFileRef.from_data


def interrupted(data):
    raise KeyboardInterrupt


for _ in range(20):
    binding.ObjectFileRef.from_data = interrupted
    try:
        load_objects([code], ["answer"])
    except KeyboardInterrupt:
        pass
    binding.ObjectFileRef.from_data = whole
    assert load_objects([code], ["answer"])["answer"]
    assert compiled_here(text, host()) == code
"""


def test_an_interrupt_while_objects_are_loaded_leaves_a_sound_compiler() -> None:
    """An interrupt during the loading of objects does not free shared code, which formerly crashed the process."""
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True, timeout=PATIENCE)
