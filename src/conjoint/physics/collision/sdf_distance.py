"""Signed distances of points from geoms of any type, and their gradients: told by plugins, octrees or closed forms."""

from conjoint.lang import group, kernel
from conjoint.physics.geometry.signed_distance import signed_distance, signed_gradient
from conjoint.physics.sdf.octree import octree_distance, octree_gradient
from conjoint.schema.enums import mjtGeom


@group
def Told(distance, gradient):
    """Distance and gradient that plugins tell: kernels of `(m, instance, p)`."""


@kernel
def distance_from(m, g, p, told):
    """Signed distance of the point p, in the frame of geom g, from its surface."""
    return told_by(m, g, p, told.distance, octree_distance, signed_distance)


@kernel
def gradient_from(m, g, p, told):
    """Gradient of `distance_from`."""
    return told_by(m, g, p, told.gradient, octree_gradient, signed_gradient)


@kernel
def told_by(m, g, p, of_plugin, of_mesh, of_type):
    """What the plugin, the mesh or the type of geom g tells about the point p in the geom's frame."""
    kind = m.geom_type[g]
    if kind == mjtGeom.mjGEOM_SDF and m.geom_plugin[g] >= 0:
        return of_plugin(m, m.geom_plugin[g], p)
    if kind == mjtGeom.mjGEOM_SDF:
        return of_mesh(m, m.geom_dataid[g], p)
    return of_type(kind, m.geom_size[g], p)
