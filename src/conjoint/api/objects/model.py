"""`MjModel`: a compiled model, with all constants of a simulation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from conjoint.api.objects.attributes import ModelAttributes
from conjoint.api.objects.binary_check import first_wrong_id
from conjoint.api.objects.bind import Binding
from conjoint.api.objects.names import NameTable
from conjoint.api.objects.option import MjOption, MjStatistic, MjVisual, take_fields
from conjoint.api.objects.struct import TEXTS, Member, NumberMember, OwnMember, Record, describe, official_view
from conjoint.api.objects.summary import model_line, model_table
from conjoint.api.objects.vfs import Assets, MjVfs, files_of
from conjoint.api.objects.views import add_accessors
from conjoint.lang.memory.layout import Buffer, Field
from conjoint.lang.text import as_path
from conjoint.once import MAKING
from conjoint.runtime.plan import Plans
from conjoint.runtime.structure import Structure
from conjoint.schema.memory import copy_buffer, layout_of, restored_model, written_sizes
from conjoint.schema.model import ARRAY_FIELDS, MODEL_FIELDS
from conjoint.schema.newer_names import IN_MEMORY_OF_MODELS
from conjoint.schema.semantics import EDITIONS
from conjoint.schema.sizes import SIZE_FIELDS

if TYPE_CHECKING:
    from conjoint.spec import Spec
    from conjoint.spec.packages import PackagePath


class MjModel(Binding, ModelAttributes):
    """The constants of a simulation: a compiled model.

    All fields are stored in one buffer. Arrays are NumPy views of the buffer (`m.body_mass`), sizes are ints (`m.nv`),
    groups are records (`m.opt.timestep`, `m.stat`, `m.vis.global_`). Elements are accessed by name or id:
    `m.geom("floor").size`. To create a model, use `from_xml_path`, `from_xml_string` or `from_binary_path`.
    """

    _fields: ClassVar[dict[str, Field]] = {field.name: field for field in ARRAY_FIELDS if field.name not in TEXTS}
    _inside = frozenset({"memory", "name_table", "plans", "sizes", "spec"})
    _newer = IN_MEMORY_OF_MODELS
    sizes: Mapping[str, int]
    _single = frozenset({"signature"})

    def __init__(self) -> None:
        raise TypeError("MjModel has no constructor: use MjModel.from_xml_path or MjModel.from_xml_string")

    @classmethod
    def from_xml_path(
        cls,
        filename: str | os.PathLike[str],
        assets: Assets = None,
        vfs: MjVfs | None = None,
        *,
        package_path: PackagePath = None,
    ) -> MjModel:
        """Compile the model in an MJCF or URDF file.

        Args:
            filename: path of the file, or a key of `assets`; a folder with `scene.xml` or a single model;
                `package://NAME/path`, `package://NAME`, `robot_descriptions:NAME` or `menagerie:NAME`.
            assets: contents of files by name, looked up before the disk.
            vfs: the files as an `MjVfs`, instead of `assets`.
            package_path: folders that are searched for the ROS packages of `package://` names, before
                `ROS_PACKAGE_PATH`, `AMENT_PREFIX_PATH` and the folders above the model.

        Raises:
            ModelError: (a ValueError) the model is invalid. The message says where, and how to correct it.
        """
        with MAKING.held:
            from conjoint.compiler import read_path

        return _compiled(read_path(filename, files_of(assets, vfs), package_path))

    @classmethod
    def from_xml_string(
        cls, xml: str, assets: Assets = None, vfs: MjVfs | None = None, *, package_path: PackagePath = None
    ) -> MjModel:
        """Compile the model in a string of MJCF or URDF.

        Args:
            xml: the XML text.
            assets: contents of the files that the text refers to, by name.
            vfs: the files as an `MjVfs`, instead of `assets`.
            package_path: as in `from_xml_path`.

        Raises:
            ModelError: (a ValueError) the model is invalid. The message says where, and how to correct it.
        """
        with MAKING.held:
            from conjoint.compiler import read_string

        return _compiled(read_string(xml, files_of(assets, vfs), package_path))

    @classmethod
    def from_binary_path(
        cls, filename: str | os.PathLike[str], assets: Assets = None, vfs: MjVfs | None = None
    ) -> MjModel:
        """Load a model that `mj_saveModel` wrote.

        Args:
            filename: path of the file, or a key of `assets`.
            assets: contents of files by name, looked up before the disk.
            vfs: the files as an `MjVfs`, instead of `assets`.

        Raises:
            ModelError: (a ValueError) the file is not a binary model, was written by another version, is truncated or
                damaged.
        """
        with MAKING.held:
            from conjoint.api.objects.binary import load_binary
            from conjoint.spec.filename import given_file, given_files

        path = as_path(filename, "from_binary_path: filename")
        return model_in(load_binary(path, given_file(given_files(files_of(assets, vfs)), path)))

    @property
    def semantics(self) -> str:
        """MuJoCo version whose physics the model uses, `"3.3.5"` or `"4.0"` (docs/semantics.md)."""
        return EDITIONS[int(self.memory.view("edition"))]

    @property
    def _address(self) -> int:
        """Address that kernels receive as `m`. MuJoCo's package has an attribute of the same name."""
        return self.plans.current.address

    def _member_view(self, field: Field) -> np.ndarray:
        self.plans.exposed.expose(field.name)
        return official_view(self.memory, field)

    def __setattr__(self, name: str, value: Any) -> None:
        """Copy `value` into the array called `name`, or copy the fields of a group such as `opt`."""
        if name in GROUPS:
            take_fields(f"MjModel.{name}", self.__dict__[name], value)
        else:
            super().__setattr__(name, value)

    def __copy__(self) -> MjModel:
        return model_in(copy_buffer(self.memory), spec=self.spec)

    def __deepcopy__(self, memo: dict) -> MjModel:
        return self.__copy__()

    def __reduce__(self) -> tuple:
        return _restore_model, (self.memory.layout.sizes, self.memory.bytes.tobytes())

    def __repr__(self) -> str:
        return model_line(self)

    def _repr_html_(self) -> str:
        """Return the HTML table for notebooks."""
        return model_table(self)


