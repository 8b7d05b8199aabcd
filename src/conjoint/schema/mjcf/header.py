"""compiler, option, size, visual and statistic: settings of the whole model."""

from dataclasses import replace
from typing import Any

from conjoint.lang.memory.layout import COMPONENTS, Field
from conjoint.schema.enums import MjEnum, mjtDisableBit, mjtEnableBit
from conjoint.schema.mjcf.shared import SOLIMP, SOLREF
from conjoint.schema.mjcf.table import Attribute, choice, element, flag, integer, real, text, tristate, upto, word
from conjoint.schema.newer_names import NOT_BUILT
from conjoint.schema.option import OPTION_FIELDS, STATISTIC_FIELDS, VISUAL_FIELDS
from conjoint.schema.sizes import SIZE_FIELDS

COMPILER = element(
    "compiler", "Settings of the reader and the compiler.",
    flag("autolimits", True, "Infer `limited` attributes from the presence of a range."),
    real("boundmass", 0.0, "Least mass of a body.", unit="kg"),
    real("boundinertia", 0.0, "Least diagonal inertia of a body.", unit="kg m^2"),
    real("settotalmass", -1.0, "Scale all masses to this total, if positive.", unit="kg"),
    flag("balanceinertia", False, "Replace an impossible inertia A + B < C by its mean."),
    flag("strippath", False, "Remove folders from file names."),
    choice("coordinate", {"local": 0, "global": 1}, "local", "Frame of positions; global was removed."),
    choice("angle", {"radian": 0, "degree": 1}, "degree", "Unit of angles in the file.", lands="degree"),
    flag("fitaabb", False, "Fit primitives to the bounding box of a mesh."),
    word("eulerseq", "Sequence of Euler rotations; capitals are fixed axes.", default="xyz"),
    text("meshdir", "Folder of meshes and height fields."),
    text("texturedir", "Folder of textures."),
    text("assetdir", "Folder of both.", lands=""),
    flag("discardvisual", False, "Leave out elements without effect on physics."),
    flag("usethread", True, "Use several threads."),
    flag("fusestatic", False, "Fuse static bodies with their parent."),
    tristate("inertiafromgeom", "Infer body inertias from geoms."),
    integer("inertiagrouprange", (0, 5), "Groups of geoms that inertias are inferred from.", 2),
    flag("alignfree", False, "Align the frame of free bodies with their inertial frame."),
    flag("saveinertial", False, "Write explicit inertials."),
    choice("conflict", "warning merge error", "warning", "What happens where attached models say otherwise."),
    choice("passthrough", "none textures", "none", "Assets that are left in their files."),
    element(
        "lengthrange", "How actuator length ranges are computed.",
        choice("mode", "none muscle muscleuser all", "muscle", "Which actuators to process."),
        flag("useexisting", True, "Keep ranges that are written."),
        flag("uselimit", False, "Take joint and tendon limits where defined."),
        real("accel", 20.0, "Target acceleration.", unit="m/s^2 or rad/s^2"),
        real("maxforce", 0.0, "Greatest force; 0: no limit.", unit="N or N m"),
        real("timeconst", 1.0, "Time constant of velocity reduction.", unit="s"),
        real("timestep", 0.01, "Time step; 0: that of the model.", unit="s"),
        real("inttotal", 10.0, "Time simulated.", unit="s"),
        real("interval", 2.0, "Time observed at the end.", unit="s"),
        real("tolrange", 0.05, "Convergence tolerance, relative to the range."),
        kind="lengthrange", once=True,
    ),
    kind="compiler",
)  # fmt: skip


def _flags(bits: type[MjEnum], prefix: str, unread: frozenset[str]) -> dict[str, int]:
    """Return the bits of flags by their names in files."""
    names = {bit.name.removeprefix(prefix).lower(): int(bit) for bit in bits if bit.name.startswith(prefix)}
    return {name: bit for name, bit in names.items() if prefix + name.upper() not in unread}


ENABLE_FLAGS = _flags(mjtEnableBit, "mjENBL_", NOT_BUILT)
"""Features off by default, and their bits in `opt.enableflags`."""
DISABLE_FLAGS = _flags(mjtDisableBit, "mjDSBL_", frozenset({"mjDSBL_ISLAND", "mjDSBL_MULTICCD"}))
"""Features on by default, and their bits in `opt.disableflags`; islands and more contacts are off by default here."""

ON_BY_DEFAULT_4 = {"island": int(mjtDisableBit.mjDSBL_ISLAND)}
"""Flags that are on by default in edition 4.0, and their bits in `opt.disableflags`."""

