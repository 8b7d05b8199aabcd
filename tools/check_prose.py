#!/usr/bin/env python3
"""Check that docstrings, comments and pages are easy to read.

Usage: check_prose.py [--long] [--rooms] [PATH ...]

Each finding is printed as a line "file:line: text: rule"; the exit status is 1 if there are findings. Long sentences
are findings only if they are more than one percent of all sentences. `--long` lists long sentences, longest first;
`--rooms` counts them by folder. PATH limits the check to files and folders. Rules about words come from the table
"Words" of docs/notation.md.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
EVERYTHING = [
    *(ROOT / name for name in ("src", "tests", "tools", "benchmarks", "examples", "docs")),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "hatch_build.py", "hatch_stubs.py")),
]
"""Files and folders that are checked if the command line names none."""

MOST_WORDS = 30
"""Largest number of words of a sentence that does not count as long."""

MOST_LONG = 0.01
"""Largest allowed fraction of long sentences."""


class Rule(NamedTuple):
    """A pattern of prose to avoid, and the reason."""

    pattern: re.Pattern[str]
    reason: str


class Paragraph(NamedTuple):
    """Paragraph of a docstring, comment or page, joined to one line; code spans are replaced by `CODE`."""

    path: str
    line: int
    text: str
    starts: bool = False
    """True if this is the first paragraph of a docstring."""

    cell: bool = False
    """True if this paragraph is a cell of a table."""


FIRST_LINES = Rule(
    re.compile(r"(The same|What|Whether|Those|Where|Who|Which|As|That|In place of|Of|How|\w+ (whether|how many))\b.*"),
    "a hover shows the first line alone: begin with a verb or a noun",
)

STEMS = (
    "anal capital categor character custom digit discret emphas equal final formal general initial ideal linear local "
    "maxim minim modern modular neutral normal optim organ parallel penal personal polar quant random real recogn "
    "regular serial special stabil standard summar symbol symmetr synchron util vector visual"
).replace(" ", "|")
"""Stems of words that end in "-ize" in American and "-ise" in British English."""

PERSONS = ("anybody", "anyone", "authors", "people", "person", "readers", "someone", "user", "users")
"""Words after which `who` is allowed."""

COUNTS = ("all", "both", "each", "few", "many", "most", "none", "one", "some", "several", "two", "three")
"""Words after which `of which` is allowed."""

PHRASES = (
    Rule(
        re.compile("".join(f"(?<!{count} )" for count in COUNTS) + r"\bof wh(?:ich|om)\b", re.IGNORECASE),
        "begin a new sentence",
    ),
    Rule(re.compile(r"\b(at|by|for|from|in|of|on|to|with) whose\b"), "begin a new sentence"),
    Rule(re.compile(r"\b(is|are|was|were|be|been|being) told\b(?! apart)"), "things are passed, set, reported"),
    Rule(re.compile(r"\b(is|are|was|were|be|been|being) asked\b(?! for)"), "things are requested, called, computed"),
    Rule(
        re.compile("".join(f"(?<!{person} )(?<!{person}, )" for person in PERSONS) + r"\b[Ww]ho\b"),
        "name the thread, the caller, the user",
    ),
    Rule(
        re.compile(
            rf"\b(?:(?:behavi|col|fav|harb|hon|lab|neighb|vap|rig)our\w*|\w*(?:{STEMS})(?:is|ys)(?:e[drs]?|ing|ation|ations|ers)"
            r"|(?:centi|milli|kilo)?metres?|centre[ds]?|grey\w*|whilst|amongst|artefacts?|licen[cs]es?(?<!license)(?<!licenses)"
            r"|defence|fulfil|programmes?|(?:label|model|travel|signal|fuel)l(?:ed|ing))\b",
            re.IGNORECASE,
        ),
        "use the American spelling",
    ),
)
"""Rules for all prose, in addition to the rules from docs/notation.md."""

ABBREVIATION = re.compile(r"\b(?:(?:e\.g|i\.e|cf|vs|al|approx)\.|(?:ch|eq|fig|no|pp|sec|vol)\.(?= \d)) ", re.IGNORECASE)
END = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[\"'(\[*]*[A-Z0-9])")
WORD = re.compile(r"\S*\w\S*")
CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|<code>.*?</code>")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
TAG = re.compile(r"<[^<>]+>")
DIRECTIVE = re.compile(r"# ?(!|type:|noqa|fmt:|pragma|mypy:|%%)")
BULLET = re.compile(r"\s*[*+-] ")
NUMBERED = re.compile(r"\s*\d+\. ")
CODE = re.compile(r"\s*(?:#|\||:::|<|>>>|!\[|-->)")
SECTION = re.compile(r"(Args|Attributes|Returns|Yields|Raises|Examples?|Notes?|Warning):$")
ENTRY = re.compile(r"    \*{0,2}[\w.`*\[\]]+(?:, \*{0,2}[\w.`*\[\]]+)*(?: \([^)]*\))?: ")
WORDS_TABLE = re.compile(r"^\| term \| instead of \| meaning \|\n.*\n((?:\|.*\n)+)", re.MULTILINE)


def plain(text: str) -> str:
    """Replace code spans by `CODE` and links by their text, and remove tags and repeated spaces."""
    return " ".join(TAG.sub("", LINK.sub(r"\1", CODE_SPAN.sub("CODE", text))).split())


def split_sentences(text: str) -> list[str]:
    """Split a paragraph into sentences; the period of an abbreviation does not end a sentence."""
    joined = ABBREVIATION.sub(lambda found: found[0].replace(" ", "\0"), text)
    return [sentence.replace("\0", " ") for sentence in END.split(joined)]


def count_words(sentence: str) -> int:
    """Count the words of a sentence; a code span counts as one word."""
    return len(WORD.findall(sentence))


def read_lines(path: str, lines: Iterable[tuple[int, str]]) -> Iterator[Paragraph]:
    """Split numbered lines into paragraphs, without code; list items and section entries are separate paragraphs."""
    parts: list[str] = []
    start, fenced, section, numbered = 0, False, False, False
    for number, line in (*lines, (0, "")):
        fence = line.lstrip().startswith(("```", "~~~"))
        # a number that begins a line inside a paragraph may end a sentence, so it starts no list item
        bullet = BULLET.match(line) or ((numbered or not parts) and NUMBERED.match(line))
        heading = SECTION.match(line)
        indented = line.startswith("    ") and not (parts or section or bullet)
        silent = bool(not line.strip() or fence or fenced or indented or CODE.match(line) or heading)
        if parts and (silent or bullet or (section and ENTRY.match(line))):
            yield Paragraph(path, start, plain(" ".join(parts)))
            parts = []
        if line.lstrip().startswith("|") and not fenced:
            yield from (Paragraph(path, number, plain(cell), cell=True) for cell in line.split("|"))
        fenced ^= fence
        section = bool(heading) or (section and (not line.strip() or line.startswith("    ")))
        if not silent:
            if not parts:
                start, numbered = number, bool(NUMBERED.match(line))
            line = ENTRY.sub("", line) if section else line
            parts.append(line[bullet.end() :] if bullet else line)


def read_docstring(path: str, line: int, text: str) -> Iterator[Paragraph]:
    """Split a docstring into paragraphs."""
    first, *rest = text.split("\n")
    indent = min((len(each) - len(each.lstrip()) for each in rest if each.strip()), default=0)
    lines = enumerate([first.lstrip(), *(each[indent:] for each in rest)], line)
    for at, paragraph in enumerate(read_lines(path, lines)):
        yield paragraph._replace(starts=at == 0)


def read_module(path: str, text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a module's docstrings and comments; consecutive comment lines form one paragraph."""
    comment: list[tuple[int, int, str]] = []
    string, before = None, tokenize.NEWLINE
    for kind, value, (line, column), _, source in tokenize.generate_tokens(io.StringIO(text).readline):
        if kind == tokenize.COMMENT and not DIRECTIVE.match(value):
            column = column if source.lstrip().startswith("#") else -line
            if comment and comment[-1][:2] != (line - 1, column):
                yield join_comment(path, comment)
                comment = []
            comment.append((line, column, value.lstrip("# ")))
        elif kind == tokenize.NEWLINE and string:
            yield from read_docstring(path, string[0], ast.literal_eval(string[1]))
        if kind not in (tokenize.NL, tokenize.COMMENT):
            statement = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            string = (line, value) if kind == tokenize.STRING and statement else None
            before = kind
    if comment:
        yield join_comment(path, comment)


