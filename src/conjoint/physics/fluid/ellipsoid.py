"""Fluid model for geoms as ellipsoids: added mass, lift and drag (Computation chapter, Fluid forces).

A geom has angular velocity w and velocity v relative to the fluid, in its own axes. The projected area perpendicular to
the velocity is pi |n| / sqrt(n u), where u is the direction of v. The vector n = N u is normal to the outline of the
projection, and the diagonal matrix N has the squared areas of the faces of the bounding box. The semi-axes are divided
by the longest one, so that sizes and speeds are never small compared to a constant.
"""

from conjoint.lang import cross, dot, formula, group, kernel, load, maximum, minimum, norm, spatial, sqrt, vec3, where
from conjoint.physics.geometry.matrix import times
from conjoint.physics.geometry.shape import half_sizes
from conjoint.schema.constants import mjPI

# indices in `geom_fluid`
INTERACTION = 0
BLUNT_DRAG = 1
SLENDER_DRAG = 2
ANGULAR_DRAG = 3
KUTTA_LIFT = 4
MAGNUS_LIFT = 5
VIRTUAL_MASS = 6
VIRTUAL_INERTIA = 9


@formula("real", "real", "real")
def over(a, b):
    """Return a / b for b > 0, and 0 if b is 0."""
    return where(b > 0.0, a / where(b > 0.0, b, 1.0), 0.0)


@group
def Flow(speed, way, squares, n, along, square):
    """Flow past an ellipsoid whose longest semi-axis is 1: speed, direction u, diagonal of N, n = N u, n u and n n.

    The diagonal matrix N has the squared face areas of the ellipsoid's bounding box.
    """


@kernel
def flow_of(axes, v):
    """Return the `Flow` of velocity v for an ellipsoid with the given semi-axes."""
    longest, _middle = extents(axes)
    squares = face_squares(axes / longest)
    speed = norm(v)
    way = v * over(1.0, speed)
    n = times(squares, way)
    return Flow(speed, way, squares, n, dot(n, way), dot(n, n))


@kernel
def projected_area(axes, flow):
    """Return the projected area of an ellipsoid perpendicular to the velocity."""
    longest, _middle = extents(axes)
    return mjPI * longest * longest * sqrt(over(flow.square, flow.along))


@kernel
def virtual_mass(m, g):
    """Return the added mass of geom g along each axis."""
    return load(vec3, m.geom_fluid, (g, VIRTUAL_MASS)) * m.opt.density


@kernel
def virtual_inertia(m, g):
    """Return the added moment of inertia of geom g about each axis, due to the fluid that rotates with it."""
    return load(vec3, m.geom_fluid, (g, VIRTUAL_INERTIA)) * m.opt.density


@kernel
def face_squares(axes):
    """Return the diagonal of N: for each axis, the squared product of the other two semi-axes."""
    x = axes.y * axes.z
    y = axes.z * axes.x
    z = axes.x * axes.y
    return vec3(x * x, y * y, z * z)


@kernel
def extents(axes):
    """Return the longest and the second longest semi-axis of an ellipsoid."""
    longest = maximum(maximum(axes.x, axes.y), axes.z)
    shortest = minimum(minimum(axes.x, axes.y), axes.z)
    return longest, axes.x + axes.y + axes.z - longest - shortest


@kernel
def sphere_diameter(axes):
    """Return the diameter of the sphere whose radius is the mean semi-axis, for slow flow."""
    return (axes.x + axes.y + axes.z) * (2.0 / 3.0)


@kernel
def magnus_coefficient(m, g, axes):
    """Return the factor of w x v in the Magnus force on geom g."""
    return m.geom_fluid[g, MAGNUS_LIFT] * m.opt.density * (4.0 / 3.0 * mjPI) * axes.x * axes.y * axes.z


@kernel
def kutta_coefficient(m, g):
    """Return the Kutta lift coefficient of geom g, multiplied by the fluid density."""
    return m.geom_fluid[g, KUTTA_LIFT] * m.opt.density


@kernel
def turning_coefficients(m, g, axes):
    """Return the coefficients of the moments that resist rotation about each axis.

    Rotation about an axis sweeps a moment of area, for which the angular drag coefficient applies. The slender drag
    coefficient applies to the difference from the largest possible moment.
    """
    longest, middle = extents(axes)
    scale = 8.0 / 15.0 * mjPI
    most = scale * middle * longest * longest * longest * longest
    x = maximum(axes.y, axes.z)
    y = maximum(axes.z, axes.x)
    z = maximum(axes.x, axes.y)
    swept = vec3(axes.x * x * x * x * x, axes.y * y * y * y * y, axes.z * z * z * z * z) * scale
    rest = vec3(most, most, most) - swept
    return swept * m.geom_fluid[g, ANGULAR_DRAG] + rest * m.geom_fluid[g, SLENDER_DRAG]


@kernel
def drag_area(m, g, axes, projected):
    """Return the effective area that resists translation.

    It is the projected area times the blunt drag coefficient, plus the remainder of the largest cross section times the
    slender drag coefficient.
    """
    longest, middle = extents(axes)
    slender = mjPI * longest * middle - projected
    return projected * m.geom_fluid[g, BLUNT_DRAG] + slender * m.geom_fluid[g, SLENDER_DRAG]


@kernel
def ellipsoid_force(m, g, w, v):
    """Return the fluid torque and force on geom g in its own axes."""
    axes = half_sizes(m.geom_type[g], m.geom_size[g])
    # added mass of the fluid
    momentum = times(virtual_mass(m, g), v)
    torque = cross(momentum, v) + cross(times(virtual_inertia(m, g), w), w)
    force = cross(momentum, w) + cross(w, v) * magnus_coefficient(m, g, axes)
    # Kutta-Joukowski lift: circulation is proportional to the cosine of the angle between velocity and normal
    flow = flow_of(axes, v)
    speed = flow.speed
    projected = projected_area(axes, flow)
    lift = kutta_coefficient(m, g) * over(flow.along, flow.square) * projected * speed * speed
    force = force + cross(cross(flow.n, flow.way), flow.way) * lift
    # linear and quadratic drag
    diameter = sphere_diameter(axes)
    turning = norm(times(turning_coefficients(m, g, axes), w))
    slowing = m.opt.viscosity * mjPI * diameter * diameter * diameter + m.opt.density * turning
    braking = m.opt.viscosity * 3.0 * mjPI * diameter + m.opt.density * speed * drag_area(m, g, axes, projected)
    return spatial(torque - w * slowing, force - v * braking) * m.geom_fluid[g, INTERACTION]
