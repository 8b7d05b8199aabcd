"""Fluid model for whole bodies: drag on a box with the same mass and inertia (Computation chapter, Fluid forces)."""

from conjoint.lang import abs, formula, kernel, maximum, spatial, sqrt, vec3
from conjoint.physics.geometry.matrix import times
from conjoint.schema.constants import mjPI


@formula("vec3", "vec3", "real", exact=True)
def box_edges(moments, mass):
    """Return the edges of the box with the given moments of inertia and mass.

    Sums are not reordered, because thin edges are small differences of moments.
    """
    x, y, z = moments
    return (
        sqrt(maximum(0.0, y + z - x) / mass * 6.0),
        sqrt(maximum(0.0, x + z - y) / mass * 6.0),
        sqrt(maximum(0.0, x + y - z) / mass * 6.0),
    )


@kernel
def viscous_drag(m, box):
    """Return the torque per angular velocity and the force per velocity in slow flow (Stokes).

    Both are computed for a sphere whose diameter is the mean edge of the box.
    """
    diameter = (box.x + box.y + box.z) / 3.0
    return -mjPI * diameter * diameter * diameter * m.opt.viscosity, -3.0 * mjPI * diameter * m.opt.viscosity


@kernel
def turning_drag(m, box):
    """Return the drag torque about each axis of a box per squared angular velocity."""
    x = box.x * box.x * box.x * box.x
    y = box.y * box.y * box.y * box.y
    z = box.z * box.z * box.z * box.z
    return vec3(box.x * (y + z), box.y * (x + z), box.z * (x + y)) * (-m.opt.density / 64.0)


@kernel
def face_drag(m, box):
    """Return the drag force along each axis of a box per squared velocity; it is proportional to the face area."""
    return vec3(box.y * box.z, box.x * box.z, box.x * box.y) * (-0.5 * m.opt.density)


@kernel
def box_force(m, b, w, v):
    """Return the fluid torque and force on body b in the axes of its inertial frame.

    The body has angular velocity w and velocity v relative to the fluid, in the same axes.
    """
    box = box_edges(m.body_inertia[b], m.body_mass[b])
    spinning, moving = viscous_drag(m, box)
    torque = w * spinning + times(turning_drag(m, box), times(magnitudes(w), w))
    force = v * moving + times(face_drag(m, box), times(magnitudes(v), v))
    return spatial(torque, force)


@kernel
def magnitudes(v):
    """Return the absolute value of every component."""
    return vec3(abs(v.x), abs(v.y), abs(v.z))
