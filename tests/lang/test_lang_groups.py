"""Groups pass several kernels and values as one argument; records are values with named real components."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from conjoint.lang import (
    COMPONENTS,
    FatalError,
    Field,
    Formula,
    Group,
    Kernel,
    any,
    group,
    kernel,
    load,
    local,
    put,
    real,
    record,
    struct,
    vec3,
    where,
)  # fmt: skip
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.language.values import MEMBERS
from conjoint.lang.memory.realisation import WORLD
from conjoint.physics.collision.convex import clip, planes
from conjoint.physics.official import midphase
from conjoint.solver import linesearch
from realisations import NAMES, Bench, precision

WORLDS = 16
MODEL_FIELDS = (Field("n", "int"),)
DATA_FIELDS = (
    Field("x", "real", ("n",)), Field("y", "real", ("n",)), Field("numbers", "real", (8,)), Field("count", "int"),
)  # fmt: skip
BENCH = Bench(MODEL_FIELDS, DATA_FIELDS, {"n": 4})


@record
def Span(low, high):
    """Interval of a line."""


@dataclass(frozen=True)
class Law(Group):
    """Force law, and the number of times it is applied."""

    force: Kernel
    inner: Law | None = None
    times: int = 1
    doubled: bool = False


@kernel
def spring(d, i, law):
    return -2.0 * d.x[i]


@kernel
def drag(d, i, law):
    return 0.5 * d.x[i] * law.times


@kernel
def of_both(d, i, law):
    return law.inner.force(d, i, law.inner) + 1.0


SPRING = Law(spring)
DRAG = Law(drag, times=3)
BOTH = replace(DRAG, force=of_both, inner=DRAG, doubled=True)


@kernel
def apply(m, d, law):
    """Add a law's force to y as many times as the group `law` states, and then double y if it says so."""
    for i in range(m.n):
        for _ in range(law.times):
            d.y[i] = d.y[i] + law.force(d, i, law)
        if law.doubled:
            d.y[i] = 2.0 * d.y[i]


@kernel
def all_laws(m, d):
    apply(m, d, SPRING)
    apply(m, d, DRAG)
    apply(m, d, BOTH)


def states() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((WORLDS, 4))
    return {"x": x, "y": np.zeros((WORLDS, 4)), "numbers": np.zeros((WORLDS, 8))}


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_a_group_brings_its_kernels(name: str) -> None:
    state = states()
    x = state["x"]
    found = BENCH.run(all_laws, name, state)["y"]
    y = -2.0 * x
    y = y + 3 * 1.5 * x
    for _ in range(3):
        y = y + 1.5 * x + 1.0
    assert np.allclose(found, 2.0 * y, rtol=0.0, atol=1e-12 if precision(name) == "float64" else 1e-4)


@kernel
def widened(span, x):
    return Span(where(x < span.low, x, span.low), where(x > span.high, x, span.high))


@kernel
def spans(m, d):
    """Compute the smallest intervals that contain all x and all positive x, and apply operators to such records."""
    whole = Span(d.x[0], d.x[0])
    above = Span(0.0, 0.0)
    for i in range(m.n):
        whole = widened(whole, d.x[i])
        positive = d.x[i] > 0.0
        if any(positive):
            above = where(positive, widened(above, d.x[i]), above)
    put(d.numbers, 0, whole)
    put(d.numbers, 2, above + 2.0 * whole)
    read = load(Span, d.numbers, 1)
    d.numbers[4] = read.low
    d.numbers[5] = (-read).high
    low, high = both(whole)
    d.numbers[6] = high.low - low.low


@kernel
def both(span):
    return Span(span.low, 0.0), Span(span.high, 1.0)


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_records_are_values(name: str) -> None:
    state = states()
    x = state["x"]
    found = BENCH.run(spans, name, state)["numbers"]
    low, high = x.min(1), x.max(1)
    top = np.maximum(high, 0.0)
    expected = np.stack([low, high, 2 * low, top + 2 * high, high, -2 * low, high - low, 0 * low], 1)
    assert np.allclose(found, expected, rtol=0.0, atol=1e-12 if precision(name) == "float64" else 1e-5)


@pytest.mark.plain
def test_records_in_python() -> None:
    span = Span(1.0, 2.5)
    assert (span.low, span.high) == (1.0, 2.5)
    assert span + Span(1.0, 0.0) == Span(2.0, 2.5)
    assert isinstance(Span, Formula)
    assert MEMBERS["Span"] == ("low", "high")
    with pytest.raises(TypeError, match="Span takes 2 arguments, not 1"):
        Span(1.0)
    with pytest.raises(AttributeError, match="a Span has no attribute 'middle'"):
        _ = span.middle


