"""Keyframes of attached models: states of joints, actuators and mocap bodies instead of whole vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from conjoint.lang.errors import ModelError
from conjoint.spec.element import Body, Element
from conjoint.spec.namespace import Namespace

if TYPE_CHECKING:
    from conjoint.spec.spec import Spec

_NQ = (7, 4, 1, 1)
_NV = (6, 3, 1, 1)
"""Positions and velocities of a joint, by mjtJoint."""


def activations(actuator: Element) -> int:
    """Number of activation variables of an actuator."""
    return int(actuator.dyntype != 0) if actuator.actdim < 0 else int(actuator.actdim)


def attach_keys(target: Spec, source: Spec, namespace: Namespace, copies: Mapping[int, Element]) -> None:
    """Add the keyframes of `source` to `target`, as states of what was copied.

    Args:
        copies: copy of every attached element, by the id of the original.

    Raises:
        ModelError: a keyframe has the wrong size.
    """
    for key in source.keys:
        copy = key.copy()
        copy.name = namespace.of(key.name)
        copy.states = {}
        for name, owners in _owners(source).items():
            pairs = list(key.__dict__.get("states", {}).get(name, ()))
            pairs += _split(key, name, owners)
            copy.states[name] = [(copies[id(owner)], values) for owner, values in pairs if id(owner) in copies]
            setattr(copy, name, ())
        target.keys.append(copy)


def split_keys(spec: Spec) -> None:
    """Turn the vectors of all keyframes into states of joints, actuators and mocap bodies, which may then be removed.

    Raises:
        ModelError: a keyframe has the wrong size.
    """
    for key in spec.keys:
        states = key.__dict__.setdefault("states", {})
        for name, owners in _owners(spec).items():
            states[name] = [*states.get(name, ()), *_split(key, name, owners)]
            setattr(key, name, ())


def _split(key: Element, name: str, owners: Sequence[tuple[Element, int]]) -> Iterator[tuple[Element, tuple]]:
    """Numbers of every owner in one vector of a keyframe."""
    values = getattr(key, name)
    size = sum(count for _, count in owners)
    if values and len(values) != size:
        raise ModelError(f"{key!r}: {name} has {len(values)} numbers, expected {size}")
    start = 0
    for owner, count in owners if values else ():
        yield owner, values[start : start + count]
        start += count


def _owners(spec: Spec) -> dict[str, list[tuple[Element, int]]]:
    """What the numbers of each vector belong to, in order, and how many each has."""
    bodies = list(_bodies(spec.worldbody))
    joints = [joint for body in bodies for joint in body.joints]
    mocaps = [body for body in bodies if body.mocap]
    return {
        "qpos": [(joint, _NQ[joint.type]) for joint in joints],
        "qvel": [(joint, _NV[joint.type]) for joint in joints],
        "act": [(actuator, activations(actuator)) for actuator in spec.actuators],
        "ctrl": [(actuator, 1) for actuator in spec.actuators],
        "mpos": [(body, 3) for body in mocaps],
        "mquat": [(body, 4) for body in mocaps],
    }


def _bodies(body: Body) -> Iterator[Body]:
    """`body` and all below it, parents first."""
    yield body
    for child in body.bodies:
        yield from _bodies(child)
