"""Defaults classes of an editable model."""

from __future__ import annotations

from conjoint.api.spec.base import MjsDefault
from conjoint.api.spec.register import SpecRegister
from conjoint.lang.text import as_text, sought
from conjoint.spec import DefaultsClass


class SpecDefaults(SpecRegister):
    """The part of an editable model that has defaults classes."""

    _defaults: dict[int, MjsDefault]

    @property
    def default(self) -> MjsDefault:
        """The main defaults class."""
        main = self.find_default("main")
        assert main is not None
        return main

    def find_default(self, name: str) -> MjsDefault | None:
        """The defaults class called `name`, or None.

        Args:
            name: name of the class; "main" is the one of the whole model.
        """
        found = self.spec.classes.get(sought(name))
        if found is None:
            return None
        handle = self._defaults.get(id(found))
        if handle is None:
            handle = self._defaults[id(found)] = MjsDefault(self, found)
        return handle

    def add_default(self, name: str, parent: MjsDefault | None = None) -> MjsDefault | None:
        """A new defaults class that starts from the values of `parent`; None if there is one called `name`.

        Args:
            name: its name.
            parent: the class whose values it starts from; None: the main one.

        Returns:
            The class; None if there is one called `name`.
        """
        name = as_text(name, "add_default: name")
        if name in self.spec.classes:
            return None
        self.lent_defaults.store()
        if parent is not None and not isinstance(parent, MjsDefault):
            raise TypeError(f"add_default: parent should be an MjsDefault, not {parent!r}")
        above = self.default if parent is None else parent
        made = self.spec.classes[name] = DefaultsClass(name, above.defaults_class)
        made.values = {kind: dict(values) for kind, values in made.values.items()}
        return self.find_default(name)
