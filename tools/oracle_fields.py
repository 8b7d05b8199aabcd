#!/usr/bin/env python3
"""Write the fields of models, as compiled by the MuJoCo that is installed for this Python interpreter.

Usage: MODELS.json | oracle_fields.py OUT.json

The tool reads a JSON object from standard input, which maps names to the XML text or the path of a model. It adds an
entry for each name to OUT.json. The entry contains lists of numbers by field, and the state after some steps as
`moved_qpos` and `moved_qvel`. If MuJoCo rejects the model, the entry is the error message. The tool needs only
`mujoco`, and runs with old versions, which support <composite> types and plugins that later versions lack.
"""

import json
import math
import sys
from pathlib import Path

import mujoco

FIELDS = """
    body_parentid body_pos body_quat body_mass body_inertia body_dofnum
    jnt_type jnt_bodyid jnt_pos jnt_axis jnt_stiffness jnt_limited jnt_range jnt_group jnt_margin jnt_solref jnt_solimp
    dof_damping dof_armature dof_frictionloss dof_solref dof_solimp
    geom_type geom_bodyid geom_contype geom_conaffinity geom_condim geom_priority geom_group geom_size geom_pos
    geom_quat geom_rgba geom_friction geom_margin geom_solref geom_solimp geom_matid
    site_type site_bodyid site_group site_size site_pos site_rgba site_matid
    tendon_adr tendon_num tendon_group tendon_width tendon_stiffness tendon_damping tendon_length0 tendon_limited
    tendon_rgba tendon_matid wrap_type wrap_objid wrap_prm
    eq_type eq_obj1id eq_obj2id eq_solref eq_solimp eq_data
    skin_matid skin_group skin_rgba skin_inflate skin_vertnum skin_texcoordadr skin_facenum skin_bonenum skin_vert
    skin_texcoord skin_face skin_bonevertadr skin_bonevertnum skin_bonebindpos skin_bonebindquat skin_bonebodyid
    skin_bonevertid skin_bonevertweight nq nv nu na nbody njnt ngeom nsite neq ntendon nexclude nskin
    """
"""Fields that the macro <composite> sets; the other fields follow from them, differently in each version."""

STEPS = 20

NAMED = ["body", "jnt", "geom", "site", "skin", "tendon"]
"""Element kinds whose names are also written, as `names_<kind>`."""


def fields(model) -> dict:
    """Return a model's values as lists of numbers, by field, and its names as lists, by element kind."""
    found = {}
    for name in FIELDS.split():
        value = getattr(model, name)
        numbers = [value] if isinstance(value, int) else value.ravel().tolist()
        found[name] = [_short(number) for number in numbers]
    for kind in NAMED:
        starts = getattr(model, f"name_{kind}adr")
        found["names_" + kind] = [model.names[at : model.names.index(b"\0", at)].decode() for at in starts]
    return found


def moved(model) -> dict:
    """Return position and velocity after some steps from an initial velocity that is the same in every version."""
    data = mujoco.MjData(model)
    model.opt.tolerance = 0
    data.qvel[:] = [0.1 * math.sin(1.0 + k) for k in range(model.nv)]
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    state = {"moved_qpos": data.qpos, "moved_qvel": data.qvel}
    return {name: [_short(number) for number in values.tolist()] for name, values in state.items()}


def _short(number: float):
    """Return a number rounded to ten digits, as an integer if it is whole."""
    rounded = float(f"{number:.10g}")
    return int(rounded) if rounded.is_integer() else rounded


def main() -> None:
    """Compile the models one by one, and write the results."""
    path = Path(sys.argv[1])
    result = json.loads(path.read_text()) if path.exists() else {}
    for name, xml in json.load(sys.stdin).items():
        try:
            load = mujoco.MjModel.from_xml_string if xml.lstrip().startswith("<") else mujoco.MjModel.from_xml_path
            model = load(xml)
            result[name] = fields(model) | moved(model)
        except ValueError as error:
            result[name] = str(error)
    lines = (f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in result.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
