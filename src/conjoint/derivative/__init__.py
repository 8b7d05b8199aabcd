"""Exact derivatives of the simulation: matrices, products with vectors, transition matrices (docs/derivatives.md)."""

from conjoint.derivative.derivatives import jacobian, jvp, vjp
from conjoint.derivative.inverse import mjd_inverse
from conjoint.derivative.transition import mjd_transition

__all__ = ["jacobian", "jvp", "mjd_inverse", "mjd_transition", "vjp"]
