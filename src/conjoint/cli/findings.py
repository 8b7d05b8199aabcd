"""`conjoint doctor MODEL`: examine a model and print the findings."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from conjoint.cli.model_file import BINARY, check_model_file, load_model
from conjoint.doctor import Finding, examine

MOST_LISTED = 5
"""Maximum number of elements printed per finding without `--all`."""
INDENT = "    "


def show_findings(path: Path, console: Console, whole: bool) -> bool:
    """Examine the model at `path` and print the findings; return True if there are none.

    All elements of each finding are printed if `whole` is true, else the first few.

    Raises:
        InputError: the file does not exist, or it cannot be loaded.
        ModelError: the file does not contain a model.
    """
    check_model_file(path)
    findings = examine(load_model(path) if path.suffix.lower() in BINARY else path)
    for finding in findings:
        console.print(described(finding, None if whole else MOST_LISTED))
    count = len(findings)
    summary = "no findings" if not count else "1 finding" if count == 1 else f"{count} findings"
    console.print(Text(f"{path}: {summary}", style="bold"))
    return not findings


def described(finding: Finding, most: int | None) -> Text:
    """Return a finding as text, with at most `most` of its elements; None for all."""
    text = Text.assemble((finding.check, "bold yellow"), f": {finding.message}\n")
    for element in finding.elements[:most]:
        text.append(f"{INDENT}{element}\n")
    left = len(finding.elements) - len(finding.elements[:most])
    if left:
        text.append(f"{INDENT}and {left} more (list them with --all)\n", style="dim")
    text.append("  Fix: ", style="bold green").append(f"{finding.fix}\n")
    return text.append("  See: ", style="bold").append(f"docs/{finding.page}\n")
