"""Settings of an editable model: options, compiler settings, statistics, visualization, sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from conjoint.api.spec.field_types import Field
from conjoint.api.spec.fields import fields
from conjoint.api.spec.handle import EditableModel, Handle, Named, part, with_members
from conjoint.lang.text import is_text, sought
from conjoint.schema.mjcf.header import DISABLE_FLAGS, ENABLE_FLAGS
from conjoint.schema.newer_names import BITS, official_bits, own_bits
from conjoint.schema.option import VISUAL_GROUPS
from conjoint.schema.semantics import EDITIONS
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import Spec
from conjoint.spec.filename import FilesInFolders, given_files
from conjoint.spec.spec import choose


def numbered(kind: str, written: Iterable[str]) -> int:
    """Return a bit mask in which bit i is set if `written` contains attribute i of `kind` (without `name`)."""
    names = [name for name in fields(kind) if name != "name"]
    return sum(1 << names.index(name) for name in written if name in names)


class MjsAuthored(Named):
    """Bit masks of the settings that a file sets, including settings that are equal to their defaults.

    Bits of `option` and of the groups of visual settings are in the order of their attributes. Bits of `disableflags`,
    `enableflags` and `disableactuator` are the flags and actuator groups that the file mentions.
    """

    _spec: Spec

    def __init__(self, spec: Spec):
        """Create the view for the settings of `spec`."""
        self._spec = spec

    @property
    def option(self) -> int:
        """Bit mask of the options that the file sets."""
        return numbered("option", self._spec.option.written)

    @property
    def disableflags(self) -> int:
        """Disable flags (mjtDisableBit) that the file mentions."""
        return self._flags("disableflags", DISABLE_FLAGS)

    @property
    def enableflags(self) -> int:
        """Enable flags (mjtEnableBit) that the file mentions."""
        return self._flags("enableflags", ENABLE_FLAGS)

    @property
    def disableactuator(self) -> int:
        """Bit mask of the disabled actuator groups that the file mentions."""
        option = self._spec.option
        return int(option.disableactuator) if "actuatorgroupdisable" in option.written else 0

    def _flags(self, name: str, bits: Mapping[str, int]) -> int:
        """Return the flags that the file mentions, with the bits of the emulated version."""
        own = sum({bit for flag, bit in bits.items() if flag in self._spec.option.written})
        return official_bits(name, own) if STANDS_FOR.moved else own


def _authored_group(kind: str) -> Any:
    """Return the property for a group of visual settings."""

    def read(authored: MjsAuthored) -> int:
        return numbered(kind, authored._spec.visual[kind].written)

    return property(read, doc=f"Visual settings of the group `{kind}`.")


for _kind in VISUAL_GROUPS:
    setattr(MjsAuthored, f"visual_{_kind}", _authored_group(_kind))


_OF_SPEC = ("strippath", "coordinate", "name")
"""XML attributes of `compiler` that are attributes of `MjSpec` itself."""


@with_members("lengthrange", "name")
class MjsLengthRange(Handle):
    """Parameters of the search for the length ranges of actuators."""


@with_members("compiler", *_OF_SPEC)
class MjsCompiler(Handle):
    """Compiler settings."""

    @part
    def LRopt(self) -> MjsLengthRange:
        """Parameters of the search for the length ranges of actuators."""
        return MjsLengthRange(self.spec, self.spec.spec.lengthrange.__dict__)

    @property
    def authored(self) -> int:
        """Bit mask of the settings that a file or a program has set, in the order of the attributes."""
        return numbered("compiler", self.values["written"])

    @property
    def eulerseq(self) -> list[str]:
        """Axes of Euler angles: a list of three letters, each one of x y z X Y Z, which can be changed in place."""
        return self.exposed_lists.expose(self, _EULERSEQ)

    @eulerseq.setter
    def eulerseq(self, value: Iterable[str]) -> None:
        letters = list(map(sought, value)) if isinstance(value, Iterable) and all(map(is_text, value)) else []
        if len(letters) > 3 and STANDS_FOR.moved:
            raise ValueError("eulerseq may have at most 3 characters")
        if len(letters) != 3:
            raise TypeError(f"MjsCompiler: eulerseq should be three of x y z X Y Z, not {value!r}.")
        self._put(_EULERSEQ, tuple(letters))
        self.exposed_lists.renew(self, _EULERSEQ)

    def _get(self, field: Field) -> Any:
        # the stored string is presented as a list of letters
        return tuple(self.values["eulerseq"]) if field.name == "eulerseq" else super()._get(field)

    def _put(self, field: Field, stored: Any) -> None:
        super()._put(field, "".join(stored) if field.name == "eulerseq" else stored)
        if field.name != "eulerseq":
            # saved models contain no Euler angles, so `eulerseq` is saved only if the file sets it or uses degrees
            self.values["written"] |= {field.name}


_EULERSEQ = Field("eulerseq", "words")
_IMPLICIT = Field("hasImplicitPluginElem", "int")


@with_members("option", "name")
class MjsOption(Handle):
    """Options of the simulation."""

    def _get(self, field: Field) -> Any:
        value = super()._get(field)
        return official_bits(field.name, value) if STANDS_FOR.moved and field.name in BITS else value

    def _put(self, field: Field, stored: Any) -> None:
        if STANDS_FOR.moved and field.name in BITS:
            stored = own_bits(field.name, stored, super()._get(field))
        super()._put(field, stored)


@with_members("statistic", "name")
class MjsStatistic(Handle):
    """Model statistics. Values that are not set are NaN, and the compiler computes them."""


def _group(kind: str) -> type[Handle]:
    doc = f"Visual settings of the group `{kind}`."
    cls = type("MjVisual" + kind.capitalize(), (Handle,), {"__doc__": doc})
    return with_members(kind, "name")(cls)


GROUPS = {kind: _group(kind) for kind in VISUAL_GROUPS}
MjVisualHeadlight, MjVisualRgba = GROUPS["headlight"], GROUPS["rgba"]


class MjsVisual(Handle):
    """Visualization settings, in groups. Assigning a group copies its values."""

    kind = "visual"

    def __init__(self, spec: Any):
        super().__init__(spec, {})
        self._groups = {kind: cls(spec, spec.spec.visual[kind].__dict__) for kind, cls in GROUPS.items()}


def _group_member(kind: str) -> property:
    def read(visual: MjsVisual) -> Handle:
        return visual._groups[kind]

    read.__doc__ = f"Visual settings of the group `{kind}`."
    return part(read)


for _kind in GROUPS:
    setattr(MjsVisual, _kind, _group_member(_kind))
MjsVisual.global_ = getattr(MjsVisual, "global")  # type: ignore[attr-defined]


def _setting(field: Field, place: str, doc: str = "") -> Any:
    """Return the property of the model for a field that is stored at the dotted path `place`."""
    holder, _, name = place.rpartition(".")

    def write(spec: Any, value: Any) -> None:
        setattr(attrgetter(holder)(spec) if holder else spec, name, field.checked(spec, value))

    return property(lambda spec: field.shown(attrgetter(place)(spec)), write, doc=doc)


def _switch(value: Any, name: str) -> bool:
    """Return the value of setting `name` as a bool. Raises TypeError if it is not a truth value."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} should be True or False, not {value!r}") from None


