"""Conversion of the draft to the arrays of a model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.compiler.arrays import Columns, Group, grouped
from conjoint.compiler.assets.fill import fill_assets
from conjoint.compiler.assets.geoms import bounds as asset_bounds
from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Geom
from conjoint.compiler.names import fill_names
from conjoint.compiler.passes import declared
from conjoint.compiler.shape import bounding_radius, fluid_coefficients, half_extent
from conjoint.compiler.sizes import USER_LISTS, flex
from conjoint.compiler.volumes import fill_volumes
from conjoint.lang.language.name import value_of
from conjoint.lang.memory.layout import Buffer, Role, picker
from conjoint.schema.kinds import KINDS, PLANE
from conjoint.schema.model import ARRAY_FIELDS

ELSEWHERE = ("flex", "mesh", "skin", "hfield", "texture", "numeric", "text", "tuple", "plugin")
"""Element types whose fields are filled by other modules or functions."""

PREFIXES = {kind.prefix: kind.plural for kind in KINDS if kind.name not in ELSEWHERE}
"""Names of the draft's element lists from which fields are filled, by field prefix."""

RENAMED = {
    "jnt_solref": "solref_limit", "jnt_solimp": "solimp_limit", "cam_sensorsize": "sensor_size", "pair_dim": "condim",
    "tendon_solref_lim": "solref_limit", "tendon_solimp_lim": "solimp_limit", "tendon_solref_fri": "solref_friction",
    "tendon_solimp_fri": "solimp_friction", "tendon_lengthspring": "springlength",
    "body_plugin": "pluginid", "geom_plugin": "pluginid", "actuator_plugin": "pluginid", "sensor_plugin": "pluginid",
    "body_simple": "simplicity",
}  # fmt: skip
"""Attribute of the element from which a field is filled, for fields whose name differs from the attribute."""

LATER = {
    "actuator_ctrllimited", "actuator_ctrlrange", "actuator_gear", "actuator_lengthrange",
    "body_user", "body_bvhadr", "body_bvhnum", "jnt_user", "geom_user", "site_user", "cam_user", "tendon_user",
    "actuator_user", "sensor_user",
}  # fmt: skip
"""Fields that are not copied from elements, but filled by separate functions."""

UNBOUNDED = 1e10
"""Extent of a plane's bounding box to the sides and below (mjMAXVAL)."""


OF_TREE = ("dof_bodyid", "dof_jntid", "dof_parentid", "dof_treeid", "dof_Madr", "dof_simplenum")
"""Dof fields that are computed from the kinematic tree."""

OF_JOINTS = {
    "dof_solref": "solref_friction", "dof_solimp": "solimp_friction", "dof_frictionloss": "frictionloss",
    "dof_armature": "armature", "dof_damping": "damping", "dof_dampingpoly": "dampingpoly",
}  # fmt: skip
"""Dof fields that are copied from joints, with the names of the joint attributes."""


def _plan() -> dict[str, dict[str, str]]:
    """Return the fields to copy from elements. For each element list, map field names to element attributes."""
    plan: dict[str, dict[str, str]] = {}
    for field in ARRAY_FIELDS:
        prefix, _, suffix = field.name.partition("_")
        if prefix in PREFIXES and field.role is not Role.RESULT and field.name not in LATER:
            plan.setdefault(PREFIXES[prefix], {})[field.name] = RENAMED.get(field.name, suffix)
    return plan


def _picked(plan: Mapping[str, str]) -> tuple[list[Group], Callable[[Mapping[str, Any]], tuple[Any, ...]]]:
    """Return the field groups of a plan, and a function that gets the fields' values from an element's dictionary."""
    groups, names = grouped(plan)
    return groups, picker(names)


PLAN = _plan()
PICKED = {elements: _picked(plan) for elements, plan in PLAN.items()}
PLANNED = "; ".join(f"{kind.name}: {' '.join(PLAN[kind.plural].values())}" for kind in KINDS if kind.plural in PLAN)
"""Element attributes that `PLAN` copies, in the syntax of the argument `reads` of `declared`."""
DOFS, JOINTS = grouped({name: name for name in OF_TREE})[0], _picked(OF_JOINTS)


