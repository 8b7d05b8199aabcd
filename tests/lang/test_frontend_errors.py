"""Compile errors of invalid kernels name file, line and kernel, and give the reason in one sentence."""

from __future__ import annotations

import inspect
import math
import re

import pytest

from conjoint.lang import (
    FatalError,
    Field,
    Kernel,
    any,
    kernel,
    load,
    local,
    put,
    quat,
    real,
    sqrt,
    tile,
    total,
    vec3,
    where,
)
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes, world_view

MODEL = (Field("n", "int"), Field("mass", "real", ("n",)))
DATA = (
    Field("x", "real", ("n",)), Field("A", "real", ("n", 3)), Field("v", "vec3", ("n",)), Field("count", "int"),
    Field("list", "int", ("n",), uniform=True), Field("sums", "real", ("n",), owners=("conjoint.solver",)),
    Field("own", "real", ("n",), owners=("conjoint.solver", __name__)),
)  # fmt: skip
NUMBERS = (1, 2)

BROKEN: dict[tuple[Kernel, Realisation], str] = {}


def refused(sentence: str, realisations: tuple[Realisation, ...] = (WORLD, lanes("float32", 8))):
    """Return a decorator for a kernel that the compiler must refuse with `sentence`, at the line with the comment `here`."""

    def declare(function):
        item = kernel(function)
        BROKEN.update({(item, realisation): sentence for realisation in realisations})
        return item

    return declare


# ---- scratch


@refused("d.sums is scratch memory of conjoint.solver: declare scratch memory of your own")
def foreign_scratch(m, d):
    d.own[0] = 1.0
    d.x[0] = d.sums[0]  # here


@refused("d.sums is scratch memory of conjoint.solver")
def foreign_scratch_written(m, d):
    d.sums[0] = 1.0  # here


# ---- variables


@refused("y is used before it is assigned")
def never_assigned(m, d):
    d.x[0] = y  # noqa: F821  # here
    y = 1.0
    d.x[1] = y


@refused("y is used before it is assigned on some way to here")
def assigned_on_one_way(m, d):
    if m.n > 1:
        y = 1.0
    d.x[0] = y  # here


@refused("y is used before it is assigned on some way to here")
def assigned_in_a_loop(m, d):
    for i in range(m.n):
        y = d.x[i]
    d.x[0] = y  # here


@refused("i is used before it is assigned on some way to here")
def variable_of_a_loop(m, d):
    for i in range(m.n):
        d.x[i] = 0.0
    d.x[0] = i  # here


@refused("y is used before it is assigned on some way to here")
def left_before_it_is_assigned(m, d):
    while True:
        if m.n > 2:
            break
        y = 1.0
        if m.n > 1:
            break
    d.x[0] = y  # here


@refused("cannot change its kind: it was a vec3, and is now a quat")
def two_kinds(m, d):
    y = d.v[0]
    y = quat(1.0, 0.0, 0.0, 0.0)  # here
    d.x[0] = y.x


@refused("2 variables for 3 values")
def too_many_values(m, d):
    a, b = d.x[0], d.x[1], d.x[2]  # here
    d.x[0] = a + b


@refused("a tuple cannot be the value of a variable")
def tuple_as_data(m, d):
    pair = d.x[0], d.x[1]  # here
    d.x[0] = pair


# ---- names, syntax


@refused("there is no mystery")
def unknown_name(m, d):
    d.x[0] = mystery  # noqa: F821  # here


@refused("kernels do not use modules, such as math")
def uses_a_module(m, d):
    d.x[0] = math.pi  # here


@refused("kernels do not use NUMBERS")
def uses_a_tuple(m, d):
    d.x[0] = NUMBERS[0]  # here


@refused("vec3 has no parameter w: it has x, y, z")
def keyword(m, d):
    d.v[0] = vec3(x=1.0, y=0.0, w=0.0)  # here


@refused("kernels cannot use strings")
def string(m, d):
    d.x[0] = "1"  # here


