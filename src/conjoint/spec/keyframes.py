"""Keyframes of attached models: states of joints, actuators and mocap bodies instead of whole vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from conjoint.lang.errors import ModelError
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.joints import NQ, NV
from conjoint.schema.mjcf import defaults
from conjoint.spec.element import Element
from conjoint.spec.lists import bodies
from conjoint.spec.namespace import Namespace, references

if TYPE_CHECKING:
    from conjoint.spec.spec import Spec

VECTORS = tuple(row.key.removeprefix("key_") for row in DATA_ROWS if row.key and row.shape)
"""What a keyframe gives."""

Owners = dict[str, list[tuple[Element, int]]]
"""Elements that the numbers of each vector belong to, and how many each has."""


def activations(actuator: Element) -> int:
    """Number of activation variables of an actuator."""
    return int(actuator.dyntype != 0) if actuator.actdim < 0 else int(actuator.actdim)


def attach_keys(target: Spec, source: Spec, namespace: Namespace, copies: Mapping[int, Element]) -> None:
    """Add the keyframes of `source` to `target`, as states of what was copied; they are pending until it is compiled.

    As in the official compiler, keyframes that were added with one part of `source` hold for parts attached later, too:
    what is not copied now, but has a state, gives it to them when it is copied the first time from now on.

    Args:
        copies: copy of every attached element, by the id of the original.

    Raises:
        ModelError: a keyframe has the wrong size.
    """
    _give_late(target, source, copies)
    for key in source.keys:
        copy = key.copy()
        if not _is_split(key):
            # the official compiler does not rename what was attached before
            copy.name = namespace.prefix + key.name + namespace.suffix
        copy.states = {}
        copy.pending = True
        for name, owners in _owners(source).items():
            earlier = key.__dict__.get("states", {})
            if name in earlier or getattr(key, name):
                pairs = [*earlier.get(name, ()), *_split(key, name, owners)]
                copy.states[name] = [(copies[id(owner)], values) for owner, values in pairs if id(owner) in copies]
                source.late += [(copy, name, owner, values) for owner, values in pairs if id(owner) not in copies]
            setattr(copy, name, ())
        target.keys.append(copy)


def _give_late(target: Spec, source: Spec, copies: Mapping[int, Element]) -> None:
    """Give the states that wait for what is copied now to the keyframes of `target` that they belong to."""
    if not source.late:
        return
    present = set(map(id, target.keys))
    for key, name, owner, values in source.late:
        if id(owner) in copies and id(key) in present and name in key.states:
            key.states[name].append((copies[id(owner)], values))
    source.late = [state for state in source.late if id(state[2]) not in copies]


def split_keys(spec: Spec, keys: Iterable[Element] | None = None) -> None:
    """Turn the vectors of keyframes into states of joints, actuators and mocap bodies, which may then be removed.

    Args:
        keys: some keyframes of `spec`; None: all.

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
    """Keyframes whose vectors have the sizes of the tree; what is wrong with the others is told by the compiler."""
    sizes = {name: sum(count for _, count in owners) for name, owners in _owners(spec).items()} if spec.keys else {}
    return [key for key in spec.keys if all(len(getattr(key, name)) in (0, size) for name, size in sizes.items())]


def whole_keys(spec: Spec) -> list[Element]:
    """Keyframes that hold vectors, not states."""
    return [key for key in spec.keys if "states" not in key.__dict__]


def resize_keys(spec: Spec) -> None:
    """Give the vectors of keyframes the sizes of the tree as it is now, as the official compiler does when it attaches.

    Numbers beyond the size are lost; those that are missing are the initial ones, as they are written in the model.
    """
    for key in whole_keys(spec):
        for name, owners in _owners(spec).items():
            values = getattr(key, name)
            if values:
                initial = tuple(number for owner, count in owners for number in _initial(owner, name, count))
                # poses of mocap bodies are kept whole or not at all
                whole = len(values) - len(values) % {"mpos": 3, "mquat": 4}.get(name, 1)
                setattr(key, name, values[: min(whole, len(initial))] + initial[whole:])


def _initial(owner: Element, name: str, count: int) -> tuple[float, ...]:
    """What a vector holds for `owner` in the initial configuration."""
    if name == "qpos" and count == 7:
        return (0.0,) * 7
    if name == "qpos":
        return (1.0, 0.0, 0.0, 0.0) if count == 4 else (owner.ref,)
    if name in ("mpos", "mquat"):
        return tuple(getattr(owner, name[1:]))
    return (0.0,) * count


