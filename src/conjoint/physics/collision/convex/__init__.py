"""Convex bodies: their distance (GJK), their penetration (EPA, MPR), and the contacts of flat faces.

Bodies often touch face to face, edge to edge, where several answers are equally good: there the last bit decides which
is taken, and the official engine's are taken only by rounding as it does. So all kernels are exact.
"""

EXACT_KERNELS = True