@refused("kernels do not use lists")
def list_of_numbers(m, d):
    d.v[0] = [1.0, 2.0, 3.0]  # here


@refused("kernels do not use try")
def tries(m, d):
    try:  # here
        d.x[0] = 1.0
    finally:
        d.x[0] = 0.0


@refused("kernels do not use closures")
def closure(m, d):
    d.x[0] = (lambda: 1.0)()  # here


@refused("loops go over range()")
def loops_over_a_field(m, d):
    for x in d.x:  # here
        d.x[0] = x


@refused("the step of a range is a constant")
def unknown_step(m, d):
    for i in range(0, 8, m.n):  # here
        d.x[i] = 0.0


@refused("loops have no else")
def loop_with_else(m, d):
    for i in range(m.n):  # here
        d.x[i] = 0.0
    else:
        d.x[0] = 1.0


@refused("kernels do not use the operator Pow")
def power(m, d):
    d.x[0] = d.x[1] ** 2  # here


@refused("kernels do not call int() of a real")
def truncates(m, d):
    d.x[int(m.mass[0])] = 0.0  # here


# ---- kinds


@refused("there is no add of a vec3 and a real")
def vector_plus_real(m, d):
    d.v[0] = d.v[0] + d.x[0]  # here


@refused("there is no mul of a vec3 and a vec3")
def vector_times_vector(m, d):
    d.v[0] = d.v[0] * d.v[1]  # here


@refused("there is no truediv of a real and a vec3")
def real_over_vector(m, d):
    d.v[0] = d.x[0] / d.v[1]  # here


@refused("conditions are not numbers: write where(c, 1.0, 0.0)")
def sum_of_conditions(m, d):
    d.x[0] = (d.x[0] > 0.0) + (d.x[1] > 0.0)  # here


@refused("conditions cannot be compared")
def compares_conditions(m, d):
    d.x[0] = where((d.x[0] > 0.0) == (d.x[1] > 0.0), 1.0, 0.0)  # here


@refused("a real is needed, not a condition: write where(c, 1.0, 0.0)")
def stores_a_condition(m, d):
    d.x[0] = d.x[1] > 0.0  # here


@refused("an integer is needed, not a real")
def stores_a_real_as_integer(m, d):
    d.count = d.x[0]  # here


@refused("stored a vec3 in an array of real")
def stores_a_vector_as_real(m, d):
    d.x[0] = d.v[0]  # here


@refused("stored a real in an array of vec3")
def stores_a_real_as_vector(m, d):
    d.v[0] = d.x[0]  # here


@refused("a vec3 has no attribute 'w'")
def no_such_part(m, d):
    d.x[0] = d.v[0].w  # here


@refused("a vec3 has no component 3")
def no_such_component(m, d):
    d.x[0] = d.v[0][3]  # here


@refused("a real has no elements")
def element_of_a_real(m, d):
    d.x[0] = d.x[0][1]  # here


@refused("a vec3 is immutable")
def assigns_a_part(m, d):
    v = d.v[0]
    v[0] = 1.0  # here


@refused("d.x is an array: assign its elements")
def assigns_an_array(m, d):
    d.x = 1.0  # here


@refused("d.A has 2 dimensions, not 3")
def too_many_indices(m, d):
    d.A[0, 1, 2] = 1.0  # here


@refused("negative index -1")
def negative_index(m, d):
    d.x[0] = d.x[-1]  # here


@refused("an index must be an integer, not a real")
def real_as_index(m, d):
    d.x[m.mass[0]] = 0.0  # here


# ---- values that all worlds of a block have in common


BLOCKS = lanes("float32", 8), world_view("float32", 8)


@refused("d.list is shared by all worlds of a block, but", realisations=BLOCKS)
def uniform_from_the_state(m, d):
    d.list[0] = d.count  # here


@refused("d.list is shared by all worlds of a block, but only some of them write to it", realisations=BLOCKS[1:])
def uniform_in_one_world(m, d):
    d.list[0] = 1  # here


