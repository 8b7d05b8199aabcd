"""Linear algebra of the solvers: sums over eight columns at a time, Jacobian rows, the Hessian, and the dual matrix."""
