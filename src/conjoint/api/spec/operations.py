"""Operations on whole models, which discard visual elements, fuse static bodies and merge equal assets."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from conjoint.api.objects.vfs import MjVfs, files_of
from conjoint.api.spec.add import SpecAdditions
from conjoint.api.spec.attach import body_to_frame
from conjoint.api.spec.body import MjsBody
from conjoint.api.spec.delete import delete
from conjoint.compiler.draft import NAMED
from conjoint.once import MAKING
from conjoint.schema.enums import mjtInertiaFromGeom
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec.copier import references
from conjoint.spec.element import ATTACHED, TOP, bodies
from conjoint.spec.filename import given_files

FROM_GEOMS = int(mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE)
VISUAL = ("geom", "mesh", "material", "texture")
"""Element types from which `discard_visual` deletes elements."""
OWN = ("name", "place", "origin", "written", "kind")
"""Attributes that are ignored when assets are compared."""


class SpecOperations(SpecAdditions):
    """Base class of `MjSpec` with operations on the whole model."""

    def fuse_static(self, vfs: MjVfs | None = None) -> int:
        """Replace static bodies by frames of their parents, and add their mass to the parents.

        As with compiler/fusestatic, a body is kept if other elements refer to it, it has a plugin, it is a mocap body,
        or its `fuse` is false.

        Args:
            vfs: files of meshes, textures and height fields, instead of `assets`.

        Returns:
            Number of fused bodies.

        Raises:
            ModelError: the model is invalid. In this case nothing is fused.
        """
        draft = self._draft(vfs, fusestatic=1)
        left = {id(body.origin) for body in draft.bodies}
        fused = [handle for handle in self.worldbody.below() if id(handle.element) not in left]
        given = {id(body): self.given_inertia(body) for body in bodies(self.spec.worldbody)}
        becomes = {id(body.origin): body for body in draft.bodies}
        grown: dict[int, bool] = {}
        for handle in fused:
            into = handle.above
            while id(into.element) not in left:
                into = into.above
            known = grown.get(id(into.element), given[id(into.element)])
            grown[id(into.element)] = known or given[id(handle.element)]
        parents = {id(handle.element): handle for handle in self.worldbody.below()}
        for handle in fused:
            body_to_frame(handle)
        for key, explicit in grown.items():
            if explicit and parents[key].above is not None:
                _give_inertia(parents[key], becomes[key], draft)
        return len(fused)

    def discard_visual(self, vfs: MjVfs | None = None) -> int:
        """Delete visual elements: materials, textures, geoms without contacts, and meshes that become unused.

        Bodies keep their inertia: if it was inferred from a deleted geom, it becomes explicit.

        Args:
            vfs: files of meshes, textures and height fields, instead of `assets`.

        Returns:
            Number of deleted elements.

        Raises:
            ValueError: a geom cannot be deleted because compiler/inertiafromgeom is "true". In this case nothing is
                deleted.
            ModelError: the model is invalid.
        """
        draft = self._draft(vfs, discardvisual=1)
        left = {id(element.origin) for kind in VISUAL for element in getattr(draft, NAMED[kind])}
        gone = [handle for kind in VISUAL for handle in self._list(kind) if id(handle.element) not in left]
        losing = {id(handle.above.element): handle.above for handle in gone if handle.kind == "geom" and handle.above}
        losing = {key: body for key, body in losing.items() if body.above is not None}
        if losing and self.spec.compiler.inertiafromgeom == FROM_GEOMS:
            raise ValueError(
                "discard_visual: inertiafromgeom of the compiler is 'true', so bodies would lose the inertia of "
                "the removed geoms: set it to 'auto'"
            )
        becomes = {id(body.origin): body for body in draft.bodies}
        for key, body in losing.items():
            if not self.given_inertia(body.element):
                _give_inertia(body, becomes[key], draft)
        for handle in gone:
            delete(self, handle)
        names = {(handle.kind, handle.name) for handle in gone if handle.name}
        self._rename(lambda kind, name: "" if (kind, name) in names else name)
        return len(gone)

    def dedup_assets(self) -> int:
        """Merge textures and meshes that differ only in their names, and redirect references to the first of them.

        Returns:
            Number of assets that were merged into others.

        Raises:
            ValueError: the model is attached to another model.
        """
        if self.attached_to is not None:
            raise ValueError("Cannot merge the assets of an attached mjSpec.")
        self.store_exposed()
        first: dict[tuple[str, Any], str] = {}
        into: dict[tuple[str, str], str] = {}
        gone = []
        for handle in [*self._list("texture"), *self._list("mesh")]:
            if not handle.name or handle.values.get("plugin") is not None:
                continue
            key = handle.kind, _contents(handle.element)
            known = first.setdefault(key, handle.name)
            if known != handle.name:
                into[handle.kind, handle.name] = known
                gone.append(handle)
        self._rename(lambda kind, name: into.get((kind, name), name))
        for handle in gone:
            delete(self, handle)
        return len(gone)

    def adopt_inertial(self, body: MjsBody, vfs: MjVfs | None = None) -> None:
        """Store the inertia that the compiler infers from geoms, so that later changes in geoms do not affect it.

        Args:
            body: the body; if its inertia is already explicit, it does not change.
            vfs: files of meshes, textures and height fields, instead of `assets`.

        Raises:
            ValueError: compiler/inertiafromgeom is "true", or the body is not part of this model.
            ModelError: the model is invalid.
        """
        if not isinstance(body, MjsBody) or body.spec is not self or body.element is None:
            raise ValueError(f"adopt_inertial: {body!r:.60} is not a body of this model")
        if self.spec.compiler.inertiafromgeom == FROM_GEOMS:
            raise ValueError(
                "adopt_inertial: inertiafromgeom of the compiler is 'true', which overrides given inertias"
            )
        if self.given_inertia(body.element) or body.above is None:
            return
        draft = self._draft(vfs)
        found = next((each for each in draft.bodies if each.origin is body.element), None)
        if found is None:
            raise ValueError(f"adopt_inertial: {body!r} is not part of the compiled model")
        _give_inertia(body, found, draft)

    # --- shared helpers ---

    def _draft(self, vfs: MjVfs | None, **settings: Any) -> Any:
        """Compile a draft of the model with modified compiler settings and unscaled masses, and return it."""
        with MAKING.held:
            from conjoint.compiler.compile import compile_draft

        if self.attached_to is not None:
            raise ValueError("this model is attached to another model, which owns its elements: change that model")
        files = files_of(self.files, vfs)
        self.store_exposed()
        trial = copy.copy(self.spec)
        trial.assets, trial.compiler = given_files(files), self.spec.compiler.copy()
        trial.compiler.__dict__.update(settotalmass=-1.0, fusestatic=0, discardvisual=0)
        trial.compiler.__dict__.update(settings)
        return compile_draft(trial)[0]

    @staticmethod
    def given_inertia(body: Any) -> bool:
        """Return True if the inertia of a body is explicit instead of inferred from geoms."""
        return body.inertial is not None

    def _users(self) -> Iterator[Any]:
        """Yield all elements that can refer to other elements."""
        for body in bodies(self.spec.worldbody):
            for name in ATTACHED.values():
                yield from getattr(body, name)
        for name in TOP.values():
            yield from getattr(self.spec, name)

    def _rename(self, new: Callable[[str, str], str]) -> None:
        """Replace names in references of elements and defaults. `new` maps a type and a name to the new name."""
        for user in self._users():
            for reference in [*references(user)]:
                reference.element.__dict__[reference.attribute] = new(reference.kind, reference.name)
        for found in self.spec.classes.values():
            for kind, values in found.values.items():
                for attribute, target in (("material", "material"), ("meshname", "mesh"), ("texture", "texture")):
                    if values.get(attribute):
                        found.values[kind] = values = {**values, attribute: new(target, values[attribute])}


def _give_inertia(body: MjsBody, found: Any, draft: Any) -> None:
    """Set the mass and inertia of a body to the compiler's results, before scaling by enclosing frames.

    Raises:
        ValueError: an enclosing frame scales the body non-uniformly.
    """
    scale = draft.scales.get(id(found))
    length, mass = (1.0, 1.0) if scale is None else (scale.length, scale.mass)
    if scale is not None and scale.stretch is not None:
        raise ValueError(f"{body!r} is stretched by a frame: give its inertia yourself")
    body.explicitinertial = True
    body.mass, body.fullinertia = found.mass / mass, [float("nan"), 0, 0, 0, 0, 0]
    body.inertia = [moment / (mass * length**2) for moment in found.inertia]
    body.ipos, body.iquat = [x / length for x in found.ipos], found.iquat


def _contents(element: Any) -> Any:
    """Return the contents of an asset without its name. Assets with equal contents compile to the same data."""
    values = {name: value for name, value in element.__dict__.items() if name not in OWN}
    # a missing value is equal to the default
    known = defaults(element.kind)
    return tuple(sorted((name, repr(value)) for name, value in values.items() if value != known.get(name, ())))
