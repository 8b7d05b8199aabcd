"""Carrying a state from one compiled version of an editable model to the next."""

from collections.abc import Mapping
from typing import Any

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.schema.joints import NQ, NV


def carry_state(m: MjModel, d: MjData, before: Mapping[Any, int], model: MjModel, after: Mapping[Any, int]) -> MjData:
    """Data of `model` with the state that `d` has for the elements that both models have.

    Args:
        m, d: the model before, and a state of it.
        before, after: ids of the elements in the two models.
        model: the model after.
    """
    data = MjData(model)
    data.time = d.time
    for element, new in after.items():
        old = before.get(element)
        if old is None or min(old, new) < 0:
            continue
        if element.kind == "joint":
            _joint(m, d, old, model, data, new)
        elif element.kind == "actuator":
            data.ctrl[new] = d.ctrl[old]
            count = min(int(m.actuator_actnum[old]), int(model.actuator_actnum[new]))
            start, end = int(m.actuator_actadr[old]), int(model.actuator_actadr[new])
            data.act[end : end + count] = d.act[start : start + count]
        elif element.kind == "body":
            here, there = int(m.body_mocapid[old]), int(model.body_mocapid[new])
            if here >= 0 and there >= 0:
                data.mocap_pos[there], data.mocap_quat[there] = d.mocap_pos[here], d.mocap_quat[here]
    return data


def _joint(m: MjModel, d: MjData, old: int, model: MjModel, data: MjData, new: int) -> None:
    """Positions and velocities of a joint that has as many as before."""
    kind = int(m.jnt_type[old])
    if NQ[kind] != NQ[int(model.jnt_type[new])]:
        return
    here, there = int(m.jnt_qposadr[old]), int(model.jnt_qposadr[new])
    data.qpos[there : there + NQ[kind]] = d.qpos[here : here + NQ[kind]]
    here, there = int(m.jnt_dofadr[old]), int(model.jnt_dofadr[new])
    data.qvel[there : there + NV[kind]] = d.qvel[here : here + NV[kind]]
