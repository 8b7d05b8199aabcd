"""Records of the abstract visualizer: cameras, options, perturbations, figures, and scenes."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.arguments import Count, given
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.option import last_part
from conjoint.api.objects.records import RecordList
from conjoint.api.objects.struct import BufferRecord, OwnMember, record_class
from conjoint.lang.errors import FatalError
from conjoint.lang.memory.layout import Buffer, Field, Layout
from conjoint.schema.constants import mjMAXLINE
from conjoint.schema.scene import (
    CAMERA_FIELDS,
    FIGURE_FIELDS,
    GEOM_FIELDS,
    GL_CAMERA_FIELDS,
    LIGHT_FIELDS,
    LINE_COLORS,
    PERTURB_FIELDS,
    RECT_FIELDS,
    SCENE_CAPACITIES,
    SCENE_FIELDS,
    VISUAL_OPTION_FIELDS,
)

MjvCamera: Any = record_class("MjvCamera", "Abstract camera of the visualizer.", CAMERA_FIELDS, str)
MjvPerturb: Any = record_class("MjvPerturb", "Perturbation of a body with the mouse.", PERTURB_FIELDS, str)
MjvOption: Any = record_class("MjvOption", "Options of the visualizer.", VISUAL_OPTION_FIELDS, str)
_Rect: Any = record_class("_Rect", "Fields of MjrRect.", RECT_FIELDS, str)
for _cls in (MjvCamera, MjvOption, MjvPerturb):
    _cls.__module__ = __name__


class MjrRect(_Rect):
    """Rectangle of pixels.

    Args:
        left, bottom: position of the lower left corner, relative to the lower left corner of the enclosing image.
        width, height: size in pixels.
    """

    def __init__(self, left: int, bottom: int, width: int, height: int):
        super().__init__()
        self.left, self.bottom, self.width, self.height = left, bottom, width, height

    @classmethod
    def _fresh(cls) -> MjrRect:
        return cls(0, 0, 0, 0)


class VisualRecord(BufferRecord):
    """Base of records with string fields, whose arrays are presented as arrays of `bytes`."""

    @staticmethod
    def _whole_view(buffer: Buffer, field: Field) -> np.ndarray:
        view = buffer.view(field.name)
        return view.view(f"S{view.shape[-1]}")[..., 0] if field.kind == "char" else view


_Figure: Any = record_class("_Figure", "Fields of MjvFigure.", FIGURE_FIELDS, str, base=VisualRecord)


class MjvFigure(_Figure):
    """Line plot."""

    def __init__(self) -> None:
        """Create an empty plot whose lines have different colors."""
        from conjoint.api.mju.numbers import mju_Halton

        super().__init__()
        self.linergb[: len(LINE_COLORS)] = LINE_COLORS
        darkest, span = float(np.float32(0.1)), float(np.float32(0.8))
        for line in range(len(LINE_COLORS), mjMAXLINE):
            # light colors that differ clearly from each other (Halton 1960)
            self.linergb[line] = [darkest + span * mju_Halton(line, base) for base in (2, 3, 5)]


ALL_FIELDS = SCENE_FIELDS + GEOM_FIELDS + LIGHT_FIELDS + GL_CAMERA_FIELDS


def _element_class(name: str, doc: str, fields: tuple[Field, ...]) -> Any:
    cls = record_class(name, doc, fields, last_part, element=True, base=VisualRecord)
    cls.__module__ = __name__
    return cls


MjvGeom: Any = _element_class("MjvGeom", "Abstract geom of a scene.", GEOM_FIELDS)
MjvLight: Any = _element_class("MjvLight", "Light of a scene.", LIGHT_FIELDS)
MjvGLCamera: Any = _element_class("MjvGLCamera", "Camera in the format of OpenGL.", GL_CAMERA_FIELDS)
_Scene: Any = record_class("_Scene", "Fields of MjvScene.", SCENE_FIELDS, str, base=VisualRecord)


class _MjvGeomList(RecordList):
    """List of `maxgeom` geoms. The first `ngeom` geoms are visible. Attributes are arrays for all geoms."""

    _record = MjvGeom


class _MjvLightList(RecordList):
    """List of all lights of a scene. The first `nlight` lights are on."""

    _record = MjvLight


class _MjvGLCameraList(RecordList):
    """List of the cameras of the left and the right eye."""

    _record = MjvGLCamera


class MjvScene(_Scene):
    """Scene of the visualizer: geoms, lights, flexes and skins in model space, and two cameras.

    Attributes:
        geoms: list of `maxgeom` geoms. The first `ngeom` geoms are visible.
        lights: list of mjMAXLIGHT lights. The first `nlight` lights are on.
        camera: cameras of the left and the right eye.
        view: snapshot of the inputs at the last kernel call (`viz.view`).
    """

    _inside = frozenset({"memory", "view"})

    def __init__(self, model: MjModel | None = None, maxgeom: int | None = None):
        """Create an empty scene with capacity for `maxgeom` geoms and the flexes and skins of `model`; by default zero.

        Raises:
            TypeError: only one of the arguments is passed, or `model` is not an MjModel.
            ValueError: `maxgeom` is negative.
            FatalError: there is not enough memory for this number of geoms.
        """
        if (model is None) != (maxgeom is None):
            raise TypeError("MjvScene takes no arguments, or a model and maxgeom, the maximum number of geoms")
        if not isinstance(model, MjModel | None):
            raise TypeError(f"MjvScene is created from an MjModel, not from {model!r}")
        room = 0 if maxgeom is None else given("MjvScene: maxgeom", maxgeom, Count)
        faces = np.zeros(0, np.int32) if model is None else room_for_faces(model)
        counts = {name: getattr(model, name, 0) for name in ("nflex", "nflexedge", "nflexvert", "nskin", "nskinvert")}
        sizes = {**SCENE_CAPACITIES, **counts, "maxgeom": room, "geomroom": room + 1, "nflexface": int(faces.sum())}
        try:
            buffer = Buffer(Layout(ALL_FIELDS, sizes))
        except (MemoryError, ValueError, OverflowError):
            raise FatalError(f"no memory for a scene of {room} geoms: choose a smaller maxgeom") from None
        buffer.set_defaults()
        self._attach(buffer)
        self.maxgeom = sizes["maxgeom"]
        if model is not None:
            self._take_structure(model, faces)

    def _attach(self, buffer: Buffer) -> None:
        """Attach this object to `buffer`."""
        super().__init__(buffer)
        sizes = buffer.layout.sizes
        self.__dict__.update(
            geoms=_MjvGeomList(buffer, 0, sizes["maxgeom"]),
            lights=_MjvLightList(buffer, 0, sizes["maxlight"]),
            camera=_MjvGLCameraList(buffer, 0, sizes["maxcamera"]),
            view=None,
        )

    def _take_structure(self, m: MjModel, faces: np.ndarray) -> None:
        """Copy the structure of the flexes and skins of `m`. `faces` are the maximum triangle counts of the flexes."""
        self.nflex, self.nskin = m.nflex, m.nskin
        for name in ("edgeadr", "edgenum", "vertadr", "vertnum"):
            setattr(self, f"flex{name}", getattr(m, f"flex_{name}"))
        self.flexfacenum = faces
        self.flexfaceadr = np.cumsum(faces) - faces
        self.memory.view("flexedge")[...] = m.flex_edge
        self.skinfacenum, self.skinvertadr, self.skinvertnum = m.skin_facenum, m.skin_vertadr, m.skin_vertnum

    @staticmethod
    def _whole_view(buffer: Buffer, field: Field) -> np.ndarray:
        # present arrays of vertices, faces and edges as flat vectors
        return buffer.view(field.name).reshape(-1)

    def __copy__(self) -> MjvScene:
        return _restore_scene(self.memory.layout.sizes, self.memory.bytes)

    def __deepcopy__(self, memo: dict) -> MjvScene:
        return self.__copy__()

    def __reduce__(self) -> tuple:
        return _restore_scene, (self.memory.layout.sizes, np.array(self.memory.bytes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MjvScene):
            return NotImplemented
        mine, its = self.memory, other.memory
        return mine.layout.sizes == its.layout.sizes and np.array_equal(mine.bytes, its.bytes)

    __hash__ = None  # type: ignore[assignment]


def _restore_scene(sizes: dict[str, int], contents: np.ndarray) -> MjvScene:
    """Return a scene with the given sizes and contents."""
    buffer = Buffer(Layout(ALL_FIELDS, sizes))
    buffer.bytes[...] = contents
    scene = object.__new__(MjvScene)
    scene._attach(buffer)
    return scene


def room_for_faces(m: MjModel) -> np.ndarray:
    """Return the maximum number of visible triangles of each flex.

    A surface needs two triangles for each element and two for each fragment of its shell. A solid shows one layer of
    elements, which have four triangles each.
    """
    faces = 2 * (m.flex_elemnum + m.flex_shellnum)
    for i in np.flatnonzero(m.flex_dim != 2):
        first, count = m.flex_elemadr[i], m.flex_elemnum[i]
        faces[i] = 4 * np.bincount(m.flex_elemlayer[first : first + count]).max(initial=0)
    return faces


for _name, _doc in {
    "geoms": "Buffer of `maxgeom` geoms; the first `ngeom` are in use.",
    "lights": "Buffer of mjMAXLIGHT lights; the first `nlight` are in use.",
    "camera": "Cameras of the left and of the right eye.",
}.items():
    setattr(MjvScene, _name, OwnMember(_name, _doc))
