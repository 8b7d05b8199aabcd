"""Names of model elements: from name to id and back."""

from conjoint.lang.memory.layout import Buffer
from conjoint.schema.enums import mjtObj
from conjoint.schema.kinds import KINDS

NAME_ADDRESSES: dict[int, str] = {mjtObj["mjOBJ_" + kind.name.upper()]: kind.names for kind in KINDS}
NAME_ADDRESSES[mjtObj.mjOBJ_XBODY] = NAME_ADDRESSES[mjtObj.mjOBJ_BODY]
"""Field with the addresses of the names of each type of element."""


class NameTable:
    """Names of all elements of a model, decoded when first asked for."""

    def __init__(self, buffer: Buffer):
        self._buffer = buffer
        self._names: dict[str, list[str]] = {}
        self._ids: dict[str, dict[str, int]] = {}

    def names(self, field: str) -> list[str]:
        """Names by id, for the type of element whose addresses are in `field`; "" for elements without a name."""
        if field not in self._names:
            text = self._buffer.view("names").tobytes()
            addresses = self._buffer.view(field).tolist()
            self._names[field] = [text[a : text.index(b"\0", a)].decode() for a in addresses]
        return self._names[field]

    def ids(self, field: str) -> dict[str, int]:
        """Ids by name; where a name occurs twice, the first."""
        found = self._ids.get(field)
        if found is None:
            named = [(name, i) for i, name in enumerate(self.names(field)) if name]
            found = self._ids[field] = dict(reversed(named))
        return found
