"""Triangles of meshes, and how many volumes of their trees may wait to be looked at."""

from conjoint.lang import kernel, load, vec3

WAITING = 64
"""Most bounding volumes that wait while a tree is gone through, depth first: trees halve what they hold."""


@kernel(per_world=True)
def mesh_corner(m, mesh, f, k):
    """Corner k of triangle f of a mesh."""
    return load(vec3, m.mesh_vert, (m.mesh_vertadr[mesh] + m.mesh_face[f, k], 0))
