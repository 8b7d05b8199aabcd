"""Convex bodies: their distance (GJK), their penetration depth (EPA, MPR), and the contacts of flat faces.

Bodies often touch face to face or edge to edge, where several results are equally good, and the last bit of a number
decides between them. To return the same result as MuJoCo, all kernels must round as MuJoCo does, so they are compiled
as exact kernels (`EXACT_KERNELS`).
"""

EXACT_KERNELS = True
