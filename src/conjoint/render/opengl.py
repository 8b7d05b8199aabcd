"""OpenGL as moderngl has it, imported when something is drawn: what draws can be named without it."""

from typing import Any

from conjoint.lang.optional_packages import need


class OnDemand:
    """The module `moderngl`, imported when one of its names is first asked for."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(need("render", "drawing"), name)
        setattr(self, name, found)
        return found


moderngl: Any = OnDemand()