@pytest.mark.plain
def test_a_name_is_of_one_record() -> None:
    def Span(low): ...

    with pytest.raises(TypeError, match="another kind Span already: give the record another name"):
        record(Span)


@pytest.mark.plain
def test_a_record_may_be_declared_again() -> None:
    """A record may be declared again with the name and members of an engine record, such as `Point`."""

    def Point(alpha, slope, curvature): ...

    again = record(Point)(1.0, 2.0, 3.0)
    assert again.slope == 2.0 and again.kind == linesearch.Point(1.0, 2.0, 3.0).kind


@dataclass(frozen=True)
class Ball(Group):
    """Group of a vector, two numbers and a kernel."""

    centre: Any
    radius: Any
    index: Any
    force: Kernel


@kernel
def ball_at(d, i):
    return Ball(vec3(d.x[i], 1.0, 0.0), 2.0, i, spring)


@kernel
def balls(m, d):
    """Create groups in kernels, return them, and replace one group by another in a branch."""
    ball = ball_at(d, 0)
    for i in range(1, m.n):
        other = ball_at(d, i)
        d.numbers[i] = ball.centre.x + other.centre.y * other.radius
        if i == 2:
            ball = Ball(other.centre, other.centre.x, other.index, spring)
    d.numbers[0] = ball.radius
    d.numbers[4] = 1.0 * ball.index
    d.numbers[5] = ball.force(d, ball.index, SPRING)


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_kernels_make_groups(name: str) -> None:
    state = states()
    x = state["x"]
    found = BENCH.run(balls, name, state)["numbers"]
    expected = np.stack([x[:, 2], x[:, 0] + 2, x[:, 0] + 2, x[:, 2] + 2, 0 * x[:, 0] + 2, -2 * x[:, 2]], 1)
    assert np.allclose(found[:, :6], expected, rtol=0.0, atol=1e-12 if precision(name) == "float64" else 1e-5)


@group
def Hull(ball, skin):
    """Group of a ball and the thickness of its skin."""


@group
def Contact(first, second):
    """Group of two hulls in contact."""


@kernel(rare=True)
def keep_contact(d, contact):
    d.numbers[0] = contact.first.ball.centre.x
    d.numbers[1] = contact.second.skin * contact.second.ball.radius


@kernel
def touch(m, d):
    """Pass groups that contain groups to another kernel."""
    keep_contact(d, Contact(Hull(ball_at(d, 0), 0.5), Hull(ball_at(d, 1), 3.0)))


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_groups_have_groups_that_kernels_make(name: str) -> None:
    state = states()
    found = BENCH.run(touch, name, state)["numbers"]
    assert np.allclose(found[:, 0], state["x"][:, 0]) and np.allclose(found[:, 1], 6.0)


@struct
def Side(length=real, numbers=(int, 3)):
    """Struct of a side of a body, with a length and three integers."""


@struct
def Body(kind=int, pos=vec3, corners=(vec3, 2), sides=(Side, 2), heavy=Side):
    """Struct of a body that contains vectors and other structs."""


@kernel
def set_body(d, body, kind):
    body.kind = kind
    body.pos = vec3(d.x[kind], d.x[1], 0.0)
    body.corners[1] = 2.0 * body.pos
    body.sides[kind].length = d.x[3]
    body.sides[kind].numbers[2] = 5 + kind
    body.heavy.length = -1.0


@kernel
def bodies_in_memory(m, d):
    bodies = local(Body, 2)
    for b in range(2):
        set_body(d, bodies[b], b)
    bodies[0] = bodies[1]
    bodies[1].kind = 7
    body = bodies[0]
    body.pos = body.pos + body.corners[1]
    d.numbers[0] = 1.0 * body.kind
    d.numbers[1] = body.pos.x
    d.numbers[2] = bodies[1].pos.x
    d.numbers[3] = bodies[0].sides[1].length
    d.numbers[4] = 1.0 * bodies[0].sides[1].numbers[2]
    side = body.heavy
    d.numbers[5] = side.length


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_structs_lie_in_memory(name: str) -> None:
    state = states()
    x = state["x"]
    found = BENCH.run(bodies_in_memory, name, state)["numbers"]
    one = np.ones(WORLDS)
    expected = np.stack([one, 3 * x[:, 1], x[:, 1], x[:, 3], 6 * one, -one], 1)
    assert np.allclose(found[:, :6], expected, rtol=0.0, atol=1e-12 if precision(name) == "float64" else 1e-5)


