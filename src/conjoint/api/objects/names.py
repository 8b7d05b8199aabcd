"""Conversion between names and ids of model elements, and names and ranges of controls."""

from typing import Any

import numpy as np

from conjoint.lang.memory.layout import Buffer
from conjoint.schema.enums import mjtObj
from conjoint.schema.enums_newer import mjtCtrlInput
from conjoint.schema.kinds import KINDS
from conjoint.spec.actuator_size import INPUTS

NAME_ADDRESSES: dict[int, str] = {mjtObj["mjOBJ_" + kind.name.upper()]: kind.names for kind in KINDS}
NAME_ADDRESSES[mjtObj.mjOBJ_XBODY] = NAME_ADDRESSES[mjtObj.mjOBJ_BODY]
"""Name of the model field that contains the name addresses of each element type, by object type."""


class NameTable:
    """Names of all elements of a model, decoded on first use."""

    def __init__(self, buffer: Buffer):
        self._buffer = buffer
        self._names: dict[str, list[str]] = {}
        self._ids: dict[str, dict[str, int]] = {}

    def names(self, field: str) -> list[str]:
        """Return the names by id, "" for unnamed elements. `field` contains the name addresses of the element type."""
        if field not in self._names:
            text = self._buffer.view("names").tobytes()
            addresses = self._buffer.view(field).tolist()
            self._names[field] = [text[a : text.index(b"\0", a)].decode() for a in addresses]
        return self._names[field]

    def ids(self, field: str) -> dict[str, int]:
        """Return the ids by name. If a name occurs twice, the first id is returned."""
        found = self._ids.get(field)
        if found is None:
            named = [(name, i) for i, name in enumerate(self.names(field)) if name]
            found = self._ids[field] = dict(reversed(named))
        return found


INPUT_NAMES = {**INPUTS, "pressure": int(mjtCtrlInput.mjINPUT_PRESSURE)}
"""Names of actuator inputs, with their bits (mjtCtrlInput)."""


def control_range(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the minima and maxima of all controls, shape (nu,) each. They are -1 and 1 for controls without limits.

    Args:
        model: an MjModel, or an object with the same arrays as attributes.
    """
    limited = np.asarray(model.actuator_ctrllimited, bool)
    low, high = (np.where(limited, model.actuator_ctrlrange[:, k], free) for k, free in enumerate((-1.0, 1.0)))
    return low, high


def names_of_controls(model: Any) -> list[tuple[int, str]]:
    """Return the actuator id of each control, and a name that distinguishes the controls of an actuator."""
    found = []
    for u, count in enumerate(model.actuator_ctrlnum.tolist()):
        name = model.actuator(u).name or f"actuator {u}"
        found += [(u, f"{name} {inputs_of(model, u)[k]}" if count > 1 else name) for k in range(count)]
    return found


def inputs_of(model: Any, u: int) -> list[str]:
    """Return the input names of an actuator, in order, or an empty list if its inputs have no names."""
    return [word for word, bit in INPUT_NAMES.items() if int(model.actuator_ctrlspec[u]) & bit]
