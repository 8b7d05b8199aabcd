"""Derivatives of fluid forces with respect to the velocity of bodies relative to the fluid.

A body or geom has angular velocity w and velocity v in its own axes; `box.py` and `ellipsoid.py` compute the forces.
"""

from conjoint.lang import dot, group, kernel, mat3, norm, sqrt, tangent, vec3, where, with_tangent
from conjoint.lang.language.tile import TILE
from conjoint.physics.fluid.box import box_edges, face_drag, magnitudes, turning_drag, viscous_drag
from conjoint.physics.fluid.ellipsoid import (
    BLUNT_DRAG,
    SLENDER_DRAG,
    drag_area,
    extents,
    flow_of,
    kutta_coefficient,
    magnus_coefficient,
    over,
    projected_area,
    sphere_diameter,
    turning_coefficients,
    virtual_inertia,
    virtual_mass,
)
from conjoint.physics.geometry.matrix import diagonal, outer, skew, times
from conjoint.physics.geometry.shape import half_sizes
from conjoint.schema.constants import mjPI


@group
def Slopes(torque_w, torque_v, force_w, force_v):
    """Derivatives of a torque with respect to w and v, then of a force with respect to w and v."""


@kernel
def box_slopes(m, b, w, v):
    """Return the derivatives of the box forces on body b: torque with respect to w, and force with respect to v."""
    box = box_edges(m.body_inertia[b], m.body_mass[b])
    spinning, moving = viscous_drag(m, box)
    one = vec3(1.0, 1.0, 1.0)
    torque = one * spinning + times(turning_drag(m, box), magnitudes(w)) * 2.0
    force = one * moving + times(face_drag(m, box), magnitudes(v)) * 2.0
    none = mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Slopes(diagonal(torque), none, none, diagonal(force))


@kernel
def ellipsoid_slopes(m, g, w, v):
    """Return the derivatives of the ellipsoid forces on geom g, for a fluid interaction of 1.

    In MuJoCo 3.3.5, the fluid interaction coefficient scales the force, but not its derivatives.
    """
    axes = half_sizes(m.geom_type[g], m.geom_size[g])
    mass = virtual_mass(m, g)
    inertia = virtual_inertia(m, g)
    momentum = times(mass, v)
    magnus = magnus_coefficient(m, g, axes)
    torque_w = skew(times(inertia, w)) - skew(w) @ diagonal(inertia) + turning_slope(m, g, axes, w)
    torque_v = skew(momentum) - skew(v) @ diagonal(mass)
    force_w = skew(momentum) - skew(v) * magnus
    force_v = skew(w) * magnus - skew(w) @ diagonal(mass) + moving_slope(m, g, axes, v)
    return Slopes(torque_w, torque_v, force_w, force_v)


@kernel
def ellipsoid_slopes_from_rest(m, g, w, v):
    """Return `ellipsoid_slopes` in dual numbers, with one-sided derivatives at rest, where slopes have a kink.

    Drag and lift slopes are proportional to speed near rest. So their derivative along a direction equals their
    value at the velocity's tangent in this direction.
    """
    slopes = ellipsoid_slopes(m, g, w, v)
    axes = half_sizes(m.geom_type[g], m.geom_size[g])
    return Slopes(
        from_rest(m, g, axes, w, slopes.torque_w, turning_slope), slopes.torque_v, slopes.force_w,
        from_rest(m, g, axes, v, slopes.force_v, moving_slope),
    )  # fmt: skip


@kernel
def from_rest(m, g, axes, velocity, slopes, part):
    """Return `slopes`; if the velocity is zero, their tangents are one-sided derivatives along each direction.

    `part` is a kernel that returns the part of the slopes that has a kink at rest.
    """
    resting = dot(velocity, velocity) == 0.0
    if resting:
        none = part(m, g, axes, vec3(0.0, 0.0, 0.0))
        for k in range(TILE):
            way = vec3(tangent(velocity.x, k), tangent(velocity.y, k), tangent(velocity.z, k))
            change = part(m, g, axes, way) - none
            slopes = mat3(
                with_tangent(slopes[0], k, where(resting, change[0], 0.0)),
                with_tangent(slopes[1], k, where(resting, change[1], 0.0)),
                with_tangent(slopes[2], k, where(resting, change[2], 0.0)),
                with_tangent(slopes[3], k, where(resting, change[3], 0.0)),
                with_tangent(slopes[4], k, where(resting, change[4], 0.0)),
                with_tangent(slopes[5], k, where(resting, change[5], 0.0)),
                with_tangent(slopes[6], k, where(resting, change[6], 0.0)),
                with_tangent(slopes[7], k, where(resting, change[7], 0.0)),
                with_tangent(slopes[8], k, where(resting, change[8], 0.0)),
            )
    return slopes


@kernel
def turning_slope(m, g, axes, w):
    """Return the derivative of the drag torque with respect to angular velocity."""
    coefficients = turning_coefficients(m, g, axes)
    moment = times(coefficients, w)
    size = norm(moment)
    diameter = sphere_diameter(axes)
    slowing = m.opt.viscosity * mjPI * diameter * diameter * diameter + m.opt.density * size
    change = times(coefficients, moment * over(m.opt.density, size))
    return outer(w, change) * -1.0 - diagonal(vec3(slowing, slowing, slowing))


@kernel
def moving_slope(m, g, axes, v):
    """Return the derivative of Kutta lift and the drag force with respect to velocity."""
    one = diagonal(vec3(1.0, 1.0, 1.0))
    longest, _middle = extents(axes)
    flow = flow_of(axes, v)
    speed = flow.speed
    way = flow.way
    n = flow.n
    along = flow.along
    square = flow.square
    bent = times(flow.squares, n)
    # lift is proportional to (n x v) x v
    lift = way * along - n
    scale = mjPI * kutta_coefficient(m, g) * longest * longest * speed * over(1.0, sqrt(square * along))
    shrink = bent * over(along, square) + way * along - n
    turn = one * along + (outer(way, n) - outer(n, way)) * 2.0 - diagonal(flow.squares)
    slope = (turn * along - outer(lift, shrink)) * scale
    # drag is proportional to speed and to an area that depends on the direction
    widening = (bent * along - n * square) * (mjPI * longest * longest * over(1.0, along * sqrt(along * square)))
    sharp = m.geom_fluid[g, BLUNT_DRAG] - m.geom_fluid[g, SLENDER_DRAG]
    area = drag_area(m, g, axes, projected_area(axes, flow))
    change = way * area + widening * sharp
    braking = m.opt.viscosity * 3.0 * mjPI * sphere_diameter(axes) + m.opt.density * speed * area
    return slope - outer(way, change) * (m.opt.density * speed) - one * braking
