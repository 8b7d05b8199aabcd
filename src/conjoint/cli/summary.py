"""The table at the end of `conjoint simulate`."""

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from conjoint.cli.recording import Recording
from conjoint.cli.run import Request, Run

WARNING_TEXT = {
    "INERTIA": "the inertia matrix is nearly singular",
    "CONTACTFULL": "the contact buffer was full: contacts were lost",
    "CNSTRFULL": "the constraint buffer was full: constraints were lost",
    "VGEOMFULL": "the buffer of visual geoms was full",
    "BADQPOS": "a position was NaN or huge: the world was reset",
    "BADQVEL": "a velocity was NaN or huge: the world was reset",
    "BADQACC": "an acceleration was NaN or huge: the world was reset; a smaller timestep may help",
    "BADCTRL": "a control was NaN or huge: controls were taken as zero",
}
"""What each warning means to a user."""


def print_summary(request: Request, model: Any, run: Run, recording: Recording, console: Console) -> None:
    """Print what ran, how fast, and what happened."""
    table = Table(title=f"{request.model}", show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for name, text in (*model_rows(request, model), *speed_rows(request, model, run), *outcome_rows(recording)):
        table.add_row(name, text)
    table.add_row("warnings", warning_text(run.warnings))
    console.print(table)


def model_rows(request: Request, model: Any) -> list[tuple[str, str]]:
    """Rows that say what was simulated."""
    rows = [
        (
            "model",
            f"{model.nbody - 1} bodies, {model.ngeom} geoms, {model.nv} degrees of freedom, {model.nu} actuators",
        ),
        ("controls", request.controls if model.nu else "none: the model has no actuators"),
    ]
    if request.worlds > 1 or request.precision != "float64":
        rows.append(("worlds", f"{request.worlds} on {request.threads} threads, {request.precision}"))
    return rows


def speed_rows(request: Request, model: Any, run: Run) -> list[tuple[str, str]]:
    """Rows that say how long it took."""
    simulated = run.nstep * model.opt.timestep
    rate = request.worlds * run.nstep / run.stepping
    return [
        ("simulated", f"{simulated:g} s in {run.nstep:,} steps of {model.opt.timestep * 1e3:g} ms"),
        (
            "loading",
            f"{run.loading:.2f} s, then {run.first_step:.2f} s to allocate, compile if need be, and try a step",
        ),
        ("speed", f"[bold]{rate:,.0f} steps/s[/], {1e6 / rate:.1f} us per step"),
        ("real-time factor", f"{rate * model.opt.timestep:,.1f}"),
    ]


def outcome_rows(recording: Recording) -> list[tuple[str, str]]:
    """Rows that say what happened in the simulation."""
    ncon, height = recording.arrays["ncon"], recording.arrays["height"]
    energy = recording.arrays["energy"].sum(axis=-1)
    rows = [
        ("contacts", f"{ncon.mean():.1f} on average, {ncon.max()} at most"),
        (
            "energy",
            f"{energy[0].mean():.4g} J to {energy[-1].mean():.4g} J: change {(energy[-1] - energy[0]).mean():+.3g} J",
        ),
    ]
    if height.shape[2]:
        start, end = (float(np.mean(height[k])) for k in (0, -1))
        rows.append(("height", f"{start:.3f} m to {end:.3f} m (centre of mass, mean over trees)"))
    return rows


def warning_text(warnings: dict[str, int]) -> str:
    """One line per warning raised."""
    if not warnings:
        return "none"
    lines = [f"{name} x {count}: {WARNING_TEXT.get(name, 'see the documentation')}" for name, count in warnings.items()]
    return "[yellow]" + "\n".join(lines) + "[/]"
