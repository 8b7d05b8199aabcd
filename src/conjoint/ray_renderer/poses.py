"""Poses of a world, from the row of an array that has one for each world."""

from conjoint.lang import integer, kernel, load, mat3, quat, vec3


@kernel(per_world=True)
def take_poses(m, d, poses, at):
    """Poses of a world, from number `at` of the array on."""
    at = take_points(m.ngeom, d.geom_xpos, poses, at)
    at = take_frames(m.ngeom, d.geom_xmat, poses, at)
    at = take_points(m.nsite, d.site_xpos, poses, at)
    at = take_frames(m.nsite, d.site_xmat, poses, at)
    at = take_points(m.ncam, d.cam_xpos, poses, at)
    at = take_frames(m.ncam, d.cam_xmat, poses, at)
    at = take_points(m.nlight, d.light_xpos, poses, at)
    at = take_points(m.nlight, d.light_xdir, poses, at)
    at = take_points(m.nflexvert, d.flexvert_xpos, poses, at)
    at = take_points(2 * m.nwrap, d.wrap_xpos, poses, at)
    at = take_integers(2 * m.nwrap, d.wrap_obj, poses, at)
    at = take_integers(m.ntendon, d.ten_wrapadr, poses, at)
    at = take_integers(m.ntendon, d.ten_wrapnum, poses, at)
    at = take_numbers(m.ntendon, d.ten_length, poses, at)
    if m.nskin > 0:
        at = take_points(m.nbody, d.xpos, poses, at)
        take_turns(m.nbody, d.xquat, poses, at)


@kernel(per_world=True)
def take_points(count, points, poses, at):
    """So many points from number `at` of the array on; where the next ones are."""
    for i in range(count):
        points[i] = load(vec3, poses, at + 3 * i)
    return at + 3 * count


@kernel(per_world=True)
def take_frames(count, frames, poses, at):
    """So many rotation matrices from number `at` of the array on; where the next numbers are."""
    for i in range(count):
        frames[i] = load(mat3, poses, at + 9 * i)
    return at + 9 * count


@kernel(per_world=True)
def take_turns(count, turns, poses, at):
    """So many quaternions from number `at` of the array on; where the next numbers are."""
    for i in range(count):
        turns[i] = load(quat, poses, at + 4 * i)
    return at + 4 * count


@kernel(per_world=True)
def take_numbers(count, numbers, poses, at):
    """So many numbers from number `at` of the array on; where the next ones are."""
    for i in range(count):
        numbers[i] = poses[at + i]
    return at + count


@kernel(per_world=True)
def take_integers(count, numbers, poses, at):
    """So many integers from number `at` of the array on; where the next numbers are."""
    for i in range(count):
        numbers[i] = integer(poses[at + i])
    return at + count