@kernel
def reads_what_a_struct_lacks(m, d):
    d.x[0] = local(Body, 1)[0].mass


@kernel
def assigns_an_array(m, d):
    body = local(Body, 1)[0]
    body.corners = body.pos


@kernel
def calls_what_a_group_lacks(m, d):
    SPRING.torque(m, d)


@kernel
def reads_what_a_record_lacks(m, d):
    d.x[0] = Span(d.x[1], d.x[2]).middle


@pytest.mark.plain
@pytest.mark.parametrize(
    "item, text",
    [
        (calls_what_a_group_lacks, "the group Law has no member torque"),
        (reads_what_a_struct_lacks, "the struct Body has no member mass"),
        (assigns_an_array, "corners is an array: assign its elements"),
        (reads_what_a_record_lacks, "a Span has no attribute 'middle'"),
    ],
)
def test_what_is_missing_is_named(item: Kernel, text: str) -> None:
    with pytest.raises(FatalError, match=f"kernel {item.__name__}: {text}"):
        stage_module("unit", item, WORLD, MODEL_FIELDS, DATA_FIELDS)


def stage_with(law: Law) -> Kernel:
    @kernel
    def stage(m, d):
        apply(m, d, law)

    return stage


@pytest.mark.plain
def test_objects_follow_what_groups_bring() -> None:
    digests = [stage_with(law).digest for law in (SPRING, Law(spring), replace(SPRING, times=2), DRAG, BOTH)]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4
    # the digest also depends on the names of record components
    assert {"x", "y"} <= stage_with(DRAG).attributes


def stage_of(made: Formula) -> Kernel:
    @kernel
    def stage(m, d):
        d.x[0] = made(1.0, 2.0).low

    return stage


@pytest.mark.plain
def test_objects_follow_the_order_in_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned():
        def Span(high, low): ...

        return record(Span)

    before = stage_of(Span).digest
    with monkeypatch.context() as forgotten:
        forgotten.delitem(COMPONENTS, "Span")
        forgotten.setitem(MEMBERS, "Span", ())
        assert stage_of(turned()).digest != before
    assert MEMBERS["Span"] == ("low", "high")


@pytest.mark.plain
def test_a_module_says_that_its_kernels_are_exact() -> None:
    """A module or a package can declare that all its kernels are exact; the option `exact` of a kernel takes precedence."""
    text = "@kernel\ndef plain(m, d): ...\n@kernel(exact=False)\ndef free(m, d): ..."
    made: dict[str, Any] = {"EXACT_KERNELS": True, "kernel": kernel, "__name__": "somewhere"}
    exec(text, made)
    assert made["plain"].exact
    assert not made["free"].exact
    assert midphase.is_leaf.exact
    assert clip.choose_widest.exact
    # the declaration of a module takes precedence over that of its package
    assert not planes.outer_point.exact
    assert not spring.exact
    # digests of kernels depend on the option
    assert Kernel(spring.function).digest != Kernel(spring.function, exact=True).digest


@group
def Ways(first, second):
    """Group of two kernels; each of them may be None."""


@kernel
def by_what_there_is(m, d, ways):
    """Use members of a group in conditions with `and`, `or` and `not`, which test that a member is present."""
    if ways.first and not ways.second:
        d.x[0] = 1.0
    if ways.second or d.x[0] > 0.5:
        d.x[1] = 2.0


def made_by(ways: Any) -> Any:
    @kernel
    def stage(m, d):
        by_what_there_is(m, d, ways)

    return stage


@pytest.mark.parametrize("name", NAMES)
def test_a_condition_asks_what_there_is(name: str) -> None:
    state = states()
    for ways, first in ((Ways(doubled, None), True), (Ways(None, doubled), False), (Ways(doubled, doubled), False)):
        found = BENCH.run(made_by(ways), name, state)["x"]
        assert np.all(found[:, 0] == (1.0 if first else state["x"].astype(precision(name))[:, 0]))
        there = np.full(len(found), True) if ways.second else found[:, 0] > 0.5
        assert np.array_equal(found[:, 1] == 2.0, there)


@kernel
def doubled(x):
    """Return twice a number, as a kernel that group members can refer to."""
    return 2.0 * x
