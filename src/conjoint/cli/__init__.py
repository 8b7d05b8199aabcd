"""Command line interface: `conjoint simulate`, `testspeed`, `warmup`, `doctor` and further commands in `app.py`."""
