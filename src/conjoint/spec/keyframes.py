"""Assignment of the numbers in keyframes to elements, which are the owners of the numbers.

A keyframe of an attached part stores `states`, which are numbers of joints, actuators and mocap bodies, instead of
whole vectors. A keyframe with vectors stores the owners of their numbers in `layout`. So numbers follow their elements
when elements are added, deleted or moved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from conjoint.lang.errors import ModelError
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.kinds import BALL, HINGE, NQ, NV, SLIDE
from conjoint.spec.actuator_size import activations, controls
from conjoint.spec.copier import Namespace
from conjoint.spec.element import Element, bodies
from conjoint.spec.kinds import Actuator

if TYPE_CHECKING:
    from conjoint.spec.spec import Spec

VECTORS = tuple(row.key.removeprefix("key_") for row in DATA_ROWS if row.key and row.shape)
"""Names of the vectors of a keyframe."""


def rest_size(element: Element) -> int:
    """Return the number of values in the plastic rest position of a spring, or 0 if the spring does not yield."""
    if not element.springyield > 0:
        return 0
    return 2 if element.kind == "tendon" else {SLIDE: 1, HINGE: 1, BALL: 4}.get(element.type, 0)


Owners = dict[str, list[tuple[Element, int]]]
"""Owners of the numbers in each vector, as a list of elements, each with how many numbers it owns."""


def _size(owners: Sequence[tuple[Element, int]]) -> int:
    """Return the length of a vector with these owners."""
    return sum(count for _, count in owners)


def keep_layout(spec: Spec, keys: Iterable[Element] | None = None, names: Iterable[str] = VECTORS) -> None:
    """Record the owners of the numbers in keyframes.

    The owners are the elements of the current model, or else of an earlier model that matches the vector's length.

    Args:
        spec: the model.
        keys: the keyframes; None for all keyframes of `spec`.
        names: names of the vectors to consider.
    """
    chosen = spec.keys if keys is None else keys
    now: dict[str, list[tuple[Element, int]]] = {}
    for key in chosen:
        layout = dict(key.__dict__.get("layout", {}))
        for name in names:
            before = layout.pop(name, ())
            values = getattr(key, name)
            if values:
                if name not in now:
                    now[name] = _owned(spec, name)
                fitting = (known for known in (now[name], before) if _size(known) == len(values))
                layout.update((name, known) for known in islice(fitting, 1))
        key.__dict__["layout"] = layout


def fill_up(spec: Spec) -> None:
    """Prepare keyframes that are too short: record owners only for those elements whose numbers are all given.

    The compiler completes them with initial values.
    """
    for key in whole_keys(spec):
        layout = dict(key.__dict__.get("layout", {}))
        for name, owned in _owners(spec).items():
            values = getattr(key, name)
            if not values or name in layout:
                continue
            starts = [0, *accumulate(count for _, count in owned)]
            if len(values) < starts[-1]:
                # keep all numbers of an element, or none
                whole = bisect_right(starts, len(values)) - 1
                layout[name] = owned[:whole]
                setattr(key, name, values[: starts[whole]])
        key.__dict__["layout"] = layout


def rename_layout(key: Element, copies: Mapping[int, Element]) -> None:
    """Reassign the numbers of a keyframe to copies of elements. `copies` maps Python ids of originals to copies."""
    for held in ("layout", "states"):
        if held in key.__dict__:
            key.__dict__[held] = {
                name: [(copies.get(id(owner), owner), what) for owner, what in pairs]
                for name, pairs in key.__dict__[held].items()
            }


def attach_keys(target: Spec, source: Spec, namespace: Namespace, copies: Mapping[int, Element]) -> None:
    """Add the keyframes of `source` to `target` as states of copied elements, which are pending until compilation.

    As in MuJoCo's compiler, keyframes added with one part of `source` also apply to parts that are attached later. The
    states of a later part are added when the part is first copied. Parts of `source` that were attached earlier, and
    that `target` shares, are included, too.

    Args:
        target: the model that receives the keyframes.
        source: the model of the attached part.
        namespace: rule that renames keyframes.
        copies: copy of every attached element, by the Python id of the original.

    Raises:
        ModelError: a keyframe has the wrong size.
    """
    _give_late(target, source, copies)
    if not source.keys:
        return
    found = _owners(source)
    inside = dict(copies)
    if source is not target and any(id(owner) not in copies for owned in found.values() for owner, _ in owned):
        inside.update((id(owner), owner) for owned in _owners(target).values() for owner, _ in owned)
    # parts attached within one model already have their keyframes
    for key in [key for key in source.keys if source is not target or not _is_split(key)]:
        copy = key.copy()
        if not _is_split(key):
            # as in MuJoCo, keyframes of earlier attachments are not renamed
            copy.name = namespace.prefix + key.name + namespace.suffix
        copy.states = {}
        copy.pending = True
        for name, owners in found.items():
            earlier = key.__dict__.get("states", {})
            if name in earlier or getattr(key, name):
                pairs = [*earlier.get(name, ()), *_split(key, name, owners)]
                copy.states[name] = [(inside[id(owner)], values) for owner, values in pairs if id(owner) in inside]
                if source is not target:
                    source.late += [(copy, name, owner, values) for owner, values in pairs if id(owner) not in inside]
            setattr(copy, name, ())
        copy.layout = {}
        target.keys.append(copy)


def _give_late(target: Spec, source: Spec, copies: Mapping[int, Element]) -> None:
    """Add the stored states of newly copied elements to their keyframes in `target`."""
    if not source.late:
        return
    present = set(map(id, target.keys))
    for key, name, owner, values in source.late:
        if id(owner) in copies and id(key) in present and name in key.__dict__.get("states", ()):
            key.states[name].append((copies[id(owner)], values))
    source.late = [state for state in source.late if id(state[2]) not in copies]


def split_keys(spec: Spec, keys: Iterable[Element] | None = None) -> None:
    """Convert the vectors of keyframes to states of joints, actuators and mocap bodies.

    These elements may then be removed.

    Args:
        keys: the keyframes; None for all keyframes of `spec`.

    Raises:
        ModelError: a keyframe has the wrong size.
    """
    chosen = list(spec.keys if keys is None else keys)
    owners_of = _owners(spec) if any(getattr(key, name) for key in chosen for name in VECTORS) else {}
    for key in chosen:
        states = key.__dict__.setdefault("states", {})
        for name, owners in owners_of.items():
            if getattr(key, name):
                states[name] = [*states.get(name, ()), *_split(key, name, owners)]
            setattr(key, name, ())


def fitting_keys(spec: Spec) -> list[Element]:
    """Return the keyframes in which every number has an owner. The compiler reports problems of all other keyframes."""
    known = _owners(spec) if spec.keys else {}
    return [
        key
        for key in spec.keys
        if all(len(getattr(key, name)) <= _size(_layout(key, name, owned)) for name, owned in known.items())
    ]


def whole_keys(spec: Spec) -> list[Element]:
    """Return the keyframes that store vectors instead of states."""
    return [key for key in spec.keys if "states" not in key.__dict__]


def _is_split(key: Element) -> bool:
    """Return True if `key` stores states instead of vectors."""
    return "states" in key.__dict__


def _layout(key: Element, name: str, owners: Sequence[tuple[Element, int]]) -> Sequence[tuple[Element, int]]:
    """Return the owners of the numbers in a keyframe's vector, as recorded, or else `owners`, which are current."""
    known: Sequence[tuple[Element, int]] = key.__dict__.get("layout", {}).get(name, owners)
    return known if _size(known) == len(getattr(key, name)) else owners


