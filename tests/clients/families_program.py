"""First steps of every family of Gymnasium-Robotics tasks after a seeded reset."""

from clients import robotics_program

FAMILIES = (
    "FetchReach-v4", "FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4", "HandReach-v3", "HandManipulateBlock-v1",
    "HandManipulateEgg-v1", "HandManipulatePen-v1", "HandManipulateBlock_ContinuousTouchSensors-v1",
    "AdroitHandDoor-v1", "AdroitHandHammer-v1", "AdroitHandPen-v1", "AdroitHandRelocate-v1", "AntMaze_UMaze-v5",
    "PointMaze_UMaze-v3", "FrankaKitchen-v1",
)  # fmt: skip


def main(written: str) -> None:
    """Write the first steps of all families to a file."""
    robotics_program.main(written, *FAMILIES)
