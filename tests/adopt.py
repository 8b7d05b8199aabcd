"""Conjoint models and data with values copied from MuJoCo's, for tests that do not use the model compiler."""

from typing import Any

import mujoco
import numpy as np

from conjoint.api.functions.state import mj_setState
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel, model_in
from conjoint.api.objects.struct import fields_of
from conjoint.schema.memory import allocate_model
from conjoint.schema.newer_names import IN_MEMORY_OF_MODELS
from conjoint.schema.semantics import DEFAULT
from conjoint.schema.sizes import SIZES


def adopt_model(official: Any) -> MjModel:
    """Return a Conjoint model with every value of a MuJoCo model, in the edition of the process."""
    sizes = {name: getattr(official, name) for name in SIZES if name != "nbuffer" and name not in IN_MEMORY_OF_MODELS}
    nu = sizes["nu"]
    m = model_in(allocate_model({**sizes, "nactuator": nu, "nout": nu}))
    for name in ("actuator_ctrladr", "actuator_outadr"):
        m.memory.view(name)[...] = np.arange(nu)
    for name in ("actuator_ctrlnum", "actuator_outnum"):
        m.memory.view(name)[...] = 1
    for name in ("jnt_actuatorid", "tendon_actuatorid", "actuator_historyadr", "sensor_historyadr"):
        m.memory.view(name)[...] = -1
    for name in ("jnt_plasticadr", "tendon_plasticadr"):
        m.memory.view(name)[...] = -1
    m.memory.view("cam_output")[...] = 1
    m.memory.view("edition")[...] = DEFAULT.edition
    for field in m.memory.layout.fields:
        if field.shape and field.public and "." not in field.name and field.name not in IN_MEMORY_OF_MODELS:
            value = getattr(official, field.name)
            value = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value
            target = m.memory.view(field.name)
            target[...] = np.asarray(value).view(target.dtype).reshape(target.shape)
    for group in ("opt", "stat"):
        _copy_record(getattr(m, group), getattr(official, group))
    for group in m.vis.groups:
        _copy_record(getattr(m.vis, group), getattr(official.vis, group))
    m.memory.view("signature")[...] = np.uint64(official.signature).astype(np.int64)
    return m


def adopt_state(m: MjModel, official_model: Any, official: Any) -> MjData:
    """Return Conjoint data with the integration state of MuJoCo data."""
    d = MjData(m)
    spec = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.zeros(mujoco.mj_stateSize(official_model, spec))
    mujoco.mj_getState(official_model, official, state, spec)
    mj_setState(m, d, state, spec)
    return d


def _copy_record(ours: Any, theirs: Any) -> None:
    for name in fields_of(ours).keys() - {name.rpartition(".")[2] for name in IN_MEMORY_OF_MODELS}:
        value = getattr(theirs, name)
        if np.size(value):
            setattr(ours, name, value)