class SpecSettings(EditableModel):
    """Base class of `MjSpec` with settings of the model."""

    _visual: MjsVisual | None
    _comment: str
    _assets: dict[str, bytes | str]
    _nemax: int
    _implicit: int
    _override_assets: bool

    modelname = _setting(Field("modelname", "text"), "spec.modelname", "Name of the model.")
    modelfiledir = _setting(Field("modelfiledir", "text"), "spec.directory", "Folder that file names are relative to.")
    memory = _setting(
        Field("memory", "int"),
        "spec.memory",
        "Size of the arena in bytes; the largest unsigned 64-bit integer means automatic.",
    )
    comment = _setting(Field("comment", "text"), "_comment", "Comment of the model; it is not saved.")
    nemax = _setting(Field("nemax", "int"), "_nemax", "Former maximum number of equality constraint rows; ignored.")

    @property
    def semantics(self) -> str:
        """MuJoCo version whose physics the model uses: `"3.3.5"` or `"4.0"` (docs/semantics.md)."""
        return EDITIONS[self.spec.edition]

    @semantics.setter
    def semantics(self, value: str) -> None:
        choose(self.spec, value)

    @property
    def authored(self) -> MjsAuthored:
        """Settings that the file sets, as bit masks."""
        return MjsAuthored(self.spec)

    @part
    def compiler(self) -> MjsCompiler:
        """Return the compiler settings."""
        return MjsCompiler(self, self.spec.compiler.__dict__)

    @part
    def option(self) -> MjsOption:
        """Options of the simulation."""
        return MjsOption(self, self.spec.option.__dict__)

    @part
    def stat(self) -> MjsStatistic:
        """Return the statistics."""
        return MjsStatistic(self, self.spec.statistic.__dict__)

    @part
    def visual(self) -> Any:
        """Return the visualization settings."""
        if self._visual is None:
            self._visual = MjsVisual(self)
        return self._visual

    @property
    def assets(self) -> dict[str, bytes | str]:
        """Contents of in-memory files by name, which take precedence over files on disk."""
        return self._assets

    @assets.setter
    def assets(self, value: dict[str, bytes | str]) -> None:
        if not isinstance(value, dict):
            raise TypeError(f"MjSpec: assets should be a dict, not {value!r}.")
        self._assets = value

    @property
    def files(self) -> dict[str, bytes | str]:
        """Contents of in-memory files in the form that readers and the compiler expect.

        Newer versions distinguish files by folder.
        """
        return given_files(FilesInFolders(self._assets) if STANDS_FOR.moved else self._assets)

    @property
    def hasImplicitPluginElem(self) -> int:
        """1 if an actuator or sensor uses a plugin without a named plugin instance, else 0."""
        used = [element.plugin for element in (*self.spec.actuators, *self.spec.sensors) if element.plugin]
        return self._implicit or int(any(plugin.plugin_name and not plugin.name for plugin in used))

    @hasImplicitPluginElem.setter
    def hasImplicitPluginElem(self, value: int) -> None:
        self._implicit = _IMPLICIT.checked(self, value)

    @property
    def override_assets(self) -> bool:
        """True if assets of an attached model replace assets of the same name; False if they cause an error."""
        return self._override_assets

    @override_assets.setter
    def override_assets(self, value: bool) -> None:
        self._override_assets = _switch(value, "override_assets")

    @property
    def copy_during_attach(self) -> bool:
        """Write-only setting: True to copy attached elements instead of sharing them with the other model."""
        raise ValueError("copy_during_attach can only be set.")

    @copy_during_attach.setter
    def copy_during_attach(self, value: bool) -> None:
        self.__dict__["copies"] = _switch(value, "copy_during_attach")


for _name in ("strippath", "meshdir", "texturedir"):
    setattr(SpecSettings, _name, _setting(fields("compiler")[_name], f"spec.compiler.{_name}"))
for _field in fields("size").values():
    if _field.name != "name":
        setattr(SpecSettings, _field.name, _setting(_field, f"spec.size.{_field.name}"))
