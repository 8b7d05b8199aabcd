"""All kernels of the engine follow the rules of the kernel language.

A violation is reported with file, line, kernel and rule.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re

import pytest

import conjoint
import conjoint.physics
import conjoint.solver
from conjoint.cli.catalogue import all_entries, all_stages
from conjoint.lang import FatalError, Field, Kernel, any, kernel, local, real, vec3, where
from conjoint.lang.calls.compiled import jit_enabled, stage_addresses
from conjoint.lang.frontend.entry import entry_module
from conjoint.lang.frontend.machine import Machine
from conjoint.lang.frontend.module import library, stage_module
from conjoint.lang.language.name import kernel_of
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes
from conjoint.physics.collision.box_box_3 import box_box_3
from conjoint.physics.collision.collider_table import no_contacts
from conjoint.physics.collision.contact_candidates import POINTS
from conjoint.physics.collision.finding import narrowphase_of
from conjoint.runtime.dual_stages import SUBSTITUTES, WHOLE_SWEEPS
from conjoint.runtime.dual_world import DUAL_DATA
from conjoint.schema.constants import mjMAXCONPAIR
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from conjoint.schema.ray_picture import SIGHT_FIELDS

compiled = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

MODEL_FIELDS = (Field("n", "int"), Field("mass", "real", ("n",)), Field("opt.timestep", "real"))
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("v", "vec3", ("n",)), Field("count", "int"), Field("which", "int", ("n",)), Field("time", "real"),
)  # fmt: skip


def physics_kernels() -> list[Kernel]:
    """Return every kernel of the physics and the solvers."""
    found = {}
    for package in (conjoint.physics, conjoint.solver):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for item in vars(importlib.import_module(info.name)).values():
                # a value may be a table of kernels
                items = item.values() if isinstance(item, dict) else [item]
                found.update({id(each): each for each in items if isinstance(each, Kernel)})
    return list(found.values())


def refusal(item: Kernel, realisation: Realisation = WORLD) -> str:
    """Return the compile error of a kernel whose `m` and `d` have the fields defined in this file."""
    with pytest.raises(FatalError) as caught:
        stage_module("unit", item, realisation, MODEL_FIELDS, DATA_FIELDS)
    return str(caught.value)


@kernel
def whole_box_box_3(m, d):
    dists = local(real, mjMAXCONPAIR)
    points = local(vec3, POINTS)
    d.ncon = box_box_3(m, d, 0, 1, 0.0, dists, points)


@pytest.mark.plain
def test_kernels_of_the_engine_keep_the_rules():
    """All kernels of the engine compile; other kernels are compiled as parts of kernels of `(m, d)` and of entries.

    They are compiled for one world, where the same rules apply as in lanes.
    """
    kernels = physics_kernels()
    assert len(kernels) > 100
    # `box_box_3` is in no table, because users select it. Kernels of plugins are built for their slots; the box
    # collider runs in two stages. Kernels that work with stored rows are built for each storage and for derivatives
    made = narrowphase_of(0, no_contacts), whole_box_box_3
    named = *WHOLE_SWEEPS, *itertools.chain.from_iterable(SUBSTITUTES.values())
    for item in (*kernels, *made, *map(kernel_of, named), *(stage.kernel for stage in all_stages())):
        # kernels of the ray renderer have other fields, and entries call them all
        if item.parameters == ("m", "d") and not item.__module__.startswith("conjoint.ray_renderer."):
            found = library(Machine.of(WORLD), MODEL_ROWS, rows_of_kernel(item), not item.writes_model)
            found.function(item, [found.schema.model, found.schema.data])
    for entry in all_entries():
        unit = entry.unit
        entry_module("unit", unit.kernel, entry.parameters, unit.model, unit.data)
    structs = DATA_STRUCT, SIGHT_FIELDS, DUAL_DATA
    ways = [library(Machine.of(WORLD), MODEL_ROWS, d, c) for c in (True, False) for d in structs]
    read = {key[0] for way in ways for key in way.functions}
    assert [k for k in kernels if k not in read] == []


def rows_of_kernel(item: Kernel) -> tuple[Field, ...]:
    """Return the fields of a kernel's `d`; kernels of derivatives have additional fields."""
    names = {field.name for field in DUAL_DATA} - {field.name for field in DATA_STRUCT}
    return DUAL_DATA if any(item.attributes.issuperset(name.split(".")) for name in names) else DATA_STRUCT


@pytest.mark.plain
def test_kernels_of_the_engine_say_what_they_do():
    assert [k for k in physics_kernels() if not (k.function.__doc__ or "").strip()] == []


@pytest.mark.plain
def test_kernels_of_the_engine_use_the_usual_names():
    """Every kernel names its model argument m and its state argument d."""
    for item in physics_kernels():
        names = item.function.__code__.co_varnames[: item.function.__code__.co_argcount]
        assert names.index("m") == 0 if "m" in names else True, item
        assert names.index("d") <= 1 if "d" in names else True, item


# ---- violations of each rule


