"""Descriptions of models and worlds: a line for `repr`, and an HTML table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from conjoint.lang.memory.layout import Buffer
from conjoint.schema.enums import mjtIntegrator, mjtJoint, mjtWarning

KINDS = (
    ("bodies", "body", "name_bodyadr"), ("joints", "jnt", "name_jntadr"), ("geoms", "geom", "name_geomadr"),
    ("sites", "site", "name_siteadr"), ("tendons", "tendon", "name_tendonadr"), ("meshes", "mesh", "name_meshadr"),
    ("actuators", "u", "name_actuatoradr"), ("sensors", "sensor", "name_sensoradr"),
    ("equality constraints", "eq", "name_eqadr"), ("cameras", "cam", "name_camadr"),
    ("keyframes", "key", "name_keyadr"),
)  # fmt: skip
"""Element types that the table counts: title, suffix of the size's name, and the field with the name addresses."""

MOST_NAMES = 12
"""Maximum number of element names per table row."""

MOST_JOINTS = 30
"""Maximum number of joints that a table lists."""

Rows = Iterable[tuple[str, str]]


def model_name(memory: Buffer) -> str:
    """Return the model's name, as in `<mujoco model="...">`."""
    return memory.view("names").tobytes().partition(b"\0")[0].decode(errors="replace")


def model_line(model: Any) -> str:
    """Return a one-line description of a model."""
    sizes = model.sizes
    counts = ", ".join(f"{name} {sizes[name]}" for name in ("nbody", "nq", "nv", "nu"))
    return f"<conjoint.MjModel {model_name(model.memory)!r}: {counts}>"


def data_line(data: Any) -> str:
    """Return a one-line description of a world."""
    name = model_name(data.model.memory)
    return f"<conjoint.MjData of {name!r}: time {data.time:g} s, {data.ncon} contacts, {data.nefc} constraint rows>"


def table(title: str, rows: Rows) -> str:
    """Return an HTML table with two columns."""
    # imported here because only notebooks need it
    import html

    lines = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
    return f"<b>{html.escape(title)}</b><table>{lines}</table>"


def counted(count: int, names: Sequence[str]) -> str:
    """Return a text with the number of elements and the names of the first elements."""
    named = [name for name in names if name]
    if not named:
        return str(count)
    return f"{count}: {', '.join(named[:MOST_NAMES])}{', …' if len(named) > MOST_NAMES else ''}"


def model_table(model: Any) -> str:
    """Return an HTML table that describes a model."""
    rows = [
        (title, counted(model.sizes[f"n{size}"], model.name_table.names(field)))
        for title, size, field in KINDS
        if model.sizes[f"n{size}"]
    ]
    rows += [
        ("degrees of freedom", f"{model.nv} (nv); {model.nq} positions (nq)"),
        ("time step", f"{model.opt.timestep:g} s, {mjtIntegrator(model.opt.integrator).name.removeprefix('mjINT_')}"),
    ]
    return table(f"MjModel {model_name(model.memory)!r}", rows)


def data_table(data: Any) -> str:
    """Return an HTML table that describes the state of a world and its joints."""
    model = data.model
    reported = [f"{mjtWarning(k).name.removeprefix('mjWARN_')} {n}" for k, n in enumerate(data.warning.number) if n]
    rows = [
        ("time", f"{data.time:g} s"),
        ("contacts", str(data.ncon)),
        ("constraint rows", str(data.nefc)),
        ("warnings", ", ".join(reported) or "none"),
    ]
    joints = [*zip(model.name_table.names("name_jntadr"), model.jnt_type, strict=True)]
    for j, (name, kind) in enumerate(joints[:MOST_JOINTS]):
        joint = data.joint(j)
        title = f"{name or j} ({mjtJoint(kind).name.removeprefix('mjJNT_').lower()})"
        rows.append((title, f"qpos {numbers(joint.qpos)}; qvel {numbers(joint.qvel)}"))
    if len(joints) > MOST_JOINTS:
        rows.append(("…", f"{len(joints) - MOST_JOINTS} more joints"))
    return table(f"MjData of {model_name(model.memory)!r}", rows)


def numbers(values: Iterable[float]) -> str:
    """Return numbers as text with four significant digits."""
    return " ".join(f"{value:.4g}" for value in values)
