"""Parts of a build that are modules of their own: `hatch_build.py` calls them."""
