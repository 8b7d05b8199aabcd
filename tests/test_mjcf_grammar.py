"""The grammar table against the oracle's schema and defaults."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

from conjoint.schema.mjcf import MUJOCO, Element, defaults

NEWER_THAN_THE_PRINTOUT = {"frame", "replicate", "include"}
"""Elements that the oracle's printout leaves out."""

OF_OLDER_VERSIONS = {
    "mujoco/body/composite": {"spacing", "flatinertia", "solrefsmooth", "solimpsmooth"},
    "mujoco/body/composite/tendon": None,
    "mujoco/body/composite/pin": None,
}
"""Attributes and elements of composites that the oracle has no more."""


def printed_rows() -> list[tuple[tuple[str, ...], set[str]]]:
    """(path of tags, attributes) of every element the oracle prints."""
    rows: list[tuple[tuple[str, ...], set[str]]] = []
    path: tuple[str, ...] = ()
    for line in mujoco.mj_printSchema(False, False).splitlines():
        match = re.match(r"^( *)(\S+) \(.\)(.*)$", line)
        if match:
            path = (*path[: len(match[1]) // 3], match[2].replace("(world)", ""))
            rows.append((path, set(match[3].split())))
        elif line.strip():
            rows[-1][1].update(line.split())
    return rows


def row_at(path: tuple[str, ...]) -> Element | None:
    """Row of the grammar at a path of the oracle's printout, whose bodies hang directly in the root."""
    row: Element | None = MUJOCO
    for tag in path[1:]:
        assert row is not None
        row = MUJOCO.children["worldbody"].children["body"] if row is MUJOCO and tag == "body" else row.child(tag)
        if row is None:
            return None
    return row


def test_the_oracle_and_the_table_know_the_same_attributes():
    different = {}
    for path, attributes in printed_rows():
        row = row_at(path)
        older = OF_OLDER_VERSIONS.get("/".join(path)) or set()
        if row is None or set(row.attributes) != attributes | older:
            different["/".join(path)] = None if row is None else set(row.attributes) ^ attributes
    assert different == {}


def test_the_table_has_no_elements_that_the_oracle_lacks():
    known = {path for path, _ in printed_rows()}
    extra, seen = [], set()

    def walk(row: Element, path: tuple[str, ...]) -> None:
        for tag, child in row.children.items():
            inner = ("mujoco", "body") if tag in ("worldbody", "body") else (*path, tag)
            if tag in NEWER_THAN_THE_PRINTOUT or id(child) in seen:
                continue
            seen.add(id(child))
            if inner not in known and "/".join(inner) not in OF_OLDER_VERSIONS:
                extra.append(inner)
            walk(child, inner)

    walk(MUJOCO, ("mujoco",))
    # the equality of a flex is made by the oracle's macros and missing from its printout
    assert [path for path in extra if path != ("mujoco", "equality", "flex")] == []


def oracle_elements() -> dict[str, object]:
    """An element of every kind, as the oracle makes it from nothing."""
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    return {
        "geom": body.add_geom(), "joint": body.add_joint(), "site": body.add_site(), "camera": body.add_camera(),
        "light": body.add_light(), "pair": spec.add_pair(), "tendon": spec.add_tendon(),
        "actuator": spec.add_actuator(), "material": spec.add_material(), "texture": spec.add_texture(),
        "mesh": spec.add_mesh(), "hfield": spec.add_hfield(), "option": spec.option, "compiler": spec.compiler,
        "key": spec.add_key(), "body": body, "map": spec.visual.map, "global": spec.visual.global_,
        "quality": spec.visual.quality, "headlight": spec.visual.headlight, "scale": spec.visual.scale,
    }  # fmt: skip


@pytest.mark.parametrize("kind", oracle_elements())
def test_defaults_are_those_of_the_oracle(kind):
    element = oracle_elements()[kind]
    compared = 0
    for name, ours in defaults(kind).items():
        theirs = getattr(element, name, None)
        if ours is None or not isinstance(theirs, int | float | np.ndarray):
            continue
        compared += 1
        assert np.allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-7), (kind, name)
    assert compared > 0


def test_every_row_has_a_meaning():
    def walk(row: Element, seen: set[int]) -> None:
        if id(row) in seen:
            return
        seen.add(id(row))
        assert row.meaning.endswith("."), row.name
        for attribute in row.attributes.values():
            assert attribute.meaning.endswith("."), (row.name, attribute.name)
        for child in row.children.values():
            walk(child, seen)

    walk(MUJOCO, set())
