"""Fuzzer loop: mutate, compile with both engines, keep inputs that reach new code, and shrink failures."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from fuzz.coverage import Coverage
from fuzz.mutation import Mutator
from fuzz.oracle_worker import Oracle
from fuzz.seeds import SEEDS
from fuzz.trial import Finding, judge, load

PARSER = etree.XMLParser(remove_comments=True, remove_pis=True, resolve_entities=False)


@dataclass
class Seed:
    """Model to mutate; `folder` contains its files, or is None."""

    name: str
    root: etree._Element
    folder: Path | None = None


@dataclass
class Campaign:
    """State of a fuzzing run of the reader and the compiler."""

    seeds: list[Seed]
    oracle: Oracle | None
    seed: int = 0
    extreme: float = 0.03
    most_changes: int = 4
    executions: int = 0
    crashed: int = 0
    loaded: int = 0
    queue: list[Seed] = field(default_factory=list)
    findings: dict[tuple[str, ...], tuple[Finding, str]] = field(default_factory=dict)
    known: set[tuple[str, ...]] = field(default_factory=set)
    counts: dict[tuple[str, ...], int] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)

    def run(self, seconds: float, most: int = 10**9) -> None:
        """Fuzz for `seconds`, or until `most` models have run."""
        donors = [etree.fromstring(xml, PARSER) for xml in SEEDS.values()]
        source = random.Random(self.seed)
        end = time.monotonic() + seconds
        number = 0
        while time.monotonic() < end and number < most:
            pool = self.queue if self.queue and source.random() < 0.3 else self.seeds
            seed = source.choice(pool)
            mutator = Mutator(f"{self.seed}.{number}", donors, self.extreme)
            root = mutator.mutate(seed.root, source.randint(1, self.most_changes))
            number += 1
            self._execute(Seed(f"{seed.name}+", root, seed.folder))

    def _execute(self, candidate: Seed) -> None:
        """Run one model, record its finding, and add it to the queue if it reached new lines."""
        before = len(self.coverage.seen)
        with self.coverage.watching():
            finding = self._try(candidate)
        if len(self.coverage.seen) > before and candidate.folder is None:
            self.queue.append(candidate)
        if finding is None:
            return
        self.counts[finding.key] = self.counts.get(finding.key, 0) + 1
        if finding.key not in self.findings and finding.key not in self.known:
            small = self._shrink(candidate, finding.key)
            self.findings[finding.key] = (self._try(small) or finding, _text(small.root))

    def _try(self, candidate: Seed) -> Finding | None:
        """Run one model with both engines and return the fault, or None."""
        xml, path = _text(candidate.root), ""
        if candidate.folder is not None:
            file = candidate.folder / "fuzzed.xml"
            file.write_text(xml)
            path = str(file)
        ours = load(xml, None, path)
        self.executions += 1
        self.loaded += ours.verdict.kind == "loaded"
        theirs = self.oracle.load(xml, None, path) if self.oracle else None
        self.crashed += theirs is not None and theirs.kind == "crashed"
        return judge(ours, theirs, xml)

    def _shrink(self, seed: Seed, key: tuple[str, ...]) -> Seed:
        """Return the model, reduced to the parts that are needed to reproduce the finding."""

        def still(root: etree._Element) -> bool:
            found = self._try(Seed(seed.name, root, seed.folder))
            return found is not None and found.key == key

        root = etree.fromstring(_text(seed.root), PARSER)
        end = time.monotonic() + 20
        shrunk = True
        while shrunk and time.monotonic() < end:
            shrunk = False
            for node in [node for node in root.iter(etree.Element) if node.getparent() is not None]:
                parent = node.getparent()
                if parent is None or node.getroottree().getroot() is not root:
                    continue
                place = parent.index(node)
                parent.remove(node)
                if still(root):
                    shrunk = True
                else:
                    parent.insert(place, node)
            for node in root.iter(etree.Element):
                for name, text in list(node.attrib.items()):
                    del node.attrib[name]
                    if still(root):
                        shrunk = True
                    else:
                        node.set(name, text)
        return Seed(seed.name, root, seed.folder)


def _text(root: etree._Element) -> str:
    return etree.tostring(root, encoding="unicode")
