"""Consistency checks of a model's redundant integers: owners of elements, lists of elements, and parents."""

from collections.abc import Iterator

import numpy as np

from conjoint.lang.memory.layout import Buffer
from conjoint.schema.enums import mjtEq, mjtObj, mjtWrap
from conjoint.schema.kinds import NQ, NV
from conjoint.schema.references import BY_DIMENSION, OWNED
from conjoint.schema.semantics import EDITION_4


def disagreements(model: Buffer) -> Iterator[str]:
    """Yield a message for each inconsistency in a model. Ids, addresses and counts must already be checked."""
    yield from _owners_agree(model)
    yield from _parents_agree(model)
    yield from _kinds_agree(model)


def report(name: str, bad: np.ndarray, view: np.ndarray, expected: str) -> Iterator[str]:
    """Yield a message about the first value of field `name` for which `bad` is True, if there is one."""
    if bad.any():
        place = np.argwhere(bad)[0]
        where = ", ".join(str(i) for i in place)
        yield f"{name}[{where}] is {view[tuple(place)]}: {expected}"


def count_of(model: Buffer, count: str) -> np.ndarray:
    """Return the number of rows per element. `count` is a field or a product of fields, such as "nfield*corners"."""
    total: np.ndarray | int = 1
    for word in count.split("*"):
        if word in BY_DIMENSION:
            # invalid dimensions are already reported
            total = total * np.asarray(BY_DIMENSION[word])[np.clip(model.view("flex_dim"), 0, 3)]
        else:
            total = total * model.view(word).astype(np.int64)
    return np.asarray(total)


def rows_of_elements(model: Buffer, address: str, count: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of all rows that elements own, and the owner of each. Addresses must already be checked."""
    start, length = model.view(address).astype(np.int64), count_of(model, count)
    rows = np.repeat(start - np.cumsum(length) + length, length) + np.arange(length.sum())
    return rows, np.repeat(np.arange(len(start)), length)


def owners_of(model: Buffer, address: str, count: str, size: int) -> np.ndarray:
    """Return the id of the element that owns each of `size` rows, or -1 for rows without an owner."""
    owners = np.full(size, -1)
    rows, owners_of_rows = rows_of_elements(model, address, count)
    owners[rows] = owners_of_rows
    return owners


def _owners_agree(model: Buffer) -> Iterator[str]:
    """Yield messages about joints, dofs and geoms whose bodies do not list them, and dofs that contradict joints."""
    for name, address, count in OWNED:
        owners = owners_of(model, address, count, len(model.view(name)))
        yield from _disagreement(model, name, owners, f"{address} and {count} must be changed with it")
    for name, size, counts in (("jnt_qposadr", "nq", NQ), ("jnt_dofadr", "nv", NV)):
        numbers = np.array(counts)[model.view("jnt_type")]
        if numbers.sum() != model.layout.sizes[size]:
            there = model.layout.sizes[size]
            yield f"jnt_type: joints of these types have {size} = {numbers.sum()}, the model has {there}"
            return
        yield from _disagreement(model, name, np.cumsum(numbers) - numbers, "jnt_type is not changed with it")
    joints = np.repeat(np.arange(len(numbers)), numbers)
    yield from _disagreement(model, "dof_jntid", joints, "jnt_type is not changed with it")
    yield from _disagreement(model, "dof_bodyid", model.view("jnt_bodyid")[joints], "jnt_bodyid is not changed with it")
    counted = np.zeros(len(joints) + 1, int)
    for dof in np.flatnonzero(model.view("body_simple")[model.view("dof_bodyid")])[::-1].tolist():
        counted[dof] = counted[dof + 1] + 1
    yield from _disagreement(model, "dof_simplenum", counted[:-1], "body_simple is not changed with it")
    nodes, bodies = rows_of_elements(model, "body_bvhadr", "body_bvhnum")
    content = model.view("bvh_nodeid")[nodes]
    strange = content >= 0
    strange[strange] = model.view("geom_bodyid")[content[strange]] != bodies[strange]
    for body in bodies[strange][:1].tolist():
        yield f"body_bvhadr[{body}] is {model.view('body_bvhadr')[body]}, which is in the tree of another body"


def _kinds_agree(model: Buffer) -> Iterator[str]:
    """Yield messages about wrong object types of connect and weld constraints, and about tendons of mixed type."""
    kinds, objects = model.view("eq_type"), model.view("eq_objtype")
    of_bodies = np.isin(kinds, (int(mjtEq.mjEQ_CONNECT), int(mjtEq.mjEQ_WELD)))
    known = np.isin(objects, (int(mjtObj.mjOBJ_BODY), int(mjtObj.mjOBJ_SITE)))
    yield from report("eq_objtype", of_bodies & ~known, objects, "such a constraint connects bodies or sites")
    wraps, tendons = rows_of_elements(model, "tendon_adr", "tendon_num")
    of_joint = model.view("wrap_type")[wraps] == int(mjtWrap.mjWRAP_JOINT)
    first = of_joint[np.searchsorted(tendons, tendons)]
    for wrap in wraps[of_joint != first][:1].tolist():
        yield f"wrap_type[{wrap}] is {model.view('wrap_type')[wrap]}: a tendon has either joints or a spatial path"


def _parents_agree(model: Buffer) -> Iterator[str]:
    """Yield messages about dof parents, roots, trees and fixed bodies that contradict the parents of bodies."""
    sizes, parent = model.layout.sizes, model.view("body_parentid").tolist()
    start, number = model.view("body_dofadr").tolist(), model.view("body_dofnum").tolist()
    last, root, weld = ([0] * sizes["nbody"] for _ in range(3))
    last[0], parents = -1, np.arange(-1, sizes["nv"] - 1)
    # with the semantics of 4.0, mocap bodies are not welded to the world
    alone = (model.view("body_mocapid") >= 0) & (model.view("edition") == EDITION_4)
    for body in range(1, sizes["nbody"]):
        last[body] = last[parent[body]]
        root[body] = root[parent[body]] or body
        weld[body] = body if number[body] or alone[body] else weld[parent[body]]
        if number[body]:
            parents[start[body]] = last[body]
            last[body] = start[body] + number[body] - 1
    for name, expected in (("dof_parentid", parents), ("body_rootid", root), ("body_weldid", weld)):
        yield from _disagreement(model, name, np.array(expected), "body_parentid is not changed with it")
    trees = np.cumsum(parents < 0) - 1
    yield from _disagreement(model, "dof_treeid", trees, "dof_parentid is not changed with it")
    of_bodies = np.append(trees, -1)[last]
    yield from _disagreement(model, "body_treeid", of_bodies, "dof_treeid is not changed with it")
    moved = (model.view("body_mocapid") >= 0) & ((model.view("body_parentid") > 0) | (model.view("body_dofnum") > 0))
    yield from report(
        "body_mocapid", moved, model.view("body_mocapid"), "mocap bodies are children of the world without joints"
    )


def _disagreement(model: Buffer, name: str, expected: np.ndarray, text: str) -> Iterator[str]:
    """Yield a message about the first unexpected value of a field."""
    view = model.view(name)
    yield from report(name, view != expected, view, text)
