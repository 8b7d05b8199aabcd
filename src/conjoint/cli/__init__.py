"""Command line interface: `conjoint simulate`, `testspeed`, `warmup`, `doctor` etc.; see `app.py`."""