class ReplicatedKeys:
    """The keyframes of a model, copied with a part of its tree.

    Made while the part is in the tree: the vectors of keyframes have a number for each of its joints. Each copy of the
    part has copies of all keyframes, in which its joints are as those of the part; the keyframes themselves lose them.
    As in the official compiler, actuators keep nothing if what they act on exists by now, and joints of copies made
    before are where their references are as written, even in degrees.
    """

    def __init__(self, spec: Spec):
        self.spec = spec
        self.keys = whole_keys(spec)
        self.earlier = [key for key in spec.keys if _is_split(key)]
        self.made: list[Element] = []
        # what has a state, apart from actuators
        self.owners = {name: found for name, found in _owners(spec).items() if name not in ("act", "ctrl")}
        self.waiting = _waiting(spec) if self.keys else set()
        self.written: dict[str, list[tuple[Element, tuple[float, ...]]]] = {name: [] for name in self.owners}
        split_keys(spec, self.keys)

    def copy(self, suffix: str, copies: Mapping[int, Element]) -> None:
        """Copy the keyframes with a part, whose elements are in `copies` by the id of the original."""
        for key in self.keys:
            made = key.copy()
            made.name = key.name + suffix
            made.states = {
                name: [*((copies.get(id(owner), owner), numbers) for owner, numbers in states), *self.written[name]]
                if name in self.owners
                else [(owner, numbers) for owner, numbers in states if id(owner) in self.waiting]
                for name, states in key.states.items()
            }
            self.made.append(made)
        for name, owners in self.owners.items() if self.keys else ():
            self.written[name] += [
                (copies[id(owner)], _initial(owner, name, count)) for owner, count in owners if id(owner) in copies
            ]

    def finish(self, first: Mapping[int, Element]) -> None:
        """Put the copies into the model; `first` are the elements of the first copy of the part."""
        for key in self.keys:
            for name, states in key.states.items():
                states[:] = [(owner, numbers) for owner, numbers in states if id(owner) not in first]
                states += self.written.get(name, ())
        for key in self.earlier:
            # states of earlier attachments are those of the first copy; actuators lose theirs
            key.states = {
                name: [(first.get(id(owner), owner), numbers) for owner, numbers in states]
                for name, states in key.states.items()
                if name in self.owners
            }
        # those that `nkey` asks for come first, as when another model is attached
        missing = self.spec.size.nkey - len(self.earlier) if self.keys else 0
        empty = [Element("key", {**defaults("key"), "states": {}}) for _ in range(missing)]
        self.spec.keys[:] = [*empty, *self.earlier, *self.made, *self.keys]


def _waiting(spec: Spec) -> set[int]:
    """Ids of the actuators that act on what is not in the tree yet."""
    tree = list(bodies(spec.worldbody))
    names = {("body", body.name) for body in tree}
    names |= {("joint", joint.name) for body in tree for joint in body.joints}
    names |= {("site", site.name) for body in tree for site in body.sites}
    names |= {("geom", geom.name) for body in tree for geom in body.geoms}
    names |= {("tendon", tendon.name) for tendon in spec.tendons if _known(tendon, names)}
    return {id(actuator) for actuator in spec.actuators if not _known(actuator, names)}


def _known(element: Element, names: set[tuple[str, str]]) -> bool:
    """True if all that `element` acts on is among the `names`."""
    return all((use.kind, use.name) in names for use in references(element) if use.kind != "material")


def _is_split(key: Element) -> bool:
    """True if `key` holds states instead of vectors."""
    return "states" in key.__dict__


def _split(key: Element, name: str, owners: Sequence[tuple[Element, int]]) -> Iterator[tuple[Element, tuple]]:
    """Numbers of every owner in one vector of a keyframe."""
    values = getattr(key, name)
    size = sum(count for _, count in owners)
    if values and len(values) != size:
        where = f"{key.place.at(name)}: " if key.place is not None else ""
        raise ModelError(f"{where}{key!r}: {name} has {len(values)} numbers, expected {size}")
    start = 0
    for owner, count in owners if values else ():
        yield owner, values[start : start + count]
        start += count


def _owners(spec: Spec) -> Owners:
    """Owners of the numbers of the keyframes of a Spec."""
    tree = list(bodies(spec.worldbody))
    return owners([joint for body in tree for joint in body.joints], spec.actuators, tree)


def owners(joints: Sequence[Element], actuators: Sequence[Element], tree: Sequence[Element]) -> Owners:
    """What the numbers of each vector belong to, in order, and how many each has; `tree` are all bodies."""
    mocaps = [body for body in tree if body.mocap]
    return {
        "qpos": [(joint, NQ[joint.type]) for joint in joints],
        "qvel": [(joint, NV[joint.type]) for joint in joints],
        "act": [(actuator, activations(actuator)) for actuator in actuators],
        "ctrl": [(actuator, 1) for actuator in actuators],
        "mpos": [(body, 3) for body in mocaps],
        "mquat": [(body, 4) for body in mocaps],
    }
