"""Linear algebra of the solvers: eight columns at a time, rows of the Jacobian, the Hessian, the dual matrix."""
