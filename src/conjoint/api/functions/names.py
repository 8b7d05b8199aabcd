"""Names of model elements (API reference, Support functions)."""

from typing import Annotated

from conjoint.api.arguments import checked
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import NAME_ADDRESSES
from conjoint.schema.enums import mjtObj


@checked
def mj_name2id(m: MjModel, type: Annotated[int, mjtObj], name: str) -> int:
    """Id of an element.

    Args:
        m: the model.
        type: type of the element (mjtObj).
        name: its name.

    Returns:
        The id; -1 if there is no such element.
    """
    field = NAME_ADDRESSES.get(type)
    return m.name_table.ids(field).get(name, -1) if field else -1


@checked
def mj_id2name(m: MjModel, type: Annotated[int, mjtObj], id: int) -> str | None:
    """Name of an element.

    Args:
        m: the model.
        type: type of the element (mjtObj).
        id: its id.

    Returns:
        The name; None if it has none or does not exist.
    """
    field = NAME_ADDRESSES.get(type)
    names = m.name_table.names(field) if field else []
    return (names[id] or None) if 0 <= id < len(names) else None
