"""Poses of a world, from the row of an array that has one for each world."""

from conjoint.lang import integer, kernel, load, mat3, quat, vec3


@kernel
def take_poses(m, d, poses, at):
    """Poses of a world, from number `at` of the array on."""
    at = take(vec3, 3, m.ngeom, d.geom_xpos, poses, at)
    at = take(mat3, 9, m.ngeom, d.geom_xmat, poses, at)
    at = take(vec3, 3, m.nsite, d.site_xpos, poses, at)
    at = take(mat3, 9, m.nsite, d.site_xmat, poses, at)
    at = take(vec3, 3, m.ncam, d.cam_xpos, poses, at)
    at = take(mat3, 9, m.ncam, d.cam_xmat, poses, at)
    at = take(vec3, 3, m.nlight, d.light_xpos, poses, at)
    at = take(vec3, 3, m.nlight, d.light_xdir, poses, at)
    at = take(vec3, 3, m.nflexvert, d.flexvert_xpos, poses, at)
    at = take(vec3, 3, 2 * m.nwrap, d.wrap_xpos, poses, at)
    at = take_integers(2 * m.nwrap, d.wrap_obj, poses, at)
    at = take_integers(m.ntendon, d.ten_wrapadr, poses, at)
    at = take_integers(m.ntendon, d.ten_wrapnum, poses, at)
    at = take_numbers(m.ntendon, d.ten_length, poses, at)
    if m.nskin > 0:
        at = take(vec3, 3, m.nbody, d.xpos, poses, at)
        take(quat, 4, m.nbody, d.xquat, poses, at)


@kernel
def take(kind, size, count, values, poses, at):
    """So many values of a kind that has `size` numbers, from number `at` of the array on; where the next ones are."""
    for i in range(count):
        values[i] = load(kind, poses, at + size * i)
    return at + size * count


@kernel
def take_numbers(count, numbers, poses, at):
    """So many numbers from number `at` of the array on; where the next ones are."""
    for i in range(count):
        numbers[i] = poses[at + i]
    return at + count


@kernel
def take_integers(count, numbers, poses, at):
    """So many integers from number `at` of the array on; where the next numbers are."""
    for i in range(count):
        numbers[i] = integer(poses[at + i])
    return at + count
