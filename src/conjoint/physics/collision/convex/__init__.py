"""Convex bodies: their distance (GJK), their penetration (EPA, MPR), and the contacts of flat faces.

Bodies often touch face to face or edge to edge, where several answers are equally good. The last bit then decides, so
MuJoCo's answer needs MuJoCo's rounding: all kernels are exact.
"""

EXACT_KERNELS = True