@declared(
    reads=PLANNED
    + (
        "; actuator: ctrllimits ctrlranges gear lengthrange; draft: model names qpos0 qpos_spring sleep_policy "
        "tree; flex: bending bodyids centered coordinate_ids coordinates edgedamping edgeflap edges edgestiffness "
        "element_edges elements friction gap interp local margin matid node_local nodeids nodes points radius "
        "rigid solimp stiffness strain surface vert0; geom: id; hfield: compiled ncol nrow path size; joint: "
        "armature damping dampingpoly frictionloss solimp_friction; mesh: compiled path scale; numeric: data; "
        "plugin: attr slot statenum; skin: bodyids compiled inflate matid path; tendon: wraps; texture: "
        "colorspace compiled path; tuple: elements; tupleelement: objid objtype; wrap: objid prm type"
    ),
)
def fill(draft: Draft) -> None:
    """Write the model arrays that can be computed without dynamics."""
    buffer = draft.model
    columns = Columns(buffer)
    _copy(draft, columns)
    fill_assets(draft, buffer)
    if draft.flexes:
        value_of(flex).fill_flexes(draft, buffer)
    fill_volumes(draft, buffer, columns)
    _users(draft, buffer)
    _dofs(draft, columns)
    _controls(draft, columns)
    _custom(draft, buffer)
    columns.add("qpos0", draft.qpos0)
    columns.add("qpos_spring", draft.qpos_spring)
    fill_names(draft.names, buffer, columns)
    columns.write()


def _copy(draft: Draft, columns: Columns) -> None:
    """Add the fields of `PLAN` to the columns."""
    for elements, (groups, pick) in PICKED.items():
        found = draft.__dict__[elements]
        if found:
            rows = [pick(element.__dict__) for element in found]
            columns.add_all(groups, list(zip(*rows, strict=True)))


@declared(
    reads="body: dofnum; geom: asset gap margin size; hfield: size; tendon: wraps",
    changes="body: dofadr",
    writes=("body: conaffinity contype geomadr geomnum jntadr jntnum margin; geom: aabb fluid rbound; tendon: adr num"),
)
def summarize(draft: Draft) -> None:
    """Compute addresses and counts of elements, the bodies' collision settings, and bounds of geoms."""
    joints = geoms = 0
    for body in draft.bodies:
        jntnum, geomnum, contype, conaffinity, margin = len(body.joints), len(body.geoms), 0, 0, 0.0
        for geom in body.geoms:
            contype |= geom.contype
            conaffinity |= geom.conaffinity
            margin = max(margin, geom.margin + geom.gap if draft.newer else geom.margin)
        body.__dict__.update(
            jntnum=jntnum, jntadr=joints if jntnum else -1, geomnum=geomnum, geomadr=geoms if geomnum else -1,
            dofadr=body.dofadr if body.dofnum else -1, contype=contype, conaffinity=conaffinity, margin=margin,
        )  # fmt: skip
        joints, geoms = joints + jntnum, geoms + geomnum
    for geom in draft.geoms:
        if geom.asset is None:
            geom.aabb, geom.rbound = _bounds(geom), bounding_radius(geom.type, geom.size)
        else:
            geom.aabb, geom.rbound = asset_bounds(geom)
        geom.fluid = fluid_coefficients(geom)
    address = 0
    for tendon in draft.tendons:
        tendon.adr, tendon.num = address, len(tendon.wraps)
        address += tendon.num


def _bounds(geom: Geom) -> tuple[float, ...]:
    """Return the center and half sizes of a geom's bounding box. A plane is unbounded to the sides and below."""
    if geom.type == PLANE:
        return 0.0, 0.0, -UNBOUNDED / 2, UNBOUNDED, UNBOUNDED, UNBOUNDED / 2
    x, y, z = half_extent(geom.type, geom.size)
    # as in MuJoCo, the center of an unbounded shape is NaN
    return x - x, y - y, z - z, x, y, z


