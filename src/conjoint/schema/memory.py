"""Memory of a model and of a world, laid out from the schema."""

from collections.abc import Mapping

import numpy as np

from conjoint.lang.language.tile import TILE
from conjoint.lang.memory.layout import ALIGNMENT, COMPONENTS, INTEGERS, TANGENT, Buffer, Field, Layout
from conjoint.schema.arena import ARENA_ROWS, CAPACITIES
from conjoint.schema.constants import MOST_DENSE_ROWS, SOLVER_SHARES, mjNISLAND, mjNSOLVER
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.enums import mjtCone, mjtDisableBit, mjtEnableBit, mjtSolver
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.rows import Scratch, table
from conjoint.schema.semantics import EDITION_4
from conjoint.schema.sizes import SIZE_FIELDS, SIZES
from conjoint.schema.workspaces import SOLUTION

NOTHING_PLANNED = dict.fromkeys(
    (
        "npart", "nsweep_padded", "nnode", "nplacing", "compressed", "branched", "nblock",
        "nv_compressed", "napart", "nsleep_tree", "nsleep_run", "nsleep_body",
    ), 0
)  # fmt: skip
"""Zeros for the capacities that come from a model's plan.

The capacities are for threads and compressed rows, which small models lack.
"""

GROWING = {
    "ncon": "ncon_capacity", "nefc": "nefc_capacity", "nefc_dual": "nefc_dual", "nefc_hybrid": "nefc_hybrid",
    "nnear": "nnear_capacity", "nJ": "nJ_capacity", "nfill": "nfill_capacity",
    "ndual": "ndual_capacity",
}  # fmt: skip
"""Names of the capacities of an arena, by short name.

The capacities count contacts, constraint rows, rows of `efc_AR` and of the complementarity solver's matrix, and pairs
of geoms. For compressed rows they count elements of the Jacobian, blocks of the Hessian, and elements of the matrix
J L⁻¹ D^(-1/2).
"""

DATA_STRUCT: tuple[Field, ...] = table(DATA_ROWS, ARENA_ROWS)
"""Fields that kernels read as `d`, in the order of the address table."""


DERIVATIVE_ROWS: tuple[Field, ...] = (
    Scratch("body_spin", "vec3", ("nbody",), "", "mj_kinematics", "zero; its tangents are rotations of the bodies"),
    Scratch("inertial_acc", "spatial", ("nbody",), "", "mj_fwdConstraint, mj_Euler, mj_implicit",
            "body accelerations that follow from dof accelerations"),
    Scratch("inertial_frc", "spatial", ("nbody",), "", "mj_fwdConstraint, mj_Euler, mj_implicit",
            "forces that cause the accelerations `inertial_acc`"),
    Scratch("advance_inertia", "real", ("nv",), "", "mj_Euler, mj_implicit",
            "derivative of the inertial forces with respect to the acceleration that an integrator uses"),
    Scratch("advance_change", "real", ("nv",), "", "mj_Euler, mj_implicit",
            "change in advance_acc that does not follow from the change in qacc"),
    Scratch("advance_moved", "real", ("nv",), "", "mj_implicit", "advance_acc, with the tangents of qacc"),
    *SOLUTION,
)  # fmt: skip
"""Rows that only worlds with dual numbers have."""


