"""Every family of tasks of Gymnasium-Robotics: the first steps after a reset with a seed."""

from clients import robotics_program

FAMILIES = (
    "FetchReach-v4", "FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4", "HandReach-v3", "HandManipulateBlock-v1",
    "HandManipulateEgg-v1", "HandManipulatePen-v1", "HandManipulateBlock_ContinuousTouchSensors-v1",
    "AdroitHandDoor-v1", "AdroitHandHammer-v1", "AdroitHandPen-v1", "AdroitHandRelocate-v1", "AntMaze_UMaze-v5",
    "PointMaze_UMaze-v3", "FrankaKitchen-v1",
)  # fmt: skip


def main(written: str) -> None:
    """Write the first steps of all families."""
    robotics_program.main(written, *FAMILIES)