@refused("d.list is shared by all worlds of a block, but only some of them write to it", realisations=BLOCKS)
def uniform_in_some_worlds(m, d):
    if d.count > 1:
        d.list[0] = 1  # here


# ---- functions of the language


@refused("the size of a local array must be a constant of at least 1")
def unknown_size(m, d):
    a = local(real, m.n)  # here
    d.x[0] = a[0]


@refused("load needs an array, not a real")
def loads_from_a_number(m, d):
    d.v[0] = load(vec3, d.x[0], 0)  # here


@refused("d.v is an array of vec3, not of reals")
def tile_of_vectors(m, d):
    put(d.x, 0, tile(d.v, 0))  # here


@refused("total needs a tile, not a mask")
def total_of_conditions(m, d):
    d.x[0] = total(tile(d.x, 0) > 0.0)  # here


@refused("any needs a condition, not a tile: write total() first")
def any_of_a_tile(m, d):
    if any(tile(d.x, 0)):  # here
        d.x[0] = 0.0


# ---- calls


@kernel
def takes_one(x):
    return x


@kernel
def returns_nothing(d):
    d.x[0] = 0.0


@kernel
def itself(m, d, k):
    if k > 0:
        itself(m, d, k - 1)


@kernel
def hands_on(m, d):
    back(m, d)


@kernel
def back(m, d):
    hands_on(m, d)


@refused("takes 1 arguments, not 2")
def too_many_arguments(m, d):
    d.x[0] = sqrt(d.x[0]) + takes_one(d.x[0], 1.0)  # here


@refused("sqrt takes 1 arguments, not 2")
def formula_with_too_many_arguments(m, d):
    d.x[0] = sqrt(d.x[0], 2.0)  # here


@refused("a kernel that returns nothing has no value")
def value_of_nothing(m, d):
    y = returns_nothing(d)  # here
    d.x[0] = y


@refused("kernels cannot call themselves: itself calls itself")
def recursion(m, d):
    itself(m, d, 3)


@refused("kernels cannot call themselves: hands_on calls back calls hands_on")
def recursion_of_two(m, d):
    hands_on(m, d)


@refused("returns 2 values here and 1 elsewhere")
def results_that_differ(m, d):
    if m.n > 1:
        return 1
    return 1, 2  # here


@refused("some paths through the kernel do not return a value")
def no_result_at_the_end(m, d):
    if m.n > 1:
        return 1


@kernel(writes_model=True)
def changes_the_model(m):
    m.mass[0] = 1.0


@refused("calls changes_the_model, which writes to the model")
def calls_what_changes_the_model(m, d):
    changes_the_model(m)  # here


@kernel
def fill(field):
    field[0] = 0.0


@refused("writes to the model; only @kernel(writes_model=True) may")
def changes_the_model_through_a_helper(m, d):
    fill(m.mass)


@pytest.mark.plain
@pytest.mark.parametrize("item, realisation", BROKEN, ids=lambda x: getattr(x, "__name__", "") or x.name)
def test_refused_with_a_place_and_a_sentence(item: Kernel, realisation: Realisation) -> None:
    with pytest.raises(FatalError) as caught:
        stage_module("unit", item, realisation, MODEL, DATA)
    line = str(caught.value)
    assert caught.value.__notes__ == [f"found while compiling {item} as {realisation.name}"]
    place = re.match(r"(.+):(\d+): kernel (\w+): ", line)
    assert place and place[1] == __file__
    assert BROKEN[item, realisation] in line
    lines, first = inspect.getsourcelines(item.function)
    marked = [first + k for k, text in enumerate(lines) if text.rstrip().endswith("# here")]
    # without a marked line, the error is at a line of a helper or at the definition of the kernel
    outside = place[3] != item.__name__ or int(place[2]) <= first + 1
    assert [int(place[2])] == marked or (not marked and outside)