_FLAGS = ("orthographic", "ellipsoidinertia", "bvactive")
"""Numbers in a model, true or false in a file."""


def _settings(prefix: str, names: str = "") -> tuple[Attribute, ...]:
    """Declare attributes for the fields of a model whose names start with `prefix`: all, or only these names."""
    fields = (row for row in (*OPTION_FIELDS, *STATISTIC_FIELDS, *VISUAL_FIELDS) if row.name.startswith(prefix))
    rows = {row.name.removeprefix(prefix): row for row in fields}
    return tuple(_setting(name, rows[name]) for name in names.split() or rows)


def _setting(name: str, row: Field) -> Attribute:
    """Declare the attribute for a field of a model."""
    meaning = f"{row.meaning[0].upper()}{row.meaning[1:]}."
    count = COMPONENTS[row.kind] * (int(row.shape[0]) if row.shape else 1)
    if row.kind == "int" and name in _FLAGS:
        return flag(name, bool(row.default), meaning)
    if row.kind == "int":
        return integer(name, row.default, meaning, unit=row.unit)
    default: Any = row.default
    if count > 1 and not isinstance(default, tuple):
        default = (default,) * count
    return real(name, tuple(map(float, default)) if count > 1 else float(default), meaning, count, unit=row.unit)


OPTION = element(
    "option", "Options of the simulation: `opt.NAME` of the model.",
    _settings("opt.", "timestep apirate impratio gravity wind magnetic density viscosity o_margin"),
    upto("o_solref", SOLREF, "Contact override: solref."),
    upto("o_solimp", SOLIMP, "Contact override: solimp."),
    upto("o_friction", (1.0, 1.0, 0.005, 0.0001, 0.0001), "Contact override: friction."),
    choice("integrator", "Euler RK4 implicit implicitfast", "Euler", "Numerical integrator."),
    choice("cone", "pyramidal elliptic", "pyramidal", "Friction cone."),
    choice("jacobian", "dense sparse auto", "auto", "Storage of constraint Jacobians."),
    choice("solver", "PGS CG Newton complementarity diagonal", "Newton", "Constraint solver."),
    _settings("opt.", "iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance"),
    _settings("opt.", "ccd_iterations ccd_tolerance sleep_tolerance sdf_iterations sdf_initpoints"),
    integer("actuatorgroupdisable", (), "Groups of actuators that are off, 0 to 30.", None, most=31, lands=""),
    element(
        "flag", "Switches of features.",
        tuple(
            choice(name, "disable enable", None, f"Switch of {name}.", implied=on, lands="")
            for on, names in ((1, DISABLE_FLAGS), (0, ENABLE_FLAGS)) for name in names
        ),
        once=True,
    ),
    kind="option",
)  # fmt: skip

SIZE = element(
    "size", "Sizes that cannot be inferred from the elements.",
    word("memory", "Arena in bytes, with an optional letter K M G T P E; -1: automatic.", default="-1", lands=""),
    integer("njmax", -1, "Legacy: most constraint rows."),
    integer("nconmax", -1, "Legacy: most contacts."),
    integer("nstack", -1, "Legacy: stack, in reals."),
    integer("nuserdata", 0, "Length of `userdata`."),
    integer("nkey", 0, "Least number of keyframes."),
    tuple(
        integer(row.name, -1, f"{row.meaning.capitalize()}; -1: as many as written.")
        for row in SIZE_FIELDS if row.name.startswith("nuser_")
    ),
    kind="size",
)  # fmt: skip

STATISTIC = element(
    "statistic", "Statistics that replace computed ones: `stat.NAME` of the model.",
    tuple(replace(row, default=None) for row in _settings("stat.")),
    kind="statistic",
)  # fmt: skip

VISUAL = element(
    "visual", "Settings of visualization: `vis.GROUP.NAME` of the model.",
    element(
        "global", "Settings of the view.",
        _settings("vis.global.", "cameraid orthographic fovy ipd azimuth elevation linewidth glow"),
        _settings("vis.global.", "offwidth offheight realtime ellipsoidinertia bvactive"),
        kind="global", once=True,
    ),
    element("quality", "Quality of rendering.", _settings("vis.quality."), kind="quality", once=True),
    element("headlight", "Light at the camera.", _settings("vis.headlight."), kind="headlight", once=True),
    element("map", "From model quantities to what is shown.", _settings("vis.map."), kind="map", once=True),
    element("scale", "Sizes of decor, times mean body size.", _settings("vis.scale."), kind="scale", once=True),
    element("rgba", "Colours of decor.", _settings("vis.rgba."), kind="rgba", once=True),
)  # fmt: skip