def _split(key: Element, name: str, owners: Sequence[tuple[Element, int]]) -> Iterator[tuple[Element, tuple]]:
    """Yield each owner of numbers in one vector of a keyframe, and its numbers."""
    values = getattr(key, name)
    layout = _layout(key, name, owners)
    size = _size(layout)
    if len(values) > size:
        where = f"{key.place.at(name)}: " if key.place is not None else ""
        raise ModelError(f"{where}{key!r}: {name} has {len(values)} numbers, expected {size}")
    start = 0
    for owner, count in layout:
        if start + count > len(values):
            break
        yield owner, tuple(values[start : start + count])
        start += count


def moved(key: Element, current: Owners) -> dict[str, list[tuple[Element, tuple]]]:
    """Return the vectors whose owners have changed. For each vector, list the owners and their numbers.

    Args:
        key: the keyframe.
        current: owners of the numbers in the current model.
    """
    found = {}
    for name, layout in key.__dict__.get("layout", {}).items():
        values, owned = getattr(key, name), current[name]
        if len(values) and _size(layout) == len(values):
            now = [(id(owner), count) for owner, count in owned]
            if [(id(owner), count) for owner, count in layout] != now:
                found[name] = list(_split(key, name, owned))
    return found


def _owners(spec: Spec) -> Owners:
    """Return the owners of the numbers in the keyframes of a Spec, by vector."""
    tree = list(bodies(spec.worldbody))
    return owners([joint for body in tree for joint in body.joints], spec.actuators, tree, spec.tendons)


def _owned(spec: Spec, name: str) -> list[tuple[Element, int]]:
    """Return the owners of the numbers in one vector of the keyframes of a Spec."""
    tree = () if name in ("act", "ctrl") else tuple(bodies(spec.worldbody))
    joints = [joint for body in tree for joint in body.joints] if name[0] in "qp" else []
    return owners(joints, spec.actuators, tree, spec.tendons)[name]


def owners(
    joints: Sequence[Element], actuators: Sequence[Actuator], tree: Sequence[Element], tendons: Sequence[Element]
) -> Owners:
    """Return the owners of each vector in order, each with how many numbers it owns. `tree` lists all bodies."""
    mocaps = [body for body in tree if body.mocap]
    return {
        "qpos": [(joint, NQ[joint.type]) for joint in joints],
        "qvel": [(joint, NV[joint.type]) for joint in joints],
        "act": [(actuator, activations(actuator)) for actuator in actuators],
        "ctrl": [(actuator, controls(actuator)) for actuator in actuators],
        "mpos": [(body, 3) for body in mocaps],
        "mquat": [(body, 4) for body in mocaps],
        "plastic": [(element, size) for element in (*joints, *tendons) if (size := rest_size(element))],
    }
