"""`MjSpec`: a model that can be edited and compiled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import perf_counter
from typing import IO, Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel, model_in
from conjoint.api.objects.vfs import Assets, MjVfs, files_of, given_by_name
from conjoint.api.spec.assets import complete_hfield, complete_skin
from conjoint.api.spec.attach import attach_spec
from conjoint.api.spec.body import MjsFrame
from conjoint.api.spec.delete import delete
from conjoint.api.spec.elements import MjsSite, check_tuples
from conjoint.api.spec.fields import fields
from conjoint.api.spec.handle import FORMS, ExposedLists, MjsOrientation
from conjoint.api.spec.new import copy_spec
from conjoint.api.spec.relations import complete_sensor
from conjoint.api.spec.saving import SpecSaving, read_archive, write_archive
from conjoint.api.spec.state import carry_state
from conjoint.lang.text import as_path, as_text, as_written, is_path
from conjoint.lang.warn import warn
from conjoint.once import MAKING
from conjoint.schema.enums_newer import mjtCTimer
from conjoint.spec import Spec
from conjoint.spec.filename import given_files
from conjoint.spec.keyframes import keep_layout, whole_keys
from conjoint.spec.packages import PackagePath
from conjoint.spec.rotation import orientation


class MjSpec(SpecSaving):
    """A model that can be edited, compiled and saved.

    Add elements with methods such as `worldbody.add_body(...)`, `body.add_geom(...)` and `spec.add_actuator(...)`. Look
    them up by name with `spec.body("x")`, `spec.geom("x")` and so on, or list them with `spec.bodies`, `spec.geoms` and
    so on. All of these return handles with the attributes of the element. Lists can be changed in place, as in
    `spec.geom("x").size[0] = 0.1`.
    """

    def __init__(self) -> None:
        """Create an empty model."""
        self._adopt(Spec())

    def _adopt(self, spec: Spec) -> None:
        """Initialize this object as the public interface of `spec`."""
        self.__dict__.update(
            spec=spec,
            exposed=ExposedLists(),
            exposed_defaults=ExposedLists(),
            exposed_out={},
            handles={},
            named_handles=None,
            massive={},
            programmed=[],
            compiled_signature=None,
            attached=[],
            attached_to=None,
            parent_spec=None,
            copies=False,
            notes=set(),
            _numbers=None,
            _repeated=False,
            _override_assets=True,
            _defaults={},
            _visual=None,
            _nemax=0,
            _implicit=0,
            _seconds={},
            _assets=dict(spec.assets),
            _comment="",
        )

    @property
    def _address(self) -> int:
        """Number that identifies this model."""
        return id(self.spec)

    # --- reading and writing ---

    @classmethod
    def from_string(
        cls,
        xml: str | bytes,
        include: Assets = None,
        assets: Assets = None,
        vfs: MjVfs | None = None,
        *,
        package_path: PackagePath = None,
    ) -> MjSpec:
        """Return the model in a string of MJCF or URDF.

        Args:
            xml: the XML text.
            include: contents of the files that the text includes, by name.
            assets: contents of meshes, textures and height fields, by name.
            vfs: the files as an `MjVfs`, instead of `include` and `assets`; pass it to `compile`, too.
            package_path: folders that are searched for the ROS packages of `package://` names, before
                `ROS_PACKAGE_PATH`, `AMENT_PREFIX_PATH` and the folders above the model.

        Raises:
            ModelError: (a ValueError) the text is invalid. The message says where, and how to correct it.
        """
        with MAKING.held:
            from conjoint.compiler.compile import read_string

        return cls._read(read_string(xml, given_by_name(include, assets, vfs), package_path), assets)

    @classmethod
    def from_file(
        cls,
        filename: str | os.PathLike[str],
        include: Assets = None,
        assets: Assets = None,
        vfs: MjVfs | None = None,
        *,
        package_path: PackagePath = None,
    ) -> MjSpec:
        """Return the model in a file of MJCF or URDF.

        Args:
            filename: path of the file, or another name of a model, as in `MjModel.from_xml_path`. Paths of other files
                are relative to its folder.
            include, assets, vfs, package_path: as in `from_string`.

        Raises:
            ModelError: (a ValueError) the file cannot be read or is invalid. The message says where.
        """
        with MAKING.held:
            from conjoint.compiler.compile import read_path

        return cls._read(read_path(filename, given_by_name(include, assets, vfs), package_path), assets)

    @classmethod
    def from_zip(cls, file: str | os.PathLike[str] | IO[bytes]) -> MjSpec:
        """Return the model in a zip archive: the first .xml file in the outermost folder. All other files are assets.

        Args:
            file: the path of the archive, or a file that is open for reading.

        Raises:
            ModelError: the file is not an archive, contains no model, or is too large.
        """
        xml, assets = read_archive(as_path(file, "from_zip: file") if is_path(file) else file)
        return cls.from_string(xml, assets=assets)

    @classmethod
    def _read(cls, spec: Spec, assets: Mapping[str, bytes | str] | None) -> MjSpec:
        made = cls.__new__(cls)
        if spec.keys:
            keep_layout(spec, [key for key in whole_keys(spec) if not key.__dict__.get("layout")])
        made._adopt(spec)
        made.assets = dict(assets or {})
        return made

    def to_xml(self) -> str:
        """Return the model as MJCF text, which compiles to the same model.

        Raises:
            ModelError: the model is invalid. Only valid models can be written.
            ValueError: the model is attached to another model.
        """
        with MAKING.held:
            from conjoint.compiler.changes import saved_xml

        self._check_own()
        self.store_exposed()
        check_tuples(self.spec.tuples)
        return saved_xml(self.spec)

    def to_file(self, filename: str | os.PathLike[str]) -> None:
        """Write the result of `to_xml` to a file.

        Args:
            filename: the path of the file.
        """
        text = self.to_xml()
        with open(as_written(filename, "to_file: filename"), "w", encoding="utf-8") as file:
            file.write(text)

    def to_zip(self, file: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the model and its assets to a zip archive, in a folder with the model's name.

        Args:
            file: the path of the archive, or a file that is open for writing.

        Raises:
            TypeError: `file` is neither a path nor a file that is open for writing.
        """
        if not (is_path(file) or hasattr(file, "write")):
            raise TypeError(f"to_zip: expected the path of an archive or a file that is open, not {file!r}")
        write_archive(
            as_written(file, "to_zip: file") if is_path(file) else file, self.modelname, self.to_xml(), self.files
        )

    def copy(self) -> MjSpec:
        """Return a copy of the model that shares only immutable values with this one."""
        self.store_exposed()
        copied = type(self).__new__(type(self))
        spec, copies = copy_spec(self.spec)
        copied._adopt(spec)
        given = {"_assets": dict(self.assets), "_comment": self._comment, "_override_assets": self._override_assets}
        copied.__dict__.update(given)
        if self._numbers is not None:
            # the copy shares the compiled model
            copied._numbers = {copies.get(id(one)): number for one, number in self._numbers.items()}
            # drop elements that were deleted after compilation
            copied._numbers.pop(None, None)
            copied.__dict__["compiled_signature"] = self.compiled_signature
        return copied

    def __copy__(self) -> MjSpec:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> MjSpec:
        return self.copy()

    def __repr__(self) -> str:
        return f"<MjSpec '{self.modelname}'>"

    # --- compilation ---

    def compile(self, vfs: MjVfs | None = None) -> MjModel:
        """Return the compiled model.

        Args:
            vfs: files of meshes, textures and height fields, instead of `assets`.

        Raises:
            ModelError: (a ValueError) the model is invalid. The message lists all errors.
        """
        with MAKING.held:
            from conjoint.compiler.last_compiled import compile_or_copy, keep

        self._check_own()
        files = files_of(self.files, vfs)
        self.store_exposed()
        self.spec.assets = given_files(files)
        check_tuples(self.spec.tuples)
        # pending keyframes of attached models follow all other keyframes
        self.spec.keys.sort(key=lambda key: key.__dict__.get("pending", False))
        for note in sorted(self.notes):
            warn(note)
        begun = perf_counter()
        draft, buffer, structure = compile_or_copy(self.spec)
        self._seconds = {**draft.seconds, "total": perf_counter() - begun}
        self._take_keys(draft)
        model = model_in(buffer, structure)
        self._numbers = self._compiled_ids(draft)
        self.__dict__["compiled_signature"] = model.signature
        keep(self.spec, draft, buffer)
        return model

    @property
    def timer(self) -> np.ndarray:
        """Durations of parts of the last compilation (s), by mjtCTimer. mjCTIMER_MESH_LOAD covers all mesh work."""
        known = self._seconds
        parts = {"mjCTIMER_TOTAL": "total", "mjCTIMER_TEXTURE": "texture", "mjCTIMER_MESH_LOAD": "mesh"}
        found = np.zeros(int(mjtCTimer.mjNCTIMER))
        for name, part in parts.items():
            found[mjtCTimer[name]] = known.get(part, 0.0)
        found[mjtCTimer.mjCTIMER_ASSETS] = sum(known.values()) - known.get("total", 0.0)
        return found

    def _check_own(self) -> None:
        """Raise ValueError if this model is attached to another model, which then owns its elements."""
        if self.attached_to is not None:
            raise ValueError("this model is attached to another model, which owns its elements: compile that model")

    def recompile(self, m: MjModel, d: MjData, vfs: MjVfs | None = None) -> tuple[MjModel, MjData]:
        """Compile the model again, and transfer the state of a world to the new model.

        Args:
            m: the last compiled model.
            d: a world of `m`.
            vfs: files, as in `compile`.

        Returns:
            The new model, and a world with the state of `d` for every element that still exists. The state includes all
            components of `mjtState`, such as applied forces, active equality constraints, the warm start and user data.

        Raises:
            ModelError: the model is invalid.
            ValueError: `m` is not the last compiled model.
        """
        if not (isinstance(m, MjModel) and isinstance(d, MjData)):
            raise TypeError(f"recompile: expected an MjModel and its MjData, not {m!r} and {d!r}")
        before = self._numbers
        if before is None or sum(element.kind == "joint" and i >= 0 for element, i in before.items()) != m.njnt:
            raise ValueError("recompile: the model is not the last model that was compiled from this MjSpec")
        model = self.compile(vfs)
        assert self._numbers is not None
        return model, carry_state(m, d, before, model, self._numbers)

    def _take_keys(self, draft: Any) -> None:
        """Update the vectors of all keyframes to match the model's current elements, as in the compiled `draft`."""
        for key in draft.keys:
            original, placed = key.__dict__.get("origin"), key.__dict__.get("placed", ())
            if original is None:
                continue
            if original.__dict__.pop("states", None) is not None:
                original.pending, self.__dict__["named_handles"] = False, None
            handle = self.handles.get(id(original))
            for name in placed:
                setattr(original, name, tuple(getattr(key, name)))
                if handle is not None:
                    self.exposed.renew(handle, fields("key")[name])
        if self.spec.keys:
            keep_layout(self.spec)

    def store_exposed(self) -> None:
        """Write all pending changes to the Spec, including values that users changed in place."""
        for child in self.attached:
            child.store_exposed()
        self.exposed.store()
        self.exposed_defaults.store()
        for body in self.massive.values():
            body.make_inertial()
        for handle in self.programmed:
            values = handle.values
            held = values.get("plugin") or values.get("idle_plugin")
            used = held is not None and held.__dict__.get("active", 1) and (held.name or held.plugin_name)
            values["plugin"], values["idle_plugin"] = (held, None) if used else (None, held)
        for sensor in self.spec.sensors:
            complete_sensor(sensor.__dict__)
        for hfield in self.spec.hfields:
            complete_hfield(hfield.__dict__)
        for skin in self.spec.skins:
            complete_skin(skin.__dict__)
        self.spec.assets = self.files

    # --- attachment and deletion ---

    @property
    def parent(self) -> MjSpec | None:
        """Model to which the whole of this model was attached, or None."""
        return self.parent_spec

    def attach(
        self,
        child: MjSpec,
        prefix: str | None = None,
        suffix: str | None = None,
        site: MjsSite | str | None = None,
        frame: MjsFrame | str | None = None,
    ) -> MjsFrame:
        """Attach the contents of another model: bodies, assets, defaults, and elements that refer to them.

        From then on, both models share the elements, including their changes. `child` can no longer be compiled.

        Args:
            child: the other model.
            prefix, suffix: strings that are added to all names.
            site, frame: the site or frame of this model to which the elements are attached, as a handle or a name; pass
                one of the two.

        Returns:
            The frame that contains the attached elements.
        """
        return attach_spec(self, child, prefix, suffix, site, frame)

    def delete(self, element: Any) -> None:
        """Delete an element and all elements that refer to it. Descendants of a body are deleted, too.

        Args:
            element: handle of the element or defaults class.

        Raises:
            ValueError: the element is not part of this model, or is the world.
        """
        delete(self, element)

    # --- other methods ---

    def activate_plugin(self, name: str) -> None:
        """Declare that the model uses a plugin.

        Args:
            name: the name under which the plugin is registered.
        """
        name = as_text(name, "activate_plugin: name")
        if name not in self.spec.extensions:
            self.spec.extensions.append(name)

    @staticmethod
    def resolve_orientation(
        degree: bool, sequence: Any = None, orientation: MjsOrientation | None = None
    ) -> list[float]:
        """Return the quaternion of an orientation.

        Args:
            degree: whether angles are in degrees instead of radians.
            sequence: axes of Euler angles: three letters, each one of x y z X Y Z; None for "xyz".
            orientation: orientation in any representation.
        """
        if not isinstance(orientation, MjsOrientation):
            raise TypeError(f"resolve_orientation: orientation should be an MjsOrientation, not {orientation!r}")
        letters = "".join(as_text(letter, "resolve_orientation: sequence") for letter in sequence or "xyz")
        return _quaternion(bool(degree), letters, orientation)


from_zip, to_zip = MjSpec.from_zip, MjSpec.to_zip


def _quaternion(degree: bool, sequence: str, alt: Any) -> list[float]:
    """Return the quaternion of an orientation, or the identity if `alt` sets no representation other than `quat`."""
    form = FORMS[int(alt.type)]
    if form == "quat":
        return [1.0, 0.0, 0.0, 0.0]
    return list(orientation(form, tuple(getattr(alt, form).tolist()), degree, sequence))
