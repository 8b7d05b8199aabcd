"""Reimplementation of the site's browser search: terms are scored as by lunr, and sections are grouped by page.

The settings are those of mkdocs-material (its sources: integrations/search). Every word of a query matches all words
that start with it. Words in titles count a thousandfold, and a page counts more than a section inside it. Terms are
scored by BM25 with k1 = 1.2 and b = 0, times the inverse document frequency (lunr.js 2.3, builder.js and index.js).
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SATURATION = 1.2
"""Parameter k1 of BM25, which limits the weight of repeated words."""

TAGS = re.compile(r"<[^>]+>")
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a able about across after all almost also am among an and any are as at be because been but by can cannot
        could dear did do does either else ever every for from get got had has have he her hers him his how however
        i if in into is it its just least let like likely may me might most must my neither no nor not of off often
        on only or other our own rather said say says she should since so some than that the their them then there
        these they this tis to too twas us wants was we were what when where which while who whom why will with
        would yet you your
        """,
    )
)
"""Frequent words that lunr ignores."""


class SiteSearch:
    """Search index of a built site: its sections, by the words that they contain.

    Args:
        path: path of the site's `search_index.json`.
    """

    def __init__(self, path: Path):
        found = json.loads(path.read_text(encoding="utf-8"))
        self.separator = re.compile(found["config"]["separator"])
        self.boosts = {name: float(field["boost"]) for name, field in found["config"]["fields"].items()}
        self.locations = [section["location"] for section in found["docs"]]
        self.weights = [float(section.get("boost", 1.0)) for section in found["docs"]]
        self.postings: dict[str, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
        for number, section in enumerate(found["docs"]):
            for field in self.boosts:
                self._add(number, field, section.get(field, ""))

    def _add(self, number: int, field: str, text: str | list[str]) -> None:
        """Add the words in a field of a section to the index."""
        plain = TAGS.sub(" ", text if isinstance(text, str) else " ".join(text))
        for word in self.words(plain):
            if word not in STOP_WORDS:
                counts = self.postings[word][field]
                counts[number] = counts.get(number, 0) + 1

    def words(self, text: str) -> Iterable[str]:
        """Return the words of a text or a query, in lower case."""
        return filter(None, self.separator.split(text.lower()))

    def pages(self, query: str) -> list[str]:
        """Return the pages that match a query, best first."""
        terms = list(self.words(query))
        matched: dict[int, set[str]] = defaultdict(set)
        scores: dict[int, float] = defaultdict(float)
        widths: dict[str, int] = defaultdict(int)
        sums: dict[tuple[str, int], float] = defaultdict(float)
        for term in terms:
            for word in [word for word in self.postings if word.startswith(term)]:
                for field, counts in self.postings[word].items():
                    widths[field] += 1
                    for number, count in counts.items():
                        sums[field, number] += self._weight(word, count) * self.boosts[field] * self.weights[number]
                        matched[number].add(term)
        for (field, number), total in sums.items():
            scores[number] += total / math.sqrt(widths[field])
        requested = {term for term in terms if term not in STOP_WORDS} or set(terms)
        for number in scores:
            share = len(matched[number]) / len(requested | matched[number])
            scores[number] *= 1.0 + (share + ("#" not in self.locations[number])) ** 2
        ranked = sorted(scores, key=lambda number: -scores[number])
        return list(dict.fromkeys(self.locations[number].partition("#")[0] for number in ranked))

    def _weight(self, word: str, count: int) -> float:
        """Return the score of a word that occurs `count` times in a field."""
        listed: dict[str, Any] = self.postings[word]
        holding = sum(len(counts) for counts in listed.values())
        rarity = math.log(1.0 + abs((len(self.locations) - holding + 0.5) / (holding + 0.5)))
        return rarity * (SATURATION + 1.0) * count / (SATURATION + count)
