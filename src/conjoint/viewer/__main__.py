"""`python -m conjoint.viewer --mjcf=MODEL`, as in the package `mujoco`; equivalent to `conjoint view MODEL`."""

import argparse

from conjoint.viewer import launch, launch_from_path


def main() -> None:
    """Open the window, and return when the user closes it."""
    parser = argparse.ArgumentParser(prog="conjoint.viewer", description="Simulate a model in a window.")
    parser.add_argument("--mjcf", help="model file (MJCF, URDF or MJB); if absent, drop a file on the window")
    path = parser.parse_args().mjcf
    if path is None:
        launch()
    else:
        launch_from_path(path)


if __name__ == "__main__":
    main()