def model_in(buffer: Buffer, structure: Structure | None = None, spec: Spec | None = None) -> MjModel:
    """Return a model whose fields are stored in `buffer`.

    Args:
        buffer: memory of all fields.
        structure: sparsity structure of the model, or None to derive it from `buffer`.
        spec: the spec from which the model was compiled, needed to save it as XML; or None.
    """
    model = object.__new__(MjModel)
    model.__dict__.update(
        written_sizes(buffer),
        memory=buffer,
        sizes=buffer.layout.sizes,
        name_table=NameTable(buffer),
        plans=Plans(structure or buffer, first_wrong_id),
        spec=spec,
        _readers={},
        opt=MjOption(buffer),
        stat=MjStatistic(buffer),
        vis=MjVisual(buffer),
    )
    return model


def _compiled(spec: Spec) -> MjModel:
    """Compile `spec` and return the model, which keeps a reference to `spec` to save it as XML."""
    with MAKING.held:
        from conjoint.compiler.compile import compile_draft
        from conjoint.compiler.last_compiled import keep

    draft, structure = compile_draft(spec)
    keep(spec, draft, structure.model, private=True)
    return model_in(structure.model, structure, spec)


def _restore_model(sizes: dict[str, int], contents: bytes) -> MjModel:
    """Return the unpickled model."""
    return model_in(restored_model(layout_of(MODEL_FIELDS, sizes), contents))


class TextMember(Member):
    """Read-only attribute with the bytes of a text field, which are read on first use."""

    def __get__(self, record: Record | None, owner: type) -> Any:
        if record is None:
            return self
        text = record.__dict__[self.name] = super().__get__(record, owner).tobytes()
        return text


GROUPS = {"opt": "Options.", "stat": "Statistics.", "vis": "Settings of the visualizer."}
"""Docstrings of the attributes that are groups of fields."""

for _field in SIZE_FIELDS:
    setattr(MjModel, _field.name, OwnMember(_field.name, describe(_field)))
for _name, _doc in GROUPS.items():
    setattr(MjModel, _name, OwnMember(_name, _doc))
for _field in ARRAY_FIELDS:
    if _field.name in TEXTS:
        _member: Any = TextMember(_field, _field.name)
    elif not _field.shape:
        _member = NumberMember(_field)
    else:
        _member = Member(_field, _field.name)
    setattr(MjModel, _field.name, _member)
add_accessors(MjModel, in_worlds=False)
