"""Sparsity of a model: rows of `m` that users do not see, computed once by `runtime/structure.py`.

`MjData` shows the same numbers under the same names; kernels read them from the model because there they may decide
control flow.
"""

from conjoint.lang.layout import Field

# fmt: off
STRUCTURE_FIELDS: tuple[Field, ...] = (
    Field("M_rownnz", "int", ("nv",), 0, "", "", "non-zeros in the lower triangle of each row of M", public=False),
    Field("M_rowadr", "int", ("nv",), 0, "", "", "address of each row of M; the diagonal comes last", public=False),
    Field("M_colind", "int", ("nC",), 0, "", "", "columns of M, ascending: the ancestors of the dof", public=False),
    Field("M_colnnz", "int", ("nv",), 0, "", "", "dofs below each dof in the tree: the next ones", public=False),
    Field("mapM2M", "int", ("nC",), 0, "", "", "address in `qM` of each element of M", public=False),
    Field("ten_J_rownnz", "int", ("ntendon",), 0, "", "", "dofs that can move each tendon", public=False),
    Field("ten_J_colind", "int", ("ntendon", "nv"), 0, "", "", "those dofs, ascending, packed", public=False),
    Field("wrap_side", "int", ("nwrap",), 0, "", "", "site on whose side a path passes a geom, -1: any", public=False),
    Field("moment_rownnz", "int", ("nu",), 0, "", "", "dofs that each actuator can move", public=False),
    Field("moment_rowadr", "int", ("nu",), 0, "", "", "address of each actuator's moment arms", public=False),
    Field("moment_colind", "int", ("nJmom",), 0, "", "", "those dofs, ascending", public=False),
)
# fmt: on
