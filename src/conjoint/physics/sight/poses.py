"""Poses of a world, from the row of an array that has one for each world."""

from conjoint.lang import kernel, load, mat3, vec3


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
    take_points(m.nflexvert, d.flexvert_xpos, poses, at)


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
