"""How the history of an actuator or sensor lies in `d.history`: from its address on HEAD numbers, times, samples."""

TIME, NEWEST, HEAD = range(3)
"""When a sensor was last read, disregarding steps (0 of actuators); place of the newest sample; number of these two."""