def _users(draft: Draft, buffer: Buffer) -> None:
    """Write user parameters, padded with zeros."""
    for prefix, elements in USER_LISTS.items():
        if buffer.layout.sizes["nuser_" + prefix]:
            view = buffer.view(prefix + "_user")
            for i, element in enumerate(getattr(draft, elements)):
                view[i, : len(element.userdata)] = element.userdata


def _dofs(draft: Draft, columns: Columns) -> None:
    """Write the fields of degrees of freedom, from their joints."""
    tree = draft.tree
    if not tree.dofs:
        return
    bodies, joints = zip(*tree.dofs, strict=True)
    columns.add("tree_sleep_policy", draft.sleep_policy)
    columns.add_all(DOFS, [bodies, joints, tree.dof_parentid, tree.dof_treeid, tree.dof_Madr, tree.dof_simplenum])
    groups, pick = JOINTS
    rows = [pick(joint.__dict__) for joint in draft.joints]
    columns.add_all(groups, list(zip(*[rows[joint] for joint in joints], strict=True)))


def _controls(draft: Draft, columns: Columns) -> None:
    """Write the fields of controls, from their actuators."""
    if draft.actuators:
        columns.add("actuator_ctrllimited", [flag for actuator in draft.actuators for flag in actuator.ctrllimits])
        ranges = [interval for actuator in draft.actuators for interval in actuator.ctrlranges]
        columns.add("actuator_ctrlrange", [number for interval in ranges for number in interval])
        for name in ("gear", "lengthrange"):
            rows = [actuator.__dict__[name] * actuator.outnum for actuator in draft.actuators]
            columns.add("actuator_" + name, [number for row in rows for number in row])


def _custom(draft: Draft, buffer: Buffer) -> None:
    """Write tendon paths, plugins, numeric, text and tuple data."""
    wraps = [wrap for tendon in draft.tendons for wrap in tendon.wraps]
    if wraps:
        buffer.view("wrap_type")[:] = [wrap.type for wrap in wraps]
        buffer.view("wrap_objid")[:] = [wrap.objid for wrap in wraps]
        buffer.view("wrap_prm")[:] = [wrap.prm for wrap in wraps]
    if draft.plugins:
        buffer.view("plugin")[:] = [plugin.slot for plugin in draft.plugins]
        states = [plugin.statenum for plugin in draft.plugins]
        buffer.view("plugin_statenum")[:] = states
        buffer.view("plugin_stateadr")[:] = np.cumsum([0, *states[:-1]])
        sizes = [len(plugin.attr) for plugin in draft.plugins]
        buffer.view("plugin_attradr")[:] = np.cumsum([0, *sizes[:-1]])
        buffer.view("plugin_attr")[:] = np.frombuffer(b"".join(plugin.attr for plugin in draft.plugins), np.uint8)
    _pack(buffer, "numeric", [numeric.data for numeric in draft.numerics], "data")
    _pack(buffer, "text", [text.data.encode() + b"\0" for text in draft.texts], "data")
    members = [group.elements for group in draft.tuples]
    for name in ("objtype", "objid"):
        _pack(buffer, "tuple", [[getattr(member, name) for member in group] for group in members], name)
    _pack(buffer, "tuple", [[member.prm for member in group] for group in members], "objprm")


def _pack(buffer: Buffer, prefix: str, lists: Sequence[Sequence[Any]], name: str) -> None:
    """Write lists of numbers one after the other, with their addresses and sizes."""
    if not lists:
        return
    sizes = [len(values) for values in lists]
    buffer.view(prefix + "_size")[:] = sizes
    buffer.view(prefix + "_adr")[:] = np.cumsum([0, *sizes[:-1]])
    buffer.view(f"{prefix}_{name}")[:] = [value for values in lists for value in values]
