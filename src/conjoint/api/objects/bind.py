"""Elements of an editable model in its compiled model and in data: `m.bind(spec.geom("x")).size`."""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from conjoint.schema.version import STANDS_FOR


class Bindable:
    """An element of an editable model, as compiled models and worlds look for it."""

    kind: ClassVar[str] = ""

    @property
    def id(self) -> int:
        """Id of the element in the model that was compiled last; negative if it is not in it."""
        raise NotImplementedError

    @property
    def _compiled(self) -> int | None:
        """Signature of the model that was compiled last; None if none was."""
        raise NotImplementedError

    @property
    def _deleted(self) -> bool:
        """Whether it is no longer part of its editable model."""
        return False


def bind(owner: Any, elements: Bindable | Iterable[Bindable]) -> Any:
    """What a compiled model or data hold of elements of the editable model.

    Args:
        owner: an MjModel or MjData.
        elements: one element, or several.

    Returns:
        A view of the element, as from `m.geom("x")`; for several elements, an object with the same attributes, which
        are their numbers one after the other.

    Raises:
        ValueError: the model is not one that was compiled from the editable model last.
        TypeError: these are no elements of a kind that models hold.
    """
    if isinstance(elements, Bindable):
        return _view(owner, elements)
    try:
        # arrays without dimensions have `__iter__`, too
        several = list(iter(elements))
    except TypeError:
        raise TypeError(f"bind: expected an element of an MjSpec, or several, not {elements!r}") from None
    return Bound([_view(owner, handle) for handle in several])


def _view(owner: Any, handle: Any) -> Any:
    """View of one element."""
    if not isinstance(handle, Bindable):
        raise TypeError(f"bind: expected an element of an MjSpec, not {handle!r}")
    access = getattr(owner, handle.kind, None)
    if access is None:
        raise TypeError(f"bind: {type(owner).__name__} holds nothing of {handle!r}")
    model = owner.model if hasattr(owner, "model") else owner
    if STANDS_FOR.moved and handle._deleted:
        raise IndexError(f"Invalid index -1: {handle!r} was deleted")
    if handle._compiled != model.signature or handle.id < 0:
        raise ValueError(MISMATCH)
    try:
        return access(handle.id)
    except IndexError:
        # it was added since
        raise ValueError(MISMATCH) from None


MISMATCH = "The mjSpec does not match mjModel. Please recompile the mjSpec."
"""The official sentence, which programs compare with."""


class Bound:
    """Views of several elements; an attribute is theirs one after the other.

    In newer versions ids and names are lists, and as many numbers are assigned as there are.
    """

    def __init__(self, views: list[Any]):
        object.__setattr__(self, "_views", views)

    def __getattr__(self, name: str) -> Any:
        views = self._views
        if STANDS_FOR.moved and name in ("id", "name"):
            return [getattr(view, name) for view in views]
        if not views:
            return np.zeros(0)
        return np.concatenate([np.ravel(getattr(view, name)) for view in views])

    def __setattr__(self, name: str, value: Any) -> None:
        """Set the attribute of all elements: to one value, or to numbers one after the other."""
        sizes = [np.size(getattr(view, name)) for view in self._views]
        if np.size(value) == sum(sizes):
            parts = np.split(np.ravel(value), np.cumsum(sizes)[:-1])
            for view, part in zip(self._views, parts, strict=True):
                setattr(view, name, part.reshape(np.shape(getattr(view, name))))
            return
        if STANDS_FOR.moved:
            raise ValueError(f"{name} of {len(sizes)} elements are {sum(sizes)} numbers, not {np.size(value)}")
        for view in self._views:
            setattr(view, name, value)