def join_comment(path: str, lines: list[tuple[int, int, str]]) -> Paragraph:
    """Join the lines of a comment into a paragraph."""
    return Paragraph(path, lines[0][0], plain(" ".join(text for _, _, text in lines)))


def read_page(path: str, text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a page, without its front matter."""
    lines = list(enumerate(text.split("\n"), 1))
    if text.startswith("---\n"):
        lines = lines[2 + [line for _, line in lines[1:]].index("---") :]
    return read_lines(path, lines)


def read_file(path: Path) -> Iterator[Paragraph]:
    """Yield the paragraphs of a Python file or a page."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()
    return (read_page if path.suffix == ".md" else read_module)(name, path.read_text(encoding="utf-8"))


def list_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files, and the Python files and pages of the given folders, sorted by name."""
    for path in paths:
        found = sorted(each for each in path.rglob("*") if each.suffix in (".py", ".md")) if path.is_dir() else [path]
        yield from (each.resolve() for each in found)


@cache
def word_rules() -> tuple[Rule, ...]:
    """Return a rule for each row of the table "Words" of docs/notation.md."""
    rows = WORDS_TABLE.search((ROOT / "docs/notation.md").read_text(encoding="utf-8"))
    rules = []
    for row in rows[1].splitlines() if rows else ():
        _, term, wrong, *_ = (cell.strip() for cell in row.split("|"))
        words = "|".join(re.escape(word) for word in re.findall(r"`([^`]+)`", wrong))
        rules.append(
            Rule(re.compile(rf"(?<![\w/])(?:{words})(?![\w/]|\.\w)", re.IGNORECASE), f"use {term} (docs/notation.md)")
        )
    return tuple(rules)


def find_faults(paragraph: Paragraph) -> Iterator[str]:
    """Yield a line with location, text and reason for each rule that a paragraph breaks."""
    text = paragraph.text
    place = f"{paragraph.path}:{paragraph.line}"
    if paragraph.starts and (first := FIRST_LINES.pattern.match(text)):
        yield f"{place}: {first[0][:60]}: {FIRST_LINES.reason}"
    for rule in (*PHRASES, *word_rules()):
        for found in rule.pattern.finditer(text):
            yield f"{place}: ...{text[max(found.start() - 25, 0) : found.end() + 25]}...: {rule.reason}"


def room_of(path: str) -> str:
    """Return the folder for which `--rooms` counts a file: a package of src/conjoint, or a folder of the project."""
    parts = path.split("/")
    return "/".join(parts[:3] if parts[0] == "src" else parts[: min(len(parts) - 1, 2)]) or path


def main(arguments: list[str] | None = None) -> int:
    """Check the given files, or all; print the findings and return the exit status."""
    parser = argparse.ArgumentParser(description="Check docstrings, comments and pages.")
    parser.add_argument("paths", nargs="*", type=Path, default=EVERYTHING)
    parser.add_argument("--long", action="store_true", help="list long sentences")
    parser.add_argument("--rooms", action="store_true", help="count long sentences by folder")
    given = parser.parse_args(arguments)
    paragraphs = [paragraph for path in list_files(given.paths) for paragraph in read_file(path)]
    faults = [fault for paragraph in paragraphs for fault in find_faults(paragraph)]
    prose = [paragraph for paragraph in paragraphs if not paragraph.cell]
    counted = [(count_words(each), part, each) for part in prose for each in split_sentences(part.text)]
    long = sorted((entry for entry in counted if entry[0] > MOST_WORDS), reverse=True)
    too_many = len(long) > MOST_LONG * len(counted)
    if given.long or too_many:
        faults += [f"{part.path}:{part.line}: {count} words: {sentence}" for count, part, sentence in long]
    print(*faults, sep="\n", end="\n" if faults else "")
    if given.rooms:
        every, above = (Counter(room_of(part.path) for _, part, _ in entries) for entries in (counted, long))
        for room, number in sorted(every.items()):
            print(f"{room:28} {number:6} sentences, {above[room]:4} long ({above[room] / number:.1%})")
    share = f"{len(long) / max(len(counted), 1):.2%}; at most {MOST_LONG:.0%}"
    print(f"{len(counted)} sentences, {len(long)} of more than {MOST_WORDS} words ({share})")
    return 1 if len(faults) > len(long) * given.long or too_many else 0


if __name__ == "__main__":
    sys.exit(main())
