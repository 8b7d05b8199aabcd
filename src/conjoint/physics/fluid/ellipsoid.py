"""The fluid model of geoms as ellipsoids: added mass, lift and drag (Computation chapter, Fluid forces).

A geom moves with spin w and velocity v relative to the medium, in its own axes. The projected area across the velocity
is pi |n| / sqrt(n u), where u is the direction of v. Here n = N u is normal to its rim, and the diagonal matrix N has
the squared areas of the boxes' faces. Half axes are divided by the longest one, so no size or speed is small next to a
constant.
"""

from conjoint.lang import cross, dot, formula, group, kernel, load, maximum, minimum, norm, spatial, sqrt, vec3, where
from conjoint.physics.geometry.matrix import times
from conjoint.physics.geometry.shape import half_sizes
from conjoint.schema.constants import mjPI

# places of `geom_fluid`
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
    """Return a / b for b >= 0, and 0 where b is 0."""
    return where(b > 0.0, a / where(b > 0.0, b, 1.0), 0.0)


@group
def Flow(speed, way, squares, n, along, square):
    """A velocity as speed and direction, with N, n, n u and n n of an ellipsoid whose longest half axis is 1."""


@kernel
def flow_of(axes, v):
    """Return the `Flow` about an ellipsoid."""
    longest, _middle = extents(axes)
    squares = face_squares(axes / longest)
    speed = norm(v)
    way = v * over(1.0, speed)
    n = times(squares, way)
    return Flow(speed, way, squares, n, dot(n, way), dot(n, n))


@kernel
def projected_area(axes, flow):
    """Return the area across the velocity."""
    longest, _middle = extents(axes)
    return mjPI * longest * longest * sqrt(over(flow.square, flow.along))


@kernel
def virtual_mass(m, g):
    """Return the added mass of geom g, for each axis."""
    return load(vec3, m.geom_fluid, (g, VIRTUAL_MASS)) * m.opt.density


@kernel
def virtual_inertia(m, g):
    """Return the virtual moments of inertia of the medium that rotates with geom g."""
    return load(vec3, m.geom_fluid, (g, VIRTUAL_INERTIA)) * m.opt.density


@kernel
def face_squares(axes):
    """N: squared products of the half axes across each axis."""
    x = axes.y * axes.z
    y = axes.z * axes.x
    z = axes.x * axes.y
    return vec3(x * x, y * y, z * z)


@kernel
def extents(axes):
    """Longest and middle of the half axes."""
    longest = maximum(maximum(axes.x, axes.y), axes.z)
    shortest = minimum(minimum(axes.x, axes.y), axes.z)
    return longest, axes.x + axes.y + axes.z - longest - shortest


@kernel
def sphere_diameter(axes):
    """Diameter of the sphere with the mean half axis, for slow flow."""
    return (axes.x + axes.y + axes.z) * (2.0 / 3.0)


@kernel
def magnus_coefficient(m, g, axes):
    """Return the force per w x v."""
    return m.geom_fluid[g, MAGNUS_LIFT] * m.opt.density * (4.0 / 3.0 * mjPI) * axes.x * axes.y * axes.z


@kernel
def kutta_coefficient(m, g):
    """Lift per circulation, cosine and area."""
    return m.geom_fluid[g, KUTTA_LIFT] * m.opt.density


@kernel
def turning_coefficients(m, g, axes):
    """Return the moments that resist rotation about each axis: angular drag on the swept part, slender drag on the
    rest."""
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
    """Return the area that resists translation: blunt drag on the projected area, slender drag on the rest of the
    largest area."""
    longest, middle = extents(axes)
    slender = mjPI * longest * middle - projected
    return projected * m.geom_fluid[g, BLUNT_DRAG] + slender * m.geom_fluid[g, SLENDER_DRAG]


@kernel
def ellipsoid_force(m, g, w, v):
    """Return torque and force on geom g in its axes."""
    axes = half_sizes(m.geom_type[g], m.geom_size[g])
    # the medium that moves along
    momentum = times(virtual_mass(m, g), v)
    torque = cross(momentum, v) + cross(times(virtual_inertia(m, g), w), w)
    force = cross(momentum, w) + cross(w, v) * magnus_coefficient(m, g, axes)
    # Kutta-Joukowski lift: circulation grows with the cosine between velocity and normal
    flow = flow_of(axes, v)
    speed = flow.speed
    projected = projected_area(axes, flow)
    lift = kutta_coefficient(m, g) * over(flow.along, flow.square) * projected * speed * speed
    force = force + cross(cross(flow.n, flow.way), flow.way) * lift
    # drag: linear and quadratic
    diameter = sphere_diameter(axes)
    turning = norm(times(turning_coefficients(m, g, axes), w))
    slowing = m.opt.viscosity * mjPI * diameter * diameter * diameter + m.opt.density * turning
    braking = m.opt.viscosity * 3.0 * mjPI * diameter + m.opt.density * speed * drag_area(m, g, axes, projected)
    return spatial(torque - w * slowing, force - v * braking) * m.geom_fluid[g, INTERACTION]