@kernel
def writes(m, d):
    m.mass[0] = 1.0


@kernel
def writes_an_option(m, d):
    m.opt.timestep = 1.0


@kernel
def misspells(m, d):
    d.x[0] = m.opt.timestp


@kernel
def invents(m, d):
    d.tmie = 1.0


@kernel
def lists(m, d):
    d.v[0] = [1.0, 2.0, 3.0]


@kernel
def prints(m, d):
    print(d.time)


@kernel
def sums_a_field(m, d):
    d.x[0] = sum(d.x)


@kernel
def defaults(m, d, i=0):
    d.x[i] = 0.0


BROKEN = {
    writes: "writes to the model",
    writes_an_option: "writes to the model",
    misspells: "no field m.opt.timestp in the schema; did you mean m.opt.timestep?",
    invents: "no field d.tmie in the schema; did you mean d.time?",
    lists: "do not use lists",
    prints: "do not use print",
    sums_a_field: "do not use Python's sum: write a loop",
    defaults: "without defaults",
}


@pytest.mark.plain
@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 8)], ids=lambda r: r.name)
@pytest.mark.parametrize("item", BROKEN, ids=lambda k: k.__name__)
def test_a_broken_rule_is_named(item: Kernel, realisation: Realisation):
    line = refusal(item, realisation)
    first = item.function.__code__.co_firstlineno
    place = re.match(rf"(.+):(\d+): kernel {item.__name__}: ", line)
    assert place and place[1] == __file__
    assert first < int(place[2]) <= first + 8
    assert BROKEN[item] in line


@kernel
def allowed(m, d):
    """Use several constructs that look forbidden but are allowed."""
    low, high = 0.0, 1.0
    if m.n > 1 and not m.opt.timestep > 1.0 and 0 < m.n < 5:
        for i in range(m.n):
            if any(d.x[i] > low):
                d.x[i] = where((d.x[i] > low) & (d.x[i] < high), 1.0, 0.0)
                d.v[i] = vec3(d.v[i].x, m.mass[i], d.time)
    d.x[0] = 1.0 if m.n > 2 else 0.0


@kernel
def follows_the_state(m, d):
    """Use the state in branches, loops and indices, as in code for one world."""
    if (d.time > 1.0 and not d.x[d.which[0]] > 0.0) or 0.0 < d.time < 1.0:
        for i in range(d.count):
            d.x[i] = 1.0 if d.x[i] > 1.0 else 0.0
    while d.x[0] < 1.0:
        d.x[0] += 1.0


@kernel(writes_model=True)
def allowed_to_write(m, d):
    """Write to the model, as the decorator declares."""
    m.mass[0] = 1.0
    m.opt.timestep = 1.0


@pytest.mark.plain
@pytest.mark.parametrize("item", [allowed, follows_the_state, allowed_to_write], ids=lambda k: k.__name__)
@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 8)], ids=lambda r: r.name)
def test_what_is_allowed_is_not_refused(item: Kernel, realisation: Realisation):
    text, _ = stage_module("unit", item, realisation, MODEL_FIELDS, DATA_FIELDS)
    assert f"@{item.__name__}" in text


@kernel
def outer(m, d):
    misspells(m, d)


@pytest.mark.plain
def test_rules_hold_across_calls():
    assert "kernel misspells: there is no field" in refusal(outer)


# ---- messages of the compiler


@compiled
@pytest.mark.parametrize("item", [misspells, writes_an_option, outer], ids=lambda k: k.__name__)
@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 8)], ids=lambda r: r.name)
def test_compiling_refuses_with_the_rule(item, realisation):
    with pytest.raises(FatalError) as caught:
        stage_addresses([(item, realisation)], MODEL_FIELDS, DATA_FIELDS)
    text = str(caught.value)
    assert "test_lang_rules.py:" in text and "kernel" in text
    assert len(text) < 400


@kernel
def changes_kind(m, d):
    """Assign a vector to a variable and then a real, which is an error."""
    s = vec3(0.0, 0.0, 0.0)
    if m.n > 1:
        s = d.x[0]
    d.x[0] = s


@kernel
def adds_unlike(m, d):
    """Add a vector and a real, which is an error."""
    d.v[0] = d.v[0] + d.x[0]


@kernel
def stores_unlike(m, d):
    """Store a real in an array of vectors, which is an error."""
    d.v[0] = d.x[0]


@compiled
@pytest.mark.parametrize("item", [changes_kind, adds_unlike, stores_unlike], ids=lambda k: k.__name__)
def test_compiling_tells_what_does_not_fit_in_a_few_lines(item):
    """A type error is reported as a location and one sentence, without the compiler's own output."""
    with pytest.raises(FatalError) as caught:
        stage_addresses([(item, lanes("float64", 8))], MODEL_FIELDS, DATA_FIELDS)
    text = str(caught.value)
    assert item.__name__ in text and "test_lang_rules.py:" in text
    assert len(text.splitlines()) <= 4 and len(text) < 600
