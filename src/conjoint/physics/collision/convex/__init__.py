"""Convex bodies: their distance (GJK), their penetration depth (EPA, MPR), and the contacts of flat faces.

Bodies often touch face to face or edge to edge, where several results are equally good. The last bit then decides, so
all kernels are exact: the result of MuJoCo requires the rounding of MuJoCo.
"""

EXACT_KERNELS = True
