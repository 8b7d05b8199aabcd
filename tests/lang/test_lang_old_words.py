"""Deprecated words of the kernel language cause warnings, and kernels may state why they run one world at a time."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from conjoint.lang import Field, Kernel, kernel
from conjoint.lang.language.kernel import OPTIONS
from conjoint.lang.objects.cache_keys import is_per_world
from realisations import NAMES, Bench

pytestmark = pytest.mark.plain

HEAD = "import conjoint.lang as cj\nfrom conjoint.lang import kernel, logical_not, where\n"
PROGRAMS = {
    "@kernel(per_world=True)\ndef damp(m, d):\n    d.x[0] = 0.0\n": [
        'per_world: omit it, or write one_by_one="reason" if the kernel is faster one world at a time'
    ],
    "@kernel\ndef damp(m, d):\n    far = d.x[0] > 1.0\n    d.x[0] = where(logical_not(far), 0.0, 1.0)\n": [
        "logical_not(c): write `not c`"
    ],
    "@cj.kernel\ndef damp(m, d):\n    for i in range(cj.lanes_max(d.n)):\n        d.x[i] = 0.0\n": [
        "lanes_max(n): loop to n itself, since each world has its own count"
    ],
    "@cj.kernel(per_world=True)\ndef damp(m, d):\n    if cj.logical_not(d.x[0] > 0.0):\n        d.x[0] = 1.0\n": [
        "per_world: ", "logical_not(c): write `not c`",
    ],
}  # fmt: skip
"""Expected warnings, by program text; `HEAD` precedes the text."""


def run(text: str, folder: Path) -> ModuleType:
    """Run a program from a file in a folder, and return its module."""
    file, module = folder / "program.py", ModuleType("program")
    file.write_text(HEAD + text)
    exec(compile(file.read_text(), str(file), "exec"), vars(module))
    return module


@pytest.mark.parametrize("text", PROGRAMS)
def test_old_words_warn_once_for_each_kernel(text: str, tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="kernel damp has words of an older edition: ") as reported:
        module = run(text, tmp_path)
    (warning,) = reported
    assert (warning.filename, warning.lineno) == (str(tmp_path / "program.py"), 3)
    assert all(advice in str(warning.message) for advice in PROGRAMS[text])
    # compiling the kernel again causes no second warning
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.damp.again()


def test_other_kernels_warn_of_nothing(tmp_path: Path) -> None:
    # a user's function called `lanes_max` is not a word of the language
    text = (
        "def lanes_max(n):\n    return n\n\n"
        '@kernel(one_by_one="lists: 0.4 of the speed together", single=False)\n'
        "def damp(m, d):\n    if not d.x[2] > 0.0:\n        d.x[0] = lanes_max(later(d))\n\n"
        "@kernel\ndef later(d):\n    return d.x[1]\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = run(text, tmp_path)
    # functions that are declared later are found
    assert module.damp.names["later"] is module.later


def test_a_kernel_says_why_it_runs_one_by_one() -> None:
    def body(m, d):
        d.out[0] = d.x[0]

    item = kernel(one_by_one="its list is short")(body)
    assert item.per_world and is_per_world(item) and item.one_by_one == "its list is short"
    again = item.again()
    assert [getattr(again, name) for name in OPTIONS] == [getattr(item, name) for name in OPTIONS]
    assert not kernel(body).per_world
    assert kernel(body).digest != item.digest
    with pytest.raises(TypeError, match=r"kernel body: one_by_one must be a reason \(text\), not True"):
        kernel(one_by_one=True)(body)


@kernel(one_by_one="a loop to a count of the state")
def summed(m, d):
    """Sum positive elements in a loop and a branch that depend on the state."""
    d.out[0] = 0.0
    for i in range(d.count):
        if d.x[i] > 0.0:
            d.out[0] += d.x[i]


BENCH = Bench(
    (Field("n", "int"),), (Field("x", "real", (4,)), Field("count", "int"), Field("out", "real", (1,))), {"n": 4}
)


@pytest.mark.parametrize("name", [name for name in NAMES if " x " not in name])
def test_one_by_one_it_is_compiled_as_for_one_world(name: str) -> None:
    x = np.random.default_rng(3).integers(-8, 8, (16, 4)).astype(float)
    count = np.arange(16, dtype=np.int32) % 5
    found = BENCH.run(summed, name, {"x": x, "count": count})["out"][:, 0]
    expected = [sum(max(v, 0.0) for v in row[:n]) for row, n in zip(x, count, strict=True)]
    np.testing.assert_array_equal(found, expected)


def test_names_of_options_are_those_of_the_class() -> None:
    parameters = re.findall(
        r"\n        (\w+): (?:bool|str|int)", Path(Kernel.__init__.__code__.co_filename).read_text()
    )
    assert set(OPTIONS) <= set(parameters)
