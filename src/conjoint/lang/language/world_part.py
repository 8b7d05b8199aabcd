"""Parts of a world, on which kernels written for a whole world can run.

A part has fields that replace some of the world's fields. `within` calls a kernel for a part: in that kernel, `m.nv` is
the number of dofs of the part, and `d.efc_J` contains its rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from .plain_structs import PlainStruct
from .vocabulary import Word


class Part:
    """Fields of a part of a world.

    Attributes:
        number: name of the integer field of `d` that contains the index of the part.
        fields: names of two fields of `d` for each field of the world that they replace (`m.nv`, `d.efc_J`). The
            first field contains the data of all parts. The second contains the first element of every part; "number"
            means one element, at the index of the part, and "" means that parts begin with the first element.
    """

    def __init__(self, number: str, fields: Mapping[str, tuple[str, str]]):
        self.number, self.fields = number, dict(fields)

    def __repr__(self) -> str:
        return f"<part d.{self.number}>"

    @property
    def names(self) -> set[str]:
        """Names of all fields that the part uses."""
        return {self.number} | {name for pair in self.fields.values() for name in pair if name not in ("", "number")}


@Word
def within(part: Part, kernel: Any, m: Any, d: Any, *arguments: Any) -> Any:
    """Call a kernel for the part of a world with index `d.<part.number>`, and return its result."""
    model = PlainPart(part, "m", m, m, d)
    return kernel(model, PlainPart(part, "d", d, model, d), *arguments)


class PlainPart:
    """`m` or `d` of a part, for uncompiled kernels.

    Args:
        part: declaration of the part.
        role: "m" or "d".
        struct: the world's `m` or `d`.
        model: `m` of the part, for sizes.
        d: data of the world.
        group: prefix of the fields' names.
    """

    def __init__(self, part: Part, role: str, struct: PlainStruct, model: Any, d: PlainStruct, group: str = ""):
        self.__dict__.update(_part=part, _role=role, _struct=struct, _model=model, _d=d, _group=group)

    def _first(self, rule: str) -> int:
        number = attrgetter(self._part.number)(self._d)
        if rule in ("", "number"):
            return number if rule else 0
        return attrgetter(rule)(self._d)[number]

    def _found(self, name: str) -> tuple[Any, int] | None:
        """Return a field's array for all parts, and the index of this part's first element; None for other fields."""
        found = self._part.fields.get(f"{self._role}.{self._group}{name}")
        if found is None:
            return None
        return attrgetter(found[0])(self._d), self._first(found[1])

    def __getattr__(self, name: str) -> Any:
        found = self._found(name)
        if found is None:
            value = getattr(self._struct, name)
            if isinstance(value, PlainStruct):
                return PlainPart(self._part, self._role, value, self._model, self._d, f"{self._group}{name}.")
            return value
        array, first = found
        field, _ = self._struct.field_of(name)
        if not field.shape:
            return array[first]
        sizes = [getattr(self._model, n) if isinstance(n, str) else n for n in field.shape[1:]]
        return array.behind(first, sizes)

    def __setattr__(self, name: str, value: Any) -> None:
        found = self._found(name)
        if found is None:
            setattr(self._struct, name, value)
        else:
            array, first = found
            array[first] = value
