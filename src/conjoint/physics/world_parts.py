"""Parts of the world that a stage works on: here all of it; `physics.sleep.awake` has what is awake."""

from conjoint.lang import kernel


@kernel
def everywhere(m, d, part):
    """Run a kernel that goes through the shares of the world, for the whole world."""
    part(m, d)
