"""Access to compiled models and worlds by elements of an editable model, as in `m.bind(spec.geom("x")).size`."""

from typing import Any, ClassVar

import numpy as np

from conjoint.api.objects.struct import Record
from conjoint.schema.version import STANDS_FOR


class Bindable:
    """Interface through which compiled models and worlds access elements of an editable model."""

    kind: ClassVar[str] = ""

    @property
    def id(self) -> int:
        """Id of the element in the last compiled model; negative if that model does not contain the element."""
        raise NotImplementedError

    @property
    def _compiled(self) -> int | None:
        """Signature of the last compiled model; None before the first compilation."""
        raise NotImplementedError

    @property
    def _deleted(self) -> bool:
        """True if the element was deleted from its editable model."""
        return False


class Binding(Record):
    """Base class of `MjModel` and `MjData`, which gives access to their values by elements of an `MjSpec`.

    Two objects are equal only if they are the same object.
    """

    def bind(self, specs: Any) -> Any:
        """Return a view of one or several elements of an `MjSpec` in this model or world.

        Args:
            specs: one element, such as `spec.body("x")`, or a sequence of elements.

        Returns:
            For one element, a view as from `model.body("x")` or `data.body("x")`. For several elements, an object with
            the same attributes, which concatenate the values of all elements.

        Raises:
            ValueError: the model is not the last one that was compiled from the `MjSpec`.
            TypeError: `specs` is not one or several elements, or compiled models do not contain elements of this type.
        """
        if isinstance(specs, Bindable):
            return _view(self, specs)
        try:
            # arrays without dimensions have `__iter__`, too
            several = list(iter(specs))
        except TypeError:
            raise TypeError(f"bind: expected an element of an MjSpec, or several, not {specs!r}") from None
        return Bound([_view(self, handle) for handle in several])

    def bind_scalar(self, spec: Any) -> Any:
        """Return a view of one element of an `MjSpec` in this model or world.

        Args:
            spec: the element.

        Returns:
            A view of the element, as from `bind`.

        Raises:
            ValueError: as in `bind`.
        """
        return self.bind(spec)

    __eq__, __hash__ = object.__eq__, object.__hash__  # type: ignore[assignment]


def _view(owner: Any, handle: Any) -> Any:
    """Return the view of one element in a model or world."""
    if not isinstance(handle, Bindable):
        raise TypeError(f"bind: expected an element of an MjSpec, not {handle!r}")
    access = getattr(owner, handle.kind, None)
    if access is None:
        raise TypeError(f"bind: {type(owner).__name__} has no fields for {handle!r}")
    model = owner.__dict__.get("model", owner)
    if STANDS_FOR.moved and handle._deleted:
        raise IndexError(f"Invalid index -1: {handle!r} was deleted")
    if handle._compiled != model.signature or handle.id < 0:
        raise ValueError(MISMATCH)
    try:
        return access(handle.id)
    except IndexError:
        # the element was added after compilation
        raise ValueError(MISMATCH) from None


MISMATCH = "The mjSpec does not match mjModel. Please recompile the mjSpec."
"""MuJoCo's error message for a model of another `MjSpec`, kept verbatim because programs compare it."""


class Bound:
    """Combined view of several elements, whose attributes concatenate the values of all elements.

    In newer versions, ids and names are lists, and an assigned value must have exactly as many numbers as the
    attribute.
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
        """Set an attribute of all elements, from one common value or from the concatenated values."""
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
