"""Fuzz the reader, the compiler and the first steps: `python -m fuzz --seconds 600`, run in the tests folder."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

from lxml import etree

from fuzz.campaign import PARSER, Campaign, Seed
from fuzz.file_campaign import FileCampaign
from fuzz.oracle_worker import Oracle
from fuzz.seeds import SEEDS


def corpus_seeds(folder: Path, into: Path, grep: str) -> list[Seed]:
    """Return small models of a corpus with a manifest as seeds, copied to `into`, where mutants can be written."""
    shutil.copytree(folder, into, dirs_exist_ok=True)
    seeds = []
    for row in json.loads((folder / "manifest.json").read_text())["models"]:
        path = into / row["path"]
        if row.get("oracle_version", "3.3.5") == "3.3.5" and grep in row["path"] and path.stat().st_size < 30000:
            with contextlib.suppress(etree.XMLSyntaxError):
                if row.get("load_s", 1.0) < 0.1:
                    seeds.append(Seed(row["path"], etree.fromstring(path.read_bytes(), PARSER), path.parent))
    return seeds


def main() -> int:
    """Run the fuzzer with the command-line options; the exit status is 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--extreme", type=float, default=0.03, help="share of hostile values")
    parser.add_argument("--changes", type=int, default=4, help="most changes of one model")
    parser.add_argument("--alone", action="store_true", help="without the oracle: errors and warnings only")
    parser.add_argument("--grep", default="", help="only seeds whose name holds this")
    parser.add_argument(
        "--corpus", type=Path, help="folder of models with a manifest.json, instead of the built-in seeds"
    )
    parser.add_argument("--files", action="store_true", help="damage files that models refer to, instead of models")
    parser.add_argument("--out", type=Path, help="folder for what is found")
    arguments = parser.parse_args()
    if arguments.files:
        return damage_files(arguments.seconds, arguments.seed)
    with tempfile.TemporaryDirectory() as scratch, Oracle() as oracle:
        if arguments.corpus:
            seeds = corpus_seeds(arguments.corpus, Path(scratch), arguments.grep)
        else:
            seeds = [Seed(name, etree.fromstring(xml, PARSER)) for name, xml in SEEDS.items() if arguments.grep in name]
        campaign = Campaign(
            seeds, None if arguments.alone else oracle, arguments.seed, arguments.extreme, arguments.changes
        )
        with contextlib.suppress(KeyboardInterrupt):
            campaign.run(arguments.seconds)
    report(campaign, arguments.out)
    return 1 if campaign.findings else 0


def damage_files(seconds: float, seed: int) -> int:
    """Fuzz damaged files, without a comparison with MuJoCo; the exit status is 1 if there are findings."""
    with tempfile.TemporaryDirectory() as scratch:
        campaign = FileCampaign(None, Path(scratch), seed)
        campaign.run(seconds)
    for key, (finding, sample) in campaign.findings.items():
        print(f"--- {' '.join(key)}\n{finding.text[-900:]}\n{sample.data!r}\n")
    print(f"{campaign.executions} executions, {campaign.loaded} loaded, {len(campaign.findings)} findings")
    return 1 if campaign.findings else 0


def report(campaign: Campaign, out: Path | None) -> None:
    """Print the findings, and write the model of each one to a file in `out`, if given."""
    for number, (key, (finding, xml)) in enumerate(
        sorted(campaign.findings.items(), key=lambda kv: -campaign.counts[kv[0]])
    ):
        print(f"--- {number} x{campaign.counts[key]} {' '.join(key)}\n{finding.text[-900:]}\n{xml}\n")
        if out:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{number:03d}.xml").write_text(xml)
    seen, total = campaign.coverage.share()
    print(
        f"{campaign.executions} executions, {campaign.loaded} loaded, the oracle died {campaign.crashed} times,"
        f" {len(campaign.queue)} kept for new lines, {seen} of {total} lines, {len(campaign.findings)} findings"
    )


if __name__ == "__main__":
    sys.exit(main())
