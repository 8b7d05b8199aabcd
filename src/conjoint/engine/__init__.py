"""The physics: one room per stage of the Computation chapter; `forward.py` puts them in order."""