def tangent_rows(rows: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the rows for tangents of dual numbers. Each field of reals gets a row, with one vector per number."""
    return tuple(
        Field(
            TANGENT + f.name, "real", (*f.shape, COMPONENTS[f.kind], TILE), None, "", "", f"tangents of {f.name}", False
        )
        for f in rows
        if f.kind not in INTEGERS
    )


_KEPT: dict[tuple, Layout] = {}
"""Cache of recently used layouts."""
_MOST_KEPT = 64


def layout_of(fields: tuple[Field, ...], sizes: Mapping[str, int], real: type = float, lanes: int = 1) -> Layout:
    """Return the layout of a table of the schema. Callers share the layout, and must not write to it.

    Args:
        fields: the table, declared once by a module (not a new tuple in each call).
        sizes: value of every size.
        real: numpy.float64 (or float) or numpy.float32.
        lanes: number of worlds.
    """
    # layouts refer to their fields, so no other table has the same id
    key = id(fields), tuple(sizes), tuple(sizes.values()), real, lanes
    known = _KEPT.get(key)
    if known is None:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        known = _KEPT[key] = Layout(fields, sizes, real, lanes)
    return known


def model_layout(sizes: Mapping[str, int]) -> Layout:
    """Return the layout of a model. The size `nbuffer` is set to the number of bytes of the model."""
    layout = layout_of(MODEL_FIELDS, sizes)
    layout.sizes["nbuffer"] = layout.nbytes
    return layout


def allocate_model(sizes: Mapping[str, int]) -> Buffer:
    """Return the memory of a model with defaults in every field.

    Args:
        sizes: any of `SIZES`; missing sizes have their defaults, which are 0 for most.
    """
    complete = {field.name: int(sizes.get(field.name, field.default)) for field in SIZE_FIELDS}  # type: ignore[arg-type]
    model = Buffer(Layout(MODEL_FIELDS, complete))
    model.set_defaults()
    # as in compiled models, so that copies have the same sizes
    model.layout.sizes["nbuffer"] = model.layout.nbytes
    for name, size in model.layout.sizes.items():
        model.view(name)[...] = size
    return model


def restored_model(layout: Layout, contents: bytes | memoryview) -> Buffer:
    """Return a model with `contents`, which are copied from the memory of a model with the same layout."""
    model = Buffer(layout)
    model.bytes[...] = np.frombuffer(contents, np.uint8)
    return model


def written_sizes(model: Buffer) -> dict[str, int]:
    """Return the sizes that are stored in a model. Their fields are the first fields, each in its own cache line."""
    numbers = model.bytes[: len(SIZES) * ALIGNMENT].view(np.int64)[:: ALIGNMENT // 8]
    return dict(zip(SIZES, numbers.tolist(), strict=True))


def data_layout(
    model: Buffer,
    real: type = float,
    lanes: int = 1,
    nsolverstat: int = mjNISLAND * mjNSOLVER,
    rows: tuple[Field, ...] = DATA_ROWS,
) -> Layout:
    """Return the layout of the fields of fixed size of a world, or of `lanes` worlds side by side.

    Args:
        model: the model, which determines sizes.
        real: numpy.float64 (or float) or numpy.float32.
        lanes: number of worlds.
        nsolverstat: number of solver iterations whose statistics are stored.
        rows: the fields.
    """
    sizes = {"nsolverstat": nsolverstat, "nv_padded": row_stride(model.layout.sizes["nv"] + 1)}
    # padding of a tile after the last coordinate, and after each row of M
    sizes["nq_padded"] = model.layout.sizes["nq"] + TILE
    sizes["nbodyflex"] = model.layout.sizes["nbody"] + model.layout.sizes["nflex"]
    sizes["nC_spread"] = model.layout.sizes["nC"] + TILE * model.layout.sizes["nv"]
    return layout_of(rows, model.layout.sizes | sizes, real, lanes)


def allocate_arena(
    model: Buffer,
    capacities: Mapping[str, int],
    planned: Mapping[str, int] = NOTHING_PLANNED,
    real: type = float,
    lanes: int = 1,
) -> Buffer:
    """Return the memory of the contacts and constraint rows of a world, or of `lanes` worlds side by side, all zero.

    Args:
        model: the model, which determines sizes.
        capacities: capacities by their short names in `GROWING`; missing capacities are 0.
        planned: capacities that the plan of the model needs (`Plan.room`).
        real: numpy.float64 (or float) or numpy.float32.
        lanes: number of worlds.
    """
    nv = model.layout.sizes["nv"]
    sizes = dict.fromkeys(CAPACITIES, 0) | {GROWING[name]: count for name, count in capacities.items()} | dict(planned)
    # solvers work on rows tile by tile
    nefc, dual, hybrid = (whole_tiles(sizes[name]) for name in ("nefc_capacity", "nefc_dual", "nefc_hybrid"))
    sizes |= {"nefc_capacity": nefc, "nefc_dual": dual, "nefc_hybrid": hybrid, "nJ_rows": nefc, "nefc_dense": nefc}
    sizes |= {
        "nv_padded": row_stride(nv + 1),
        "nefc_padded": row_stride(nefc),
        "dual_padded": row_stride(dual) if dual else 0,
    }
    # a cone has at least three rows, and gets memory for six
    cone_rows = nefc if int(model.view("opt.cone")) == mjtCone.mjCONE_ELLIPTIC else 0
    cones = whole_tiles(cone_rows // 3)
    sizes |= {"ncone_nefc": cone_rows, "ncone_padded": cones, "ncone_rows": 6 * cones}
    sizes["nefc_swept"] = nefc if int(model.view("edition")) == EDITION_4 else 0
    shares = SOLVER_SHARES if planned["compressed"] else 0
    sizes |= {"nsolver_share_most": shares, "nsolver_share_end": shares + 1 if shares else 0}
    if planned["compressed"]:
        rows = -(-sizes["nJ_capacity"] // nv)
        sizes |= {"nJ_capacity": rows * nv, "nJ_rows": rows, "nJ_sparse": rows, "nefc_sparse": nefc, "nefc_dense": 0}
        sizes |= {"nv_square": 0, "nrow_padded": 0, "nv_blocks": 0}
    else:
        sizes |= {"nv_square": row_stride(nv + 1), "nv_blocks": whole_tiles(nv + 1) // TILE}
        sizes["nrow_padded"] = row_stride(min(nv, MOST_DENSE_ROWS))
    branched = bool(planned["branched"])
    sizes |= {
        "nefc_branched": sizes["nefc_padded"] if branched else 0,
        "nplace": 3 * nefc + TILE if branched else 0,
        "nv_branched": sizes["nv_square"] if branched else 0,
    }
    sizes |= island_capacities(sizes | model.layout.sizes) if has_islands(model, lanes) else {"nblock_island": 0}
    return Buffer(layout_of(ARENA_ROWS, model.layout.sizes | sizes, real, lanes))


def has_islands(model: Buffer, lanes: int = 1) -> bool:
    """Return True if constraint islands are used.

    This is the case if a flag requests them or, in a single world, by default with the semantics of MuJoCo 4.0. Worlds
    side by side have different islands. The only method that solves islands of such worlds is projected Gauss-Seidel
    with the semantics of 4.0, which processes each world separately.
    """
    if islands_requested(model):
        return True
    alike = lanes == 1 or model.view("opt.solver") == mjtSolver.mjSOL_PGS
    newer = int(model.view("edition")) == EDITION_4
    return newer and alike and not int(model.view("opt.disableflags")) & mjtDisableBit.mjDSBL_ISLAND


def islands_requested(model: Buffer) -> bool:
    """Return True if a flag requests constraint islands. If so, the worlds of a batch are stepped one by one.

    The sleep flag also requests islands, because trees that share an island sleep together.
    """
    flags = mjtEnableBit.mjENBL_ISLAND | mjtEnableBit.mjENBL_SLEEP
    return bool(int(model.view("opt.enableflags")) & flags)


def island_capacities(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the capacities for constraint islands, given other sizes.

    They include additional rows, because solvers read beyond the last row.
    """
    return {
        "ntree_island": sizes["ntree"], "nisland_capacity": sizes["ntree"], "nv_island": sizes["nv"],
        "nidof_capacity": sizes["nv"], "nC_island": sizes["nC"], "nefc_island": sizes["nefc_capacity"] + 16,
        "nJ_island": sizes["nJ_rows"], "nJ_isparse": sizes["nJ_sparse"],
        "nblock_island": sizes["nblock"] + sizes["ntree"],
    }  # fmt: skip


def whole_tiles(n: int) -> int:
    """Return n rounded up to whole tiles, like `padded` in `solver/linear/dense.py`."""
    return -(-n // TILE) * TILE


def row_stride(n: int) -> int:
    """Return the row stride (numbers) of a padded matrix with n columns, like `dense.stride_of` of the solvers."""
    return whole_tiles(n) + 4


def copy_buffer(buffer: Buffer) -> Buffer:
    """Return a copy of `buffer` with its own memory, and the same layout and contents."""
    copied = Buffer(buffer.layout)
    copied.bytes[...] = buffer.bytes
    return copied
