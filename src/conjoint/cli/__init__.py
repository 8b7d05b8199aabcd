"""The command line: `conjoint simulate`, `testspeed`, `warmup`, `doctor`. Start at `app.py`."""
